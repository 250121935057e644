package job

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/workload"
)

// checkInputs builds the inputs at estimated lengths, so that everything that
// is wrong with them is said before anything is sent, and throws them away.
func (o *Order) checkInputs() error {
	options, err := o.inputOptions()
	if err != nil {
		return err
	}
	spec := o.Spec
	spec.LengthUnit = bench.LengthLocal
	_, err = workload.Build(&spec, options)
	return err
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
	var refused *bench.End
	if order.Spec.LengthUnit == bench.LengthServer && order.Spec.Scenario != bench.Connectivity {
		refused, err = r.calibrate(ctx, &options)
	} else if !order.Checked && order.Spec.Scenario != bench.Connectivity {
		refused, err = r.check(ctx)
	}
	if err != nil {
		return nil, err
	}
	if refused != nil {
		return refused, nil
	}
	return nil, r.build(options)
}

// build makes the inputs of every point. The points of a sweep differ in their
// nonce, so that none hits the cache of the one before.
func (r *running) build(options workload.Options) error {
	order := &r.job.order
	for i := range order.loads() {
		spec := order.Spec
		if i > 0 {
			spec.Nonce = fmt.Sprintf("%s-%d", spec.Nonce, i+1)
		}
		plan, err := workload.Build(&spec, options)
		if err != nil {
			return err
		}
		r.plans = append(r.plans, plan)
	}
	return nil
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
	probing := &prober{Caller: client}
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
