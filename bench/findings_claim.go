package bench

import (
	"math"
	"slices"
)

// cacheClaimUnsupported: the server counts hits, and yet its first tokens come
// no sooner. A prefix run compares later uses with first ones. A multi-turn
// run compares its last turns, which have less new text than the first, with
// the first. Where a queue makes TTFT, it says nothing of the cache.
func cacheClaimUnsupported(e *evidence) (Finding, bool) {
	c := e.summary.Cache
	if _, queue := admits(e); queue || c.HitRate == nil || *c.HitRate < 0.3 {
		return none()
	}
	cold, later := e.coldAndLater()
	a, b := Describe(milliseconds(cold, (*Sample).TTFT)), Describe(milliseconds(later, (*Sample).TTFT))
	if a.N < 3 || b.N < 5 || !e.noGain(a, b, gainAtMost(cold, later)) && !negligible(cold, later) {
		return none()
	}
	return Finding{Rule: "cache_claim_unsupported", Severity: Serious,
		Figures: figures{"hit_rate": *c.HitRate, "cold_ms": a.P50, "later_ms": b.P50, "cold_n": float64(a.N), "later_n": float64(b.N)}}, true
}

// coldAndLater are the requests that claim next to nothing and are first, and
// those that claim a hit and are late.
func (e *evidence) coldAndLater() (cold, later []*Sample) {
	from := 1
	if e.spec.Scenario == Multiturn {
		from = e.spec.MaxTurns - e.spec.MaxTurns/4
	}
	for _, s := range e.ok {
		if s.Usage == nil || s.Usage.Prompt == nil || cachedExceedsPrompt(s) {
			continue
		}
		hit := cachedOf(s)*10 >= *s.Usage.Prompt
		switch {
		case firstUse(e.spec.Scenario, s) && !hit:
			cold = append(cold, s)
		case !firstUse(e.spec.Scenario, s) && hit && (e.spec.Scenario == Prefix || s.Turn > from):
			later = append(later, s)
		}
	}
	return cold, later
}

// noGain reports whether long prompts that hit are hardly faster than cold
// ones, and surely not by a third, as most says. Last turns of a conversation, which are several times as long as its
// first, need to be much slower to say so.
func (e *evidence) noGain(cold, later Dist, most float64) bool {
	limit := 0.9
	if e.spec.Scenario == Multiturn {
		limit = 1.5
	}
	return e.summary.PromptTokens.Avg >= 4000 && later.N >= 10 && later.P50 >= limit*cold.P50 && most < cold.P50/3
}

// negligible reports whether what hits are said to have saved made no
// difference that any hardware could: surely less than 1 ms for each 1,000
// tokens.
func negligible(cold, later []*Sample) bool {
	saved := uncached(cold) - uncached(later)
	if len(cold) < 4 || len(later) < 10 || saved < 1000 {
		return false
	}
	return gainAtMost(cold, later) < saved/1000
}

// gainAtMost is by how much, in ms, TTFT of hits is shorter at most: the
// difference of the medians and two of its standard errors.
func gainAtMost(cold, later []*Sample) float64 {
	a, b := milliseconds(cold, (*Sample).TTFT), milliseconds(later, (*Sample).TTFT)
	return median(a) - median(b) + 2*math.Hypot(medianError(a), medianError(b))
}

// uncached is the mean number of prompt tokens that the server says it had to compute.
func uncached(samples []*Sample) float64 {
	var n float64
	for _, s := range samples {
		n += float64(*s.Usage.Prompt - cachedOf(s))
	}
	return n / float64(max(1, len(samples)))
}

// medianError is about the standard error of the values' median, from the
// quartiles and, since those of a few values say little, from the deviation.
func medianError(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	quartiles := (Percentile(sorted, 75) - Percentile(sorted, 25)) / 1.349
	return 1.253 * max(quartiles, deviation(values)/2) / math.Sqrt(float64(len(values)))
}
