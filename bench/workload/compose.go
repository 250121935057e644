package workload

import "fmt"

// The lengths below which text is of one kind, Chinese, and below which the
// length of free text varies too much: it is put together from the cast.
const (
	mixedLen = 600
	freeLen  = 6000
)

// Readings are numbers of two digits after a mark, all of one length whatever
// the tokenizer. They fill what is left where no sentence fits.
const (
	readingEighths = wideEighths + 2*markEighths
	fewReadings    = 4 // that room is left for
	readingMark    = "、"
	readingUnit    = "度" // alone between a digit and a mark: one token
	readingsEnd    = "。\n"
)

// order is what a piece of text is to be.
type order struct {
	head     string // what it begins with; ASCII
	tail     string // what it ends with, after the readings; Chinese
	target   micro
	mixed    bool // of all kinds
	cast     bool // in the server's unit: from the cast
	fit      Fit
	question bool // it asks about the first reading
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
	start, end, rest := c.frame(o)
	if rest < 0 {
		return "", 0, &shortfall{o.target - rest}
	}
	body, spent := c.body(o, rest)
	text := append([]byte(o.head), body...)
	text = append(text, start...)
	text, rest = c.readings(text, rest-spent)
	return string(append(text, end...)), rest, nil
}

// frame is what stands around body and readings, and the room for those.
func (c *composer) frame(o order) (start, end string, room micro) {
	reading := number(c.src)
	start, end = c.cast.label+reading, readingsEnd
	if o.question {
		end += question(reading)
	}
	end += o.tail
	return start, end, o.target - o.fit.Correction - headLength(o.head) - c.meter.of(chinese, start+end)
}

// body writes what stands between head and readings. The local rule, being
// exact, needs no cast.
func (c *composer) body(o order, room micro) ([]byte, micro) {
	budget := room - fewReadings*c.meter.reading
	switch {
	case o.cast && !c.meter.exact:
		n := o.fit.Counts
		if n == (castCounts{}) || c.cast.lengths(&c.meter, n).sum() > room {
			n = c.cast.fits(&c.meter, budget, o.mixed)
		}
		return c.cast.text(c.src, n), c.cast.lengths(&c.meter, n).sum()
	case o.mixed:
		text, spent := c.mixed(budget)
		return text, spent.sum()
	}
	return c.prose(nil, 0, budget)
}

// counts is what a text made to order deals from the cast. It keeps base, whose
// length was measured, where that nearly fills the text, and else as much of
// its English and code as leaves room.
func (c *composer) counts(o order, base castCounts) castCounts {
	if !o.cast {
		return castCounts{}
	}
	_, _, room := c.frame(o)
	budget := room - fewReadings*c.meter.reading
	parts := c.cast.lengths(&c.meter, base)
	kept := parts.sum() - parts[chinese]
	switch {
	case !o.mixed || kept == 0 || kept > budget*9/10:
		return c.cast.fits(&c.meter, budget, o.mixed)
	case parts.sum() > budget || parts.sum() < budget*4/5:
		base[chinese] = c.cast.fitsOf(&c.meter, chinese, 0, budget-kept)
	}
	return base
}

// readings fills budget, as nearly as whole readings can, and returns what is
// left: less than one token under in the local unit, else about half a token
// over or under.
func (c *composer) readings(text []byte, budget micro) ([]byte, micro) {
	n := budget / c.meter.reading
	budget -= n * c.meter.reading
	marks := micro(0) // on the last readings
	if !c.meter.exact {
		marks = min((budget+token/2)/token, n)
	}
	for i := range n {
		text = append(text, readingMark...)
		text = append(text, number(c.src)...)
		if n-i <= marks {
			text = append(text, readingUnit...)
			budget -= token
		}
	}
	if c.meter.exact && budget >= token {
		text = append(text, ".5"...)
		budget -= token
	}
	return text, budget
}

// mixed writes paragraphs of all kinds by their shares, as many as fit, and
// returns their length by kind.
func (c *composer) mixed(budget micro) ([]byte, lengths) {
	var text []byte
	var spent lengths
	left, share := c.meter.split(budget), shares()
	for open := kinds; open > 0; {
		k := neediest(left, share)
		var n micro
		if text, n = c.paragraph(text, k, left[k]); n == 0 {
			share[k] = 0
			open--
		}
		left[k] -= n
		spent[k] += n
	}
	text, n := c.prose(text, spent.sum(), budget)
	spent[chinese] += n - spent.sum()
	return text, spent
}

// neediest is the kind that lags most behind its share. A share of 0 is used up.
func neediest(left, share lengths) kind {
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
