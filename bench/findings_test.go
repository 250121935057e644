package bench_test

import (
	"testing"
	"time"

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

func TestLateStartsBelowTheLimitOfConcurrencyAreTheClients(t *testing.T) {
	run := benchtest.New(bench.Prefix, bench.Standard, "en")
	run.Spec.RequestRate, run.Spec.MaxConcurrency = 0.4, 1000
	record := run.Record()
	for _, s := range record.Samples {
		s.Intended = bench.MarkAt(s.Intended.At() - 500*time.Millisecond)
	}
	found := run.Result(record).Targets[0].Findings
	if len(found) == 0 || found[0].Rule != "started_late" || found[0].Texts["cause"] != "client" {
		t.Errorf("found %v", found)
	}
}

func TestAStreamIsCalledBufferedByTheVerdictsShareAndNotForTheClientsStalls(t *testing.T) {
	for _, c := range []struct {
		name    string
		every   int // how many requests apart those in bursts are
		stalled bool
		want    bench.Severity
	}{{"all in bursts", 1, false, bench.Serious}, {"one in ten in bursts", 10, false, bench.Notable}, {"one in ten by the client's stalls", 10, true, ""}} {
		run := benchtest.New(bench.Prefix, bench.Standard, "en")
		run.Touch = benchtest.Every(c.every, func(call *benchtest.Call) {
			call.Burst = 8
			call.Sample.Warn(bench.WarnBuffered)
		})
		record := run.Record()
		if c.stalled {
			stall(record)
		}
		var got bench.Severity
		target := run.Result(record).Targets[0]
		for _, f := range target.Findings {
			if f.Rule == "stream_buffered" {
				got = f.Severity
			}
		}
		degraded := false
		for _, r := range target.Measurement.Reasons {
			degraded = degraded || r.Code == bench.ReasonBuffered
		}
		if got != c.want || degraded != (got == bench.Serious) {
			t.Errorf("%s: %q, want %q; the verdict names it: %t (%v)", c.name, got, c.want, degraded, *target.Measurement.BufferedShare)
		}
	}
}

// stall has the client notice nothing for long, and read at once what came at one moment.
func stall(record *bench.Record) {
	for i := range record.Ticks {
		record.Ticks[i].LagMax = bench.Millis(time.Minute)
	}
	for _, s := range record.Samples {
		for i := range s.Events[1:] {
			if before := s.Events[i]; s.Events[i+1].At == before.At {
				s.Events[i+1].Read = before.Read
			}
		}
	}
}
