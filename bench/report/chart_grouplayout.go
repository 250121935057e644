package report

import (
	"fmt"
	"slices"
	"strconv"
)

const (
	groupGap   = 44  // between panels
	groupPlot  = 340 // height of a panel's data
	headHeight = 84  // of a panel's title and units
	rowHeight  = 28  // of a line of numbers under the axis
	bandAlpha  = 46
	bandLimit  = 3 // targets whose bands can still be told apart
	countRows  = 4 // targets whose counts get a line each
)

// groupLayout is what the four panels share, so that they align.
type groupLayout struct {
	width        int // of a panel
	left, right  int // gutters
	inset        int // of the first and the last ordinal, half a number wide
	keys         []int
	failed       map[int]int
	rows         int // lines of numbers under the ordinals
	title        string
	labelEvery   int // step of the labelled ordinals
	markerRadius int
}

func newGroupLayout(face *typeface, w *chartWords, figures []groupFigure, keys []int, failed map[int]int) groupLayout {
	l := groupLayout{width: pictureWidth - 2*margin, keys: keys, failed: failed}
	if len(figures) > 1 {
		l.width = (l.width - groupGap) / 2
	}
	l.left = max(face.width("n", smallSize), l.failedWidth(face, w)) + 24
	widest := 0
	for i := range figures {
		y, right := figures[i].axes(box{})
		l.left = max(l.left, face.widest(y.ticks)+24)
		if len(right.ticks) > 0 {
			l.right = max(l.right, face.widest(right.ticks)+22)
		}
		l.rows = max(l.rows, len(figures[i].countLines()))
		widest = max(widest, figures[i].widestCount(face))
	}
	for _, k := range keys {
		widest = max(widest, face.width(strconv.Itoa(k), labelSize))
	}
	l.inset = widest / 2
	room := float64(l.width-l.left-l.right-2*l.inset) / float64(l.span())
	l.labelEvery = ordinalStep(room, float64(widest+8))
	l.markerRadius = int(max(0, min(8, room*3/10)))
	return l
}

func (l *groupLayout) failedWidth(face *typeface, w *chartWords) int {
	if !l.anyFailed() {
		return 0
	}
	return face.width(w.failed, smallSize)
}

func (l *groupLayout) anyFailed() bool {
	for _, n := range l.failed {
		if n > 0 {
			return true
		}
	}
	return false
}

// span is how many ordinals the x axis has room for.
func (l *groupLayout) span() int {
	if len(l.keys) == 0 {
		return 1
	}
	return l.keys[len(l.keys)-1] - l.keys[0] + 1
}

func (l *groupLayout) height() int {
	h := headHeight + groupPlot + 40 + l.rows*rowHeight + 34
	if l.anyFailed() {
		h += rowHeight
	}
	return h
}

// wholeHeight is that of so many panels, two in a row.
func (l *groupLayout) wholeHeight(panels int) int {
	rows := (panels + 1) / 2
	return rows*l.height() + (rows-1)*groupGap + margin/2
}

// axes are the y axis and the right axis over the height of an area.
func (f *groupFigure) axes(area box) (y, right axis) {
	top := f.top
	if top == 0 {
		top = highest(f.curves) * headroom
	}
	y = tickedAxis(0, top, 7, area.bottom, area.top)
	if len(f.contexts) > 0 {
		right = tickedAxis(0, highest(f.contexts)*headroom, 7, area.bottom, area.top)
	}
	return y, right
}

// draw draws one panel with its top left corner at the given place.
func (l *groupLayout) draw(c *canvas, w *chartWords, f *groupFigure, left, top int) {
	area := box{left + l.left, top + headHeight, left + l.width - l.right, top + headHeight + groupPlot}
	y, right := f.axes(area)
	first := 0
	if len(l.keys) > 0 {
		first = l.keys[0]
	}
	x := axis{low: float64(first) - 0.5, high: float64(first+l.span()) - 0.5, from: area.left + l.inset, to: area.right - l.inset}
	p := &plot{c, area, x, y, right}
	l.head(p, w, f)
	p.grid()
	l.under(p, w, f)
	l.data(p, f)
}

// head writes the panel's title, the figure of the whole run, and the units.
func (l *groupLayout) head(p *plot, w *chartWords, f *groupFigure) {
	const size = 25
	y := p.area.top - headHeight + 26
	title := p.fit(f.name, size, l.width)
	left := p.area.left - l.left
	end := p.area.right + l.right
	p.text(title, left, y, size, leftAt, ink)
	if room := end - left - p.typeface.width(title, size) - 24; room > 120 {
		p.text(p.fit(f.note, labelSize, room), end, y, labelSize, rightAt, muted)
	}
	p.text(f.unit, left, y+36, labelSize, leftAt, muted)
	if len(f.contexts) > 0 {
		unit := w.tokens
		if f.kilo {
			unit = w.kiloTokens
		}
		p.text(w.withUnit(w.context, unit), end, y+36, labelSize, rightAt, muted)
	}
}

// banded reports whether the panel shows P5 to P95.
func (f *groupFigure) banded() bool { return f.band && len(f.curves) <= bandLimit }

// data draws bands under lines under dashes under markers.
func (l *groupLayout) data(p *plot, f *groupFigure) {
	if f.banded() {
		for _, c := range f.curves {
			l.bands(p, c)
		}
	}
	right := *p
	right.y = p.right
	for _, c := range f.contexts {
		l.lines(&right, c, contextStroke(c.look.colour))
	}
	for _, c := range f.curves {
		l.lines(p, c, stroke{colour: c.look.colour.solid(), width: 4})
	}
	for _, c := range f.limits {
		l.lines(p, c, limitStroke(c.look.colour))
	}
	for _, c := range f.curves {
		for _, r := range c.readings {
			if l.markerRadius >= 4 || len(c.readings) == 1 {
				p.marker(c.look, p.spot(float64(r.key), r.mean), max(6, l.markerRadius), false)
			}
		}
	}
}

func (l *groupLayout) lines(p *plot, c curve, s stroke) {
	for _, part := range c.unbroken(l.keys) {
		var spots []spot
		for _, r := range part {
			spots = append(spots, p.spot(float64(r.key), r.mean))
		}
		if len(spots) == 1 { // without neighbours it is a short line
			spots = []spot{{spots[0].x - 26, spots[0].y}, {spots[0].x + 26, spots[0].y}}
		}
		p.path(s, spots...)
	}
}

// bands fills what lies between P5 and P95; a reading without neighbours gets a bar.
func (l *groupLayout) bands(p *plot, c curve) {
	for _, part := range c.unbroken(l.keys) {
		var edge []spot
		for _, r := range part {
			edge = append(edge, p.spot(float64(r.key), r.high))
		}
		for _, r := range slices.Backward(part) {
			edge = append(edge, p.spot(float64(r.key), r.low))
		}
		if len(part) == 1 {
			p.rect(box{edge[0].x - 10, edge[0].y, edge[0].x + 10, edge[1].y}, c.look.colour.sheer(bandAlpha))
			continue
		}
		p.polygon(c.look.colour.sheer(bandAlpha), edge...)
	}
}

// under writes the ordinals, the counts and the failures under the axis.
func (l *groupLayout) under(p *plot, w *chartWords, f *groupFigure) {
	y := p.area.bottom + 30
	for _, k := range l.keys {
		if hasLabel(k, l.labelEvery) {
			x := p.x.at(float64(k))
			p.path(stroke{colour: border.solid(), width: 2}, spot{x, p.area.bottom}, spot{x, p.area.bottom + 7})
			p.text(strconv.Itoa(k), x, y, labelSize, centreAt, muted)
		}
	}
	for _, line := range f.countLines() {
		y += rowHeight
		l.numbers(p, "n", line.of, y, line.colour)
	}
	y = p.area.bottom + 30 + l.rows*rowHeight
	if l.anyFailed() {
		y += rowHeight
		l.numbers(p, w.failed, l.failed, y, alarm)
	}
	p.text(l.title, (p.area.left+p.area.right)/2, y+34, labelSize, centreAt, muted)
}

// numbers writes one number under each labelled ordinal that has one.
func (l *groupLayout) numbers(p *plot, name string, of map[int]int, y int, c colour) {
	p.text(name, p.area.left-12, y, smallSize, rightAt, c)
	for _, k := range l.keys {
		if n := of[k]; hasLabel(k, l.labelEvery) && n > 0 {
			p.text(strconv.Itoa(n), p.x.at(float64(k)), y, smallSize, centreAt, c)
		}
	}
}

// countLine is the numbers of requests behind the readings of one target, or of all.
type countLine struct {
	of     map[int]int
	colour colour
}

// countLines has one line where all targets agree, else one for each.
func (f *groupFigure) countLines() []countLine {
	var lines []countLine
	for _, c := range f.curves {
		line := countLine{map[int]int{}, c.look.colour}
		for _, r := range c.readings {
			line.of[r.key] = r.n
		}
		lines = append(lines, line)
	}
	same := func(l countLine) bool { return fmt.Sprint(l.of) != fmt.Sprint(lines[0].of) }
	if len(lines) > 1 && !slices.ContainsFunc(lines, same) {
		lines = lines[:1]
	}
	if len(lines) == 1 {
		lines[0].colour = muted
	}
	return lines[:min(len(lines), countRows)]
}

func (f *groupFigure) widestCount(face *typeface) int {
	widest := 0
	for _, line := range f.countLines() {
		for _, n := range line.of {
			widest = max(widest, face.width(strconv.Itoa(n), smallSize))
		}
	}
	return widest
}
