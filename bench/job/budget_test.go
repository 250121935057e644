package job

import (
	"context"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
)

// answering succeeds with a usage of a million prompt and no output tokens.
type answering struct{}

func (answering) Call(context.Context, *bench.Request) bench.Sample {
	return bench.Sample{Outcome: bench.Succeeded, Usage: &bench.Usage{Prompt: new(1_000_000)}}
}

func TestEachRequestCostsWhatItsOwnTargetTakes(t *testing.T) {
	t.Parallel()
	order := Order{Spec: bench.NewSpec(bench.Prefix, bench.Quick), Target: bench.Target{Label: "a"}}
	order.Spec.Prices.In = 2
	order.Others = []bench.Target{{Label: "b", Terms: bench.Terms{Prices: bench.Prices{In: 30}}}}
	r := running{job: &Job{order: order}}
	for i, cost := range []float64{2, 32} {
		r.metered(answering{}, &order.targets()[i]).Call(t.Context(), &bench.Request{})
		if r.spent.cost != cost || r.spent.tokens != 1_000_000*(i+1) {
			t.Errorf("after the request to %s %v and %d tokens are spent, want %v", order.targets()[i].Label, r.spent.cost, r.spent.tokens, cost)
		}
	}
}
