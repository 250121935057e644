package bench

import (
	"cmp"
	"math"
	"slices"
)

// twoPaces: requests fall into two groups by TPOT, with nothing between.
func twoPaces(e *evidence) (Finding, bool) {
	ok := where(e.laterUses((*Sample).TPOT), func(s *Sample) bool {
		n, known := s.OutputTokens()
		return known && n >= 8
	})
	fast, slow, found := parted(ok, milliseconds(ok, (*Sample).TPOT))
	return e.twoGroups("two_paces", fast, slow, (*Sample).TPOT, e.measurement.TPOTErrorMS, found)
}

// twoStarts: requests fall into two groups by TTFT, though they are alike in
// turn and cache hit and their TPOT is.
func twoStarts(e *evidence) (Finding, bool) {
	_, paces := twoPaces(e)
	_, late := slowStarts(e)
	if paces || late {
		return none()
	}
	ok := e.laterUses((*Sample).TTFT)
	fast, slow, found := parted(ok, e.over(ok, 25))
	f, found := e.twoGroups("two_starts", fast, slow, (*Sample).TTFT, e.measurement.TTFTErrorMS, found)
	if found {
		f.Texts = map[string]string{"cause": "cached"}
		if e.summary.Cache.Reported == 0 {
			f.Texts["cause"] = "uncounted"
		}
	}
	return f, found
}

// over is TTFT over a percentile of its like.
func (e *evidence) over(ok []*Sample, percentile float64) []float64 {
	base := e.bases(ok, percentile)
	values := milliseconds(ok, (*Sample).TTFT)
	for i, s := range ok {
		values[i] /= base[e.like(s)]
	}
	return values
}

// bases are the percentiles of TTFT, in ms, by likeness.
func (e *evidence) bases(ok []*Sample, percentile float64) map[int]float64 {
	base := map[int]float64{}
	for _, g := range groupBy(ok, e.like) {
		base[g.key] = Percentile(slices.Sorted(slices.Values(milliseconds(g.samples, (*Sample).TTFT))), percentile)
	}
	return base
}

// twoGroups words what was parted. The client's own delays must be far smaller
// than what lies between the groups.
func (e *evidence) twoGroups(rule string, fast, slow []*Sample, of latency, own *float64, found bool) (Finding, bool) {
	if !found {
		return none()
	}
	low, high := median(milliseconds(fast, of)), median(milliseconds(slow, of))
	if high-low < 3*valueOrZero(own) {
		return none()
	}
	n := len(fast) + len(slow)
	return Finding{Rule: rule, Severity: grade(share(min(len(fast), len(slow)), n), 0.2), Figures: figures{
		"slow": float64(len(slow)), "n": float64(n), "slow_share": share(len(slow), n), "fast_ms": low, "slow_ms": high,
		"fast_ttft_ms": median(milliseconds(fast, (*Sample).TTFT)), "slow_ttft_ms": median(milliseconds(slow, (*Sample).TTFT)),
	}, RequestIDs: idsOf(slow)}, true
}

// parted divides samples, in order of start, at the widest gap between the
// logarithms of their values. It is found where the gap is twice as wide as
// either group, both hold a tenth and four values at least, and the upper one
// comes in three spells or more: what slows down a time of the run is no group.
func parted(ok []*Sample, values []float64) (low, high []*Sample, found bool) {
	n := len(values)
	least := max(4, int(math.Ceil(0.1*float64(n))))
	if n < 20 || slices.Min(values) <= 0 {
		return nil, nil, false
	}
	sorted := slices.Clone(values)
	for i, v := range sorted {
		sorted[i] = math.Log(v)
	}
	slices.Sort(sorted)
	at := least
	for i := least; i <= n-least; i++ {
		if sorted[i]-sorted[i-1] > sorted[at]-sorted[at-1] {
			at = i
		}
	}
	gap := sorted[at] - sorted[at-1]
	if gap < math.Log(1.3) || gap < 2*max(breadth(sorted[:at]), breadth(sorted[at:])) {
		return nil, nil, false
	}
	low, high, spells := divide(ok, values, math.Exp(sorted[at]-gap/2))
	return low, high, spells >= 3
}

// breadth is the range of sorted values without the outermost twentieths.
func breadth(sorted []float64) float64 { return Percentile(sorted, 95) - Percentile(sorted, 5) }

// divide sorts samples by whether their value exceeds the limit, and counts in
// how many spells the higher ones come.
func divide(ok []*Sample, values []float64, limit float64) (low, high []*Sample, spells int) {
	above := false
	for i, s := range ok {
		if values[i] <= limit {
			low, above = append(low, s), false
			continue
		}
		if !above {
			spells++
		}
		high, above = append(high, s), true
	}
	return low, high, spells
}

// slowStarts: some requests take a constant time longer to the first token,
// and are as fast as the others from then on.
func slowStarts(e *evidence) (Finding, bool) {
	ok := e.laterUses((*Sample).TTFT)
	delays := milliseconds(ok, (*Sample).TTFT)
	base := e.bases(ok, 50)
	for i, s := range ok {
		delays[i] -= base[e.like(s)]
	}
	limit, found := apart(delays)
	if !found {
		return none()
	}
	fast, slow, spells := divide(ok, delays, limit)
	usual, delay := median(milliseconds(fast, (*Sample).TTFT)), median(above(delays, limit))
	if spells < 3 || delay < max(250, 0.5*usual, 3*valueOrZero(e.measurement.TTFTErrorMS)) || !samePace(fast, slow) {
		return none()
	}
	return Finding{Rule: "slow_starts", Severity: Notable, Figures: figures{
		"slow": float64(len(slow)), "n": float64(len(ok)), "slow_share": share(len(slow), len(ok)), "delay_ms": delay, "ttft_ms": usual,
	}, RequestIDs: idsOf(slow)}, true
}

// apart finds a limit above which four values at least, but no more than a
// quarter, lie close together and far from the others.
func apart(values []float64) (limit float64, found bool) {
	n := len(values)
	if n < 20 {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(values))
	few := func(k int) float64 { return sorted[n-k] - sorted[n-k-1] }
	ks := []int{}
	for k := max(4, (n+49)/50); k <= n/4; k++ {
		ks = append(ks, k)
	}
	k := slices.MaxFunc(ks, func(a, b int) int { return cmp.Compare(few(a), few(b)) })
	rest, top := sorted[:n-k], sorted[n-k:]
	far := median(top) - median(rest)
	return sorted[n-k] - few(k)/2, few(k) >= 0.5*far && top[k-1]-top[0] <= 0.3*far && breadth(rest) <= 0.25*far
}

// above keeps the values over the limit.
func above(values []float64, limit float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v <= limit })
}

// samePace reports whether the medians of TPOT differ by less than a quarter.
func samePace(a, b []*Sample) bool {
	x, y := milliseconds(a, (*Sample).TPOT), milliseconds(b, (*Sample).TPOT)
	if len(x) == 0 || len(y) == 0 {
		return true
	}
	return math.Abs(math.Log(median(y)/median(x))) < math.Log(1.25)
}
