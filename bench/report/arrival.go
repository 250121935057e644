package report

import (
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// concurrency is what was to be in flight, and what was.
func (p *parameters) concurrency() {
	c, l := p.target.Summary.Concurrency, p.l
	asked, field, reached := md(count(c.Asked)), "max_concurrency", l.unknown()
	switch {
	case len(p.target.Points) > 0:
		asked, reached = p.askedLoads(func(at bench.Point) float64 { return float64(at.MaxConcurrency) }), p.reachedLoads()
		if !p.byRate() {
			field = ""
		}
	case c.Mean != nil:
		reached = l.say("param.in_flight", "mean", md(significant(*c.Mean)), "peak", c.Peak)
	case c.Peak > 0:
		reached = l.say("param.peak", "peak", c.Peak)
	}
	p.row("max_concurrency", asked, reached, field)
}

// arrival is the rule by which requests start.
func (p *parameters) arrival() {
	s := &p.result.Spec
	rate, field := md(exact(s.RequestRate)), "request_rate"
	if len(p.target.Points) > 0 {
		rate, field = p.askedLoads(func(at bench.Point) float64 { return at.RequestRate }), ""
	}
	if s.RequestRate == 0 && (len(p.target.Points) == 0 || !p.byRate()) {
		p.row("arrival", p.l.say("arrival.closed"), "", "request_rate")
		return
	}
	kind := "arrival.poisson"
	if s.ConstantRate {
		kind = "arrival.constant"
	}
	p.row("arrival", p.l.either([]string{kind + "." + string(s.Scenario), kind}, "rate", rate), p.waited(), field)
}

// waited says how long requests stood in the client's queue.
func (p *parameters) waited() md {
	o := p.target.Summary.Open
	if o == nil || o.Wait.N == 0 {
		return ""
	}
	return p.l.say("param.waited", "p50", p.median(o.Wait), "p99", p.tail(o.Wait))
}

// budgets are the limits that the user set for the whole run.
func (p *parameters) budgets() {
	s, l := p.spec(), p.l
	if s.MaxCost > 0 {
		p.row("max_cost", md(significant(s.MaxCost))+" "+esc(s.Prices.Currency), p.spent(), "")
	}
	if s.MaxTokensTotal > 0 {
		used := p.target.Summary.PromptTokens.Sum + p.target.Summary.OutputTokens.Sum
		p.row("max_tokens_total", l.say("tokens", "n", s.MaxTokensTotal), l.say("tokens", "n", used), "")
	}
	if s.MaxMinutes > 0 {
		p.row("max_minutes", md(exact(s.MaxMinutes)), "", "")
	}
}

// limit names the budget at which the run ended; empty where it ended otherwise.
func (b *block) limit() md {
	e, s := b.result.End, &b.result.Spec
	if e == nil || e.Ending != bench.EndBudget {
		return ""
	}
	switch name, _, _ := strings.Cut(e.Reason, ":"); name {
	case "max_cost":
		return b.l.say("budget.max_cost", "limit", md(significant(s.MaxCost))+" "+esc(s.Prices.Currency))
	case "max_tokens_total":
		return b.l.say("budget.max_tokens_total", "limit", s.MaxTokensTotal)
	case "max_minutes":
		return b.l.say("budget.max_minutes", "limit", md(exact(s.MaxMinutes)))
	}
	return esc(e.Reason)
}
