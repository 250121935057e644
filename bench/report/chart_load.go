package report

import (
	"math"
	"slices"
	"strconv"

	"github.com/llm-bench/llm-bench/bench"
)

// loadReading is one figure at one load.
type loadReading struct {
	load, value float64
}

// loadCurve is one figure of one target by load; loads without it are left out.
type loadCurve struct {
	look     look
	main     []loadReading // P50, or a rate
	tail     []loadReading // P99; none for a rate
	requests map[float64]int
}

// loadFigure is what one panel shows.
type loadFigure struct {
	name, unit string
	curves     []loadCurve
	loads      []float64
	top        float64
}

// loadValues are the loads of a sweep: rates of an open loop, or numbers in flight.
func loadValues(points []bench.PointResult) []float64 {
	var loads []float64
	for i := range points {
		load := float64(points[i].MaxConcurrency)
		if points[i].RequestRate > 0 {
			load = points[i].RequestRate
		}
		loads = append(loads, load)
	}
	return loads
}

// loadFigures are the four panels.
func loadFigures(w *chartWords, result *bench.Result) []loadFigure {
	latency := func(name string, pick func(*bench.Summary) bench.Dist) loadFigure {
		p50 := func(s *bench.Summary) (float64, bool) { d := pick(s); return d.P50, d.N > 0 }
		p99 := func(s *bench.Summary) (float64, bool) { d := pick(s); return d.P99, d.N > 0 }
		f := newLoadFigure(result, name, p50, p99)
		unit := w.unitFor(f.top)
		f.in(unit)
		return f
	}
	output := newLoadFigure(result, w.outputRate, func(s *bench.Summary) (float64, bool) { return valueOf(s.OutputRate), s.OutputRate != nil }, nil)
	output.unit = w.perSecond
	return []loadFigure{
		latency(w.ttft, func(s *bench.Summary) bench.Dist { return s.TTFT }), output,
		latency(w.tpot, func(s *bench.Summary) bench.Dist { return s.TPOT }),
		latency(w.e2e, func(s *bench.Summary) bench.Dist { return s.E2E }),
	}
}

// newLoadFigure reads every target's loads; tail may be nil.
func newLoadFigure(result *bench.Result, name string, main, tail func(*bench.Summary) (float64, bool)) loadFigure {
	f := loadFigure{name: name}
	for i := range result.Targets {
		points := result.Targets[i].Points
		c := loadCurve{look: lookOf(i), requests: map[float64]int{}}
		for j, load := range loadValues(points) {
			s := &points[j].Summary
			c.requests[load] = s.TTFT.N
			f.loads = append(f.loads, load)
			if v, defined := main(s); defined && drawable(v) {
				c.main, f.top = append(c.main, loadReading{load, v}), max(f.top, v)
			}
			if tail == nil {
				continue
			}
			if v, defined := tail(s); defined && drawable(v) {
				c.tail, f.top = append(c.tail, loadReading{load, v}), max(f.top, v)
			}
		}
		if len(c.main) > 0 {
			f.curves = append(f.curves, c)
		}
	}
	slices.Sort(f.loads)
	f.loads = slices.Compact(f.loads)
	return f
}

// in converts milliseconds to a unit.
func (f *loadFigure) in(unit timeUnit) {
	f.unit, f.top = unit.name, f.top/unit.ms
	for i := range f.curves {
		for j := range f.curves[i].main {
			f.curves[i].main[j].value /= unit.ms
		}
		for j := range f.curves[i].tail {
			f.curves[i].tail[j].value /= unit.ms
		}
	}
}

// drawLoads draws latency and throughput against the loads of a sweep.
func drawLoads(face *typeface, w *chartWords, result *bench.Result, _ *bench.Record) (c *canvas, absent []string, err error) {
	var figures []loadFigure
	for _, f := range loadFigures(w, result) {
		if len(f.curves) == 0 {
			absent = append(absent, f.name)
			continue
		}
		figures = append(figures, f)
	}
	if len(figures) == 0 {
		return nil, nil, nothingToShow(w.noSuccess)
	}
	f := newFrame(w, result, w.loads)
	f.keys = loadKeys(w, result)
	layout := newLoadLayout(face, w, result, figures)
	top := f.height(face)
	rows := (len(figures) + 1) / 2
	c, err = newCanvas(face, pictureWidth, top+rows*layout.height()+(rows-1)*groupGap+margin/2)
	if err != nil {
		return nil, nil, err
	}
	f.draw(c)
	for i := range figures {
		layout.draw(c, &figures[i], margin+i%2*(layout.width+groupGap), top+i/2*(layout.height()+groupGap))
	}
	return c, absent, nil
}

// loadKeys is the legend: the targets, then what line and dashes mean.
func loadKeys(w *chartWords, result *bench.Result) []key {
	keys := targetKeys(w, result)
	general := muted
	if keys == nil {
		general = lookOf(0).colour
	}
	return append(keys,
		key{sample: strokeSample(stroke{colour: general.solid(), width: 4}), text: "P50", apart: true},
		key{sample: strokeSample(limitStroke(general)), text: "P99"})
}

// loadLayout is what the panels share.
type loadLayout struct {
	width, left int
	rows        int // lines of numbers of requests
	title       string
}

func newLoadLayout(face *typeface, w *chartWords, result *bench.Result, figures []loadFigure) loadLayout {
	l := loadLayout{width: (pictureWidth - 2*margin - groupGap) / 2, left: face.width("n", smallSize) + 24, title: w.inFlight}
	if result.Targets[0].Points[0].RequestRate > 0 {
		l.title = w.startRate
	}
	for i := range figures {
		y := tickedAxis(0, figures[i].top*headroom, 7, 0, 1)
		l.left, l.rows = max(l.left, face.widest(y.ticks)+24), max(l.rows, min(len(figures[i].curves), countRows))
	}
	return l
}

func (l *loadLayout) height() int { return headHeight + groupPlot + 40 + l.rows*rowHeight + 34 }

// draw draws one panel with its top left corner at the given place.
func (l *loadLayout) draw(c *canvas, f *loadFigure, left, top int) {
	area := box{left + l.left, top + headHeight, left + l.width - 20, top + headHeight + groupPlot}
	p := &plot{c, area, f.loadAxis(area), tickedAxis(0, f.top*headroom, 7, area.bottom, area.top), axis{}}
	p.text(p.fit(f.name, 25, l.width), left, area.top-headHeight+26, 25, leftAt, ink)
	p.text(f.unit, left, area.top-headHeight+62, labelSize, leftAt, muted)
	p.grid()
	f.data(p)
	l.under(p, f)
}

// logarithmic reports whether the loads lie so far apart that equal ratios
// get equal room.
func (f *loadFigure) logarithmic() bool {
	return len(f.loads) > 2 && f.loads[0] > 0 && f.loads[len(f.loads)-1]/f.loads[0] >= 8
}

// place is a load's value on its axis.
func (f *loadFigure) place(load float64) float64 {
	if f.logarithmic() {
		return math.Log(load)
	}
	return load
}

func (f *loadFigure) loadAxis(area box) axis {
	low, high := f.place(f.loads[0]), f.place(f.loads[len(f.loads)-1])
	room := max((high-low)*0.06, 1e-3)
	a := axis{low: low - room, high: high + room, from: area.left, to: area.right}
	for _, load := range f.loads {
		a.ticks = append(a.ticks, tick{f.place(load), exact(load)})
	}
	return a
}

func (f *loadFigure) data(p *plot) {
	spots := func(readings []loadReading) []spot {
		var all []spot
		for _, r := range readings {
			all = append(all, p.spot(f.place(r.load), r.value))
		}
		return all
	}
	for _, c := range f.curves {
		p.path(limitStroke(c.look.colour), spots(c.tail)...)
		p.path(stroke{colour: c.look.colour.solid(), width: 4}, spots(c.main)...)
	}
	for _, c := range f.curves {
		for _, at := range spots(c.tail) {
			p.marker(c.look, at, 7, true)
		}
		for _, at := range spots(c.main) {
			p.marker(c.look, at, 8, false)
		}
	}
}

// under writes the loads, and how many requests each figure rests on.
func (l *loadLayout) under(p *plot, f *loadFigure) {
	y := p.area.bottom + 30
	edge := p.area.left - l.left
	for i, t := range p.x.ticks {
		x, half := p.x.at(t.value), max(p.typeface.width(t.label, labelSize), p.typeface.width("0000", smallSize))/2
		p.path(stroke{colour: border.solid(), width: 2}, spot{x, p.area.bottom}, spot{x, p.area.bottom + 7})
		if x-half < edge {
			continue
		}
		edge = x + half + 8
		p.text(t.label, x, y, labelSize, centreAt, muted)
		for row, c := range f.curves[:min(len(f.curves), countRows)] {
			ink := muted
			if len(f.curves) > 1 {
				ink = c.look.colour
			}
			p.text(strconv.Itoa(c.requests[f.loads[i]]), x, y+(row+1)*rowHeight, smallSize, centreAt, ink)
		}
	}
	for row := range min(len(f.curves), countRows) {
		p.text("n", p.area.left-12, y+(row+1)*rowHeight, smallSize, rightAt, muted)
	}
	p.text(l.title, (p.area.left+p.area.right)/2, y+l.rows*rowHeight+34, labelSize, centreAt, muted)
}
