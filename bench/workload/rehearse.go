package workload

import (
	"errors"

	"github.com/llm-bench/llm-bench/bench"
)

// builder makes measured text with what is known so far.
func (c *calibrator) builder() *builder {
	return generating(c.spec, c.cal.costs())
}

// rehearsal sends a whole request as the run will send it, under another head,
// and corrects the length of such requests by what is found.
func (c *calibrator) rehearsal() error {
	b := c.builder()
	first, own := b.firstOrder(1), b.ownOrder()
	fit := &c.cal.First
	orders := []order{c.freeze(fit, first)}
	if c.spec.Scenario == bench.Prefix {
		fit = &c.cal.Own
		orders = append(orders, c.freeze(fit, own))
	}
	orders[0].head = c.head()
	text, expected, err := c.write(c.composer(), orders...)
	if err != nil {
		return err
	}
	off, err := c.send("rehearsal of a request", c.cal.Message+expected, user(text))
	fit.Correction += off
	return err
}

// conversation rehearses turns of follow-ups, and finds what each exchange of
// messages costs beside their texts.
func (c *calibrator) conversation() error {
	c.cal.Exchange = c.cal.Message
	own := c.freeze(&c.cal.Own, c.builder().ownOrder())
	exchanges := min(max(1, talkProbe/c.spec.QuestionLen), talkExchanges)
	k := c.texter()
	var messages []bench.Message
	expected := c.cal.Message + micro(exchanges)*(c.cal.Exchange+token) // an empty answer is one token
	for i := range exchanges + 1 {
		own.head = ""
		if i == 0 {
			own.head = c.head()
		} else {
			messages = append(messages, bench.Message{Role: bench.RoleAssistant, Text: bench.EmptyAnswer})
		}
		text, n, err := c.write(k, own)
		if err != nil {
			return err
		}
		messages, expected = append(messages, user(text)), expected+n
	}
	off, err := c.send("rehearsal of a conversation", expected, messages...)
	c.cal.Exchange += off / micro(exchanges)
	return err
}

// freeze fixes what texts made to order deal from the cast, so that what a
// probe says of one of them holds for all.
func (c *calibrator) freeze(fit *Fit, o order) order {
	if fit.Counts == (castCounts{}) && c.corpus == nil {
		fit.Counts = c.composer().counts(o, c.base)
	}
	o.fit = *fit
	return o
}

// write composes orders one after the other and returns their text and what it
// is expected to cost. A target that is too small is raised: the plan will say so.
func (c *calibrator) write(k texter, orders ...order) (string, micro, error) {
	var all string
	var expected micro
	for _, o := range orders {
		text, left, err := k.compose(o)
		var short *shortfall
		if errors.As(err, &short) {
			o.target = short.need
			text, left, err = k.compose(o)
		}
		if err != nil {
			return "", 0, err
		}
		all, expected = all+text, expected+o.target-left
	}
	return all, expected, nil
}

// settle freezes what no rehearsal froze.
func (c *calibrator) settle() {
	b := c.builder()
	c.freeze(&c.cal.First, b.firstOrder(1))
	c.freeze(&c.cal.Own, b.ownOrder())
}

// corpusSpans are the places of a corpus that one probe draws on.
const corpusSpans = 8

// corpusText finds what the corpus costs. Each further sample weighs as much as
// each one before.
func (c *calibrator) corpusText() error {
	first, own := sizes(c.spec)
	used := c.spec.NumPrefixes*first + c.spec.NumRequests*own
	largest := first + own
	if c.spec.Scenario == bench.Multiturn {
		largest = first + (c.spec.MaxTurns-1)*own
		used = c.spec.NumSessions * largest
	}
	body := c.corpus.sample(tokens(min(longProbe, largest*4/5)), tokens(used), corpusSpans, c.free)
	k := c.composer()
	spent := lengths{english: k.meter.of(english, body)}
	counted, err := c.sendBody("text of the corpus", k, []byte(body), spent.sum())
	if err != nil {
		return err
	}
	c.free++
	c.cal.Chinese = ratio(c.cal.Chinese, spent.sum()+(counted-spent.sum())/micro(c.free), spent.sum())
	c.cal.English, c.cal.Code = c.cal.Chinese, c.cal.Chinese
	return plausible(c.cal.Chinese)
}

// texter writes follow-ups.
func (c *calibrator) texter() texter {
	if c.corpus != nil {
		return newExcerpts(c.corpus, c.cal.costs().meter.rates[chinese])
	}
	return c.composer()
}
