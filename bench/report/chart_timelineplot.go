package report

import (
	"fmt"
	"slices"

	"github.com/llm-bench/llm-bench/bench"
)

const (
	timelineLeft   = 140
	timelineHead   = 44
	timelinePlot   = 430
	timelineFlight = 200
	stripHeight    = 40
)

// drawTimeline draws TTFT over the time of each request's start, what did not
// succeed, and the requests in flight.
func drawTimeline(face *typeface, w *chartWords, result *bench.Result, record *bench.Record) (c *canvas, absent []string, err error) {
	if record == nil {
		return nil, nil, nothingToShow(w.noStart)
	}
	d := newTimeline(w, result, record)
	events := 0
	for i := range d.tracks {
		events += len(d.tracks[i].events)
	}
	if events == 0 || !drawable(d.end) || !drawable(d.slowest) {
		return nil, nil, nothingToShow(w.noStart)
	}
	f := newFrame(w, result, w.timeline)
	f.keys = d.keys(w, result)
	top := f.height(face)
	strips := d.strips() * stripHeight
	c, err = newCanvas(face, pictureWidth, top+timelineHead+timelinePlot+strips+28+timelineHead+timelineFlight+96)
	if err != nil {
		return nil, nil, err
	}
	f.draw(c)
	d.draw(c, w, result, top)
	return c, nil, nil
}

// remark says in the middle of an empty area why it is empty.
func (p *plot) remark(text string) {
	at := spot{(p.area.left + p.area.right) / 2, (p.area.top + p.area.bottom) / 2}
	half := p.typeface.width(text, subtitleSize)/2 + 16
	p.rect(box{at.x - half, at.y - 26, at.x + half, at.y + 26}, white.solid())
	p.middle(text, at.x, at.y, subtitleSize, centreAt, muted)
}

// strips is the number of lines for attempts that did not succeed: one for each target.
func (d *timelineData) strips() int {
	if d.troubles == 0 {
		return 0
	}
	return len(d.tracks)
}

// keys is the legend: targets, first uses, what did not succeed.
func (d *timelineData) keys(w *chartWords, result *bench.Result) []key {
	keys := targetKeys(w, result)
	general := look{muted, disc}
	if keys == nil {
		general = lookOf(0)
	}
	first := w.first
	if result.Scenario == bench.Multiturn {
		first = w.firstTurn
	}
	keys = append(keys, key{sample: markerSample(general, true), text: first, apart: true}, key{sample: markerSample(general, false), text: w.later})
	for _, k := range []struct {
		kind eventKind
		name string
	}{{eventFailed, w.failed}, {eventRetried, w.retried}, {eventCanceled, w.canceled}} {
		n := 0
		for i := range d.tracks {
			n += d.tracks[i].troublesOf(k.kind)
		}
		if n > 0 {
			keys = append(keys, key{sample: crossSample(k.kind.colour()), text: w.counted(k.name, n)})
		}
	}
	asked := d.askedOf(result)
	if asked == 0 {
		return keys
	}
	text := fmt.Sprintf(w.asked, whole(asked))
	if d.farBelow(asked) {
		text += w.beyond
	}
	return append(keys, key{sample: strokeSample(limitStroke(muted)), text: text})
}

// askedOf is the concurrency asked for; 0 where the loads of a sweep ask for
// different numbers, and in an open loop that never reached its limit: what
// it asks for is a rate.
func (d *timelineData) askedOf(result *bench.Result) int {
	if s := &result.Spec; s.RequestRate > 0 && d.peak < s.MaxConcurrency {
		return 0
	}
	return result.Spec.MaxConcurrency
}

// farBelow reports whether so few requests were in flight that the number
// asked for would leave no room for them on the axis.
func (d *timelineData) farBelow(asked int) bool { return asked > 4*max(d.peak, 1) }

func (k eventKind) colour() colour {
	switch k {
	case eventFailed:
		return alarm
	case eventRetried:
		return caveat
	}
	return border
}

func (d *timelineData) draw(c *canvas, w *chartWords, result *bench.Result, top int) {
	area := box{margin + timelineLeft, top + timelineHead, pictureWidth - margin - 12, top + timelineHead + timelinePlot}
	x := tickedAxis(0, d.end, 10, area.left, area.right).upTo(d.end)
	p := &plot{c, area, x, tickedAxis(0, d.slowest*headroom, 8, area.bottom, area.top), axis{}}
	p.text(w.withUnit(w.ttftAt, d.unit.name), margin, top+22, 24, leftAt, ink)
	if d.slowest == 0 {
		p.y.ticks = nil
	}
	p.xTicks(false)
	p.grid()
	if d.slowest == 0 {
		p.remark(w.noSuccess)
	}
	d.dots(p)
	y := area.bottom + 6
	if d.troubles > 0 {
		for i := range d.tracks {
			d.strip(p, w, i, y+stripHeight/2)
			y += stripHeight
		}
	}
	y += 28
	p.text(w.flying, margin, y+22, 24, leftAt, ink)
	p.area = box{area.left, y + timelineHead, area.right, y + timelineHead + timelineFlight}
	asked := d.askedOf(result)
	if d.farBelow(asked) {
		asked = 0
	}
	p.y = countAxis(max(d.peak, asked), p.area)
	p.xTicks(true)
	p.grid()
	d.flights(p)
	if asked > 0 {
		p.path(limitStroke(muted), spot{p.area.left, p.y.at(float64(asked))}, spot{p.area.right, p.y.at(float64(asked))})
	}
	p.text(w.withUnit(w.clock, d.clock.name), (area.left+area.right)/2, p.area.bottom+70, labelSize, centreAt, muted)
}

// countAxis has whole numbers only.
func countAxis(most int, area box) axis {
	a := tickedAxis(0, float64(max(most, 1)), 7, area.bottom, area.top)
	a.ticks = slices.DeleteFunc(a.ticks, func(t tick) bool { return t.value != float64(int(t.value)) })
	for i := range a.ticks {
		a.ticks[i].label = whole(int(a.ticks[i].value))
	}
	return a
}

// dots marks the successes; of those that share a place one is drawn.
func (d *timelineData) dots(p *plot) {
	taken := map[spot]bool{}
	radius := 8
	for _, t := range d.tracks {
		if len(t.events) > 2000 {
			radius = 5
		}
	}
	for _, t := range d.tracks {
		for _, e := range t.events {
			at := p.spot(e.at, e.ttft)
			if e.kind == eventSucceeded && !taken[spot{at.x / 2, at.y / 2}] {
				taken[spot{at.x / 2, at.y / 2}] = true
				p.marker(t.look, at, radius, e.first)
			}
		}
	}
}

// strip marks what did not succeed of one target on a line of its own.
func (d *timelineData) strip(p *plot, w *chartWords, i, y int) {
	p.path(stroke{colour: faint.solid(), width: 2}, spot{p.area.left, y}, spot{p.area.right, y})
	end := p.area.left - 22
	if len(d.tracks) > 1 {
		p.marker(d.tracks[i].look, spot{end - p.typeface.width(w.troubles, smallSize) - 20, y}, 8, false)
	}
	p.middle(w.troubles, end, y, smallSize, rightAt, muted)
	taken := map[int]bool{}
	for _, e := range d.tracks[i].events {
		if x := p.x.at(e.at); e.kind != eventSucceeded && !taken[x] {
			taken[x] = true
			p.cross(spot{x, y}, 8, e.kind.colour())
		}
	}
}

// flights draws the requests in flight as steps; of each pixel column the highest.
func (d *timelineData) flights(p *plot) {
	for i, t := range d.tracks {
		apart := 5*i - 5*(len(d.tracks)-1)/2 // so that equal levels of two targets show both
		var line []spot
		before := 0
		for _, l := range columns(p, t.flight) {
			x := p.x.at(l.at)
			line = append(line, spot{x, p.y.at(float64(before)) + apart}, spot{x, p.y.at(float64(l.n)) + apart})
			before = l.n
		}
		if len(d.tracks) == 1 && len(line) > 0 {
			p.polygon(t.look.colour.sheer(bandAlpha), append(slices.Clone(line), spot{line[len(line)-1].x, p.area.bottom})...)
		}
		p.path(stroke{colour: t.look.colour.solid(), width: 3}, line...)
	}
}

// columns keeps the last level of each pixel column, and the highest before it.
func columns(p *plot, levels []level) []level {
	var kept []level
	for i := 0; i < len(levels); {
		j, top := i, levels[i]
		for ; j < len(levels) && p.x.at(levels[j].at) == p.x.at(levels[i].at); j++ {
			if levels[j].n > top.n {
				top = levels[j]
			}
		}
		kept = append(kept, top)
		if last := levels[j-1]; last != top {
			kept = append(kept, last)
		}
		i = j
	}
	return kept
}
