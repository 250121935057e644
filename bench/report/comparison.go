package report

import (
	"math"

	"github.com/llm-bench/llm-bench/bench"
)

// Comparison sets several targets side by side: one column each, or in a
// sweep one line for each target and load.
func (p *page) Comparison() *table {
	if p.Swept() {
		return p.loadTable(p.Blocks())
	}
	columns := []column{text(p.l.say("comparison.figure"))}
	for _, b := range p.Blocks() {
		columns = append(columns, number(b.Label()))
	}
	t := newTable(columns...)
	for _, row := range p.comparisonRows() {
		cells := []md{row.name}
		for _, b := range p.Blocks() {
			cells = append(cells, row.of(b))
		}
		t.add(cells...)
	}
	return t
}

// comparedRow is one figure of all targets.
type comparedRow struct {
	name md
	of   func(*block) md
}

func (p *page) comparisonRows() []comparedRow {
	l := p.l
	rows := []comparedRow{
		{l.say("param.model"), func(b *block) md { return code(b.target.Model) }},
		{l.say("comparison.served"), func(b *block) md { return orUnknown(l, code(b.target.ServedModel)) }},
		{l.say("comparison.succeeded"), (*block).succeededOf},
	}
	rows = append(rows, p.compared()...)
	return append(rows,
		comparedRow{l.say("comparison.per1k"), (*block).ttftPer1K},
		comparedRow{l.say("cache.hit_rate"), func(b *block) md { return b.hitRate(b.target.Summary.Cache.HitRate) }},
		comparedRow{l.say("comparison.output_rate"), func(b *block) md { return b.optional(b.target.Summary.OutputRate) }},
		comparedRow{l.say("comparison.prompt"), func(b *block) md { return b.lengths(b.target.Summary.PromptTokens) }},
		comparedRow{l.say("comparison.output"), func(b *block) md { return b.lengths(b.target.Summary.OutputTokens) }},
		comparedRow{l.say("comparison.in_flight"), func(b *block) md {
			return l.say("comparison.of_asked", "n", b.inFlight(), "asked", b.target.Summary.Concurrency.Asked)
		}},
		comparedRow{l.say("param.thinking"), func(b *block) md { return (&parameters{block: b}).thinkingObserved() }},
		comparedRow{l.say("comparison.verdict"), func(b *block) md { return b.verdictWord() }})
}

// compared are the latencies, each in a unit that all targets share.
func (p *page) compared() []comparedRow {
	var rows []comparedRow
	for _, m := range []struct {
		name string
		of   func(*bench.Summary) bench.Dist
	}{
		{"TTFT", func(s *bench.Summary) bench.Dist { return s.TTFT }},
		{"TPOT", func(s *bench.Summary) bench.Dist { return s.TPOT }},
		{"E2E", func(s *bench.Summary) bench.Dist { return s.E2E }},
	} {
		u := scale{"ms", 1}
		for i := range p.result.Targets {
			if d := m.of(&p.result.Targets[i].Summary); d.N > 0 && scaleOf(d).unit == "s" {
				u = scaleOf(d)
			}
		}
		rows = append(rows,
			comparedRow{p.l.say("comparison.p50", "name", md(m.name), "unit", md(u.unit)), func(b *block) md {
				d := m.of(&b.target.Summary)
				return b.interval(u, d, d.P50, d.P50CI)
			}},
			comparedRow{p.l.say("comparison.p99", "name", md(m.name), "unit", md(u.unit)), func(b *block) md {
				d := m.of(&b.target.Summary)
				return b.p99(u, d)
			}})
	}
	return rows
}

func orUnknown(l *language, m md) md {
	if m == "" {
		return l.unknown()
	}
	return m
}

// ttftPer1K is the mean TTFT over the mean prompt, in ms per 1,000 tokens.
func (b *block) ttftPer1K() md {
	s := &b.target.Summary
	if s.TTFT.N == 0 || s.PromptTokens.N == 0 || s.PromptTokens.Avg == 0 {
		return b.l.unknown()
	}
	return md(significant(1000 * s.TTFT.Avg / s.PromptTokens.Avg))
}

// lengths prints a count's mean and its range.
func (b *block) lengths(c bench.Count) md {
	switch {
	case c.N == 0:
		return b.l.unknown()
	case c.Min == c.Max:
		return md(count(c.Min))
	}
	return md(count(int(math.Round(c.Avg)))) + " (" + md(count(c.Min)) + "–" + md(count(c.Max)) + ")"
}

// ComparisonNotes say what the targets share, and what keeps their figures apart.
func (p *page) ComparisonNotes() []md {
	var notes []md
	if hash := p.result.InputHash; hash != "" {
		notes = append(notes, p.l.say("comparison.inputs", "hash", code(hash[:min(16, len(hash))])))
	}
	var low, high float64
	for i := range p.result.Targets {
		if c := p.result.Targets[i].Summary.PromptTokens; c.N > 0 {
			if low == 0 || c.Avg < low {
				low = c.Avg
			}
			high = max(high, c.Avg)
		}
	}
	if low > 0 && high/low > 1.01 {
		notes = append(notes, p.l.say("comparison.lengths", "apart_share", high/low-1))
	}
	if few := p.FewNote(); few != "" && !p.Swept() {
		notes = append(notes, few)
	}
	return notes
}
