package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// fixed is a caller whose every request takes the same time.
type fixed struct {
	clock   Clock
	takes   time.Duration
	outcome func(*Request) Outcome // nil: all succeed
}

func (f fixed) Call(ctx context.Context, r *Request) Sample {
	s := Sample{Start: f.clock.Mark(), Outcome: Succeeded}
	if !sleep(ctx, f.takes) {
		s.Outcome = Canceled
	}
	if f.outcome != nil {
		s.Outcome = f.outcome(r)
	}
	s.FirstToken, s.LastToken, s.End = f.clock.Mark(), f.clock.Mark(), f.clock.Mark()
	return s
}

func sessionsOf(n, turns int) []Session {
	var sessions []Session
	for i := range n {
		sessions = append(sessions, Session{Number: i + 1, Turns: make([]Turn, turns)})
	}
	return sessions
}

// ran carries a load out in a bubble.
func ran(t *testing.T, load Load, f fixed) (samples []*Sample, end End, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f.clock = NewClock()
		load.Caller, load.Clock = f, f.clock
		end = Run(context.Background(), &load, func(s *Sample) { samples = append(samples, s) })
		took = f.clock.Now()
	})
	return samples, end, took
}

func TestAnOpenLoopStartsOnTimeAndShowsItsQueue(t *testing.T) {
	spec := Spec{RequestRate: 10, ConstantRate: true}
	load := Load{Sessions: sessionsOf(10, 1), Concurrency: 2, Arrivals: spec.Arrivals(10)}
	samples, _, took := ran(t, load, fixed{takes: 300 * time.Millisecond})
	if len(samples) != 10 {
		t.Fatalf("%d samples: a request was dropped", len(samples))
	}
	// Two slots of 300 ms serve one request each 150 ms; they arrive each 100 ms.
	slices.SortFunc(samples, (*Sample).Compare)
	for i, s := range samples {
		intended := time.Duration(i) * 100 * time.Millisecond
		start := time.Duration(i/2)*300*time.Millisecond + time.Duration(i%2)*100*time.Millisecond
		wait, _ := s.Wait()
		late, _ := s.IntendedTTFT()
		if s.Intended.At() != intended || s.Start.At() != start || wait != start-intended || late != start-intended+300*time.Millisecond {
			t.Errorf("request %d: intended %v start %v wait %v TTFT from intended %v, want start %v", i, s.Intended.At(), s.Start.At(), wait, late, start)
		}
	}
	if want := 1600 * time.Millisecond; took != want {
		t.Errorf("took %v, want %v", took, want)
	}
}

func TestOnlyTheFirstTurnOfASessionHasAnIntendedStart(t *testing.T) {
	spec := Spec{RequestRate: 10, ConstantRate: true}
	load := Load{Sessions: sessionsOf(2, 3), Concurrency: 10, Arrivals: spec.Arrivals(2)}
	samples, _, _ := ran(t, load, fixed{takes: time.Second})
	for _, s := range samples {
		if s.Intended.Taken() != (s.Turn == 1) {
			t.Errorf("session %d turn %d: intended start %v", s.Session, s.Turn, s.Intended)
		}
	}
}

func TestPoissonArrivalsHaveTheRateAskedForAndTheSeedsOrder(t *testing.T) {
	spec := Spec{RequestRate: 50, Seed: 7}
	arrivals := spec.Arrivals(20_000)
	if !slices.IsSorted(arrivals) || arrivals[0] != 0 {
		t.Error("arrivals are not in order from 0")
	}
	gaps := make([]float64, len(arrivals)-1)
	for i := range gaps {
		gaps[i] = (arrivals[i+1] - arrivals[i]).Seconds()
	}
	d := Describe(gaps)
	if math.Abs(d.Avg-0.02) > 0.0005 || math.Abs(d.Sdev-0.02) > 0.001 {
		t.Errorf("gaps have mean %v and deviation %v, want 0.02 both: exponential", d.Avg, d.Sdev)
	}
	if !slices.Equal(arrivals, spec.Arrivals(20_000)) {
		t.Error("the same seed gives other arrivals")
	}
}

func TestABudgetStartsNothingMoreAndLetsEndWhatIsInFlight(t *testing.T) {
	spent := 0
	load := Load{Sessions: sessionsOf(20, 1), Concurrency: 2, Budget: func() error {
		if spent++; spent > 10 { // asked twice before each request
			return errors.New("max_cost is reached")
		}
		return nil
	}}
	samples, end, _ := ran(t, load, fixed{takes: time.Second})
	if len(samples) != 5 || end.Ending != EndBudget || end.Reason != "max_cost is reached" {
		t.Errorf("%d samples, end %+v", len(samples), end)
	}
	for _, s := range samples {
		if s.Outcome != Succeeded {
			t.Errorf("a request in flight was %s", s.Outcome)
		}
	}
}

func TestFatalFailuresOfOneKindInARowStopTheRun(t *testing.T) {
	kinds := map[int]Outcome{3: FailAuth, 4: FailAuth, 5: FailNotFound, 6: FailAuth, 7: FailAuth, 8: FailAuth, 9: FailAuth, 10: FailAuth}
	load := Load{Sessions: sessionsOf(50, 1), Concurrency: 1}
	samples, end, _ := ran(t, load, fixed{takes: time.Second, outcome: func(r *Request) Outcome {
		if kind, bad := kinds[r.Session]; bad {
			return kind
		}
		return Succeeded
	}})
	if len(samples) != 10 || end.Ending != EndStopped || end.Class != FailAuth {
		t.Errorf("%d samples, end %+v", len(samples), end)
	}
}
