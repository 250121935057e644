package bench

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Group is the requests of one reuse ordinal (prefix) or turn (multi-turn).
type Group struct {
	Key       int      `json:"key"`
	Succeeded int      `json:"succeeded"`
	Failed    int      `json:"failed"`
	TTFT      Dist     `json:"ttft_ms"`
	TTFTPer1K Dist     `json:"ttft_ms_per_1k_prompt_tokens"`
	TPOT      Dist     `json:"tpot_ms"`
	E2E       Dist     `json:"e2e_ms"`
	Prompt    Count    `json:"prompt_tokens"`
	HitRate   *float64 `json:"hit_rate"` // nil: not reported
}

// breakdown groups by reuse ordinal or by turn; connectivity has none.
func breakdown(scenario Scenario, last []*Sample) []Group {
	key := func(s *Sample) int { return s.Ordinal }
	switch scenario {
	case Multiturn:
		key = func(s *Sample) int { return s.Turn }
	case Connectivity:
		return nil
	}
	var groups []Group
	for _, g := range groupBy(last, key) {
		groups = append(groups, summarizeGroup(g))
	}
	return groups
}

func summarizeGroup(g group) Group {
	ok := succeeded(g.samples)
	out := Group{Key: g.key, Succeeded: len(ok)}
	var prompt []int
	for _, s := range g.samples {
		if s.Outcome.Failed() {
			out.Failed++
		}
	}
	for _, s := range ok {
		if s.Usage != nil {
			prompt = appendKnown(prompt, s.Usage.Prompt)
		}
	}
	out.TTFT = Describe(milliseconds(ok, (*Sample).TTFT))
	out.TPOT = Describe(milliseconds(ok, (*Sample).TPOT))
	out.E2E = Describe(milliseconds(ok, (*Sample).E2E))
	out.TTFTPer1K = Describe(milliseconds(ok, (*Sample).TTFTPer1K))
	out.Prompt = CountOf(prompt)
	var discard Cache
	out.HitRate = cachedShare(discard.countable(ok))
	return out
}

// TTFTPer1K is TTFT per 1,000 prompt tokens. It is undefined without usage.
func (s *Sample) TTFTPer1K() (time.Duration, bool) {
	ttft, defined := s.TTFT()
	if !defined || s.Usage == nil || s.Usage.Prompt == nil || *s.Usage.Prompt <= 0 {
		return 0, false
	}
	return time.Duration(float64(ttft) * 1000 / float64(*s.Usage.Prompt)), true
}

// concurrency is what was in flight over time. The mean is taken up to the last
// start, so that the run's tail, in which nothing is left to start, doesn't count.
func concurrency(asked int, samples []*Sample) Concurrency {
	type step struct {
		at     time.Duration
		change int
	}
	var steps []step
	var lastStart time.Duration
	for _, s := range samples {
		if s.Start.Taken() && s.End.Taken() {
			steps = append(steps, step{s.Start.At(), 1}, step{s.End.At(), -1})
			lastStart = max(lastStart, s.Start.At())
		}
	}
	c := Concurrency{Asked: asked}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.change, b.change)) })
	var area float64
	flying := 0
	for i, st := range steps {
		if i > 0 && st.at <= lastStart {
			area += float64(flying) * float64(st.at-steps[i-1].at)
		}
		flying += st.change
		c.Peak = max(c.Peak, flying)
	}
	if len(steps) > 0 && lastStart > steps[0].at {
		m := area / float64(lastStart-steps[0].at)
		c.Mean = &m
	}
	return c
}

// shownIDs bounds the request ids that a group lists.
const shownIDs = 10

func failureGroups(last []*Sample) []FailureGroup {
	type key struct {
		class Outcome
		code  string
	}
	byKey := map[key]*FailureGroup{}
	for _, s := range last {
		if !s.Outcome.Failed() {
			continue
		}
		var f Failure
		if s.Failure != nil {
			f = *s.Failure
		}
		k := key{s.Outcome, f.Code}
		g := byKey[k]
		if g == nil {
			g = &FailureGroup{Class: s.Outcome, Code: f.Code, Status: f.Status, Sample: f.Message}
			byKey[k] = g
		}
		g.Count++
		g.RequestIDs = appendID(g.RequestIDs, s.RequestID)
	}
	groups := []FailureGroup{}
	for _, g := range byKey {
		groups = append(groups, *g)
	}
	slices.SortFunc(groups, func(a, b FailureGroup) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Code, b.Code))
	})
	return groups
}

func appendID(ids []string, id string) []string {
	if id == "" || len(ids) == shownIDs {
		return ids
	}
	return append(ids, id)
}

func warningGroups(last []*Sample) []WarningGroup {
	byName := map[Warning]*WarningGroup{}
	for _, s := range last {
		for _, w := range s.Warnings {
			g := byName[w]
			if g == nil {
				g = &WarningGroup{Warning: w}
				byName[w] = g
			}
			g.Count++
			g.RequestIDs = appendID(g.RequestIDs, s.RequestID)
		}
	}
	groups := []WarningGroup{}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		groups = append(groups, *byName[name])
	}
	return groups
}

func (s *Summary) observe(last, ok []*Sample) {
	o := Observed{Models: map[string]int{}, ServiceTiers: map[string]int{}}
	s.Finish = map[string]int{}
	for _, sample := range last {
		o.Simulated = o.Simulated || sample.Simulated
		if !sample.Connection.Reused && sample.Connection.Protocol != "" {
			o.NewConns++
		}
	}
	for _, sample := range ok {
		tally(o.Models, sample.Model)
		tally(o.ServiceTiers, sample.ServiceTier)
		tally(s.Finish, sample.FinishReason)
		if sample.Reasoned {
			o.Reasoned++
		}
		if sample.Usage == nil {
			o.UsageMissing++
		}
		if sample.AnswerBytes == 0 {
			o.EmptyAnswers++
		}
	}
	s.Observed = o
}

func tally(counts map[string]int, name string) {
	if name != "" {
		counts[name]++
	}
}

// slowest lists the n successful samples of the longest TTFT.
func slowest(ok []*Sample, n int) []Slow {
	sorted := slices.SortedStableFunc(slices.Values(ok), func(a, b *Sample) int {
		x, _ := a.TTFT()
		y, _ := b.TTFT()
		return cmp.Compare(y, x)
	})
	list := []Slow{}
	for _, s := range sorted[:min(n, len(sorted))] {
		ttft, _ := s.TTFT()
		e2e, _ := s.E2E()
		slow := Slow{Session: s.Session, Turn: s.Turn, TTFT: Milliseconds(ttft), E2E: Milliseconds(e2e), RequestID: s.RequestID, LogID: s.LogID}
		if tpot, defined := s.TPOT(); defined {
			ms := Milliseconds(tpot)
			slow.TPOT = &ms
		}
		if s.Usage != nil {
			slow.Prompt, slow.Cached = s.Usage.Prompt, s.Usage.Cached
		}
		list = append(list, slow)
	}
	return list
}
