package workload

import (
	"context"
	"fmt"
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

const (
	maxProbes     = 4      // unless a prompt may have been cut
	probeReadings = 300    // more than any chat template takes, so that one count gives both
	maxTemplate   = 160    // tokens
	usualTemplate = 10     // tokens
	longProbe     = 14_000 // local tokens of a sample of free text, at most
	corpusProbe   = 6000   // local tokens of a sample of a corpus, at most
	proseProbe    = 1500   // tokens of a sample of Chinese, at least
	talkProbe     = 4000   // tokens of a rehearsed conversation, where it has more than one exchange
	talkExchanges = 16     // of a rehearsed conversation, at most
	minRate       = token / 20
	maxRate       = 12 * token
)

// Calibrate learns how a server counts tokens, from at most four probes whose
// text starts like no measured text; where a prompt may have been cut, further
// ones find out. Readings give the cost of a reading and
// of the chat template; samples of the texts that the spec asks for give what
// a local token of each kind is worth; the last probe rehearses a whole
// request, or a conversation. A spec without lengths of its own (connectivity,
// recorded conversations) needs no probe.
func Calibrate(ctx context.Context, spec *bench.Spec, opts Options, probe Prober) (*Calibration, error) {
	c := &calibrator{ctx: ctx, spec: spec, corpus: opts.Corpus, probe: probe}
	c.cal.Chinese, c.cal.English, c.cal.Code = token, token, token
	c.cal.Reading = localMeter().reading
	for _, step := range c.steps() {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if len(c.cal.Probes) > 0 {
		c.settle()
	}
	return &c.cal, nil
}

type calibrator struct {
	ctx    context.Context
	spec   *bench.Spec
	corpus *Corpus
	probe  Prober
	cal    Calibration
	free   int        // samples of free text so far
	base   castCounts // what the measured medley dealt
}

// steps chooses the probes.
func (c *calibrator) steps() []func() error {
	switch {
	case c.spec.Scenario == bench.Connectivity, c.corpus.replays(c.spec):
		return nil
	case c.corpus != nil && c.talks():
		return []func() error{c.readings, c.corpusWide, c.corpusOthers, c.conversation}
	case c.corpus != nil:
		return []func() error{c.readings, c.corpusWide, c.corpusOthers}
	case c.talks():
		return append(c.samples(maxProbes-1), c.conversation)
	}
	return c.samples(maxProbes)
}

func (c *calibrator) talks() bool { return c.spec.Scenario == bench.Multiturn && c.spec.MaxTurns > 1 }

// samples chooses n probes, by what texts the run is made of.
func (c *calibrator) samples(n int) []func() error {
	b := c.builder()
	first, own := b.firstOrder(1), b.ownOrder()
	if c.spec.Scenario == bench.Multiturn && !c.talks() {
		own = first
	}
	steps := []func() error{c.readings, c.prose}
	last := c.rehearsal
	switch {
	case !first.cast || !own.cast:
		last = c.freeText
	case first.mixed || own.mixed:
		steps = append(steps, c.medley)
	}
	for len(steps) < n {
		steps = append(steps, last)
	}
	return steps
}

// head begins a probe like no measured text.
func (c *calibrator) head() string {
	return fmt.Sprintf("%d-%s\n\n", len(c.cal.Probes)+1, c.spec.Nonce)
}

// composer writes the next probe.
func (c *calibrator) composer() *composer {
	return newComposer(c.spec.Seed, streamProbe+uint64(len(c.cal.Probes))<<8, c.cal.costs().meter)
}

func user(text string) bench.Message { return bench.Message{Role: bench.RoleUser, Text: text} }

// send probes, notes what came of it and returns by how much the server's count
// differs from what was expected.
func (c *calibrator) send(purpose string, expected micro, messages ...bench.Message) (micro, error) {
	n, err := c.probe(c.ctx, messages)
	if err == nil && n <= 0 {
		err = ErrNoUsage
	}
	if err == nil && c.suspect(purpose, n, expected) {
		err = c.uncut(n, messages)
	}
	if err != nil {
		return 0, fmt.Errorf("calibration, probe %d (%s): %w", len(c.cal.Probes)+1, purpose, err)
	}
	c.cal.Probes = append(c.cal.Probes, Probe{Purpose: purpose, Expected: expected.ceil(), Counted: n})
	return tokens(n) - expected, nil
}

// sendBody probes with one message, of which only the body's cost is in
// question, and returns that cost.
func (c *calibrator) sendBody(purpose string, k *composer, body []byte, expected micro) (micro, error) {
	head := c.head()
	beside := c.cal.Message + headLength(head)
	off, err := c.send(purpose, beside+expected, user(head+string(body)))
	return expected + off, err
}

// readings finds the cost of one reading, a whole number as a rule, and that of
// the chat template: what remains.
func (c *calibrator) readings() error {
	k := c.composer()
	head := c.head()
	text := []byte(head + number(k.src))
	for range probeReadings {
		text = append(text, readingMark+number(k.src)...)
	}
	text = append(text, readingsEnd...)
	beside := headLength(head + "11" + readingsEnd)
	off, err := c.send("readings", beside+probeReadings*k.meter.reading, user(string(text)))
	if err != nil {
		return err
	}
	rest := off + probeReadings*k.meter.reading
	c.cal.Reading = rest / (probeReadings * token) * token
	c.cal.Message = rest - probeReadings*c.cal.Reading
	if c.cal.Reading == 0 || c.cal.Message > maxTemplate*token {
		c.cal.Message = usualTemplate * token
		c.cal.Reading = (rest - c.cal.Message) / probeReadings
	}
	c.cal.Message = max(0, c.cal.Message)
	return plausible(c.cal.Reading)
}

// prose finds what Chinese costs, and guesses at a little more for the other kinds,
// so that the medley leaves room.
func (c *calibrator) prose() error {
	k := c.composer()
	o := c.proseOrder()
	o.fit.Counts = k.counts(o, castCounts{})
	var body []byte
	var expected micro
	for expected < proseProbe*token {
		text, n, err := c.write(k, o)
		if err != nil {
			return err
		}
		body, expected = append(body, text+"\n\n"...), expected+n
	}
	counted, err := c.sendBody("Chinese", k, body, expected)
	if err != nil {
		return err
	}
	readings := c.cal.Reading * micro(strings.Count(string(body), readingMark))
	c.cal.Chinese = ratio(c.cal.Chinese, counted-readings, expected-readings)
	c.cal.English = c.cal.Chinese * 9 / 8
	c.cal.Code = c.cal.English
	return plausible(c.cal.Chinese)
}

// proseOrder is a text with as much Chinese as the larger of the run's texts
// hold, from the cast where they are.
func (c *calibrator) proseOrder() order {
	b := c.builder()
	first, own := b.firstOrder(1), b.ownOrder()
	o := order{tail: b.instruction, question: true, cast: first.cast || own.cast}
	for _, text := range []order{first, own} {
		part := text.target
		if text.mixed {
			part /= 2
		}
		if text.cast || !o.cast {
			o.target = min(max(o.target, part), proseProbe*token)
		}
	}
	return o
}

// medley finds what English and code from the cast cost beside Chinese.
func (c *calibrator) medley() error {
	k := c.composer()
	b := c.builder()
	o := b.firstOrder(1)
	if !o.mixed {
		o = b.ownOrder()
	}
	o.head = ""
	c.base = k.counts(o, castCounts{})
	o.fit.Counts = c.base
	text, expected, err := c.write(k, o)
	if err != nil {
		return err
	}
	counted, err := c.sendBody("clauses of all kinds", k, []byte(text), expected)
	if err != nil {
		return err
	}
	spent := k.cast.lengths(&k.meter, c.base)
	spent[chinese] = expected - spent[english] - spent[code]
	return c.scale(spent, counted)
}

// freeText finds what free text of all kinds costs. Each further sample weighs
// as much as each one before.
func (c *calibrator) freeText() error {
	k := c.composer()
	largest := c.spec.PrefixLen + c.spec.SuffixLen
	if c.spec.Scenario == bench.Multiturn {
		largest = c.spec.InitialLen + (c.spec.MaxTurns-1)*c.spec.QuestionLen
	}
	body, spent := k.mixed(tokens(min(longProbe, largest*4/5)))
	counted, err := c.sendBody("free text of all kinds", k, body, spent.sum())
	if err != nil {
		return err
	}
	c.free++
	return c.scale(spent, spent.sum()+(counted-spent.sum())/micro(c.free))
}

// scale sets the rates so that a text expected to cost spent costs what was
// counted. The rate of Chinese being known, the others bear the difference.
func (c *calibrator) scale(spent lengths, counted micro) error {
	counted -= spent[chinese]
	spent[chinese] = 0
	c.cal.English = ratio(c.cal.English, counted, spent.sum())
	c.cal.Code = ratio(c.cal.Code, counted, spent.sum())
	return plausible(c.cal.English)
}

func plausible(rate micro) error {
	if rate < minRate || rate > maxRate {
		return ErrImplausible
	}
	return nil
}
