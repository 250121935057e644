package report

import (
	"math"
	"slices"
)

// headroom keeps the highest value off the upper edge.
const headroom = 1.03

// box is a rectangle of the picture, in pixels.
type box struct{ left, top, right, bottom int }

func (b box) width() int { return b.right - b.left }

// axis maps values to pixels; its ticks may be none.
type axis struct {
	low, high float64
	from, to  int // pixels of low and high
	ticks     []tick
}

// tickedAxis covers low to high with round ticks from one pixel to another.
func tickedAxis(low, high float64, most, from, to int) axis {
	ticks := roundTicks(low, high, most)
	if len(ticks) == 0 {
		return axis{low: 0, high: 1, from: from, to: to}
	}
	return axis{ticks[0].value, ticks[len(ticks)-1].value, from, to, ticks}
}

// at is the pixel of a value, which is kept within the axis.
func (a axis) at(v float64) int {
	part := (v - a.low) / (a.high - a.low)
	part = max(0, min(1, part))
	return a.from + int(math.Round(part*float64(a.to-a.from)))
}

// upTo ends the axis at a value that need not be a tick.
func (a axis) upTo(high float64) axis {
	if high <= a.low || high > a.high {
		return a
	}
	a.high = high
	a.ticks = slices.DeleteFunc(a.ticks, func(t tick) bool { return t.value > high })
	return a
}

// plot is the part of a picture that holds data, with its axes. The right axis
// has no ticks where there is none.
type plot struct {
	*canvas
	area        box // of the data
	x, y, right axis
}

func (p *plot) spot(x, y float64) spot { return spot{p.x.at(x), p.y.at(y)} }

// grid draws the horizontal lines, the axis and the labels of the y axes.
func (p *plot) grid() {
	for _, t := range p.y.ticks {
		y := p.y.at(t.value)
		p.path(stroke{colour: faint.solid(), width: 2}, spot{p.area.left, y}, spot{p.area.right, y})
		p.middle(t.label, p.area.left-12, y, labelSize, rightAt, muted)
	}
	for _, t := range p.right.ticks {
		y := p.right.at(t.value)
		p.path(stroke{colour: border.solid(), width: 2}, spot{p.area.right, y}, spot{p.area.right + 7, y})
		p.middle(t.label, p.area.right+14, y, labelSize, leftAt, muted)
	}
	p.path(stroke{colour: border.solid(), width: 2}, spot{p.area.left, p.area.bottom}, spot{p.area.right, p.area.bottom})
}

// xTicks draws the x axis's ticks, and their labels under the area where asked for.
func (p *plot) xTicks(labels bool) {
	for _, t := range p.x.ticks {
		x := p.x.at(t.value)
		p.path(stroke{colour: faint.solid(), width: 2}, spot{x, p.area.top}, spot{x, p.area.bottom})
		p.path(stroke{colour: border.solid(), width: 2}, spot{x, p.area.bottom}, spot{x, p.area.bottom + 8})
		if labels {
			p.text(t.label, x, p.area.bottom+32, labelSize, centreAt, muted)
		}
	}
}

// widest is the width of the widest label.
func (f *typeface) widest(ticks []tick) int {
	w := 0
	for _, t := range ticks {
		w = max(w, f.width(t.label, labelSize))
	}
	return w
}

// timeUnit is a unit to show milliseconds in.
type timeUnit struct {
	name string
	ms   float64 // in one of it
}

// unitFor keeps milliseconds while they have at most four digits.
func (w *chartWords) unitFor(most float64) timeUnit {
	if most >= 10_000 {
		return timeUnit{w.seconds, 1000}
	}
	return timeUnit{w.ms, 1}
}
