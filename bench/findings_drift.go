package bench

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// latency is a figure of one request.
type latency func(*Sample) (time.Duration, bool)

// ttftDrift: TTFT rises or falls while the run goes on, by a quarter or more
// and by more than chance. Its text "cause" says whether TPOT moved with it.
func ttftDrift(e *evidence) (Finding, bool) {
	change, n, moved := e.drift((*Sample).TTFT)
	if !moved {
		return none()
	}
	f := drifted("ttft", change, n)
	tpot, _, known := e.change((*Sample).TPOT)
	switch f.Figures["tpot_change_share"] = math.Abs(tpot); {
	case !known:
		f.Texts["cause"] = "alone"
	case tpot > 0.1:
		f.Texts["cause"] = "tpot_rose"
	case tpot < -0.1:
		f.Texts["cause"] = "tpot_fell"
	default:
		f.Texts["cause"] = "tpot_stayed"
	}
	return f, true
}

// tpotDrift: TPOT moves while TTFT stays.
func tpotDrift(e *evidence) (Finding, bool) {
	if _, _, moved := e.drift((*Sample).TTFT); moved {
		return none()
	}
	change, n, moved := e.drift((*Sample).TPOT)
	if !moved {
		return none()
	}
	return drifted("tpot", change, n), true
}

func drifted(figure string, change float64, n int) Finding {
	f := Finding{Rule: figure + "_rising", Severity: Notable, Figures: figures{"change_share": math.Abs(change), "n": float64(n)}, Texts: map[string]string{}}
	if change < 0 {
		f.Rule = figure + "_falling"
	}
	return f
}

// drift is the change of a figure in the course of the run, and whether it is
// more than chance.
func (e *evidence) drift(of latency) (change float64, n int, moved bool) {
	change, relative, known := e.change(of)
	if n = len(relative); !known || math.Abs(change) < 0.25 {
		return change, n, false
	}
	return change, n, math.Abs(trend(relative))*math.Sqrt(float64(n-1)) >= 3.3
}

// change compares the last third of the run with the first one. It is unknown
// for fewer than 30 values.
func (e *evidence) change(of latency) (change float64, relative []float64, known bool) {
	relative = e.relative(of)
	n := len(relative)
	if n < 30 {
		return 0, relative, false
	}
	return median(relative[n-n/3:])/median(relative[:n/3]) - 1, relative, true
}

// relative is a figure over the median of its like, in order of start.
func (e *evidence) relative(of latency) []float64 {
	medians := map[int]float64{}
	later := e.laterUses(of)
	for _, g := range groupBy(later, e.like) {
		medians[g.key] = median(milliseconds(g.samples, of))
	}
	var relative []float64
	for _, s := range later {
		value, _ := of(s)
		relative = append(relative, Milliseconds(value)/medians[e.like(s)])
	}
	return relative
}

// laterUses are the requests with a figure in order of start, without the first
// uses of prefixes.
func (e *evidence) laterUses(of latency) []*Sample {
	return byStart(where(e.ok, func(s *Sample) bool {
		value, defined := of(s)
		return defined && value > 0 && (e.spec.Scenario == Multiturn || !firstUse(e.spec.Scenario, s))
	}))
}

// like is a key of requests whose latencies should be the same: of the same
// turn or any later use, and either hits or misses of the cache.
func (e *evidence) like(s *Sample) int {
	key := 0
	if e.spec.Scenario == Multiturn {
		key = 2 * s.Turn
	}
	if s.Usage != nil && cachedOf(s)*10 >= max(1, valueOr(s.Usage.Prompt, 0)) {
		key++
	}
	return key
}

func median(values []float64) float64 {
	return Percentile(slices.Sorted(slices.Values(values)), 50)
}

// trend is Spearman's rank correlation of the values with their order, −1 to 1.
func trend(values []float64) float64 {
	n := len(values)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks := make([]float64, n)
	for i := 0; i < n; {
		j := i
		for j < n && values[order[j]] == values[order[i]] {
			j++
		}
		for k := i; k < j; k++ { // equal values share their mean rank
			ranks[order[k]] = float64(i+j-1) / 2
		}
		i = j
	}
	return correlation(ranks)
}

// correlation is Pearson's correlation of values with 0, 1, 2, …; 0 for constant values.
func correlation(values []float64) float64 {
	n := float64(len(values))
	centre, m := (n-1)/2, mean(values)
	var xy, xx, yy float64
	for i, v := range values {
		x, y := float64(i)-centre, v-m
		xy, xx, yy = xy+x*y, xx+x*x, yy+y*y
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}
