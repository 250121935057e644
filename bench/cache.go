package bench

// Cache is the prompt cache's share in a run. HitRate is Σ cached / Σ prompt
// tokens over successful requests; it is nil, "not reported", when no response
// carried a count of cached tokens. Where some did, one without counts as 0.
type Cache struct {
	HitRate  *float64 `json:"hit_rate"` // 0 to 1
	Ceiling  *float64 `json:"ceiling"`  // the best that the workload allows, 0 to 1
	Coverage *float64 `json:"coverage"` // share of responses with the field, 0 to 1
	Reported int      `json:"reported"` // responses with the field
	Of       int      `json:"of"`       // responses that count
	Excluded int      `json:"excluded"` // responses left out: more cached than prompt
	Cached   int      `json:"cached_tokens"`
	Prompt   int      `json:"prompt_tokens"`
	// FirstUse is the cached share of what can't be in the cache: of each prefix
	// or session the use that was surely served first. Above 5 % the cache was
	// warm before the run. It is nil where no use was surely the first.
	FirstUse *float64 `json:"first_use_share,omitempty"`
	// Overlapped counts later uses that started before any use of the same
	// prefix had its first token, and so could not be sure to hit.
	Overlapped int       `json:"overlapped"`
	Loss       CacheLoss `json:"loss"` // where later uses fell short of what could be reused
	// TTFT of cold and of later uses: timing evidence beside the claimed rate.
	Cold Dist `json:"cold_ttft_ms"`
	Warm Dist `json:"warm_ttft_ms"`
}

// cacheOf computes the cache figures of successful samples in order; attempts
// are all that were made.
func cacheOf(spec *Spec, attempts, ok []*Sample) Cache {
	var c Cache
	counted := c.countable(ok)
	c.Of = len(counted)
	for _, s := range counted {
		c.Cached += valueOr(s.Usage.Cached, 0)
		c.Prompt += *s.Usage.Prompt
		if s.Usage.Cached != nil {
			c.Reported++
		}
	}
	c.Coverage = ratio(c.Reported, c.Of)
	if c.Reported > 0 {
		c.HitRate = ratio(c.Cached, c.Prompt)
	}
	c.Ceiling = ceiling(spec, counted)
	var cold, warm []*Sample
	for _, s := range counted {
		if firstUse(spec.Scenario, s) {
			cold = append(cold, s)
		} else {
			warm = append(warm, s)
		}
	}
	c.FirstUse = cachedShare(provenFirst(spec.Scenario, attempts))
	c.Cold, c.Warm = Describe(milliseconds(cold, (*Sample).TTFT)), Describe(milliseconds(warm, (*Sample).TTFT))
	early := overlapped(ok)
	c.Overlapped = len(early)
	c.Loss = lossOf(spec, counted, early)
	return c
}

// countable leaves out samples without a prompt count, and those that claim
// more cached tokens than prompt tokens.
func (c *Cache) countable(ok []*Sample) []*Sample {
	var counted []*Sample
	for _, s := range ok {
		switch {
		case s.Usage == nil || s.Usage.Prompt == nil:
		case s.Usage.Cached != nil && *s.Usage.Cached > *s.Usage.Prompt:
			c.Excluded++
		default:
			counted = append(counted, s)
		}
	}
	return counted
}

func firstUse(scenario Scenario, s *Sample) bool {
	if scenario == Multiturn {
		return s.Turn == 1
	}
	return s.Ordinal < 2
}

// cachedShare is Σ cached / Σ prompt, or nil when no sample reports it.
func cachedShare(samples []*Sample) *float64 {
	cached, prompt, reported := 0, 0, false
	for _, s := range samples {
		if s.Usage == nil || s.Usage.Prompt == nil {
			continue
		}
		cached, prompt = cached+valueOr(s.Usage.Cached, 0), prompt+*s.Usage.Prompt
		reported = reported || s.Usage.Cached != nil
	}
	if !reported {
		return nil
	}
	return ratio(cached, prompt)
}

// ceiling is the best hit rate that the workload allows. Prefix: by design,
// later uses × prefix length / all prompt tokens. Multi-turn: from measured
// usage, Σ over turns ≥ 2 of (prompt + visible answer tokens of the turn
// before) / Σ prompt.
func ceiling(spec *Spec, counted []*Sample) *float64 {
	switch spec.Scenario {
	case Prefix:
		if len(counted) == 0 {
			return spec.PrefixCeiling()
		}
		later := 0
		for _, s := range counted {
			if !firstUse(spec.Scenario, s) {
				later++
			}
		}
		return ratio(later*spec.PrefixLen, len(counted)*(spec.PrefixLen+spec.SuffixLen))
	case Multiturn:
		return multiturnCeiling(counted)
	}
	return nil
}

// PrefixCeiling is the best hit rate of the spec's prefix workload; nil for other scenarios.
func (s *Spec) PrefixCeiling() *float64 {
	if s.Scenario != Prefix {
		return nil
	}
	later := s.NumRequests - min(s.NumPrefixes, s.NumRequests)
	return ratio(later*s.PrefixLen, s.NumRequests*(s.PrefixLen+s.SuffixLen))
}

func multiturnCeiling(counted []*Sample) *float64 {
	reusable, prompt := 0, 0
	var before *Sample
	for _, s := range counted {
		prompt += *s.Usage.Prompt
		if before != nil && before.Session == s.Session && before.Turn == s.Turn-1 {
			visible := valueOr(before.Usage.Completion, 0) - valueOr(before.Usage.Reasoning, 0)
			reusable += min(*before.Usage.Prompt+max(visible, 0), *s.Usage.Prompt)
		}
		before = s
	}
	return ratio(reusable, prompt)
}
