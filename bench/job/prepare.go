package job

import (
	"context"
	"fmt"

	"github.com/llm-bench/llm-bench/bench"
)

// prepare does what comes before the measured window: the check, the
// connections, the warm-up. It returns how the run ends if there is no point
// in going on.
func (r *running) prepare(ctx context.Context, finish *bench.Finish) *bench.End {
	spec := &r.job.order.Spec
	if refused := r.check(ctx); refused != nil {
		return refused
	}
	if !spec.ColdConnect {
		warmth, err := r.client.Prepare(ctx, min(spec.MaxConcurrency, len(r.job.plan.Sessions)))
		finish.Warm = warmth
		if err != nil {
			r.log.Warn("open connections", "error", err)
		}
	}
	if spec.Warmup > 0 {
		r.warmUp(ctx, finish)
	}
	return nil
}

// check sends one tiny request, unless the endpoint is known to answer or the
// run is one request anyway, so that a wrong key, model or address is said at
// once. Its answer is in no figure.
func (r *running) check(ctx context.Context) *bench.End {
	order := &r.job.order
	if order.Checked || order.Spec.Scenario == bench.Connectivity {
		return nil
	}
	r.phase("check")
	spec := order.Spec
	spec.MaxOutputTokens, spec.MaxConcurrency = 16, 1
	client, err := r.job.clientFor(r.clock, &spec)
	if err != nil {
		return &bench.End{Ending: bench.EndRefused, Reason: err.Error()}
	}
	defer client.Close()
	text := fmt.Sprintf("Check %s: reply with one word.", spec.Nonce)
	s := client.Call(ctx, &bench.Request{Session: 1, Turn: 1, Attempt: 1, Messages: []bench.Message{{Role: bench.RoleUser, Text: text}}})
	if s.Failure == nil || !(s.Outcome.Fatal() || s.Outcome == bench.FailConnect || s.Outcome == bench.FailTLS) {
		return nil
	}
	reason := s.Failure.Message
	if s.Failure.Code != "" {
		reason = s.Failure.Code + ": " + reason
	}
	r.log.Error("check", "class", s.Outcome, "reason", reason, "request_id", s.RequestID)
	return &bench.End{Ending: bench.EndRefused, Reason: reason, Class: s.Outcome}
}

// warmUp sends the warm-up requests and counts them.
func (r *running) warmUp(ctx context.Context, finish *bench.Finish) {
	r.phase("warm-up")
	load := &bench.Load{Sessions: r.job.plan.Warmup, Concurrency: r.job.order.Spec.MaxConcurrency, Caller: r.client, Clock: r.clock}
	bench.Run(ctx, load, func(s *bench.Sample) {
		finish.Warm.Requests++
		if s.Outcome != bench.Succeeded {
			finish.Warm.Failed++
		}
	})
}
