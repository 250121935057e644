package job

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/report"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

const (
	followEvery = 200 * time.Millisecond
	cancelEvery = 50 * time.Millisecond
	// cancelGrace is how long a worker may take to end by itself.
	cancelGrace = 5 * time.Second
	// cancelFile in a run's directory says that the run is being canceled.
	cancelFile = ".cancel"
)

// Look reads how the run in dir stands. If its worker was killed, the run is
// marked interrupted and what it had measured is rendered.
func Look(ctx context.Context, dir string) (*rundir.State, error) {
	s, err := rundir.ReadState(dir)
	if err != nil {
		return nil, err
	}
	if s.Now(time.Now()) == bench.StateInterrupted && !s.State.Ended() {
		return settle(ctx, dir, bench.StateInterrupted)
	}
	return s, nil
}

// Follow waits until the run in dir has ended, for wait at most, and returns
// how it stands then. It reads files alone, so it serves any run of any
// process. tick, if not nil, is called with the state several times a second
// while the wait goes on, and no more once it is over. Canceling ctx ends the
// wait and not the run; the error is then that of ctx.
func Follow(ctx context.Context, dir string, wait time.Duration, tick func(*rundir.State)) (*rundir.State, error) {
	over := time.Now().Add(wait)
	for {
		s, err := Look(ctx, dir)
		left := time.Until(over)
		if err != nil || s.State.Ended() || left <= 0 {
			return s, err
		}
		if tick != nil {
			tick(s)
		}
		if err := pause(ctx, min(left, followEvery)); err != nil {
			return s, err
		}
	}
}

// Cancel ends the run in dir: its worker is asked to end, and killed if it
// hasn't within 5 s. What was measured is reported. A run that has ended is
// left as it is.
func Cancel(ctx context.Context, dir string) (*rundir.State, error) {
	if s, err := Look(ctx, dir); err != nil || s.State.Ended() {
		return s, err
	}
	// Whoever finds the worker gone meanwhile learns from this file why.
	mark := filepath.Join(dir, cancelFile)
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return nil, fmt.Errorf("cancel the run in %s: %w", dir, err)
	}
	s, err := endWorker(ctx, dir)
	if err == nil && s.State.Ended() {
		_ = os.Remove(mark) // it has served
	}
	return s, err
}

// endWorker asks the worker to end and waits until it has.
func endWorker(ctx context.Context, dir string) (*rundir.State, error) {
	asked := false
	grace := time.Now().Add(cancelGrace)
	for {
		s, err := Look(ctx, dir)
		if err != nil || s.State.Ended() {
			return s, err
		}
		owned := s.Phase != phaseStart
		if owned && !s.Alive() {
			return settle(ctx, dir, bench.StateCanceled)
		}
		if owned && !asked {
			asked = true
			if err := askToEnd(s.PID); err != nil {
				return s, fmt.Errorf("end the worker of run %s (process %d): %w", s.RunID, s.PID, err)
			}
		}
		if time.Now().After(grace) {
			return forceEnd(ctx, dir, s)
		}
		if err := pause(ctx, cancelEvery); err != nil {
			return s, err
		}
	}
}

// forceEnd kills a worker that doesn't end.
func forceEnd(ctx context.Context, dir string, s *rundir.State) (*rundir.State, error) {
	if s.Phase != phaseStart && s.Alive() {
		if err := killProcess(s.PID); err != nil {
			return s, fmt.Errorf("kill the worker of run %s (process %d): %w", s.RunID, s.PID, err)
		}
		for range 40 {
			if !s.Alive() {
				break
			}
			if err := pause(ctx, cancelEvery); err != nil {
				return s, err
			}
		}
	}
	return settle(ctx, dir, bench.StateCanceled)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// settle closes a run whose worker is gone: what was measured is rendered, and
// the state says how it ended. Of several processes that see it, one does it.
func settle(ctx context.Context, dir string, as bench.State) (*rundir.State, error) {
	// Half a report helps nobody: a caller that goes away doesn't stop it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renderLimit)
	defer cancel()
	unlock, err := lockRun(dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	s, err := rundir.ReadState(dir)
	if err != nil || s.State.Ended() {
		return s, err
	}
	if beingCanceled(dir) {
		as = bench.StateCanceled
	}
	if as == bench.StateCanceled {
		if err := concludeCanceled(dir); err != nil {
			return nil, err
		}
	}
	s.HeartbeatAt = time.Time{} // the worker is known to be gone
	if err := rundir.WriteState(dir, s); err != nil {
		return nil, err
	}
	result, rendered := Render(ctx, dir)
	now := time.Now()
	s.State, s.HeartbeatAt, s.EndedAt, s.ETA = as, now, &now, nil
	if result != nil {
		s.State = endedAs(result, as)
		s.Summary = report.Summary(result)
		countInto(s, result)
	}
	if rendered != nil && !errors.Is(rendered, rundir.ErrNoRun) {
		s.Error = &rundir.Fault{Code: "report_failed", Message: bench.Clean(bench.Redact(rendered.Error()), 400), Hint: "render the report again: llm-bench report " + dir}
	}
	return s, rundir.WriteState(dir, s)
}

// beingCanceled reports whether the user has the run in dir stopped.
func beingCanceled(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, cancelFile))
	return err == nil
}

// concludeCanceled writes into the journal of a run why its worker is gone, so
// that every report of it says the same.
func concludeCanceled(dir string) error {
	record, err := rundir.Open(dir)
	if err != nil || record.Finish != nil {
		return nil // there is no journal that could say it, or it says more
	}
	end := bench.End{Ending: bench.EndCanceled, Reason: ErrCanceled.Error() + "; its process was killed, as it did not end by itself"}
	return rundir.Conclude(dir, &bench.Finish{State: bench.StateCanceled, End: end, At: record.Last(), Ended: time.Now()})
}

// lockRun keeps other processes from closing the same run.
func lockRun(dir string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, rundir.LogFile), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("close the run in %s: %w", dir, err)
	}
	if err := lockFile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("close the run in %s: %w", dir, err), f.Close())
	}
	return func() { _ = f.Close() }, nil
}

// endedAs is the end that the journal itself holds, if the worker came so far.
func endedAs(result *bench.Result, as bench.State) bench.State {
	if result.End != nil {
		return result.State
	}
	return as
}

// countInto puts the counts of the result, of all its targets, into the state.
func countInto(s *rundir.State, result *bench.Result) {
	s.Planned, s.Succeeded, s.Failed, s.Canceled, s.NotRun = 0, 0, 0, 0, 0
	for i := range result.Targets {
		r := &result.Targets[i].Summary.Requests
		s.Planned, s.Succeeded, s.Failed, s.Canceled, s.NotRun = s.Planned+r.Planned, s.Succeeded+r.Succeeded, s.Failed+r.Failed, s.Canceled+r.Canceled, s.NotRun+r.NotRun
	}
}
