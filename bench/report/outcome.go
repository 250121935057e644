package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// Balance shows that no request is unaccounted for.
func (b *block) Balance() md {
	r := b.target.Summary.Requests
	return b.l.say("outcome.balance", "planned", r.Planned, "succeeded", r.Succeeded, "failed", r.Failed, "canceled", r.Canceled, "not_run", r.NotRun)
}

// Outcomes are further lines on how the requests ended.
func (b *block) Outcomes() []md {
	s, l := &b.target.Summary, b.l
	var lines []md
	if len(s.Finish) > 0 {
		lines = append(lines, l.say("outcome.finish", "reasons", b.finishReasons()))
	}
	if s.Requests.Retries > 0 {
		lines = append(lines, l.say("outcome.retries", "n", s.Requests.Retries))
	} else {
		lines = append(lines, l.say("outcome.no_retries"))
	}
	if s.Observed.EmptyAnswers > 0 {
		lines = append(lines, l.say("outcome.empty", "n", s.Observed.EmptyAnswers))
	}
	return lines
}

func (b *block) finishReasons() md {
	counts := b.target.Summary.Finish
	n := b.target.Summary.Requests.Succeeded
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, string(b.l.say("outcome.reason", "reason", code(reason), "n", counts[reason], "reason_share", float64(counts[reason])/float64(n))))
	}
	return md(strings.Join(parts, string(b.l.say("list.join"))))
}

// Failures is the table of failures by class; empty when there is none.
func (b *block) Failures() *table {
	l := b.l
	t := newTable(text(l.say("failure.class")), text(l.say("failure.code")), number("HTTP"), number("n"), text(l.say("failure.sample")), text(l.say("request_ids")))
	for _, f := range b.target.Summary.Failures {
		status := md("–")
		if f.Status > 0 {
			status = code(unlessZero(f.Status))
		}
		t.add(code(string(f.Class))+" "+l.either([]string{"class." + string(f.Class), "class.other"}), orDash(code(f.Code)), status, md(count(f.Count)),
			orDash(esc(f.Sample)), orDash(codes(f.RequestIDs[:min(5, len(f.RequestIDs))])))
	}
	return t
}

// Warnings is the table of what was odd about requests that succeeded.
func (b *block) Warnings() *table {
	l := b.l
	t := newTable(text(l.say("warning")), number("n"), text(l.say("request_ids")))
	for _, w := range b.target.Summary.Warnings {
		t.add(code(string(w.Warning))+" "+l.either([]string{"warning." + string(w.Warning), "warning.other"}), md(count(w.Count)), orDash(codes(w.RequestIDs[:min(5, len(w.RequestIDs))])))
	}
	return t
}

// Probes is the table of a connectivity run's diagnostic requests; empty when
// there was none.
func (b *block) Probes() *table {
	l := b.l
	t := newTable(text(l.say("probe")), text(l.say("probe.outcome")), text(l.say("probe.reasoned")), text(l.say("failure.sample")), text(l.say("request_id")))
	if b.record.Finish == nil || b.Many() {
		return t
	}
	for _, p := range b.record.Finish.Probes {
		seen := l.say("probe.no")
		if p.Reasoned {
			seen = l.say("probe.yes")
		}
		t.add(code(p.Setting), code(string(p.Outcome)), seen, orDash(esc(p.Message)), orDash(code(p.RequestID)))
	}
	return t
}

// Resumes says where the run was broken off and taken up again: the cache may
// have forgotten by then what the run had put there.
func (p *page) Resumes() []md {
	var lines []md
	for _, r := range p.record.Resumes {
		lines = append(lines, p.l.say("resumed", "at", moment(r.Resumed), "gap_ms", p.gap(&r), "restarted", len(r.Restarted)))
	}
	return lines
}

// gap is the time, in ms, in which the run stood still.
func (p *page) gap(r *bench.Resume) float64 {
	if length, known := r.At.Since(r.Since); known {
		return bench.Milliseconds(length)
	}
	return p.gapBefore(r.At)
}

// gapBefore is the time, in ms, in which nothing was measured before a mark.
func (p *page) gapBefore(at bench.Mark) float64 {
	var last bench.Mark
	for _, s := range p.record.Samples {
		if s.End.Taken() && s.End.At() <= at.At() && s.End.At() > last.At() {
			last = s.End
		}
	}
	return bench.Milliseconds(at.At() - last.At())
}

// Notes are what was known before the first request and bears on the figures.
func (p *page) Notes() []md {
	var notes []md
	if p.record.Header.CorpusReused {
		notes = append(notes, p.l.say("corpus.reused"))
	}
	for _, n := range p.result.Warnings {
		notes = append(notes, p.l.remark(n))
	}
	return notes
}

// Throughput is the table of rates, goodput and cost.
func (b *block) Throughput() *table {
	if len(b.target.Points) > 0 {
		return b.loadThroughput()
	}
	s, l := &b.target.Summary, b.l
	t := newTable(text(l.say("quantity")), number(l.say("value")), text(l.say("basis")))
	t.add(l.say("throughput.duration"), b.span(), l.say("throughput.span"))
	t.add(l.say("throughput.requests"), l.number("per_s", s.Rate), l.say("throughput.n", "n", s.Requests.Succeeded))
	t.add(l.say("throughput.output"), l.number("tokens_per_s", s.OutputRate), b.sum(s.OutputTokens))
	t.add(l.say("throughput.total"), l.number("tokens_per_s", s.TotalRate), b.sum(bench.Count{N: s.PromptTokens.N, Sum: s.PromptTokens.Sum + s.OutputTokens.Sum}))
	b.gaps(t)
	b.goodput(t)
	b.cost(t)
	return t
}

func (b *block) sum(c bench.Count) md {
	if c.N == 0 {
		return b.l.say("not_reported")
	}
	return b.l.say("throughput.tokens", "tokens", c.Sum, "n", c.N)
}

func (b *block) gaps(t *table) {
	d := b.target.Summary.ITL
	if d.N == 0 {
		t.add(b.l.say("throughput.itl"), b.l.unknown(), "")
		return
	}
	t.add(b.l.say("throughput.itl"), md(duration(d.P50)+" · "+duration(d.P99)+" · "+duration(d.Max)), b.l.say("throughput.gaps", "n", d.N))
}

func (b *block) goodput(t *table) {
	g, l := b.target.Summary.Goodput, b.l
	if g == nil {
		return
	}
	r := b.target.Summary.Requests
	p := parameters{block: b}
	t.add(l.say("throughput.goodput"), md(percent(g.Share)), l.say("throughput.met", "met", g.Met, "n", r.Succeeded+r.Failed, "slo", p.slo()))
	t.add(l.say("throughput.goodput_rate"), l.number("per_s", g.Rate), "")
}

func (b *block) cost(t *table) {
	c, prices, l := b.target.Summary.Cost, b.spec().Prices, b.l
	if c == nil {
		t.add(l.say("throughput.cost"), l.unknown(), l.say("throughput.no_prices"))
		return
	}
	cached := l.say("throughput.cached_as_in")
	if prices.Cached != nil {
		cached = md(significant(*prices.Cached))
	}
	t.add(l.say("throughput.cost"), b.spent(),
		l.say("throughput.prices", "in", md(significant(prices.In)), "cached", cached, "out", md(significant(prices.Out))))
}
