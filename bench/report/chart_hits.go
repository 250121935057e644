package report

import (
	"fmt"
	"strconv"

	"github.com/llm-bench/llm-bench/bench"
)

// hitFigure is the prompt cache hit rate by group, weighted by tokens, under
// the best that the workload allows in that group.
func hitFigure(w *chartWords, result *bench.Result, record *bench.Record) groupFigure {
	f := groupFigure{name: w.hits, unit: w.percent, top: 100}
	f.curves = curvesOf(result, func(g *bench.Group) (reading, bool) {
		if g.HitRate == nil {
			return reading{}, false
		}
		percent := 100 * *g.HitRate
		return reading{g.Key, percent, percent, percent, g.Prompt.N}, drawable(percent)
	})
	if len(f.curves) == 0 {
		return f
	}
	if result.Scenario == bench.Prefix {
		f.limits = prefixLimits(result)
	} else {
		f.limits = turnLimits(result, record)
	}
	return f
}

// prefixLimits is by design: nothing at the first use, then the prefix's share of the prompt.
func prefixLimits(result *bench.Result) []curve {
	s := &result.Spec
	prompt := s.PrefixLen + s.SuffixLen
	if prompt <= 0 {
		return nil
	}
	later := 100 * float64(s.PrefixLen) / float64(prompt)
	c := curve{look: look{colour: muted}}
	keys, _ := keysOf(result)
	for _, k := range keys {
		percent := later
		if k < 2 {
			percent = 0
		}
		c.readings = append(c.readings, reading{k, percent, percent, percent, 0})
	}
	return []curve{c}
}

// turnLimits is from measured usage: the prompt and the visible answer of the
// turn before, over this turn's prompt, summed over the sessions.
func turnLimits(result *bench.Result, record *bench.Record) []curve {
	if record == nil {
		return nil
	}
	var curves []curve
	for i := range result.Targets {
		c := curve{look: lookOf(i)}
		reusable, prompt := reusableByTurn(lastSucceeded(record.Of(result.Targets[i].Label)))
		for _, g := range result.Targets[i].Summary.Breakdown {
			if prompt[g.Key] > 0 {
				percent := 100 * float64(reusable[g.Key]) / float64(prompt[g.Key])
				c.readings = append(c.readings, reading{g.Key, percent, percent, percent, 0})
			}
		}
		if len(c.readings) > 0 {
			curves = append(curves, c)
		}
	}
	return mutedIfAlone(result, curves)
}

func reusableByTurn(samples []*bench.Sample) (reusable, prompt map[int]int) {
	reusable, prompt = map[int]int{}, map[int]int{}
	var before *bench.Sample
	for _, s := range samples {
		if s.Usage == nil || s.Usage.Prompt == nil {
			continue
		}
		prompt[s.Turn] += *s.Usage.Prompt
		if before != nil && before.Session == s.Session && before.Turn == s.Turn-1 {
			reusable[s.Turn] += min(*before.Usage.Prompt+visible(before.Usage), *s.Usage.Prompt)
		}
		before = s
	}
	return reusable, prompt
}

// visible is the tokens of an answer that go back with the history.
func visible(u *bench.Usage) int {
	n := 0
	if u.Completion != nil {
		n = *u.Completion
	}
	if u.Reasoning != nil {
		n -= *u.Reasoning
	}
	return max(0, n)
}

// hitNote is the rate of the whole run beside its ceiling.
func (w *chartWords) hitNote(c *bench.Cache) string {
	if c.HitRate == nil || !drawable(*c.HitRate) {
		return ""
	}
	note := fmt.Sprintf(w.overall, percentText(*c.HitRate))
	if c.Ceiling != nil && drawable(*c.Ceiling) {
		note += fmt.Sprintf(w.overallBest, percentText(*c.Ceiling))
	}
	return note
}

func percentText(share float64) string {
	return strconv.FormatFloat(100*share, 'f', 1, 64) + " %"
}
