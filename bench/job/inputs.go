package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/workload"
)

// checkInputs builds the inputs at estimated lengths, so that everything that
// is wrong with them is said before anything is sent, and throws them away.
func (o *Order) checkInputs() error {
	if err := o.checkSize(); err != nil {
		return err
	}
	options, err := o.inputOptions()
	if err != nil {
		return err
	}
	spec := o.Spec
	spec.LengthUnit = bench.LengthLocal
	_, err = workload.Build(&spec, options)
	return err
}

// maxTexts bounds the texts of a run, in tokens. They are kept in memory.
const maxTexts = 100_000_000

// checkSize refuses a run whose texts would not fit into memory.
func (o *Order) checkSize() error {
	s := &o.Spec
	field, n, texts := "num_requests", s.NumRequests, s.NumPrefixes*s.PrefixLen+s.NumRequests*s.SuffixLen+s.Warmup*(s.PrefixLen+s.SuffixLen)
	switch s.Scenario {
	case bench.Multiturn:
		field, n, texts = "num_sessions", s.NumSessions, s.NumSessions*(s.InitialLen+(s.MaxTurns-1)*s.QuestionLen)+s.Warmup*s.InitialLen
	case bench.Connectivity:
		return nil
	}
	if texts *= len(o.loads()); texts > maxTexts {
		return &bench.FieldError{Field: field, Value: n, Allowed: fmt.Sprintf("a number at which all texts of the run have at most %d tokens: they would have %d", maxTexts, texts)}
	}
	return nil
}

// inputOptions are what the texts depend on beside the spec.
func (o *Order) inputOptions() (workload.Options, error) {
	options := workload.Options{AllowReuse: o.AllowCorpusReuse}
	if o.Corpus == "" {
		return options, nil
	}
	corpus, err := workload.OpenCorpus(o.Corpus)
	options.Corpus = corpus
	return options, err
}

// inputs builds what the run sends. Where lengths are the server's tokens, the
// server is first asked how it counts; one that doesn't tell leaves them
// estimated. It returns how the run ends if the endpoint refuses the probes.
func (r *running) inputs(ctx context.Context) (*bench.End, error) {
	order := &r.job.order
	options, err := order.inputOptions()
	if err != nil {
		return nil, err
	}
	refused, err := r.ask(ctx, &options)
	if err != nil || refused != nil && !r.refreshed(ctx, refused) {
		return refused, err
	}
	if refused != nil { // with the key of before
		if refused, err = r.ask(ctx, &options); err != nil || refused != nil {
			return refused, err
		}
	}
	r.plans, err = order.build(options)
	return nil, err
}

// ask sends what must be asked before the inputs can be built.
func (r *running) ask(ctx context.Context, options *workload.Options) (*bench.End, error) {
	order := &r.job.order
	single := order.Spec.Scenario == bench.Connectivity
	switch {
	case order.Spec.LengthUnit == bench.LengthServer && !single:
		return r.calibrate(ctx, options)
	case order.Checked, single && r.job.keys == nil:
		return nil, nil
	}
	return r.check(ctx)
}

// Keys gives a profile's key anew, when the endpoint refuses the one that it
// gave before.
type Keys interface {
	RefreshKey(ctx context.Context, profile string) (bench.Secret, error)
}

// RefreshWith has the job ask for its key anew, once, if the endpoint refuses
// it before the first measured request. It counts only for a key of Ark CLI's.
func (j *Job) RefreshWith(keys Keys) {
	if j.order.Target.Source == bench.SourceArkCLI {
		j.keys = keys
	}
}

// refreshed gets another key where the one in use was refused, and reports
// whether there is one to try.
func (r *running) refreshed(ctx context.Context, refused *bench.End) bool {
	target := &r.job.order.Target
	if refused.Class != bench.FailAuth || r.job.keys == nil {
		return false
	}
	key, err := r.job.keys.RefreshKey(ctx, target.Profile)
	r.job.keys = nil
	if err != nil || key.IsZero() {
		r.log.Warn("refresh the key", "error", err)
		return false
	}
	r.logFile.Hide(key)
	target.Key = key
	client, err := r.job.clientOf(r.clock, r.job.order.widest(), *target)
	if err != nil {
		return false
	}
	r.mu.Lock()
	r.clients[0].Close()
	r.clients[0] = client
	r.mu.Unlock()
	r.log.Info("the key was refused and asked for anew")
	return true
}

// build makes the inputs of every point. The points of a sweep differ in their
// nonce, so that none hits the cache of the one before.
func (o *Order) build(options workload.Options) ([]*workload.Plan, error) {
	var plans []*workload.Plan
	for i := range o.loads() {
		spec := o.Spec
		if i > 0 {
			spec.Nonce = fmt.Sprintf("%s-%d", spec.Nonce, i+1)
		}
		plan, err := workload.Build(&spec, options)
		if err != nil {
			return nil, err
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

// calibrate asks the server how it counts, through probes that are in no figure.
func (r *running) calibrate(ctx context.Context, options *workload.Options) (*bench.End, error) {
	r.phase("calibrate")
	spec := &r.job.order.Spec
	client, err := r.quiet(1)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	probing := &prober{Caller: r.metered(client, &r.job.order.Target)}
	cal, err := workload.Calibrate(ctx, spec, *options, workload.ProbeThrough(probing, r.job.order.Target.Label))
	if err == nil {
		options.Calibration = cal
		r.calibration, err = json.Marshal(cal)
		return nil, err
	}
	spec.LengthUnit = bench.LengthLocal
	if refused := refusal(probing.last); refused != nil {
		r.log.Error("calibrate", "class", refused.Class, "reason", refused.Reason)
		return refused, nil
	}
	if ctx.Err() != nil {
		return &bench.End{Ending: bench.EndCanceled, Reason: fmt.Sprint(context.Cause(ctx))}, nil
	}
	if cut := (*workload.CutError)(nil); errors.As(err, &cut) {
		r.cut = cut.Tokens
	}
	note := "lengths are estimated: " + bench.Clean(bench.Redact(err.Error(), r.job.order.Target.Key), 200)
	r.job.order.Warnings = append(r.job.order.Warnings, note)
	r.log.Warn("calibrate", "error", err)
	return nil, nil
}

// prober remembers the last sample of its calls.
type prober struct {
	bench.Caller
	last *bench.Sample
}

// Call implements [bench.Caller].
func (p *prober) Call(ctx context.Context, request *bench.Request) bench.Sample {
	s := p.Caller.Call(ctx, request)
	p.last = &s
	return s
}

// refusal is the end of a run whose endpoint answered like this before the
// first measured request; nil where there is a point in going on.
func refusal(s *bench.Sample) *bench.End {
	if s == nil || s.Failure == nil || !s.Outcome.Fatal() && s.Outcome != bench.FailConnect && s.Outcome != bench.FailTLS {
		return nil
	}
	reason := s.Failure.Message
	if s.Failure.Code != "" {
		reason = s.Failure.Code + ": " + reason
	}
	if s.RequestID != "" {
		reason += " (request id " + s.RequestID + ")"
	}
	return &bench.End{Ending: bench.EndRefused, Reason: reason, Class: s.Outcome}
}

// Dump writes the inputs at estimated lengths as JSON lines. Seed and nonce
// are drawn where the order fixes none.
func (o *Order) Dump(w io.Writer) error {
	if err := o.checkSize(); err != nil {
		return err
	}
	options, err := o.inputOptions()
	if err != nil {
		return err
	}
	drawn := *o
	drawn.draw()
	drawn.Spec.LengthUnit = bench.LengthLocal
	plan, err := workload.Build(&drawn.Spec, options)
	if err != nil {
		return err
	}
	return plan.Dump(w)
}
