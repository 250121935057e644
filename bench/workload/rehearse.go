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
	orders := []order{c.freeze(fit, first, 0)}
	if c.spec.Scenario == bench.Prefix {
		fit = &c.cal.Own
		orders = append(orders, c.freeze(fit, own, own.target/reserve))
	}
	orders[0].head = c.head()
	text, expected, err := c.write(c.composer(), orders...)
	if err != nil {
		return err
	}
	off, err := c.send(rehearsed+"a request", c.cal.Message+expected, user(text))
	fit.Correction += off
	return err
}

// conversation rehearses a session, and finds what each exchange of messages
// costs beside their texts. What its first turn costs too much or too little is
// put on the exchanges, so that they make up for it. A first turn of free text,
// which would vary, is left out.
func (c *calibrator) conversation() error {
	c.cal.Exchange = c.cal.Message
	b := c.builder()
	first, own := b.firstOrder(1), b.ownOrder()
	own = c.freeze(&c.cal.Own, own, own.target/reserve)
	first = c.freeze(&c.cal.First, first, 0)
	if !first.cast || c.corpus != nil {
		first = own
	}
	first.head = c.head()
	exchanges := min(max(1, talkProbe/c.spec.QuestionLen), talkExchanges)
	k := c.texter()
	text, expected, err := c.write(k, first)
	messages := []bench.Message{user(text)}
	for i := 0; i < exchanges && err == nil; i++ {
		var n micro
		text, n, err = c.write(k, own)
		messages = append(messages, bench.Message{Role: bench.RoleAssistant, Text: bench.EmptyAnswer}, user(text))
		expected += n + c.cal.Exchange + token // an empty answer is one token
	}
	if err != nil {
		return err
	}
	off, err := c.send(rehearsed+"a conversation", c.cal.Message+expected, messages...)
	c.cal.Exchange += off / micro(exchanges)
	return err
}

// rehearsed begins the purpose of a probe that sends what the run will send.
const rehearsed = "rehearsal of "

// reserve is the part of a short text, one in so many, that its sentences leave
// to readings, in case they cost more than expected.
const reserve = 12

// freeze fixes what texts made to order deal from the cast, so that what a
// probe says of one of them holds for all.
func (c *calibrator) freeze(fit *Fit, o order, spare micro) order {
	if fit.Counts == (castCounts{}) && c.corpus == nil {
		with := o
		with.target -= spare
		fit.Counts = c.composer().counts(with, c.base)
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
	c.freeze(&c.cal.First, b.firstOrder(1), 0)
	c.freeze(&c.cal.Own, b.ownOrder(), 0)
}

// corpusSample takes text from where the run will take it.
func (c *calibrator) corpusSample() (wide, others string) {
	first, own := sizes(c.spec)
	used := c.spec.NumPrefixes*first + c.spec.NumRequests*own
	if c.spec.Scenario == bench.Multiturn {
		used = c.spec.NumSessions * (first + (c.spec.MaxTurns-1)*own)
	}
	return c.corpus.sample(corpusProbe*token, tokens(used))
}

// corpusWide finds what the wide characters of the corpus cost.
func (c *calibrator) corpusWide() error {
	wide, _ := c.corpusSample()
	return c.corpusSide(wide, chinese, &c.cal.Chinese)
}

// corpusOthers finds what its other characters cost.
func (c *calibrator) corpusOthers() error {
	_, others := c.corpusSample()
	err := c.corpusSide(others, english, &c.cal.English)
	c.cal.Code = c.cal.English
	return err
}

// corpusSide probes with lines of one side of the corpus, if it has any, and
// sets the rate of that side by what they cost beside the characters of the other.
func (c *calibrator) corpusSide(body string, side kind, rate *micro) error {
	if body == "" {
		return nil
	}
	k := c.composer()
	spent := k.meter.ofMixed(body)
	counted, err := c.sendBody("text of the corpus", k, []byte(body), spent.sum())
	if err != nil {
		return err
	}
	*rate = ratio(*rate, counted-spent.sum()+spent[side], spent[side])
	return plausible(*rate)
}

// texter writes follow-ups.
func (c *calibrator) texter() texter {
	if c.corpus != nil {
		return newExcerpts(c.corpus, c.cal.costs().meter)
	}
	return c.composer()
}
