package bench

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Caller carries out one attempt at one request and measures it. It returns
// when the response has been read to its end. A failed request is data, so
// there is no error.
type Caller interface {
	Call(ctx context.Context, request *Request) Sample
}

// Load is what a run sends to one target: sessions, strictly sequential within,
// side by side at most Concurrency of them.
type Load struct {
	Target      string // label
	Point       int    // of a sweep, from 1; 0 where there is none
	Sessions    []Session
	Concurrency int
	// Arrivals are the intended starts of the sessions, from the start of the
	// load on, in ascending order. Empty: closed loop, the next session starts
	// when one ends.
	Arrivals []time.Duration
	Caller   Caller
	Clock    Clock
	// Budget, if not nil, is asked before each request; an error starts nothing more.
	Budget func() error
}

// Planned is the number of turns in the load.
func (l *Load) Planned() int {
	n := 0
	for i := range l.Sessions {
		n += len(l.Sessions[i].Turns)
	}
	return n
}

// Ending says why a run stopped.
type Ending string

// The endings. EndStopped carries its reason in [End].
const (
	EndComplete Ending = "complete" // every turn was tried, or its session had failed
	EndCanceled Ending = "canceled" // by the user or a limit on the whole run
	EndStopped  Ending = "stopped"  // repeated fatal failures: the rest would have failed alike
	EndBudget   Ending = "budget"   // a limit of cost, tokens or time that the user had set
	EndRefused  Ending = "refused"  // the endpoint can't be reached, or refused the check before the first request
)

// End is how a run ended.
type End struct {
	Ending Ending  `json:"ending"`
	Reason string  `json:"reason,omitempty"`
	Class  Outcome `json:"class,omitempty"` // of the failures that ended it
}

// fatalLimit is the number of consecutive fatal failures of one kind that stops a run.
const fatalLimit = 5

// retryDelays are the waits before a turn is tried again within a session.
var retryDelays = [...]time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}

// Run carries out the load and hands every attempt to observe as it ends, one
// at a time, before the next one of its session starts: what observe has
// written is not lost, whatever happens then. It returns when nothing is in
// flight any more. Canceling ctx cancels what is in flight.
func Run(ctx context.Context, load *Load, observe func(*Sample)) End {
	r := runner{load: load, observe: observe}
	if len(load.Arrivals) > 0 {
		r.openLoop(ctx)
	} else {
		r.closedLoop(ctx)
	}
	return r.end(ctx)
}

type runner struct {
	load      *Load
	observe   func(*Sample)
	observing sync.Mutex

	mu    sync.Mutex
	next  int     // session to be taken next
	kind  Outcome // of the latest consecutive fatal failures
	count int     // of them
	stop  string  // reason to start nothing more
	spent bool    // the reason is the budget
}

// closedLoop starts the next session when one ends.
func (r *runner) closedLoop(ctx context.Context) {
	var working sync.WaitGroup
	for range min(r.load.Concurrency, len(r.load.Sessions)) {
		working.Go(func() {
			for session := r.take(ctx); session != nil; session = r.take(ctx) {
				r.session(ctx, session, Mark{})
			}
		})
	}
	working.Wait()
}

// openLoop starts each session at its intended time, whatever the others do,
// or as soon after it as the concurrency allows. None is dropped.
func (r *runner) openLoop(ctx context.Context) {
	slots := make(chan struct{}, r.load.Concurrency)
	began := r.load.Clock.Now()
	var working sync.WaitGroup
	for i := range r.load.Sessions {
		intended := began + r.load.Arrivals[i]
		if !r.wait(ctx, intended-r.load.Clock.Now()) {
			break
		}
		session := r.take(ctx)
		if session == nil {
			break
		}
		working.Go(func() {
			select {
			case slots <- struct{}{}:
				r.session(ctx, session, MarkAt(intended))
				<-slots
			case <-ctx.Done():
			}
		})
	}
	working.Wait()
}

func (r *runner) take(ctx context.Context) *Session {
	if ctx.Err() != nil || r.stopped() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next == len(r.load.Sessions) {
		return nil
	}
	r.next++
	return &r.load.Sessions[r.next-1]
}

// session sends the turns of one session until one fails for good. intended is
// when its first turn was to start, in open loop.
func (r *runner) session(ctx context.Context, session *Session, intended Mark) {
	var history []Message
	for i, turn := range session.Turns {
		if ctx.Err() != nil || r.stopped() {
			return
		}
		history = append(history, Message{Role: RoleUser, Prefix: turn.Prefix, Text: turn.Text})
		sample := r.turn(ctx, &Request{
			Target: r.load.Target, Point: r.load.Point, Session: session.Number, Turn: i + 1, Intended: intended,
			Prefix: session.Prefix, Ordinal: session.Ordinal, Planned: turn.PromptTokens, Messages: history,
		}, len(session.Turns) > 1)
		intended = Mark{}
		if sample.Outcome != Succeeded {
			return
		}
		history = append(history, Message{Role: RoleAssistant, Text: answerOf(sample)})
	}
}

func answerOf(s *Sample) string {
	if s.Answer == "" {
		return EmptyAnswer
	}
	return s.Answer
}

// turn tries one turn until it succeeds, fails for good, or its retries are
// used up; it returns the last attempt, which is the one that counts.
func (r *runner) turn(ctx context.Context, request *Request, retry bool) *Sample {
	for attempt := 1; ; attempt++ {
		request.Attempt = attempt
		sample := r.load.Caller.Call(ctx, request)
		request.Identify(&sample)
		r.note(&sample)
		r.show(&sample)
		again := retry && sample.Outcome.Retriable() && attempt <= len(retryDelays)
		if !again || !r.wait(ctx, retryDelay(attempt, sample.Failure)) {
			return &sample
		}
	}
}

func (r *runner) show(s *Sample) {
	r.observing.Lock()
	defer r.observing.Unlock()
	r.observe(s)
}

func retryDelay(attempt int, f *Failure) time.Duration {
	delay := retryDelays[attempt-1]
	if f != nil {
		delay = max(delay, time.Duration(f.RetryAfter))
	}
	return delay
}

// sleep waits and reports whether the wait ran its course.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// wait waits before the next start, and reports whether there is to be one: no
// longer when the run is canceled, or stopped meanwhile.
func (r *runner) wait(ctx context.Context, d time.Duration) bool {
	const step = time.Second // the budget is asked as often
	for ; d > step; d -= step {
		if !sleep(ctx, step) || r.stopped() {
			return false
		}
	}
	return sleep(ctx, d)
}

// note counts consecutive fatal failures and stops the run at the limit.
func (r *runner) note(s *Sample) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case s.Outcome == Canceled:
	case !s.Outcome.Fatal():
		r.kind, r.count = "", 0
	case s.Outcome == r.kind:
		r.count++
	default:
		r.kind, r.count = s.Outcome, 1
	}
	if r.count >= fatalLimit && r.stop == "" {
		r.stop = fmt.Sprintf("%d consecutive failures of the kind %s", r.count, r.kind)
		if s.Failure != nil {
			r.stop += ": " + s.Failure.Message
		}
	}
}

// stopped reports whether nothing more is to be started.
func (r *runner) stopped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop == "" && r.load.Budget != nil {
		if err := r.load.Budget(); err != nil {
			r.stop, r.spent = err.Error(), true
		}
	}
	return r.stop != ""
}

func (r *runner) end(ctx context.Context) End {
	switch {
	case ctx.Err() != nil:
		return End{Ending: EndCanceled, Reason: fmt.Sprint(context.Cause(ctx))}
	case r.spent:
		return End{Ending: EndBudget, Reason: r.stop}
	case r.stop != "":
		return End{Ending: EndStopped, Reason: r.stop, Class: r.kind}
	}
	return End{Ending: EndComplete}
}
