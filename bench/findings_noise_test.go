package bench_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
)

// noises multiply TTFT and TPOT.
func noises() map[string]func(*rand.Rand) float64 {
	normal := func(sdev float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 { return math.Exp(sdev * r.NormFloat64()) }
	}
	return map[string]func(*rand.Rand) float64{
		"little": normal(0.05), "much": normal(0.3), "very much": normal(0.8),
		"exponential": func(r *rand.Rand) float64 { return 1 + r.ExpFloat64() },
		"heavy tail":  func(r *rand.Rand) float64 { return math.Pow(r.Float64(), -1/1.5) },
		"steps":       func(r *rand.Rand) float64 { return 1 + 0.1*math.Floor(3*r.Float64()) },
		"spikes": func(r *rand.Rand) float64 {
			if r.Float64() < 0.05 {
				return 1 + 4*r.ExpFloat64()
			}
			return 1 + 0.02*r.NormFloat64()
		},
	}
}

// shapes are runs of short answers, in which the first token is most of the time.
func shapes() map[string]*benchtest.Run {
	all := map[string]*benchtest.Run{
		"quick conversations": benchtest.New(bench.Multiturn, bench.Quick, "en"),
		"conversations":       benchtest.New(bench.Multiturn, bench.Standard, "en"),
	}
	for name, of := range map[string][3]int{"few": {40, 4, 2}, "some": {100, 10, 5}, "many": {200, 10, 5}, "wide": {200, 40, 20}} {
		run := benchtest.New(bench.Prefix, bench.Standard, "en")
		run.Spec.NumRequests, run.Spec.NumPrefixes, run.Spec.MaxConcurrency = of[0], of[1], of[2]
		all[name] = run
	}
	return all
}

// noisy adds noise to each request, and now and then slows several in a row.
func noisy(r *rand.Rand, factor func(*rand.Rand) float64) func(*benchtest.Call) {
	slow := 0
	return func(c *benchtest.Call) {
		if r.Float64() < 0.02 {
			slow = 6
		}
		burst := 1.0
		if slow > 0 {
			slow, burst = slow-1, 1.5+r.Float64()
		}
		c.TTFT = time.Duration(burst * factor(r) * float64(120*time.Millisecond+time.Duration(c.Prompt-c.Cached)*40*time.Microsecond))
		c.TPOT = time.Duration(burst * factor(r) * float64(c.TPOT))
	}
}

func TestNoiseIsTakenForNoFault(t *testing.T) {
	for noise, factor := range noises() {
		for shape, run := range shapes() {
			t.Run(noise+" "+shape, func(t *testing.T) {
				t.Parallel()
				for seed := range uint64(2) {
					run.Spec.MaxOutputTokens = 32
					run.Touch = noisy(rand.New(rand.NewPCG(seed, 7)), factor)
					for _, f := range findings(run) {
						if slices.Contains([]string{"two_paces", "two_starts", "slow_starts", "admission", "early_token", "prompts_cut", "cache_warm", "cache_low", "cache_uneven"}, f.Rule) {
							t.Errorf("seed %d: %+v", seed, f)
						}
					}
				}
			})
		}
	}
}
