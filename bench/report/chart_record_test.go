package report

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// imagined is a model whose runs can be made up in no time.
type imagined struct {
	label, model string
	prefill      float64 // ms for each 1,000 uncached prompt tokens
	tpot         float64 // ms
	spread       float64 // of both, relative
	failEvery    int     // every n-th request fails; 0: none
	retryEvery   int     // every n-th request fails once; 0: none
}

func doubao() imagined {
	return imagined{label: "doubao-seed-2-0-mini", model: "doubao-seed-2-0-mini-260428", prefill: 95, tpot: 18, spread: 0.18}
}

// middling is a run of some dozens of requests.
func middling(scenario bench.Scenario) bench.Spec {
	s := bench.NewSpec(scenario, bench.Standard)
	if scenario == bench.Prefix {
		s.NumRequests, s.NumPrefixes = 60, 3
	} else {
		s.NumSessions, s.MaxTurns = 6, 10
	}
	return s
}

// prefixRun makes up a prefix run of the spec against the models.
func prefixRun(spec bench.Spec, models ...imagined) (*bench.Result, *bench.Record) {
	r := blank(spec, models)
	for _, m := range models {
		rng := rand.New(rand.NewPCG(7, uint64(len(m.label))))
		free := make([]float64, spec.MaxConcurrency)
		for i := range spec.NumRequests {
			slot := earliest(free)
			s := m.attempt(rng, free[slot], spec.PrefixLen+spec.SuffixLen, cachedOf(spec, i), spec.MaxOutputTokens)
			s.Session, s.Turn, s.Prefix, s.Ordinal = i+1, 1, i%spec.NumPrefixes+1, i/spec.NumPrefixes+1
			free[slot] = m.add(r, s, i+1)
		}
	}
	return ended(r)
}

func cachedOf(spec bench.Spec, i int) int {
	if i < spec.NumPrefixes {
		return 0
	}
	return spec.PrefixLen / 128 * 128
}

// multiturnRun makes up a multi-turn run of the spec against the models.
func multiturnRun(spec bench.Spec, models ...imagined) (*bench.Result, *bench.Record) {
	r := blank(spec, models)
	for _, m := range models {
		rng := rand.New(rand.NewPCG(9, uint64(len(m.label))))
		free := make([]float64, spec.MaxConcurrency)
		for session := range spec.NumSessions {
			slot := earliest(free)
			prompt, cached := spec.InitialLen, 0
			for turn := range spec.MaxTurns {
				output := spec.MaxOutputTokens*6/10 + rng.IntN(1+spec.MaxOutputTokens*4/10)
				s := m.attempt(rng, free[slot], prompt, cached, output)
				s.Session, s.Turn = session+1, turn+1
				free[slot] = m.add(r, s, session*spec.MaxTurns+turn+1)
				if s.Outcome.Failed() {
					break
				}
				cached = (prompt + output) / 128 * 128
				prompt += output + spec.QuestionLen
			}
		}
	}
	return ended(r)
}

func blank(spec bench.Spec, models []imagined) *bench.Record {
	began := time.Date(2026, 8, 1, 14, 5, 6, 0, time.FixedZone("CST", 8*3600))
	r := &bench.Record{Header: bench.Header{Spec: spec, Began: began, Planned: spec.Planned(), Tool: bench.Tool{Version: "0.1.0"}}}
	for _, m := range models {
		r.Header.Targets = append(r.Header.Targets, bench.Target{Label: m.label, Model: m.model, Source: bench.SourceArkCLI})
	}
	return r
}

func ended(r *bench.Record) (*bench.Result, *bench.Record) {
	r.Finish = &bench.Finish{State: bench.StateSucceeded}
	result := bench.NewResult("run", "", r, bench.StateSucceeded)
	return &result, r
}

func earliest(free []float64) int {
	best := 0
	for i := range free {
		if free[i] < free[best] {
			best = i
		}
	}
	return best
}

// attempt makes up a success that starts at the given millisecond.
func (m imagined) attempt(rng *rand.Rand, start float64, prompt, cached, output int) *bench.Sample {
	noise := func() float64 { return math.Exp(m.spread * rng.NormFloat64()) }
	first := start + (120+m.prefill*float64(prompt-cached)/1000)*noise()
	last := first + m.tpot*noise()*float64(output-1)
	return &bench.Sample{
		Target: m.label, Attempt: 1, Outcome: bench.Succeeded, OutputEvents: output,
		Start: markAt(start), FirstToken: markAt(first), LastToken: markAt(last), End: markAt(last + 1),
		Usage: &bench.Usage{Prompt: &prompt, Completion: &output, Cached: &cached},
	}
}

func markAt(ms float64) bench.Mark { return bench.MarkAt(bench.FromMilliseconds(ms)) }

// add appends the sample, with the failures that the model is meant to have,
// and returns when its place is free again.
func (m imagined) add(r *bench.Record, s *bench.Sample, number int) float64 {
	fail := func(after float64) *bench.Sample {
		f := &bench.Sample{Target: s.Target, Session: s.Session, Turn: s.Turn, Attempt: s.Attempt, Prefix: s.Prefix, Ordinal: s.Ordinal,
			Outcome: bench.FailRateLimited, Failure: &bench.Failure{Message: "slow down"}, Start: s.Start}
		f.End = markAt(bench.Milliseconds(s.Start.At()) + after)
		return f
	}
	switch {
	case m.failEvery > 0 && number%m.failEvery == 0:
		*s = *fail(400)
	case m.retryEvery > 0 && number%m.retryEvery == 0:
		r.Samples = append(r.Samples, fail(200))
		s.Attempt = 2
		for _, mark := range []*bench.Mark{&s.Start, &s.FirstToken, &s.LastToken, &s.End} {
			*mark = bench.MarkAt(mark.At() + 201*time.Millisecond)
		}
	}
	r.Samples = append(r.Samples, s)
	return bench.Milliseconds(s.End.At()) + 2
}
