package job

import (
	"context"

	"github.com/llm-bench/llm-bench/bench"
)

// variant is one change of the settings that may be the one an endpoint accepts.
type variant struct {
	setting string // for the reader
	change  func(*bench.Spec, *bench.Target)
}

// variants are the changes worth a probe when the settings asked for were
// refused, or thinking was seen though it was to be off.
func variants(spec *bench.Spec, target *bench.Target) []variant {
	var vs []variant
	if _, sent := target.Dialect.Thinking[spec.Thinking]; sent {
		vs = append(vs,
			variant{"thinking: not sent", func(_ *bench.Spec, t *bench.Target) { t.Dialect.Thinking = nil }},
			variant{"thinking: enabled, reasoning_effort: low", func(s *bench.Spec, _ *bench.Target) {
				s.Thinking, s.ReasoningEffort = bench.ThinkingEnabled, "low"
			}})
	}
	if target.Dialect.OutputCap == bench.CapMaxCompletionTokens {
		vs = append(vs, variant{"output cap: max_tokens", func(_ *bench.Spec, t *bench.Target) { t.Dialect.OutputCap = bench.CapMaxTokens }})
	}
	return vs
}

// probe looks for settings that work, after a connectivity request that was
// refused or that thought though it was not to. At most three requests are sent.
func (r *running) probe(ctx context.Context) []bench.Probe {
	if r.lastSample == nil || !worthProbing(r.lastSample) {
		return nil
	}
	var probes []bench.Probe
	for _, v := range variants(&r.job.order.Spec, &r.job.order.Target) {
		if ctx.Err() != nil {
			break
		}
		p := r.try(ctx, v)
		probes = append(probes, p)
		if p.Outcome == bench.Succeeded && r.lastSample.Outcome != bench.Succeeded {
			break
		}
	}
	return probes
}

func worthProbing(s *bench.Sample) bool {
	return s.Outcome == bench.FailBadRequest || s.Outcome == bench.Succeeded && hasWarning(s, bench.WarnReasoningSeen)
}

func hasWarning(s *bench.Sample, w bench.Warning) bool {
	for _, have := range s.Warnings {
		if have == w {
			return true
		}
	}
	return false
}

// try sends the connectivity message under one variant.
func (r *running) try(ctx context.Context, v variant) bench.Probe {
	spec, target := r.job.order.Spec, r.job.order.Target
	v.change(&spec, &target)
	p := bench.Probe{Setting: v.setting}
	client, err := r.job.clientOf(r.clock, &spec, target)
	if err != nil {
		return p
	}
	defer client.Close()
	turn := r.plans[0].Sessions[0].Turns[0]
	s := client.Call(ctx, &bench.Request{Session: 1, Turn: 1, Attempt: 1, Messages: []bench.Message{{Role: bench.RoleUser, Prefix: turn.Prefix, Text: turn.Text}}})
	p.Outcome, p.Reasoned, p.RequestID = s.Outcome, s.Reasoned, s.RequestID
	if s.Failure != nil {
		p.Message = s.Failure.Message
	}
	return p
}
