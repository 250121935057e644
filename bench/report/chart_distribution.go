package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// lastSucceeded keeps the samples that count: of each request the last attempt,
// where it succeeded. They are in order of session and turn.
func lastSucceeded(samples []*bench.Sample) []*bench.Sample {
	sorted := slices.SortedFunc(slices.Values(samples), (*bench.Sample).Compare)
	var ok []*bench.Sample
	for i, s := range sorted {
		replaced := i+1 < len(sorted) && sorted[i+1].Session == s.Session && sorted[i+1].Turn == s.Turn
		if !replaced && s.Outcome == bench.Succeeded {
			ok = append(ok, s)
		}
	}
	return ok
}

// spread is one target's values of one latency, in ascending order.
type spread struct {
	look   look
	values []float64
	dist   bench.Dist // of the values
}

// spreadFigure is what one panel of the distribution shows.
type spreadFigure struct {
	name    string
	unit    string
	spreads []spread // of those targets that have any value
}

// spreadFigures are the three panels.
func spreadFigures(w *chartWords, result *bench.Result, record *bench.Record) []spreadFigure {
	samples := make([][]*bench.Sample, len(result.Targets))
	for i := range result.Targets {
		samples[i] = lastSucceeded(record.Of(result.Targets[i].Label))
	}
	return []spreadFigure{
		spreadOf(w, w.ttft, samples, (*bench.Sample).TTFT),
		spreadOf(w, w.tpot, samples, (*bench.Sample).TPOT),
		spreadOf(w, w.e2e, samples, (*bench.Sample).E2E),
	}
}

func spreadOf(w *chartWords, name string, samples [][]*bench.Sample, pick func(*bench.Sample) (time.Duration, bool)) spreadFigure {
	f := spreadFigure{name: name}
	most := 0.0
	for i, of := range samples {
		var values []float64
		for _, s := range of {
			if d, defined := pick(s); defined {
				values = append(values, bench.Milliseconds(d))
			}
		}
		slices.Sort(values)
		if len(values) > 0 {
			f.spreads = append(f.spreads, spread{look: lookOf(i), values: values})
			most = max(most, values[len(values)-1])
		}
	}
	unit := w.unitFor(most)
	f.unit = unit.name
	for i := range f.spreads {
		for j := range f.spreads[i].values {
			f.spreads[i].values[j] /= unit.ms
		}
		f.spreads[i].dist = bench.Describe(f.spreads[i].values)
	}
	return f
}

// drawDistribution draws the cumulative distributions of TTFT, TPOT and E2E.
func drawDistribution(face *typeface, w *chartWords, result *bench.Result, record *bench.Record) (c *canvas, absent []string, err error) {
	if record == nil {
		return nil, nil, nothingToShow(w.noSuccess)
	}
	var figures []spreadFigure
	for _, f := range spreadFigures(w, result, record) {
		if len(f.spreads) == 0 {
			absent = append(absent, f.name)
			continue
		}
		figures = append(figures, f)
	}
	if len(figures) == 0 {
		return nil, nil, nothingToShow(w.noSuccess)
	}
	f := newFrame(w, result, w.spread)
	f.keys = targetKeys(w, result)
	rows, few := rowsOf(figures)
	if few > 0 {
		f.details = append(f.details, fmt.Sprintf(w.fewSamples, few))
	}
	top := f.height(face)
	c, err = newCanvas(face, pictureWidth, top+spreadHeight(rows)+margin/2)
	if err != nil {
		return nil, nil, err
	}
	f.draw(c)
	width := (pictureWidth - 2*margin - (len(figures)-1)*spreadGap) / len(figures)
	for i := range figures {
		left := margin + i*(width+spreadGap)
		figures[i].draw(c, w, box{left, top, left + width, top + spreadHeight(rows)})
	}
	return c, absent, nil
}

// rowsOf is how many targets the tables list, and how many samples P99 needs; 0 where all have enough.
func rowsOf(figures []spreadFigure) (rows, few int) {
	for _, f := range figures {
		rows = max(rows, len(f.spreads))
		for _, s := range f.spreads {
			few = max(few, s.dist.P99Needs)
		}
	}
	return rows, few
}

const (
	spreadGap  = 30
	spreadPlot = 420
)

func spreadHeight(rows int) int { return headHeight + spreadPlot + 92 + (rows+1)*32 }

// draw draws one panel: the curves, and a small table of their quantiles.
func (f *spreadFigure) draw(c *canvas, w *chartWords, b box) {
	area := box{b.left + 62, b.top + headHeight, b.right - 50, b.top + headHeight + spreadPlot}
	c.text(c.fit(f.name, 25, b.width()), b.left, b.top+26, 25, leftAt, ink)
	c.text(w.share, b.left, b.top+60, labelSize, leftAt, muted)
	low, high := f.bounds()
	p := &plot{c, area, tickedAxis(low, high, 7, area.left, area.right), tickedAxis(0, 100, 7, area.bottom, area.top), axis{}}
	p.xTicks(true)
	p.grid()
	p.quantile("P50", 50)
	p.quantile("P99", 99)
	for _, s := range f.spreads {
		p.path(stroke{colour: s.look.colour.solid(), width: 4}, s.spots(p)...)
	}
	for _, s := range f.spreads {
		p.marker(s.look, p.spot(s.dist.P50, 50), 9, false)
		p.marker(s.look, p.spot(s.dist.P99, 99), 9, false)
	}
	p.text(w.withUnit(f.name, f.unit), (area.left+area.right)/2, area.bottom+68, labelSize, centreAt, muted)
	f.table(c, box{area.left, area.bottom + 84, area.right, b.bottom})
}

// bounds are the least and the greatest value of all targets, with a little room outside.
func (f *spreadFigure) bounds() (low, high float64) {
	low, high = f.spreads[0].dist.Min, f.spreads[0].dist.Max
	for _, s := range f.spreads {
		low, high = min(low, s.dist.Min), max(high, s.dist.Max)
	}
	room := (headroom - 1) * (high - low)
	return max(low-room, min(low, 0)), high + room
}

// quantile draws the line on which a quantile of every target lies.
func (p *plot) quantile(name string, share float64) {
	y := p.y.at(share)
	p.path(stroke{colour: border.solid(), width: 2, dash: []float64{8, 8}}, spot{p.area.left, y}, spot{p.area.right, y})
	p.middle(name, p.area.right+8, y, smallSize, leftAt, muted)
}

// spots is the curve: value number i of n, from 0, lies at the share i/(n-1),
// the inverse of the rule by which percentiles are interpolated, so that a
// percentile lies on the curve.
func (s spread) spots(p *plot) []spot {
	n := len(s.values)
	spots := []spot{p.spot(s.values[0], 0)}
	for i, v := range s.values {
		share := 100.0
		if n > 1 {
			share = 100 * float64(i) / float64(n-1)
		}
		if at := p.spot(v, share); at != spots[len(spots)-1] {
			spots = append(spots, at)
		}
	}
	return spots
}

// table writes P50, P99 and n of each target under its panel.
func (f *spreadFigure) table(c *canvas, at box) {
	y := at.top + 28
	columns := [3]int{at.left + at.width()*45/100, at.left + at.width()*78/100, at.right}
	for i, name := range []string{"P50", "P99", "n"} {
		c.text(name, columns[i], y, labelSize, rightAt, muted)
	}
	for _, s := range f.spreads {
		y += 32
		c.marker(s.look, spot{at.left + 12, y - 7}, 8, false)
		p99 := shortFigure(s.dist.P99)
		if s.dist.P99Needs > 0 {
			p99 += fewMark
		}
		for i, text := range []string{shortFigure(s.dist.P50), p99, whole(s.dist.N)} {
			c.text(text, columns[i], y, labelSize, rightAt, ink)
		}
	}
}
