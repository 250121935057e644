package job

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// gone is a process that isn't there: no system gives this number.
func gone() rundir.Process { return rundir.Process{PID: 1 << 30} }

// put writes the state of a run of its own directory.
func put(t *testing.T, dir string, change func(*rundir.State)) {
	t.Helper()
	s := &rundir.State{
		RunID: "prefix_20260131_093000", Scenario: bench.Prefix, State: bench.StateRunning, Phase: "measuring", Process: rundir.ThisProcess(),
		Planned: 200, Succeeded: 84, NotRun: 116, StartedAt: time.Now(), HeartbeatAt: time.Now(),
	}
	change(s)
	if err := rundir.WriteState(dir, s); err != nil {
		t.Fatal(err)
	}
}

func TestAWaitEndsAfterItsTimeTheRunGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		put(t, dir, func(*rundir.State) {})
		ticks, began := 0, time.Now()
		s, err := Follow(t.Context(), dir, 45*time.Second, func(*rundir.State) { ticks++ })
		if err != nil || s.State != bench.StateRunning {
			t.Errorf("it is %+v, %v", s, err)
		}
		if took := time.Since(began); took != 45*time.Second || ticks != 225 {
			t.Errorf("it took %v with %d ticks, want 45 s with one each 200 ms and none at the end", took, ticks)
		}
	})
}

func TestAWaitOfNoTimeLooksOnceAndTicksNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		put(t, dir, func(*rundir.State) {})
		began := time.Now()
		s, err := Follow(t.Context(), dir, 0, func(*rundir.State) { t.Error("it ticked") })
		if err != nil || s.Succeeded != 84 || time.Since(began) != 0 {
			t.Errorf("it is %+v after %v, %v", s, time.Since(began), err)
		}
	})
}

func TestAWaitEndsWithTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		put(t, dir, func(*rundir.State) {})
		began := time.Now()
		time.AfterFunc(9900*time.Millisecond, func() { put(t, dir, func(s *rundir.State) { s.State = bench.StateSucceeded }) })
		s, err := Follow(t.Context(), dir, time.Minute, nil)
		if err != nil || s.State != bench.StateSucceeded || time.Since(began) != 10*time.Second {
			t.Errorf("it is %+v after %v, %v", s, time.Since(began), err)
		}
	})
}

func TestCancelingAWaitLeavesTheRunAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		put(t, dir, func(*rundir.State) {})
		ctx, cancel := context.WithTimeout(t.Context(), 10100*time.Millisecond)
		defer cancel()
		began := time.Now()
		_, err := Follow(ctx, dir, time.Minute, nil)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 10100*time.Millisecond {
			t.Errorf("it ended after %v: %v", time.Since(began), err)
		}
		if s, err := rundir.ReadState(dir); err != nil || s.State != bench.StateRunning {
			t.Errorf("the run is %+v, %v", s, err)
		}
	})
}

func TestARunWhoseWorkerIsGoneIsInterruptedOnceItsHeartbeatIsOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		put(t, dir, func(s *rundir.State) { s.Process, s.ETA = gone(), new(12.0) })
		began := time.Now()
		s, err := Follow(t.Context(), dir, time.Minute, nil)
		if err != nil || s.State != bench.StateInterrupted || s.EndedAt == nil || s.ETA != nil || s.Error != nil {
			t.Errorf("it is %+v, %v", s, err)
		}
		if took := time.Since(began); took != 15200*time.Millisecond {
			t.Errorf("that was noticed after %v, want the first look after 15 s", took)
		}
	})
}

func TestARunWhoseWorkerNeverBeganIsInterruptedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		put(t, dir, func(s *rundir.State) { s.State, s.Phase, s.Process = bench.StateQueued, phaseStart, gone() })
		s, err := Follow(t.Context(), dir, time.Minute, nil)
		if err != nil || s.State != bench.StateInterrupted {
			t.Errorf("it is %+v, %v", s, err)
		}
	})
}

func TestCancelNeverEndsTheProcessThatOnlyStartsTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		put(t, dir, func(s *rundir.State) { s.State, s.Phase = bench.StateQueued, phaseStart }) // this process
		began := time.Now()
		s, err := Cancel(t.Context(), dir)
		if err != nil || s.State != bench.StateCanceled || time.Since(began) < cancelGrace {
			t.Errorf("it is %+v after %v, %v", s, time.Since(began), err)
		}
		if err := Work(t.Context(), dir, strings.NewReader(""), "test", nil); err == nil {
			t.Error("a worker took up a run that was canceled")
		}
	})
}

func TestEachTargetGetsItsOwnKeyBack(t *testing.T) {
	order := Order{Target: bench.Target{Label: "a", Key: bench.NewSecret("key-of-a")}, Others: []bench.Target{{Label: "b"}, {Label: "c", Key: bench.NewSecret("key-of-c")}}}
	text, err := json.Marshal(pack(&order))
	if err != nil {
		t.Fatal(err)
	}
	var p parcel
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	got, err := p.unpack()
	if err != nil || got.Target.Key.Reveal() != "key-of-a" || !got.Others[0].Key.IsZero() || got.Others[1].Key.Reveal() != "key-of-c" {
		t.Errorf("it came to %v", err)
	}
	p.Keys = p.Keys[:2]
	if _, err := p.unpack(); err == nil {
		t.Error("a key was missing")
	}
}

func TestWorkersTakeUpRunsThatWaitForOneAlone(t *testing.T) {
	dir := t.TempDir()
	if err := Work(t.Context(), dir, strings.NewReader("{}"), "test", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a state: %v", err)
	}
	put(t, dir, func(*rundir.State) {})
	if err := Work(t.Context(), dir, strings.NewReader("{}"), "test", nil); err == nil || !strings.Contains(err.Error(), "not one that waits for a worker") {
		t.Errorf("a run of another worker: %v", err)
	}
	put(t, dir, func(s *rundir.State) { s.State, s.Phase = bench.StateQueued, phaseStart })
	if err := Work(t.Context(), dir, strings.NewReader(`{"order":`), "test", nil); err == nil {
		t.Error("half an order was carried out")
	}
	if s, err := rundir.ReadState(dir); err != nil || s.State != bench.StateFailed || s.Error.Code != "run_failed" || s.EndedAt == nil {
		t.Errorf("the state is %+v, %v", s, err)
	}
}
