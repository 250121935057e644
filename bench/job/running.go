package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/chat"
	"github.com/llm-bench/llm-bench/bench/meter"
	"github.com/llm-bench/llm-bench/bench/report"
	"github.com/llm-bench/llm-bench/bench/rundir"
	"github.com/llm-bench/llm-bench/bench/workload"
)

// running is a job in progress: its client, and all that keeps record of it.
type running struct {
	job     *Job
	plans   []*workload.Plan // one for each point
	clock   bench.Clock
	clients []*chat.Client // one for each target
	journal *rundir.Journal
	logFile *rundir.Log
	log     *slog.Logger
	track   *tracker
	watch   func(Progress)
	hash    string // of the order as it was given
	places  rundir.Places
	started time.Time
	from    time.Duration // when this process began, on the clock of the run

	stopBeat  context.CancelFunc
	beating   sync.WaitGroup
	measuring atomic.Bool // the journal is begun

	spent     spending
	observing sync.Mutex // one attempt at a time
	stating   sync.Mutex // one state at a time: none is written over a later one
	mu        sync.Mutex
	lost      error // what could not be written

	calibration json.RawMessage // how the server counts tokens; nil: not asked
	cut         int             // prompt tokens to which the server cuts; 0: not seen
	lastSample  *bench.Sample
}

func newRunning(j *Job, watch func(Progress)) (*running, error) {
	r := &running{job: j, clock: j.clock(), watch: watch, hash: j.order.Hash(), places: j.order.places(), started: time.Now()}
	r.from = r.clock.Now()
	for _, target := range j.order.targets() {
		client, err := j.clientOf(r.clock, j.order.widest(), target)
		if err != nil {
			return nil, err
		}
		r.clients = append(r.clients, client)
	}
	var err error
	if r.logFile, err = rundir.OpenLog(j.dir.Path, j.order.keys()...); err != nil {
		return nil, err
	}
	r.log = r.logFile.Logger()
	planned := j.order.Spec.Planned() * len(j.order.loads()) * len(r.clients)
	r.track = newTracker(j.order.Spec.Scenario, planned, r.clock)
	for _, t := range j.order.targets() {
		r.log.Info("run begins", "scenario", j.order.Spec.Scenario, "target", t.Label, "model", t.Model, "base_url", t.BaseURL,
			"source", t.Source, "planned", planned, "seed", j.order.Spec.Seed, "nonce", j.order.Spec.Nonce)
	}
	if j.again != nil {
		r.log.Info("the run is taken up again", "restarted", len(j.again.restarted))
		r.recall(j.again)
	}
	r.writeState(bench.StateRunning, nil)
	var beat context.Context
	beat, r.stopBeat = context.WithCancel(context.Background())
	r.beating.Go(func() { r.beat(beat) })
	return r, nil
}

func (r *running) close() {
	r.stopBeat()
	r.beating.Wait()
	for _, client := range r.clients {
		client.Close()
	}
	if r.journal != nil {
		_ = r.journal.Close()
	}
	_ = r.logFile.Close()
}

// planned is the number of measured requests for each target and point.
func (r *running) planned() int {
	if len(r.plans) == 0 {
		return r.job.order.Spec.Planned()
	}
	load := bench.Load{Sessions: r.plans[0].Sessions}
	return load.Planned()
}

// beat keeps the client's readings and the counts on disk, each second, and
// calls watch four times as often.
func (r *running) beat(ctx context.Context) {
	m := meter.New(r.clock)
	if r.job.dial == nil {
		m.TakePulse()
	}
	defer m.Close()
	ticker := time.NewTicker(250 * time.Millisecond)
	defer ticker.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if r.watch != nil {
			r.watch(r.track.now())
		}
		if n%4 == 0 {
			r.tick(m)
			r.writeState(bench.StateRunning, nil)
		}
	}
}

// tick keeps one reading of the client, once there is a journal.
func (r *running) tick(m *meter.Meter) {
	tick := m.Tick()
	r.mu.Lock()
	for _, client := range r.clients {
		tick.Conns += client.Opened()
	}
	r.mu.Unlock()
	if r.measuring.Load() {
		r.keep(r.journal.Client(&tick))
	}
}

// keep remembers the first thing that could not be written.
func (r *running) keep(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && r.lost == nil {
		r.lost = err
		r.log.Error("journal", "error", err)
	}
}

func (r *running) phase(name string) {
	r.track.phase(name)
	r.log.Info("phase", "name", name)
	r.writeState(bench.StateRunning, nil)
	if r.watch != nil {
		r.watch(r.track.now())
	}
}

// measure builds the inputs, carries out the load and says how it ended. The
// error is what kept the measuring from its start.
func (r *running) measure(ctx context.Context) (*bench.Finish, error) {
	j := r.job
	limit := j.limit()
	ctx, cancel := context.WithTimeoutCause(ctx, limit+limit/10+time.Minute, errTimeUp)
	defer cancel()
	refused, err := r.begin(ctx)
	if err != nil {
		return nil, err
	}
	r.measuring.Store(true)
	finish := &bench.Finish{}
	if refused != nil {
		finish.End = *refused
	} else {
		r.send(ctx, finish)
	}
	finish.State = stateOf(ctx, finish.End)
	finish.At, finish.Ended = r.clock.Mark(), time.Now()
	return finish, nil
}

// begin makes the inputs and the journal. It returns how the run ends if the
// endpoint refuses to be asked.
func (r *running) begin(ctx context.Context) (*bench.End, error) {
	if r.job.again != nil {
		return nil, r.takeUp(ctx)
	}
	refused, err := r.inputs(ctx)
	if err != nil {
		return nil, err
	}
	r.journal, err = rundir.Begin(r.job.dir.Path, r.header())
	return refused, err
}

func stateOf(ctx context.Context, end bench.End) bench.State {
	switch {
	case errors.Is(context.Cause(ctx), errTimeUp), end.Ending == bench.EndStopped, end.Ending == bench.EndRefused, end.Ending == bench.EndBudget:
		return bench.StateFailed
	case end.Ending == bench.EndCanceled && errors.Is(context.Cause(ctx), ErrCanceled):
		return bench.StateCanceled
	case end.Ending == bench.EndCanceled:
		return bench.StateInterrupted
	}
	return bench.StateSucceeded
}

// limit is the longest that the run may take.
func (j *Job) limit() time.Duration {
	minutes := j.order.Spec.MaxMinutes
	if minutes == 0 {
		_, high := Estimate(&j.order.Spec)
		minutes = max(60, 3*high.Minutes())
	}
	return time.Duration(minutes * float64(time.Minute))
}

// observe keeps one attempt.
func (r *running) observe(s *bench.Sample) {
	r.observing.Lock()
	defer r.observing.Unlock()
	r.keep(r.journal.Attempt(s))
	r.track.add(s)
	r.lastSample = s
	if f := s.Failure; f != nil {
		r.log.Warn("request failed", "target", s.Target, "session", s.Session, "turn", s.Turn, "attempt", s.Attempt, "class", s.Outcome,
			"status", f.Status, "code", f.Code, "message", f.Message, "request_id", s.RequestID)
	}
}

// end closes the record.
func (r *running) end(finish *bench.Finish) error {
	r.stopBeat()
	r.beating.Wait()
	r.keep(r.journal.End(finish))
	// What could not be written at once may have been written since.
	incomplete := r.journal.Close()
	r.log.Info("run ends", "state", finish.State, "ending", finish.End.Ending, "reason", finish.End.Reason)
	if incomplete != nil {
		r.log.Error("journal", "error", incomplete)
		return fmt.Errorf("the journal in %s is incomplete: %w; what it holds is kept: make room, then run llm-bench resume %s", r.job.dir.Path, incomplete, r.job.dir.Path)
	}
	return nil
}

// finished writes the final state; code names the error, if there is one.
func (r *running) finished(result *bench.Result, code string, err error) {
	state := bench.StateFailed
	if result != nil {
		state = result.State
	}
	r.writeState(state, func(s *rundir.State) {
		now := time.Now()
		s.EndedAt = &now
		if result != nil {
			s.Summary = report.Summary(result)
			countInto(s, result)
		}
		if err != nil {
			s.Error = &rundir.Fault{Code: code, Message: bench.Clean(err.Error(), 400), Hint: "run llm-bench report on the directory"}
		}
		if result != nil && result.State == bench.StateFailed && result.End != nil {
			s.Error = &rundir.Fault{Code: string(result.End.Ending), Message: bench.Clean(result.End.Reason, 400)}
		}
	})
}

// writeState puts the run's state where other processes look for it.
func (r *running) writeState(state bench.State, more func(*rundir.State)) {
	r.stating.Lock()
	defer r.stating.Unlock()
	p := r.track.now()
	s := &rundir.State{
		RunID: r.job.dir.RunID, Scenario: r.job.order.Spec.Scenario, State: state, Phase: p.Phase, Process: rundir.ThisProcess(),
		Planned: p.Requests.Planned, Succeeded: p.Requests.Succeeded, Failed: p.Requests.Failed, Canceled: p.Requests.Canceled, NotRun: p.Requests.NotRun,
		TTFTP50: p.TTFTP50, StartedAt: r.started, HeartbeatAt: time.Now(), ParamsHash: r.hash,
		Places: r.places,
	}
	if p.Remain != nil {
		seconds := p.Remain.Seconds()
		s.ETA = &seconds
	}
	if more != nil {
		more(s)
	}
	if err := rundir.WriteState(r.job.dir.Path, s); err != nil {
		r.log.Warn("write the state", "error", err)
	}
}
