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
	mu                     sync.Mutex
	prompt, cached, output int // tokens
}

// metered is a caller whose usage is counted before its call returns, so that
// no request starts beyond the budget unnoticed.
type metered struct {
	bench.Caller
	spent *spending
}

// Call implements [bench.Caller].
func (m metered) Call(ctx context.Context, request *bench.Request) bench.Sample {
	s := m.Caller.Call(ctx, request)
	m.spent.add(usageOr(&s, request))
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

func (p *spending) add(u *bench.Usage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, count := range []struct {
		sum *int
		n   *int
	}{{&p.prompt, u.Prompt}, {&p.cached, u.Cached}, {&p.output, u.Completion}} {
		if count.n != nil {
			*count.sum += *count.n
		}
	}
}

// budget says when one of the user's limits of time, tokens or cost is reached.
func (r *running) budget() error {
	spec, limit := &r.job.order.Spec, r.job.limit()
	r.spent.mu.Lock()
	defer r.spent.mu.Unlock()
	tokens, cost := r.spent.prompt+r.spent.output, spec.Prices.Of(r.spent.prompt, r.spent.cached, r.spent.output)
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
