package bench_test

import (
	"slices"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
)

// crowd is a run in which four uses of each prefix start together, and the
// second is served before the first.
func crowd() *benchtest.Run {
	run := benchtest.New(bench.Prefix, bench.Standard, "en")
	run.Spec.NumPrefixes, run.Spec.NumRequests, run.Spec.MaxConcurrency = 2, 60, 8
	run.Touch = func(c *benchtest.Call) {
		switch c.Sample.Ordinal {
		case 1:
			c.Cached, c.TTFT = 12000, 900*time.Millisecond
		case 2:
			c.Cached, c.TTFT = 0, 700*time.Millisecond
		}
	}
	return run
}

func rules(found []bench.Finding) map[string]bool {
	names := map[string]bool{}
	for _, f := range found {
		names[f.Rule] = true
	}
	return names
}

func TestAFirstUseServedAfterAnotherProvesNoWarmCache(t *testing.T) {
	result := crowd().Result(crowd().Record())
	if found := rules(result.Targets[0].Findings); found["cache_warm"] {
		t.Error("a cache that the second use filled was called warm before the run")
	}
	if first := result.Targets[0].Summary.Cache.FirstUse; first == nil || *first != 0 {
		t.Errorf("first uses are cached to %v, want 0", first)
	}
}

func TestAPrefixThatEveryUseInFlightHitsWasWarm(t *testing.T) {
	run := crowd()
	run.Touch = func(c *benchtest.Call) { c.Cached = 12000 }
	if found := rules(findings(run)); !found["cache_warm"] {
		t.Errorf("found %v, want cache_warm", found)
	}
}

func TestAFailedUseThatMayHaveFilledTheCacheLeavesNothingProven(t *testing.T) {
	run := crowd()
	run.Touch = func(c *benchtest.Call) {
		if c.Cached = 12000; c.Sample.Ordinal == 2 {
			c.Fail, c.Failure = bench.FailStreamTruncated, &bench.Failure{Message: "no end"}
		}
	}
	if first := run.Result(run.Record()).Targets[0].Summary.Cache.FirstUse; first != nil {
		t.Errorf("first uses are cached to %v, want unknown", *first)
	}
}

func TestAFirstUseThatIsNotOnRecordLeavesNothingProven(t *testing.T) {
	run := benchtest.New(bench.Prefix, bench.Standard, "en")
	record := run.Record()
	record.Samples = slices.DeleteFunc(record.Samples, func(s *bench.Sample) bool { return s.Ordinal == 1 })
	if first := run.Result(record).Targets[0].Summary.Cache.FirstUse; first != nil {
		t.Errorf("first uses are cached to %v, want unknown", *first)
	}
}

func TestAUseAfterAGapProvesNoWarmCache(t *testing.T) {
	run := benchtest.New(bench.Prefix, bench.Standard, "en")
	run.Touch = func(c *benchtest.Call) {
		if c.N > 5 {
			c.Cached = 12000
		}
	}
	record := run.Record()
	at := record.Samples[5].Start.At()
	record.Resumes = []bench.Resume{{Since: bench.MarkAt(at - 3*time.Millisecond), At: bench.MarkAt(at - time.Millisecond)}}
	if found := rules(run.Result(record).Targets[0].Findings); found["cache_warm"] {
		t.Error("a first use that the broken run may have sent before was called warm")
	}
}

func TestLossesAreSortedByWhatCausedThem(t *testing.T) {
	run := benchtest.New(bench.Prefix, bench.Standard, "en")
	run.Touch = func(c *benchtest.Call) {
		switch {
		case c.N == 50:
			c.Cached = 0
		case c.N == 60:
			c.Cached = 6000
		case c.N > 10:
			c.Cached = 12000 - 96
		}
	}
	got := run.Result(run.Record()).Targets[0].Summary.Cache.Loss
	want := bench.CacheLoss{Later: 190, Full: 188, Missed: 1, Block: 188 * 96, None: 12000, Part: 6000}
	if got != want {
		t.Errorf("losses are %+v, want %+v", got, want)
	}
}

func TestATurnMayLoseTheLastAnswerToACacheOfPrompts(t *testing.T) {
	run := benchtest.New(bench.Multiturn, bench.Quick, "en")
	before := 0
	run.Touch = func(c *benchtest.Call) {
		if c.Sample.Turn > 1 {
			c.Cached = before
		}
		before = c.Prompt
	}
	run.Spec.NumSessions = 1
	got := run.Result(run.Record()).Targets[0].Summary.Cache.Loss
	if got.Full != got.Later || got.Later == 0 || got.Part+got.None+got.Short > 0 {
		t.Errorf("losses are %+v, want those of answers alone", got)
	}
}
