package chat

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// The causes for which a request is broken off.
var (
	errFirstToken = errors.New("no output before the first-token limit")
	errIdle       = errors.New("no event before the idle limit")
	errTotal      = errors.New("the stream exceeded the total limit")
	errDrained    = errors.New("the body did not end after [DONE]")
)

// drainLimit is how long the body may take to end after [DONE] before its
// connection is given up.
const drainLimit = 2 * time.Second

// watch holds a request to its time limits. One timer serves all of them: when
// it fires it looks at what has happened, and sleeps on or breaks off.
type watch struct {
	limits bench.Limits
	clock  bench.Clock
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	start time.Duration
	token bool          // an output event has come
	event time.Duration // latest event that is no comment
	done  bool
	timer *time.Timer
}

// newWatch derives the request's context. begin starts the limits, stop ends them.
func newWatch(ctx context.Context, limits bench.Limits, clock bench.Clock) (context.Context, *watch) {
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, &watch{limits: limits, clock: clock, cancel: cancel}
}

func (w *watch) begin(start time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.start = start
	w.timer = time.AfterFunc(min(w.limits.FirstToken, w.limits.Total), w.fire)
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
	w.cancel(nil)
}

// saw notes that an event, no comment, has come.
func (w *watch) saw(at time.Duration, token, done bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.event = at
	rearm := token && !w.token || done && !w.done
	w.token, w.done = w.token || token, w.done || done
	if rearm {
		w.timer.Reset(w.remaining())
	}
}

// fire breaks the request off when a limit is reached, or sleeps on.
func (w *watch) fire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if left := w.remaining(); left > 0 {
		w.timer.Reset(left)
		return
	}
	w.cancel(w.cause())
}

// remaining is the time until the nearest limit that is in force.
func (w *watch) remaining() time.Duration {
	now := w.clock.Now()
	left := w.start + w.limits.Total - now
	switch {
	case w.done:
		left = min(left, w.event+drainLimit-now)
	case w.token:
		left = min(left, w.event+w.limits.Idle-now)
	default:
		left = min(left, w.start+w.limits.FirstToken-now)
	}
	return left
}

func (w *watch) cause() error {
	now := w.clock.Now()
	switch {
	case w.done:
		return errDrained
	case now >= w.start+w.limits.Total:
		return errTotal
	case w.token:
		return errIdle
	}
	return errFirstToken
}
