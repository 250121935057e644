package bench_test

import (
	"testing"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
)

// findings of the only target of a made-up run.
func findings(run *benchtest.Run) []bench.Finding {
	return run.Result(run.Record()).Targets[0].Findings
}

func TestAPlantedFaultIsNamedFirst(t *testing.T) {
	for _, fault := range benchtest.Faults() {
		t.Run(fault.Name, func(t *testing.T) {
			t.Parallel()
			found := findings(fault.Run)
			if len(found) == 0 || found[0].Rule != fault.Rule {
				t.Fatalf("found %v, want %s first", found, fault.Rule)
			}
			if got := found[0].Texts["cause"]; got != fault.Cause {
				t.Errorf("cause is %q, want %q", got, fault.Cause)
			}
		})
	}
}

func TestACleanRunHasNothingButExplanations(t *testing.T) {
	for _, scenario := range []bench.Scenario{bench.Connectivity, bench.Prefix, bench.Multiturn} {
		for _, preset := range []bench.Preset{bench.Standard, bench.Quick} {
			for _, f := range findings(benchtest.New(scenario, preset, "en")) {
				if f.Severity != bench.Info {
					t.Errorf("%s %s: %+v", scenario, preset, f)
				}
			}
		}
	}
}
