package job

import (
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

func TestAnEstimateIsNeverNegativeHoweverLargeTheRun(t *testing.T) {
	for _, scenario := range []bench.Scenario{bench.Prefix, bench.Multiturn} {
		spec := bench.NewSpec(scenario, bench.Standard)
		spec.NumRequests, spec.NumSessions, spec.MaxTurns = 1_000_000, 100_000, 10_000
		spec.MaxConcurrency, spec.MaxOutputTokens, spec.RequestRate = 1, 1<<20, 0.0001
		low, high := Estimate(&spec)
		if low < 24*time.Hour || high < low {
			t.Errorf("%s: %v to %v", scenario, low, high)
		}
	}
}

func TestAnEstimateIsRoundsTimesTheTimeOfOne(t *testing.T) {
	spec := bench.NewSpec(bench.Prefix, bench.Standard)
	pace := Pace{FastTTFT: 200 * time.Millisecond, SlowTTFT: time.Second, FastTPOT: 10 * time.Millisecond, SlowTPOT: 20 * time.Millisecond}
	low, high := pace.Estimate(&spec)
	if low != 40*(200+511*10)*time.Millisecond || high != 40*(1000+511*20)*time.Millisecond {
		t.Errorf("%v to %v", low, high)
	}
}
