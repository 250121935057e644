package chat

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
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

	event atomic.Int64 // arrival of the latest event that is no comment

	mu    sync.Mutex
	start time.Duration
	token bool // an output event has come
	done  bool
	timer *time.Timer

	stage stage // what saw knows of token and done; only the reader touches it
}

// stage is how far a stream has come.
type stage struct{ token, done bool }

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

// saw notes that an event, no comment, has come. It is called for every read,
// by one goroutine, and mostly costs one store.
func (w *watch) saw(at time.Duration, token, done bool) {
	w.event.Store(int64(at))
	if now := (stage{token, done}); now != w.stage {
		w.stage = now
		w.enter(now)
	}
}

// enter changes which limit is in force.
func (w *watch) enter(s stage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.token, w.done = s.token, s.done
	w.timer.Reset(w.remaining())
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
		left = min(left, w.latest()+drainLimit-now)
	case w.token:
		left = min(left, w.latest()+w.limits.Idle-now)
	default:
		left = min(left, w.start+w.limits.FirstToken-now)
	}
	return left
}

func (w *watch) latest() time.Duration { return time.Duration(w.event.Load()) }

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
