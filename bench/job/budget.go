package job

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// patience is how long the journal may take nothing before a run ends: a disk
// that was full for a moment costs nothing.
const patience = 10 * time.Second

// spending is what the measured requests have used so far.
type spending struct {
	mu     sync.Mutex
	tokens int     // of prompts and outputs
	cost   float64 // each request at the prices of its own target
}

// metered is a caller whose usage is counted before its call returns, so that
// no request starts beyond the budget unnoticed.
type metered struct {
	bench.Caller
	spent  *spending
	prices bench.Prices
}

// metered counts what a caller uses of a target.
func (r *running) metered(caller bench.Caller, target *bench.Target) metered {
	return metered{caller, &r.spent, r.job.order.prices(target)}
}

// prices are those of a target's tokens.
func (o *Order) prices(target *bench.Target) bench.Prices {
	spec := o.Spec
	target.Terms.Apply(&spec)
	return spec.Prices
}

// Call implements [bench.Caller].
func (m metered) Call(ctx context.Context, request *bench.Request) bench.Sample {
	s := m.Caller.Call(ctx, request)
	m.spent.add(usageOr(&s, request), m.prices)
	return s
}

// usageOr is a request's usage, or where the server reported none what was
// asked for and what came: a budget must not be blind.
func usageOr(s *bench.Sample, request *bench.Request) *bench.Usage {
	if s.Usage != nil && s.Usage.Prompt != nil {
		return s.Usage
	}
	bytes := 0
	for _, m := range request.Messages {
		bytes += len(m.Prefix) + len(m.Text)
	}
	prompt, output := max(request.Planned, bytes/4), s.OutputEvents
	if !s.SentLast.Taken() {
		prompt = 0
	}
	return &bench.Usage{Prompt: &prompt, Completion: &output}
}

func (p *spending) add(u *bench.Usage, prices bench.Prices) {
	known := func(n *int) int {
		if n == nil {
			return 0
		}
		return *n
	}
	prompt, cached, output := known(u.Prompt), known(u.Cached), known(u.Completion)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tokens += prompt + output
	p.cost += prices.Of(prompt, cached, output)
}

// budget says when one of the user's limits of time, tokens or cost is reached.
func (r *running) budget() error {
	spec, limit := &r.job.order.Spec, r.job.limit()
	r.spent.mu.Lock()
	defer r.spent.mu.Unlock()
	tokens, cost := r.spent.tokens, r.spent.cost
	switch {
	case r.journal.Stuck(patience):
		return fmt.Errorf("%s can't be written: nothing more is sent, as it would be lost", rundir.JournalFile)
	case r.clock.Now()-r.from > limit:
		return fmt.Errorf("max_minutes: the limit of %v is reached", limit.Round(time.Second))
	case spec.MaxTokensTotal > 0 && tokens >= spec.MaxTokensTotal:
		return fmt.Errorf("max_tokens_total: %d of %d tokens are used", tokens, spec.MaxTokensTotal)
	case spec.MaxCost > 0 && cost >= spec.MaxCost:
		return fmt.Errorf("max_cost: %.4f of %.4f %s are spent", cost, spec.MaxCost, spec.Prices.Currency)
	}
	return nil
}
