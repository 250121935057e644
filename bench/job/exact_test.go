package job

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
	"github.com/llm-bench/llm-bench/bench/sim"
)

// simulated carries an order out against a stand-in endpoint over net.Pipe, in
// the bubble that it is called in, and returns what it left on disk.
func simulated(t *testing.T, spec bench.Spec, config sim.Config) (*bench.Result, *bench.Record) {
	t.Helper()
	return spoken(t, spec, config, bench.Target{Dialect: bench.Ark()})
}

// spoken does the same with what a target says of its dialect and its terms.
func spoken(t *testing.T, spec bench.Spec, config sim.Config, target bench.Target) (*bench.Result, *bench.Record) {
	t.Helper()
	server, err := sim.New(config)
	if err != nil {
		t.Fatal(err)
	}
	network := sim.NewPipeNet()
	served := make(chan error, 1)
	go func() { served <- server.Serve(network) }()
	defer func() {
		_ = server.Close()
		<-served
	}()
	target.Label, target.BaseURL, target.Model, target.Source = "stand-in", network.BaseURL(), server.Config().Models[0].ID, bench.SourceSim
	j, err := New(Order{Spec: spec, OutputDir: t.TempDir(), Version: "test", Target: target}, rundir.Index{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	j.dial = network.DialContext
	result, err := j.Run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	record, err := rundir.Open(j.Dir().Path)
	if err != nil {
		t.Fatal(err)
	}
	return result, record
}

// exact checks every sample against what the endpoint was set to.
func exact(t *testing.T, record *bench.Record, config sim.Config, tokens int) {
	t.Helper()
	for _, s := range record.Samples {
		if s.Outcome != bench.Succeeded || s.Usage == nil {
			t.Fatalf("session %d turn %d: %s %+v", s.Session, s.Turn, s.Outcome, s.Failure)
		}
		uncached := time.Duration(*s.Usage.Prompt - *s.Usage.Cached)
		want := config.BaseTTFT + uncached*config.PrefillPer1000/1000
		ttft, _ := s.TTFT()
		tpot, _ := s.TPOT()
		e2e, _ := s.E2E()
		if ttft != want || tpot != config.TPOT || e2e != want+time.Duration(tokens-1)*config.TPOT {
			t.Fatalf("session %d turn %d: TTFT %v TPOT %v E2E %v, want %v %v %v", s.Session, s.Turn, ttft, tpot, e2e,
				want, config.TPOT, want+time.Duration(tokens-1)*config.TPOT)
		}
	}
}

var timetable = sim.Config{BaseTTFT: 300 * time.Millisecond, PrefillPer1000: 50 * time.Millisecond, TPOT: 20 * time.Millisecond}

func TestTheStandardPrefixRunIsExactFromSocketToReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result, record := simulated(t, bench.NewSpec(bench.Prefix, bench.Standard), timetable)
		exact(t, record, timetable, 512)
		s := &result.Targets[0].Summary
		if want := (bench.Requests{Planned: 200, Succeeded: 200}); s.Requests != want {
			t.Errorf("requests %+v, want %+v", s.Requests, want)
		}
		if s.PromptTokens.Avg < 14000*0.995 || s.PromptTokens.Avg > 14000*1.005 || s.PromptTokens.Min < 14000*98/100 || s.PromptTokens.Max > 14000*102/100 {
			t.Errorf("prompt tokens %+v, want 14000 on average within 0.5 %%, each within 2 %%", s.PromptTokens)
		}
		if *s.Cache.HitRate < *s.Cache.Ceiling-0.01 || *s.Cache.HitRate > *s.Cache.Ceiling+0.002 || *s.Cache.FirstUse != 0 {
			t.Errorf("hit rate %v of %v, first use %v", *s.Cache.HitRate, *s.Cache.Ceiling, *s.Cache.FirstUse)
		}
		if s.TPOT.Sdev != 0 || s.TPOT.Avg != 20 {
			t.Errorf("TPOT %+v, want 20 ms throughout", s.TPOT)
		}
		if !result.Baseline || !result.Simulated {
			t.Errorf("baseline %v, simulated %v", result.Baseline, result.Simulated)
		}
	})
}

func TestTheStandardMultiturnRunIsExactFromSocketToReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result, record := simulated(t, bench.NewSpec(bench.Multiturn, bench.Standard), timetable)
		exact(t, record, timetable, 1024)
		s := &result.Targets[0].Summary
		if want := (bench.Requests{Planned: 200, Succeeded: 200}); s.Requests != want {
			t.Errorf("requests %+v, want %+v", s.Requests, want)
		}
		if *s.Cache.HitRate < *s.Cache.Ceiling-0.02 || *s.Cache.HitRate > *s.Cache.Ceiling {
			t.Errorf("hit rate %v of %v", *s.Cache.HitRate, *s.Cache.Ceiling)
		}
		if n := len(s.Breakdown); n != 20 {
			t.Errorf("%d turns in the breakdown, want 20", n)
		}
	})
}
