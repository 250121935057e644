package job

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/chat"
	"github.com/llm-bench/llm-bench/bench/report"
	"github.com/llm-bench/llm-bench/bench/rundir"
	"github.com/llm-bench/llm-bench/bench/sim"
)

// Job is a run that has been checked and has its directory.
type Job struct {
	order Order
	dir   *rundir.Dir
	dial  chat.DialFunc // nil: the network
	keys  Keys          // nil: a key that is refused stays refused
	again *again        // nil: a new run
	// render is [Render], unless a test has no use for charts.
	render func(ctx context.Context, dir string) (*bench.Result, error)
}

// Check reports everything that is wrong with the order and its inputs. It asks
// nobody and sends nothing.
func (o *Order) Check() error {
	drawn := *o
	return drawn.prepare()
}

func (o *Order) prepare() error {
	if err := o.Validate(); err != nil {
		return err
	}
	o.draw()
	return o.checkInputs()
}

// New checks the order and makes the run's directory below the order's output
// folder, unless dir is a directory that was made for it before. Nothing is sent.
func New(order Order, index rundir.Index, dir *rundir.Dir) (*Job, error) {
	if err := order.prepare(); err != nil {
		return nil, err
	}
	if dir == nil {
		var err error
		if dir, err = rundir.Create(index, order.OutputDir, order.Spec.Scenario, time.Now()); err != nil {
			return nil, err
		}
	}
	return &Job{order: order, dir: dir, render: Render}, nil
}

// draw picks the seed and the nonce where the user has fixed none.
func (o *Order) draw() {
	o.Given = o.Hash()
	var random [12]byte
	_, _ = rand.Read(random[:]) // never fails
	if o.Spec.Seed == 0 {
		o.Spec.Seed = uint64(binary.LittleEndian.Uint32(random[:])) + 1
	}
	if o.Spec.Nonce == "" {
		o.Spec.Nonce = letters(random[4:])
	}
}

// letters writes each half of a byte as one of a to p. All nonces count alike
// in the length of a text then, so that runs of one seed have the same texts.
func letters(data []byte) string {
	var text []byte
	for _, b := range data {
		text = append(text, 'a'+b>>4, 'a'+b&15)
	}
	return string(text)
}

// Dir is the run's directory.
func (j *Job) Dir() *rundir.Dir { return j.dir }

// ErrCanceled is the cause of a context that ends because the user has had the
// run stopped. Whatever else ends the context of a run interrupts it.
var ErrCanceled = errors.New("by cancel_run")

// errTimeUp ends a run that has reached its limit of minutes.
var errTimeUp = errors.New("max_minutes is reached")

// renderLimit bounds the time that a report may take.
const renderLimit = time.Minute

// Run carries the job out and renders its report. Canceling ctx ends it early
// (see [ErrCanceled]), with a report of what was measured until then: that is no error. watch, if
// not nil, is called about four times a second. The error is what kept the run
// or its report from being.
func (j *Job) Run(ctx context.Context, watch func(Progress)) (*bench.Result, error) {
	closeSim, err := j.openSim(ctx)
	if err != nil {
		return nil, err
	}
	defer closeSim()
	if j.again != nil {
		defer j.again.restore(j.dir.Path)
	}
	r, err := newRunning(j, watch)
	if err != nil {
		return nil, err
	}
	defer r.close()
	finish, err := r.measure(ctx)
	if err != nil {
		return nil, err
	}
	r.phase("report")
	incomplete := r.end(finish)
	// The report is rendered even if the user has canceled the run.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renderLimit)
	defer cancel()
	result, err := j.render(ctx, j.dir.Path)
	if incomplete != nil {
		r.finished(nil, "journal_incomplete", incomplete)
		return nil, incomplete
	}
	r.finished(result, "report_failed", err)
	return result, err
}

// openSim starts the stand-in endpoint, where that is the target.
func (j *Job) openSim(ctx context.Context) (func(), error) {
	if j.order.Sim == nil || j.dial != nil {
		return func() {}, nil
	}
	server, err := sim.New(j.order.Sim.Config())
	if err != nil {
		return nil, err
	}
	base, err := server.ListenLoopback(context.WithoutCancel(ctx))
	if err != nil {
		return nil, fmt.Errorf("start the stand-in endpoint: %w", err)
	}
	j.order.Target.BaseURL = base
	return func() { _ = server.Close() }, nil
}

// clientFor makes a client of the order's target under the given spec.
func (j *Job) clientFor(clock bench.Clock, spec *bench.Spec) (*chat.Client, error) {
	return j.clientOf(clock, spec, j.order.Target)
}

func (j *Job) clientOf(clock bench.Clock, spec *bench.Spec, target bench.Target) (*chat.Client, error) {
	pool, err := roots(j.order.CAFile)
	if err != nil {
		return nil, err
	}
	own := *spec
	target.Terms.Apply(&own)
	target.Dialect = target.Dialect.WithEffort(own.ReasoningEffort)
	return chat.New(chat.Options{Target: target, Spec: &own, Clock: clock, Version: j.order.Version, Roots: pool, Insecure: j.order.Insecure, Dial: j.dial})
}

// header is what is known before the first measured request.
func (r *running) header() *bench.Header {
	j := r.job
	h := &bench.Header{
		Schema: bench.JournalSchema, Tool: thisTool(j.order.Version),
		Host: thisHost(), Began: r.clock.Began(), Spec: j.order.Spec, Targets: j.order.targets(), Points: j.order.Points,
		Planned: r.planned(), Calibration: r.calibration, CutTokens: r.cut,
		Notes: j.order.Warnings, Proxy: chat.Proxy(j.order.Target.BaseURL), Setup: j.order.setup(),
	}
	if len(r.plans) > 0 {
		h.InputHash, h.MaterialHash = r.plans[0].InputHash, r.plans[0].MaterialHash
		h.CorpusReused = r.plans[0].Reused
	}
	if j.order.Insecure {
		h.Notes = append(h.Notes, "TLS certificates were not checked (--insecure)")
	}
	return h
}

// Render computes the result of a run from its directory alone, and writes the
// report. It serves a run that has ended, was killed, or still goes on.
func Render(ctx context.Context, dir string) (*bench.Result, error) {
	return render(ctx, dir, report.Render)
}

// renderer writes the report of a run into its folder.
type renderer func(ctx context.Context, dir string, record *bench.Record, result *bench.Result) error

func render(ctx context.Context, dir string, write renderer) (*bench.Result, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the run's folder: %w", err)
	}
	record, err := rundir.Open(dir)
	if err != nil {
		return nil, err
	}
	state := bench.StateInterrupted
	if s, err := rundir.ReadState(dir); err == nil && s.State == bench.StateRunning && s.Alive() && record.Finish == nil {
		state = bench.StateRunning
	}
	result := bench.NewResult(filepath.Base(dir), dir, record, state)
	if err := write(ctx, dir, record, &result); err != nil {
		return &result, fmt.Errorf("render the report in %s: %w", dir, err)
	}
	return &result, nil
}
