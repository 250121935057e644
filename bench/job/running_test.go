package job

import (
	"testing"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

func TestEveryTurnOfARunIsInItsStateAtOnce(t *testing.T) {
	t.Parallel()
	j, err := New(Order{
		Spec: bench.NewSpec(bench.Prefix, bench.Quick), OutputDir: t.TempDir(), Version: "test",
		Target: bench.Target{Label: "m", BaseURL: "http://127.0.0.1:1", Model: "m", Dialect: bench.Ark(), Source: bench.SourceBaseURL},
	}, rundir.Index{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRunning(j, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	stands := func(state bench.State, phase string) *rundir.State {
		t.Helper()
		s, err := rundir.ReadState(j.Dir().Path)
		if err != nil || s.State != state || s.Phase != phase {
			t.Fatalf("the state is %+v, %v; want %s, %s", s, err, state, phase)
		}
		return s
	}
	stands(bench.StateRunning, "prepare")
	for _, phase := range []string{"warm-up", "measuring", "report"} {
		r.phase(phase)
		stands(bench.StateRunning, phase)
	}
	r.stopBeat()
	r.beating.Wait()
	r.finished(&bench.Result{State: bench.StateSucceeded}, "", nil)
	if s := stands(bench.StateSucceeded, "report"); s.EndedAt == nil {
		t.Error("it doesn't say when the run ended")
	}
}
