package report

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
)

// keep copies a picture to where whoever runs the tests wants to look at it.
func keep(t *testing.T, prefix, path string) {
	t.Helper()
	dir := os.Getenv("LLM_BENCH_SCREENSHOTS")
	if dir == "" {
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, prefix+filepath.Base(path)), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestASweepHasAChartByLoadAndNoneThatMixesLoads(t *testing.T) {
	t.Parallel()
	run := runs()["sweep"]
	record := run.Record()
	result := run.Result(record)
	drawn, skipped := Charts(unhurried(t), result, record, t.TempDir())
	var names []string
	for _, path := range drawn {
		names = append(names, filepath.Base(path))
		keep(t, "sweep_", path)
	}
	if want := []string{"load.png", "metrics_by_reuse.png", "latency_distribution.png", "timeline.png"}; !slices.Equal(names, want) || len(skipped) > 0 {
		t.Errorf("drawn are %v, want %v; left out: %v", names, want, skipped)
	}
	split, own := apart(result, record)
	if len(split.Targets) != 4 || len(own.Samples) != len(record.Samples) {
		t.Fatalf("%d targets and %d samples, want 4 and all of them", len(split.Targets), len(own.Samples))
	}
	for i, at := range split.Targets {
		if of := own.Of(at.Label); len(of) != 40 || of[0].Point != i+1 || at.Summary.TTFT.N != 40 {
			t.Errorf("%s: %d samples of load %d", at.Label, len(of), of[0].Point)
		}
	}
}

func TestLoadsAreReadFromEachPointAlone(t *testing.T) {
	run := runs()["sweep"]
	result := run.Result(run.Record())
	figures := loadFigures(englishWords(), result)
	for i, point := range result.Targets[0].Points {
		s := &point.Summary
		if got := figures[0].curves[0].main[i]; got.load != float64(point.MaxConcurrency) || got.value != s.TTFT.P50 {
			t.Errorf("load %d: TTFT %v at %v, want %v", i, got.value, got.load, s.TTFT.P50)
		}
		if got := figures[1].curves[0].main[i].value; got != *s.OutputRate {
			t.Errorf("load %d: output %v, want %v", i, got, *s.OutputRate)
		}
	}
}

func TestOfManyLoadsTheFirstAndTheLastAreKept(t *testing.T) {
	for _, c := range []struct {
		n, most int
		want    []int
	}{{3, 8, []int{0, 1, 2}}, {8, 8, []int{0, 1, 2, 3, 4, 5, 6, 7}}, {20, 4, []int{0, 6, 12, 19}}, {5, 2, []int{0, 4}}} {
		if got := keptLoads(c.n, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%d of %d: %v, want %v", c.most, c.n, got, c.want)
		}
	}
}

func TestARunWithoutLoadsIsDrawnAsItIs(t *testing.T) {
	record, result := small(bench.Prefix)
	if split, own := apart(result, record); split != result || own != record {
		t.Error("a run that is no sweep was taken apart")
	}
}

func TestALoadWithoutSuccessLeavesItsPlaceEmpty(t *testing.T) {
	t.Parallel()
	run := runs()["sweep"]
	run.Touch = func(c *benchtest.Call) {
		if c.Sample.Point == 4 {
			c.Fail, c.Failure = bench.FailRateLimited, &bench.Failure{Status: 429, Message: "slow down"}
		}
	}
	record := run.Record()
	result := run.Result(record)
	figures := loadFigures(englishWords(), result)
	if got := figures[0].curves[0].main; len(got) != 3 || got[2].load != 10 {
		t.Errorf("TTFT is shown at %v", got)
	}
	if drawn, skipped := Charts(unhurried(t), result, record, t.TempDir()); len(drawn) != 4 {
		t.Errorf("drawn %v, left out %v", drawn, skipped)
	}
}

// unhurried gives drawing the time that it takes on a busy machine.
func unhurried(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}
