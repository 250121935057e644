package report

import (
	"slices"

	"strconv"

	"github.com/llm-bench/llm-bench/bench"
)

// foldedRows is the number of rows from which on the breakdown is folded.
const foldedRows = 40

// Breakdown is the table by reuse ordinal or turn; empty where there is none.
func (b *block) Breakdown() *table {
	s, l := &b.target.Summary, b.l
	first, unit, e2e := scaleOf(s.TTFT), md(scaleOf(s.TTFT).unit), scaleOf(s.E2E)
	t := newTable(number(l.either([]string{"breakdown." + string(b.result.Scenario), "breakdown.prefix"})), number("n"), number(l.say("breakdown.failed")),
		number(l.say("breakdown.ttft", "unit", unit)), number(l.say("breakdown.band", "unit", unit)), number(l.say("breakdown.per1k")),
		number(l.say("breakdown.tpot")), number(l.say("breakdown.e2e", "unit", md(e2e.unit))), number(l.say("breakdown.prompt")), number(l.say("breakdown.hit_rate")))
	for i := range s.Breakdown {
		g := &s.Breakdown[i]
		t.add(b.key(g.Key), md(count(g.Succeeded)), md(count(g.Failed)), b.average(g.TTFT, first), b.band(g.TTFT, first), b.average(g.TTFTPer1K, scale{"ms", 1}),
			b.average(g.TPOT, scale{"ms", 1}), b.average(g.E2E, e2e), b.averageCount(g.Prompt), b.hitRate(g.HitRate))
	}
	return t
}

// key is the ordinal or the turn; the first one is cold.
func (b *block) key(n int) md {
	if n == 1 {
		return b.l.say("breakdown.cold")
	}
	return md(strconv.Itoa(n))
}

// Folded reports whether the breakdown is too long to stand open.
func (b *block) Folded() bool { return len(b.target.Summary.Breakdown) > foldedRows }

func (b *block) average(d bench.Dist, u scale) md {
	if d.N == 0 {
		return b.l.unknown()
	}
	return md(u.of(d.Avg))
}

func (b *block) band(d bench.Dist, u scale) md {
	if d.N == 0 {
		return b.l.unknown()
	}
	return md(u.of(d.P5) + "–" + u.of(d.P95))
}

func (b *block) averageCount(c bench.Count) md {
	if c.N == 0 {
		return b.l.unknown()
	}
	return md(grouped(int64(c.Avg + 0.5)))
}

func (b *block) hitRate(v *float64) md {
	if v == nil {
		return b.l.say("not_reported")
	}
	return md(percent(*v))
}

// WarmOnly is the table that sets all requests beside those that could hit.
func (b *block) WarmOnly() *table {
	s, l := &b.target.Summary, b.l
	w := s.Warm
	if w == nil || w.TTFT.N == 0 {
		return nil
	}
	t := newTable(text(l.say("metric")), text(l.say("warm.which")), number("n"), number(l.say("avg")), number(l.say("p50")), number(l.say("p99")))
	for _, row := range []struct {
		key       string
		all, warm bench.Dist
	}{{"ttft", s.TTFT, w.TTFT}, {"tpot", s.TPOT, w.TPOT}, {"e2e", s.E2E, w.E2E}} {
		u := scaleOf(row.all)
		name := l.say("metric."+row.key, "unit", md(u.unit))
		t.add(name, l.say("warm.all"), md(count(row.all.N)), b.interval(u, row.all, row.all.Avg, row.all.AvgCI), b.interval(u, row.all, row.all.P50, row.all.P50CI), b.p99(u, row.all))
		t.add(name, l.say("warm.only"), md(count(row.warm.N)), b.interval(u, row.warm, row.warm.Avg, row.warm.AvgCI), b.interval(u, row.warm, row.warm.P50, row.warm.P50CI), b.p99(u, row.warm))
	}
	return t
}

func (b *block) interval(u scale, d bench.Dist, ms float64, ci *bench.Interval) md {
	if d.N == 0 {
		return b.l.unknown()
	}
	return md(u.within(ms, ci))
}

// p99 prints P99, marked where it rests on too few samples.
func (b *block) p99(u scale, d bench.Dist) md {
	text := b.interval(u, d, d.P99, d.P99CI)
	if d.N > 0 && d.P99Needs > 0 {
		text += " " + fewMark
	}
	return text
}

// FewNote explains the mark of a P99 that rests on too few samples; empty where
// no table bears it.
func (p *page) FewNote() md {
	if p.result.Scenario == bench.Connectivity {
		return ""
	}
	for _, b := range p.Blocks() {
		dists := []bench.Dist{b.target.Summary.TTFT}
		if w := b.target.Summary.Warm; w != nil {
			dists = append(dists, w.TTFT)
		}
		for i := range b.target.Points {
			dists = append(dists, b.target.Points[i].Summary.TTFT)
		}
		if slices.ContainsFunc(dists, func(d bench.Dist) bool { return d.N > 0 && d.P99Needs > 0 }) {
			return p.l.say("note.few")
		}
	}
	return ""
}

// Slowest is the table of the requests with the longest TTFT, with what
// support needs to look them up.
func (b *block) Slowest() *table {
	if len(b.target.Points) > 0 {
		return b.loadSlowest()
	}
	t := b.slowTable()
	for _, s := range b.target.Summary.Slowest {
		t.add(b.slowRow(s)...)
	}
	return t
}

// slowTable is the table of slow requests without its rows; other columns may
// stand before its own.
func (b *block) slowTable(before ...column) *table {
	l := b.l
	return newTable(append(before, text(l.say("slow.request")), number(l.say("slow.ttft")), number(l.say("slow.tpot")), number(l.say("slow.e2e")),
		number(l.say("slow.prompt")), number(l.say("slow.cached")), text(l.say("request_id")), text(l.say("log_id")))...)
}

func (b *block) slowRow(s bench.Slow) []md {
	tpot := b.l.unknown()
	if s.TPOT != nil {
		tpot = md(significant(*s.TPOT))
	}
	return []md{b.which(s), md(significant(s.TTFT)), tpot, md(significant(s.E2E)), b.tokens(s.Prompt, "n/a"), b.tokens(s.Cached, "not_reported"),
		orDash(code(s.RequestID)), orDash(code(s.LogID))}
}

// which names a request by its number, or its session and turn.
func (b *block) which(s bench.Slow) md {
	if b.result.Scenario == bench.Multiturn {
		return b.l.say("slow.turn", "session", s.Session, "turn", s.Turn)
	}
	return md("#" + strconv.Itoa(s.Session))
}

func (b *block) tokens(n *int, otherwise string) md {
	if n == nil {
		return b.l.say(otherwise)
	}
	return md(count(*n))
}
