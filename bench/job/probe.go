package job

import (
	"context"

	"github.com/llm-bench/llm-bench/bench"
)

// maxProbes bounds the diagnostic requests of a connectivity run.
const maxProbes = 3

// variant is one change of the settings that may be the one an endpoint accepts.
type variant struct {
	setting string // for the reader
	change  func(*bench.Spec, *bench.Target)
}

// variants are the changes worth a probe after the given answer to what was
// asked for, the most promising first.
func variants(spec *bench.Spec, target *bench.Target, s *bench.Sample) []variant {
	var vs []variant
	if _, sent := target.Dialect.Body(spec.Thinking); sent {
		vs = append(vs, otherThinking(spec, target)...)
	} else if !spec.Thinking.Met(s) {
		vs = append(vs, otherDialects()...)
	}
	if s.Outcome == bench.FailBadRequest {
		vs = append(vs, otherCap(target)...)
	}
	return vs[:min(len(vs), maxProbes)]
}

// otherThinking asks for the same in another way, then for nothing.
func otherThinking(spec *bench.Spec, target *bench.Target) []variant {
	d := &target.Dialect
	effort := func(setting, effort string) variant {
		return variant{setting, func(s *bench.Spec, _ *bench.Target) { s.Thinking, s.ReasoningEffort = bench.ThinkingEnabled, effort }}
	}
	vs := []variant{effort("thinking: enabled, reasoning_effort: high", "high")}
	if spec.Thinking == bench.ThinkingDisabled {
		vs[0] = effort("thinking: enabled, reasoning_effort: low", "low")
		if _, byEffort := d.Thinking[bench.ThinkingDisabled]["reasoning_effort"]; byEffort {
			vs[0] = effort("thinking: enabled, reasoning_effort: minimal", "minimal")
		}
	}
	if _, sent := d.Body(bench.ThinkingAuto); !sent {
		return append(vs, variant{"thinking: auto (not sent)", func(s *bench.Spec, _ *bench.Target) { s.Thinking = bench.ThinkingAuto }})
	}
	return append(vs, variant{"thinking: not sent", func(_ *bench.Spec, t *bench.Target) { t.Dialect.Thinking = nil }})
}

// otherDialects are the spellings that an unknown endpoint may know.
func otherDialects() []variant {
	var vs []variant
	for _, name := range []string{"vllm", "ark", "aliyun"} {
		if d, err := bench.DialectNamed(name); err == nil {
			vs = append(vs, variant{"dialect: " + name, func(_ *bench.Spec, t *bench.Target) { t.Dialect = d }})
		}
	}
	return vs
}

// otherCap is the other name of the output cap, unless the vendor ignores it.
func otherCap(target *bench.Target) []variant {
	other := bench.CapMaxTokens
	if target.Dialect.OutputCap == other {
		other = bench.CapMaxCompletionTokens
	}
	if target.Dialect.Refuses(other) {
		return nil
	}
	return []variant{{"output cap: " + other, func(_ *bench.Spec, t *bench.Target) { t.Dialect.OutputCap = other }}}
}

// probe looks for settings that work, after a connectivity request that was
// refused or whose thinking was not as asked for. It ends at the first that
// does all that was asked.
func (r *running) probe(ctx context.Context) []bench.Probe {
	spec := &r.job.order.Spec
	if r.lastSample == nil || !worthProbing(r.lastSample, spec.Thinking) {
		return nil
	}
	var probes []bench.Probe
	for _, v := range variants(spec, &r.job.order.Target, r.lastSample) {
		if ctx.Err() != nil {
			break
		}
		p := r.try(ctx, v)
		probes = append(probes, p)
		if p.Works(spec.Thinking) {
			break
		}
	}
	return probes
}

func worthProbing(s *bench.Sample, asked bench.Thinking) bool {
	return s.Outcome == bench.FailBadRequest || s.Outcome == bench.Succeeded && !asked.Met(s)
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
