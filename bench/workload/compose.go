package workload

import "fmt"

// size is how a text is put together, by the length asked for.
type size int

const (
	short  size = iota // Chinese alone, from the cast
	medium             // all kinds, from the cast
	long               // all kinds, free
)

// The lengths from which texts are medium and long.
const (
	mediumLen = 600
	longLen   = 2400
)

func sizeOf(tokens int) size {
	switch {
	case tokens < mediumLen:
		return short
	case tokens < longLen:
		return medium
	}
	return long
}

// Readings are numbers of two digits after a mark, all of one length whatever
// the tokenizer. They fill what is left where no sentence fits.
const (
	readingEighths = wideEighths + 2*markEighths
	fewReadings    = 4 // that room is left for
	readingMark    = "、"
	readingsEnd    = "。\n"
)

// order is what a piece of text is to be.
type order struct {
	head     string // what it begins with; ASCII
	tail     string // what it ends with, after the readings; Chinese
	target   micro
	size     size
	fit      Fit
	question bool // it says at its end what to dwell on
}

// shortfall says that what a piece must hold is longer than its target.
type shortfall struct{ need micro }

func (e *shortfall) Error() string { return fmt.Sprintf("needs %d tokens", e.need.ceil()) }

// composer puts pieces of text together at the lengths asked for.
type composer struct {
	meter  meter
	author *author
	cast   *cast
	src    source
}

func newComposer(seed, stream uint64, m meter) *composer {
	a := newAuthor(seed, stream)
	return &composer{meter: m, author: a, cast: newCast(newSource(seed, streamCast)), src: a.src}
}

// compose returns a text and what is left of its target: less than one reading,
// in the local unit less than one token. It fails with a [shortfall] only.
func (c *composer) compose(o order) (string, micro, error) {
	end := readingsEnd
	if o.question {
		end += c.cast.question(c.src)
	}
	end += o.tail
	start := c.cast.label + number(c.src)
	rest := o.target - o.fit.Correction - c.meter.of(english, o.head) - c.meter.of(chinese, start+end)
	if rest < 0 {
		return "", 0, &shortfall{o.target - rest}
	}
	body, spent := c.body(o, rest)
	if spent > rest {
		return "", 0, &shortfall{o.target - rest + spent}
	}
	text := append([]byte(o.head), body...)
	text = append(text, start...)
	text, rest = c.readings(text, rest-spent)
	return string(append(text, end...)), rest, nil
}

// body writes what stands between head and readings. The local rule, being
// exact, needs no cast.
func (c *composer) body(o order, budget micro) ([]byte, micro) {
	budget -= fewReadings * c.meter.reading
	switch {
	case o.size == long, o.size == medium && c.meter.exact:
		return c.long(budget)
	case c.meter.exact:
		return c.prose(nil, 0, budget)
	}
	n := o.fit.Counts
	if n == (castCounts{}) {
		n = c.cast.fits(&c.meter, budget, o.size == medium)
	}
	return c.cast.text(c.src, n), c.cast.length(&c.meter, n)
}

// readings fills budget, as nearly as whole readings can, and returns what is
// left: at most half a reading over or under, in the local unit less than one
// token under.
func (c *composer) readings(text []byte, budget micro) ([]byte, micro) {
	n := (budget + c.meter.reading/2) / c.meter.reading
	if c.meter.exact {
		n = budget / c.meter.reading
	}
	for range n {
		text = append(text, readingMark...)
		text = append(text, number(c.src)...)
		budget -= c.meter.reading
	}
	if c.meter.exact && budget >= token {
		text = append(text, ".5"...)
		budget -= token
	}
	return text, budget
}

// shares are the parts of mixed text by kind, in tenths.
func shares() [kinds]micro { return [kinds]micro{chinese: 5, english: 3, code: 2} }

// long writes paragraphs of all kinds by their shares, as many as fit.
func (c *composer) long(budget micro) ([]byte, micro) {
	var text []byte
	var spent micro
	var left, share = [kinds]micro{}, shares()
	for k := range left {
		left[k] = budget * share[k] / 10
	}
	for open := kinds; open > 0; {
		k := neediest(left, share)
		var n micro
		if text, n = c.paragraph(text, k, left[k]); n == 0 {
			share[k] = 0
			open--
		}
		left[k] -= n
		spent += n
	}
	return c.prose(text, spent, budget)
}

// neediest is the kind that lags most behind its share. A share of 0 is used up.
func neediest(left, share [kinds]micro) kind {
	best := -1
	for k := range left {
		if share[k] > 0 && (best < 0 || left[k]*share[best] > left[best]*share[k]) {
			best = k
		}
	}
	return kind(best)
}

// prose adds paragraphs of Chinese while they fit into budget.
func (c *composer) prose(text []byte, spent, budget micro) ([]byte, micro) {
	for {
		var n micro
		if text, n = c.paragraph(text, chinese, budget-spent); n == 0 {
			return text, spent
		}
		spent += n
	}
}

// paragraph appends one paragraph of at most limit and returns its length; 0
// when not even one sentence fits.
func (c *composer) paragraph(text []byte, k kind, limit micro) ([]byte, micro) {
	first := c.author.open(k) + c.author.peek(k)
	spent := c.meter.of(k, first+c.author.writers[k].close())
	if spent > limit {
		return text, 0
	}
	c.author.take(k)
	text = append(text, first...)
	for range 3 + c.src.below(4) {
		next := c.author.writers[k].gap() + c.author.peek(k)
		n := c.meter.of(k, next)
		if spent+n > limit {
			break
		}
		c.author.take(k)
		text, spent = append(text, next...), spent+n
	}
	return append(text, c.author.close(k)...), spent
}
