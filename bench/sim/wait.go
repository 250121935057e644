package sim

import (
	"context"
	"time"
)

// clock makes sleepers. A sleeper serves one stream.
type clock interface {
	sleeper() sleeper
}

type sleeper interface {
	// until waits for a moment. It reports false if ctx ended first.
	until(ctx context.Context, t time.Time) bool
	stop()
}

// timerClock waits on the runtime's timers. In a testing/synctest bubble they
// fire exactly when they are due.
type timerClock struct{}

func (timerClock) sleeper() sleeper { return &timerSleeper{} }

type timerSleeper struct{ timer *time.Timer }

func (s *timerSleeper) until(ctx context.Context, t time.Time) bool {
	if ctx.Err() != nil {
		return false
	}
	left := time.Until(t)
	if left <= 0 {
		return true
	}
	if s.timer == nil {
		s.timer = time.NewTimer(left)
	} else {
		s.timer.Reset(left)
	}
	select {
	case <-s.timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *timerSleeper) stop() {
	if s.timer != nil {
		s.timer.Stop()
	}
}

type clockKey struct{}

// clockOf is the clock of the listener that a request came through.
func clockOf(ctx context.Context) clock {
	if c, ok := ctx.Value(clockKey{}).(clock); ok {
		return c
	}
	return timerClock{}
}
