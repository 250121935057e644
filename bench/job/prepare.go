package job

import (
	"context"
	"fmt"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/chat"
)

// prepare opens the connections and sends the warm-up, before the measured
// window. A failure is left for the first requests to show.
func (r *running) prepare(ctx context.Context, finish *bench.Finish) {
	spec := r.job.order.widest()
	if !spec.ColdConnect {
		r.phase("connect")
		for i, client := range r.clients {
			warmth, err := client.Prepare(ctx, min(spec.MaxConcurrency, len(r.plans[0].Sessions), maxPrepared))
			if err != nil {
				r.log.Warn("open connections", "error", err)
			}
			if i > 0 {
				warmth.Connections += finish.Warm.Connections
				warmth.Seconds += finish.Warm.Seconds
			}
			finish.Warm = warmth
		}
	}
	if spec.Warmup > 0 {
		r.warmUp(ctx, finish)
	}
}

// maxPrepared bounds the connections that are opened beforehand for one target;
// an open loop without a limit of its own rarely needs as many as it has sessions.
const maxPrepared = 4096

// quiet is a client whose requests are in no figure, with an output cap of its own.
func (r *running) quiet(outputCap int) (*chat.Client, error) {
	spec := r.job.order.Spec
	spec.MaxOutputTokens, spec.MaxConcurrency, spec.SaveText = outputCap, 1, false
	return r.job.clientFor(r.clock, &spec)
}

// check sends one tiny request, so that a wrong key, model or address is said
// at once. Its answer is in no figure.
func (r *running) check(ctx context.Context) (*bench.End, error) {
	r.phase("check")
	client, err := r.quiet(16)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	text := fmt.Sprintf("Check %s: reply with one word.", r.job.order.Spec.Nonce)
	s := client.Call(ctx, &bench.Request{Session: 1, Turn: 1, Attempt: 1, Messages: []bench.Message{{Role: bench.RoleUser, Text: text}}})
	refused := refusal(&s)
	if refused != nil {
		r.log.Error("check", "class", refused.Class, "reason", refused.Reason)
	}
	return refused, nil
}

// warmUp sends the warm-up requests and counts them.
func (r *running) warmUp(ctx context.Context, finish *bench.Finish) {
	r.phase("warm-up")
	targets := r.job.order.targets()
	for i, client := range r.clients {
		load := &bench.Load{Sessions: r.plans[0].Warmup, Concurrency: r.job.order.Spec.MaxConcurrency, Caller: r.metered(client, &targets[i]), Clock: r.clock}
		bench.Run(ctx, load, func(s *bench.Sample) {
			finish.Warm.Requests++
			if s.Outcome != bench.Succeeded {
				finish.Warm.Failed++
			}
		})
	}
}
