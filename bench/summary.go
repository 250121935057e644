package bench

import (
	"cmp"
	"slices"
	"time"
)

// Summary is what the samples of one target amount to. It is a pure function
// of the spec, the planned count and the samples. What is unknown is nil, or a
// [Dist] without values.
type Summary struct {
	Requests Requests `json:"requests"`

	TTFT     Dist  `json:"ttft_ms"`
	TPOT     Dist  `json:"tpot_ms"`
	E2E      Dist  `json:"e2e_ms"`
	ITL      Dist  `json:"itl_ms"`    // over all gaps of all requests
	ToAnswer Dist  `json:"answer_ms"` // time to the first content
	Upload   Dist  `json:"upload_ms"` // start to the last byte of the request sent
	Warm     *Warm `json:"warm_only,omitempty"`
	Open     *Open `json:"open_loop,omitempty"` // nil: closed loop

	PromptTokens    Count `json:"prompt_tokens"`
	OutputTokens    Count `json:"output_tokens"`
	ReasoningTokens Count `json:"reasoning_tokens"`
	OutputEvents    Count `json:"output_events"`
	PlannedPrompt   Count `json:"planned_prompt_tokens"`

	Cache      Cache    `json:"cache"`
	DurationS  *float64 `json:"duration_s,omitempty"` // first start to last end
	OutputRate *float64 `json:"output_tokens_per_s,omitempty"`
	TotalRate  *float64 `json:"total_tokens_per_s,omitempty"`
	Rate       *float64 `json:"requests_per_s,omitempty"`

	Concurrency Concurrency    `json:"concurrency"`
	Goodput     *Goodput       `json:"goodput,omitempty"`
	Cost        *Cost          `json:"cost,omitempty"`
	Failures    []FailureGroup `json:"failures"`
	Finish      map[string]int `json:"finish_reasons"`
	NearCap     *float64       `json:"near_cap_share,omitempty"` // outputs ≥ 90 % of the cap
	Warnings    []WarningGroup `json:"warnings"`
	Observed    Observed       `json:"observed"`
	Breakdown   []Group        `json:"breakdown"`
	Slowest     []Slow         `json:"slowest"`
	Rescored    []Rescored     `json:"rescored"`
}

// Requests counts the planned requests by how their last attempt ended.
// Planned is always the sum of the four that follow it.
type Requests struct {
	Planned   int `json:"planned"`
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
	Canceled  int `json:"canceled"`
	NotRun    int `json:"not_run"`
	Retries   int `json:"retries"` // attempts beyond the first of each request
}

// FailureRate is the share of failures among the requests that ended, 0 to 1;
// 0 when none has ended.
func (r Requests) FailureRate() float64 {
	if r.Succeeded+r.Failed == 0 {
		return 0
	}
	return float64(r.Failed) / float64(r.Succeeded+r.Failed)
}

// Warm holds the figures of a prefix run without the first use of each prefix.
type Warm struct {
	TTFT Dist `json:"ttft_ms"`
	TPOT Dist `json:"tpot_ms"`
	E2E  Dist `json:"e2e_ms"`
}

// Open holds the figures that only an open loop has: latencies from the
// intended start, and how late requests started.
type Open struct {
	TTFT Dist `json:"ttft_from_intended_ms"`
	E2E  Dist `json:"e2e_from_intended_ms"`
	Wait Dist `json:"queue_ms"` // intended to actual start
}

// Concurrency is the number of requests in flight: asked for, and reached.
type Concurrency struct {
	Asked int      `json:"asked"`
	Mean  *float64 `json:"mean,omitempty"` // time average from the first start to the last start
	Peak  int      `json:"peak"`
}

// Goodput counts the requests that meet the SLO; failures count against it.
type Goodput struct {
	Met   int      `json:"met"`
	Share float64  `json:"share"` // of succeeded and failed, 0 to 1
	Rate  *float64 `json:"requests_per_s,omitempty"`
}

// Cost is in the currency of the prices, from the tokens that usage reported.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency,omitempty"`
}

// FailureGroup is the failures of one class and code.
type FailureGroup struct {
	Class      Outcome  `json:"class"`
	Code       string   `json:"code,omitempty"`
	Status     int      `json:"http_status,omitempty"`
	Count      int      `json:"count"`
	Sample     string   `json:"sample"` // one of the messages
	RequestIDs []string `json:"request_ids,omitempty"`
}

// WarningGroup is the requests that carry one warning.
type WarningGroup struct {
	Warning    Warning  `json:"warning"`
	Count      int      `json:"count"`
	RequestIDs []string `json:"request_ids,omitempty"`
}

// Observed is what the server really did, whatever was asked for.
type Observed struct {
	Models       map[string]int `json:"served_models"`
	ServiceTiers map[string]int `json:"service_tiers"`
	Reasoned     int            `json:"reasoned"` // requests in which reasoning was seen
	NewConns     int            `json:"new_connections"`
	UsageMissing int            `json:"usage_missing"`
	EmptyAnswers int            `json:"empty_answers"` // successes without content
	Simulated    bool           `json:"simulated"`
}

// Slow is a request among the slowest by TTFT.
type Slow struct {
	Session   int      `json:"session"`
	Turn      int      `json:"turn"`
	TTFT      float64  `json:"ttft_ms"`
	E2E       float64  `json:"e2e_ms"`
	TPOT      *float64 `json:"tpot_ms,omitempty"`
	Prompt    *int     `json:"prompt_tokens,omitempty"`
	Cached    *int     `json:"cached_tokens,omitempty"`
	RequestID string   `json:"request_id,omitempty"`
	LogID     string   `json:"log_id,omitempty"`
}

// Rescored is the run under another tool's rule.
type Rescored struct {
	Rule Rule `json:"rule"`
	TTFT Dist `json:"ttft_ms"`
	TPOT Dist `json:"tpot_ms"`
	E2E  Dist `json:"e2e_ms"`
}

// Summarize computes the summary of one target's samples, in any order.
func Summarize(spec *Spec, planned int, samples []*Sample) Summary {
	last := lastAttempts(samples)
	ok := succeeded(last)
	s := Summary{Requests: count(planned, last, len(samples)), Concurrency: concurrency(spec.MaxConcurrency, samples)}
	s.latencies(spec, ok)
	s.tokens(spec, ok)
	s.Cache = cacheOf(spec, samples, ok)
	s.rates(last, ok)
	s.Goodput = goodput(spec.SLO, last, s.DurationS)
	s.Cost = cost(spec.Prices, last)
	s.Failures = failureGroups(last)
	s.Warnings = warningGroups(last)
	s.observe(last, ok)
	s.Breakdown = breakdown(spec.Scenario, last)
	s.Slowest = slowest(ok, 5)
	for _, rule := range Rules() {
		s.Rescored = append(s.Rescored, rescored(rule, ok))
	}
	return s
}

// lastAttempts keeps the attempt that counts of each turn, in order.
func lastAttempts(samples []*Sample) []*Sample {
	sorted := slices.SortedFunc(slices.Values(samples), (*Sample).Compare)
	var last []*Sample
	for _, s := range sorted {
		if n := len(last); n > 0 && sameTurn(last[n-1], s) {
			last[n-1] = s
			continue
		}
		last = append(last, s)
	}
	return last
}

func sameTurn(a, b *Sample) bool {
	return a.Session == b.Session && a.Turn == b.Turn && a.Target == b.Target && a.Point == b.Point
}

func succeeded(samples []*Sample) []*Sample {
	var ok []*Sample
	for _, s := range samples {
		if s.Outcome == Succeeded {
			ok = append(ok, s)
		}
	}
	return ok
}

func count(planned int, last []*Sample, attempts int) Requests {
	r := Requests{Planned: planned, Retries: attempts - len(last)}
	for _, s := range last {
		switch {
		case s.Outcome == Succeeded:
			r.Succeeded++
		case s.Outcome == Canceled:
			r.Canceled++
		default:
			r.Failed++
		}
	}
	r.NotRun = planned - len(last)
	return r
}

func (s *Summary) latencies(spec *Spec, ok []*Sample) {
	s.TTFT = describe(spec, ok, (*Sample).TTFT)
	s.TPOT = describe(spec, ok, (*Sample).TPOT)
	s.E2E = describe(spec, ok, (*Sample).E2E)
	s.ToAnswer = Describe(milliseconds(ok, (*Sample).TimeToAnswer))
	s.Upload = Describe(milliseconds(ok, func(s *Sample) (time.Duration, bool) { return s.SentLast.Since(s.Start) }))
	if spec.RequestRate > 0 {
		s.Open = &Open{describe(spec, ok, (*Sample).IntendedTTFT), describe(spec, ok, (*Sample).IntendedE2E), Describe(milliseconds(ok, (*Sample).Wait))}
	}
	var gaps []float64
	for _, sample := range ok {
		for _, gap := range sample.ITL() {
			gaps = append(gaps, Milliseconds(gap))
		}
	}
	s.ITL = Describe(gaps)
	if spec.Scenario == Prefix {
		warm := slices.DeleteFunc(slices.Clone(ok), func(s *Sample) bool { return s.Ordinal < 2 })
		s.Warm = &Warm{describe(spec, warm, (*Sample).TTFT), describe(spec, warm, (*Sample).TPOT), describe(spec, warm, (*Sample).E2E)}
	}
}

// describe computes a figure's distribution with its intervals over the
// independent unit: requests, stratified cold and warm, or sessions.
func describe(spec *Spec, samples []*Sample, figure func(*Sample) (time.Duration, bool)) Dist {
	d := Describe(milliseconds(samples, figure))
	if spec.Scenario == Multiturn {
		d.bySession(split(samples, figure, func(s *Sample) int { return s.Session }))
		return d
	}
	d.bootstrap(split(samples, figure, func(s *Sample) int { return min(s.Ordinal, 2) }), spec.Seed)
	return d
}

// split groups a figure's values by key, in ascending order of the keys.
func split(samples []*Sample, figure func(*Sample) (time.Duration, bool), key func(*Sample) int) [][]float64 {
	groups := groupBy(samples, key)
	var values [][]float64
	for _, g := range groups {
		values = append(values, milliseconds(g.samples, figure))
	}
	return values
}

type group struct {
	key     int
	samples []*Sample
}

func groupBy(samples []*Sample, key func(*Sample) int) []group {
	byKey := map[int]*group{}
	var groups []*group
	for _, s := range samples {
		g := byKey[key(s)]
		if g == nil {
			g = &group{key: key(s)}
			byKey[g.key], groups = g, append(groups, g)
		}
		g.samples = append(g.samples, s)
	}
	slices.SortFunc(groups, func(a, b *group) int { return cmp.Compare(a.key, b.key) })
	sorted := make([]group, len(groups))
	for i, g := range groups {
		sorted[i] = *g
	}
	return sorted
}

func (s *Summary) tokens(spec *Spec, ok []*Sample) {
	var prompt, output, reasoning, events, planned []int
	near := 0
	for _, sample := range ok {
		events = append(events, sample.OutputEvents)
		if sample.PlannedPrompt > 0 {
			planned = append(planned, sample.PlannedPrompt)
		}
		if u := sample.Usage; u != nil {
			prompt, output, reasoning = appendKnown(prompt, u.Prompt), appendKnown(output, u.Completion), appendKnown(reasoning, u.Reasoning)
			if u.Completion != nil && *u.Completion*10 >= spec.MaxOutputTokens*9 {
				near++
			}
		}
	}
	s.PromptTokens, s.OutputTokens, s.ReasoningTokens = CountOf(prompt), CountOf(output), CountOf(reasoning)
	s.OutputEvents, s.PlannedPrompt = CountOf(events), CountOf(planned)
	if len(output) > 0 {
		s.NearCap = ratio(near, len(output))
	}
}

func appendKnown(values []int, v *int) []int {
	if v == nil {
		return values
	}
	return append(values, *v)
}

// ratio is a/b, or nil when b is 0.
func ratio(a, b int) *float64 {
	if b == 0 {
		return nil
	}
	r := float64(a) / float64(b)
	return &r
}

// rates are over the span from the first start to the last end, of successes and failures.
func (s *Summary) rates(last, ok []*Sample) {
	var first, end Mark
	for _, sample := range last {
		if !first.Taken() || sample.Start.At() < first.At() {
			first = sample.Start
		}
		if sample.End.At() > end.At() {
			end = sample.End
		}
	}
	span, defined := end.Since(first)
	if !defined || span <= 0 {
		return
	}
	seconds := span.Seconds()
	s.DurationS = &seconds
	per := func(n int) *float64 { r := float64(n) / seconds; return &r }
	s.Rate = per(len(ok))
	if s.OutputTokens.N > 0 {
		s.OutputRate = per(s.OutputTokens.Sum)
		s.TotalRate = per(s.OutputTokens.Sum + s.PromptTokens.Sum)
	}
}

func goodput(slo SLO, last []*Sample, seconds *float64) *Goodput {
	if slo == (SLO{}) {
		return nil
	}
	met, ended := 0, 0
	for _, s := range last {
		if s.Outcome == Canceled {
			continue
		}
		ended++
		if slo.Met(s) {
			met++
		}
	}
	g := &Goodput{Met: met}
	if share := ratio(met, ended); share != nil {
		g.Share = *share
	}
	if seconds != nil {
		r := float64(met) / *seconds
		g.Rate = &r
	}
	return g
}

// cost is nil where no price is known, or no usage.
func cost(p Prices, last []*Sample) *Cost {
	if p.In == 0 && p.Out == 0 {
		return nil
	}
	var amount float64
	known := false
	for _, s := range last {
		if s.Usage == nil || s.Usage.Prompt == nil || s.Usage.Completion == nil {
			continue
		}
		known = true
		amount += p.Of(*s.Usage.Prompt, valueOr(s.Usage.Cached, 0), *s.Usage.Completion)
	}
	if !known {
		return nil
	}
	return &Cost{amount, p.Currency}
}

// Of is the price of the given tokens; cached is a part of prompt.
func (p Prices) Of(prompt, cached, output int) float64 {
	cachedPrice := p.In
	if p.Cached != nil {
		cachedPrice = *p.Cached
	}
	cached = min(cached, prompt)
	return (float64(prompt-cached)*p.In + float64(cached)*cachedPrice + float64(output)*p.Out) / 1e6
}

func valueOr(v *int, otherwise int) int {
	if v == nil {
		return otherwise
	}
	return *v
}

func rescored(rule Rule, ok []*Sample) Rescored {
	figure := func(pick func(Score) (time.Duration, bool)) Dist {
		return Describe(milliseconds(ok, func(s *Sample) (time.Duration, bool) {
			score, defined := rule.Score(s)
			if !defined {
				return 0, false
			}
			return pick(score)
		}))
	}
	return Rescored{
		Rule: rule,
		TTFT: figure(func(s Score) (time.Duration, bool) { return s.TTFT, true }),
		TPOT: figure(func(s Score) (time.Duration, bool) { return s.TPOT, s.HasTPOT }),
		E2E:  figure(func(s Score) (time.Duration, bool) { return s.E2E, true }),
	}
}
