package bench

import "slices"

// The shortest prompts, in tokens, that caches keep: most of them, and the
// choosiest.
const (
	cacheMinimum     = 1024
	cacheMinimumMost = 2048
)

// usageMissing: the server didn't say how many tokens it counted.
func usageMissing(e *evidence) (Finding, bool) {
	missing := where(e.ok, func(s *Sample) bool { return s.Usage == nil })
	if len(missing) == 0 {
		return none()
	}
	return Finding{Rule: "usage_missing", Severity: grade(share(len(missing), len(e.ok)), 0.5),
		Figures: figures{"missing": float64(len(missing)), "succeeded": float64(len(e.ok))}, RequestIDs: idsOf(missing)}, true
}

// usageInconsistent: counts contradict each other.
func usageInconsistent(e *evidence) (Finding, bool) {
	odd := where(e.ok, func(s *Sample) bool {
		return hasWarning(s, WarnUsageInconsistent) || hasWarning(s, WarnCachedExceedsPrompt) || cachedExceedsPrompt(s)
	})
	if len(odd) == 0 {
		return none()
	}
	return Finding{Rule: "usage_inconsistent", Severity: Notable,
		Figures:    figures{"odd": float64(len(odd)), "succeeded": float64(len(e.ok)), "excluded": float64(e.summary.Cache.Excluded)},
		RequestIDs: idsOf(odd)}, true
}

func cachedExceedsPrompt(s *Sample) bool {
	return s.Usage != nil && s.Usage.Cached != nil && s.Usage.Prompt != nil && *s.Usage.Cached > *s.Usage.Prompt
}

// cacheNotReported: no response counts cached tokens.
func cacheNotReported(e *evidence) (Finding, bool) {
	c := e.summary.Cache
	if c.Of == 0 || c.Reported > 0 {
		return none()
	}
	severity := Notable
	if e.spec.Scenario == Connectivity {
		severity = Info
	}
	return Finding{Rule: "cache_not_reported", Severity: severity, Figures: figures{"responses": float64(c.Of)}}, true
}

// cacheWarm: what can't have been in the cache was, at least in part.
func cacheWarm(e *evidence) (Finding, bool) {
	first := e.summary.Cache.FirstUse
	if e.spec.Scenario == Connectivity || first == nil || *first <= 0.05 {
		return none()
	}
	warm := where(provenFirst(e.spec.Scenario, e.all), func(s *Sample) bool { return cachedOf(s) > 0 })
	return Finding{Rule: "cache_warm", Severity: Serious,
		Figures: figures{"first_use_share": *first, "warm": float64(len(warm))}, RequestIDs: idsOf(warm)}, true
}

func cachedOf(s *Sample) int {
	if s.Usage == nil {
		return 0
	}
	return valueOr(s.Usage.Cached, 0)
}

// cacheLow: the hit rate is far below what the workload allows. Its text
// "cause" is overlap, minimum, uneven or unexplained.
func cacheLow(e *evidence) (Finding, bool) {
	c := e.summary.Cache
	if c.HitRate == nil || c.Ceiling == nil || c.Loss.Later == 0 {
		return none()
	}
	best := min(*c.Ceiling, c.Attainable(e.spec))
	if *c.HitRate >= 0.8*best {
		return none()
	}
	later := where(e.ok, func(s *Sample) bool { return !firstUse(e.spec.Scenario, s) && s.Usage != nil && s.Usage.Prompt != nil })
	missed := where(later, func(s *Sample) bool { return cachedOf(s) == 0 })
	cause := c.lossCause(best - *c.HitRate)
	severity := Notable
	if cause == "unexplained" || cause == "uneven" {
		severity = Serious
	}
	return Finding{Rule: "cache_low", Severity: severity,
		Figures: figures{
			"hit_rate": *c.HitRate, "ceiling_rate": best, "later": float64(len(later)), "missed": float64(len(missed)), "full": float64(c.Loss.Full),
			"overlapped": float64(c.Overlapped), "overlap_share": share(c.Loss.Overlap, c.Prompt),
		},
		Texts: map[string]string{"cause": cause}, RequestIDs: idsOf(missed)}, true
}

// lossCause names what makes up at least half of the loss.
func (c *Cache) lossCause(loss float64) string {
	switch {
	case share(c.Loss.Overlap, c.Prompt) >= 0.5*loss:
		return "overlap"
	case share(c.Loss.Short, c.Prompt) >= 0.5*loss:
		return "minimum"
	case c.uneven():
		return "uneven"
	}
	return "unexplained"
}

// cacheUneven: some later uses hit in full and others not at all, though their
// prefix had been answered before.
func cacheUneven(e *evidence) (Finding, bool) {
	c := e.summary.Cache
	if _, low := cacheLow(e); low || c.HitRate == nil || !c.uneven() {
		return none()
	}
	early := overlapped(e.ok)
	missed := where(e.ok, func(s *Sample) bool {
		return !firstUse(e.spec.Scenario, s) && !early[s] && s.Usage != nil && cachedOf(s) == 0
	})
	return Finding{Rule: "cache_uneven", Severity: Notable,
		Figures: figures{
			"missed": float64(c.Loss.Missed), "full": float64(c.Loss.Full), "later": float64(c.Loss.Later),
			"missed_points": share(c.Loss.None, c.Prompt),
		}, RequestIDs: idsOf(missed)}, true
}

// Attainable is the hit rate, 0 to 1, that the requests of which the figures
// are made could reach: below the ceiling where the run ended early or requests
// failed, since first uses then weigh more.
func (c *Cache) Attainable(spec *Spec) float64 {
	if spec.Scenario != Prefix {
		return valueOrZero(c.Ceiling)
	}
	return share(c.Warm.N*spec.PrefixLen, c.Of*(spec.PrefixLen+spec.SuffixLen))
}

// coldTail: the tail of TTFT is made of first uses, as the workload has them.
func coldTail(e *evidence) (Finding, bool) {
	w := e.summary.Warm
	if w == nil || w.TTFT.N < 20 || e.summary.TTFT.P99 < 1.3*w.TTFT.P99 {
		return none()
	}
	slow := where(e.ok, func(s *Sample) bool {
		ttft, defined := s.TTFT()
		return defined && Milliseconds(ttft) >= e.summary.TTFT.P95
	})
	cold := where(slow, func(s *Sample) bool { return firstUse(e.spec.Scenario, s) })
	if len(cold)*2 < len(slow) {
		return none()
	}
	all := where(e.ok, func(s *Sample) bool { return firstUse(e.spec.Scenario, s) })
	return Finding{Rule: "cold_tail", Severity: Info, Figures: figures{
		"p99_ms": e.summary.TTFT.P99, "warm_p99_ms": w.TTFT.P99, "cold": float64(len(all)), "succeeded": float64(len(e.ok))}}, true
}

// fewSamples: P99 is not bounded by so few values.
func fewSamples(e *evidence) (Finding, bool) {
	d := e.summary.TTFT
	if e.spec.Scenario == Connectivity || d.N == 0 || d.P99Needs == 0 {
		return none()
	}
	return Finding{Rule: "few_samples", Severity: Info, Figures: figures{"n": float64(d.N), "needs": float64(d.P99Needs)}}, true
}

// byStart sorts samples by their start.
func byStart(samples []*Sample) []*Sample {
	return slices.SortedStableFunc(slices.Values(samples), func(a, b *Sample) int { return int(a.Start.At() - b.Start.At()) })
}
