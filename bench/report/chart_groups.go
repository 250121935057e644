package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/llm-bench/llm-bench/bench"
)

// reading is one figure of the requests of one reuse ordinal or turn.
type reading struct {
	key             int // the ordinal or turn
	mean, low, high float64
	n               int // requests behind it
}

// curve is the readings of one target in ascending order of their keys; those
// that are undefined are left out.
type curve struct {
	look     look
	readings []reading
}

// groupFigure is what one panel shows.
type groupFigure struct {
	name     string
	unit     string
	curves   []curve // of those targets that have any reading
	limits   []curve // the best that is possible
	contexts []curve // mean prompt tokens, against the right axis
	kilo     bool    // contexts are in thousands
	top      float64 // of the y axis; 0 leaves it to the data
	band     bool
	note     string // the figure of the whole run
}

// distReading takes a reading from the mean, P5 and P95.
func distReading(key int, d bench.Dist, scale float64) (reading, bool) {
	r := reading{key, d.Avg / scale, d.P5 / scale, d.P95 / scale, d.N}
	return r, d.N > 0 && drawable(r.mean) && drawable(r.low) && drawable(r.high)
}

// curvesOf reads every target's breakdown.
func curvesOf(result *bench.Result, read func(*bench.Group) (reading, bool)) []curve {
	var curves []curve
	for i := range result.Targets {
		c := curve{look: lookOf(i)}
		for j := range result.Targets[i].Summary.Breakdown {
			if r, defined := read(&result.Targets[i].Summary.Breakdown[j]); defined {
				c.readings = append(c.readings, r)
			}
		}
		if len(c.readings) > 0 {
			curves = append(curves, c)
		}
	}
	return curves
}

// highest is the top of all that is shown of the curves.
func highest(curves []curve) float64 {
	top := 0.0
	for _, c := range curves {
		for _, r := range c.readings {
			top = max(top, r.mean, r.high)
		}
	}
	return top
}

// timeFigure is a latency by group, in the unit that suits it.
func timeFigure(w *chartWords, result *bench.Result, name string, pick func(*bench.Group) bench.Dist) groupFigure {
	in := func(scale float64) []curve {
		return curvesOf(result, func(g *bench.Group) (reading, bool) { return distReading(g.Key, pick(g), scale) })
	}
	curves := in(1)
	unit := w.unitFor(highest(curves))
	return groupFigure{name: name, unit: unit.name, curves: in(unit.ms), band: true}
}

// groupFigures are the four panels.
func groupFigures(w *chartWords, result *bench.Result, record *bench.Record) []groupFigure {
	ttft := timeFigure(w, result, w.ttft, func(g *bench.Group) bench.Dist { return g.TTFT })
	perK := timeFigure(w, result, w.ttftPer1K, func(g *bench.Group) bench.Dist { return g.TTFTPer1K })
	tpot := timeFigure(w, result, w.tpot, func(g *bench.Group) bench.Dist { return g.TPOT })
	hits := hitFigure(w, result, record)
	perK.unit = w.perThousand(perK.unit)
	if result.Scenario == bench.Multiturn {
		ttft.contexts, ttft.kilo = contextCurves(result)
		hits.contexts, hits.kilo = contextCurves(result)
	}
	if len(result.Targets) == 1 {
		s := &result.Targets[0].Summary
		ttft.note = w.meanNote(s.TTFT, ttft.unit)
		tpot.note = w.meanNote(s.TPOT, tpot.unit)
		hits.note = w.hitNote(&s.Cache)
	}
	return []groupFigure{ttft, perK, tpot, hits}
}

// meanNote is the run's own mean in the unit of the panel.
func (w *chartWords) meanNote(d bench.Dist, unit string) string {
	if d.N == 0 || !drawable(d.Avg) {
		return ""
	}
	mean := d.Avg
	if unit == w.seconds {
		mean /= 1000
	}
	return fmt.Sprintf(w.overallMean, shortFigure(mean), unit, whole(d.N))
}

// contextCurves are the mean prompt tokens by turn, in thousands from 10,000 on.
func contextCurves(result *bench.Result) (curves []curve, kilo bool) {
	in := func(scale float64) []curve {
		return curvesOf(result, func(g *bench.Group) (reading, bool) {
			mean := g.Prompt.Avg / scale
			return reading{g.Key, mean, mean, mean, g.Prompt.N}, g.Prompt.N > 0 && drawable(mean)
		})
	}
	if curves = in(1); highest(curves) >= 10_000 {
		curves, kilo = in(1000), true
	}
	return mutedIfAlone(result, curves), kilo
}

// mutedIfAlone takes the colour off what only goes with the data, where there
// is no other target's to tell it from.
func mutedIfAlone(result *bench.Result, curves []curve) []curve {
	if len(result.Targets) == 1 && len(curves) == 1 {
		curves[0].look.colour = muted
	}
	return curves
}

// keysOf is every ordinal or turn of the result, and the requests that failed in it.
func keysOf(result *bench.Result) (keys []int, failed map[int]int) {
	failed = map[int]int{}
	for i := range result.Targets {
		for _, g := range result.Targets[i].Summary.Breakdown {
			keys = append(keys, g.Key)
			failed[g.Key] += g.Failed
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys), failed
}

// drawGroups draws the figures by reuse ordinal or turn as the panels of one picture.
func drawGroups(face *typeface, w *chartWords, result *bench.Result, record *bench.Record) (c *canvas, absent []string, err error) {
	var figures []groupFigure
	for _, f := range groupFigures(w, result, record) {
		if len(f.curves) == 0 {
			absent = append(absent, f.name)
			continue
		}
		figures = append(figures, f)
	}
	if len(figures) == 0 {
		return nil, nil, nothingToShow(w.noSuccess)
	}
	title, ordinal := w.reuse, w.ordinal
	if result.Scenario == bench.Multiturn {
		title, ordinal = w.turns, w.turn
	}
	f := newFrame(w, result, title)
	f.keys = groupKeys(w, result, figures)
	keys, failed := keysOf(result)
	layout := newGroupLayout(face, w, figures, keys, failed)
	layout.title = ordinal
	top := f.height(face)
	c, err = newCanvas(face, pictureWidth, top+layout.wholeHeight(len(figures)))
	if err != nil {
		return nil, nil, err
	}
	f.draw(c)
	for i := range figures {
		left := margin + i%2*(layout.width+groupGap)
		layout.draw(c, w, &figures[i], left, top+i/2*(layout.height()+groupGap))
	}
	return c, absent, nil
}

// groupKeys is the legend: the targets, then what line, band and dashes mean.
func groupKeys(w *chartWords, result *bench.Result, figures []groupFigure) []key {
	keys := targetKeys(w, result)
	general := look{muted, disc}
	if keys == nil {
		general = lookOf(0)
	}
	keys = append(keys, key{sample: lineSample(general), text: w.mean, apart: true})
	if slices.ContainsFunc(figures, func(f groupFigure) bool { return f.banded() }) {
		keys = append(keys, key{sample: bandSample(general.colour), text: w.band})
	}
	has := func(of func(groupFigure) []curve) bool {
		return slices.ContainsFunc(figures, func(f groupFigure) bool { return len(of(f)) > 0 })
	}
	if has(func(f groupFigure) []curve { return f.limits }) {
		keys = append(keys, key{sample: strokeSample(limitStroke(muted)), text: w.best})
	}
	if has(func(f groupFigure) []curve { return f.contexts }) {
		keys = append(keys, key{sample: strokeSample(contextStroke(muted)), text: w.contextKey})
	}
	return keys
}

func limitStroke(c colour) stroke {
	return stroke{colour: c.solid(), width: 4, dash: []float64{14, 9}}
}

func contextStroke(c colour) stroke {
	return stroke{colour: c.sheer(170), width: 4, dash: []float64{3, 9}}
}

// unbroken splits a curve where a key lies between two readings that has none.
func (c curve) unbroken(keys []int) [][]reading {
	var parts [][]reading
	before := -2
	for _, r := range c.readings {
		at, _ := slices.BinarySearchFunc(keys, r.key, cmp.Compare[int])
		if at != before+1 {
			parts = append(parts, nil)
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], r)
		before = at
	}
	return parts
}
