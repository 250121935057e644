package report

import (
	"slices"

	"github.com/llm-bench/llm-bench/bench"
)

// fewMark stands behind a P99 that rests on too few samples, in tables and in pictures.
const fewMark = "※"

// latencyRow is one figure of the table of metrics.
type latencyRow struct {
	key  string
	dist bench.Dist
}

func (b *block) latencyRows() []latencyRow {
	s := &b.target.Summary
	rows := []latencyRow{{"ttft", s.TTFT}, {"tpot", s.TPOT}, {"e2e", s.E2E}}
	if s.Observed.Reasoned > 0 {
		rows = append(rows, latencyRow{"answer", s.ToAnswer})
	}
	if o := s.Open; o != nil {
		rows = append(rows, latencyRow{"ttft_intended", o.TTFT}, latencyRow{"e2e_intended", o.E2E}, latencyRow{"queue", o.Wait})
	}
	return rows
}

// Metrics is the table of latencies.
func (b *block) Metrics() *table {
	l := b.l
	if b.result.Scenario == bench.Connectivity {
		return b.single()
	}
	t := newTable(text(l.say("metric")), number("n"), number(l.say("avg")), number(l.say("p50")), number(l.say("p99")),
		number("P90"), number(l.say("min")), number(l.say("max")))
	for _, row := range b.latencyRows() {
		d, name := row.dist, b.metricName(row)
		if d.N == 0 {
			t.add(name, "0", l.unknown(), l.unknown(), l.unknown(), l.unknown(), l.unknown(), l.unknown())
			continue
		}
		u := scaleOf(d)
		p99 := b.p99(u, d)
		t.add(name, md(count(d.N)), bold(md(u.within(d.Avg, d.AvgCI))), bold(md(u.within(d.P50, d.P50CI))), bold(p99),
			md(u.of(d.P90)), md(u.of(d.Min)), md(u.of(d.Max)))
	}
	return t
}

// single is the table of latencies of one request.
func (b *block) single() *table {
	t := newTable(text(b.l.say("metric")), number("n"), number(b.l.say("value")))
	for _, row := range b.latencyRows() {
		value := b.l.unknown()
		if row.dist.N > 0 {
			value = bold(md(scaleOf(row.dist).of(row.dist.Avg)))
		}
		t.add(b.metricName(row), md(count(row.dist.N)), value)
	}
	return t
}

// metricName is a metric with the unit of its row.
func (b *block) metricName(row latencyRow) md {
	name := b.l.say("metric."+row.key, "unit", md(scaleOf(row.dist).unit))
	if row.key == "tpot" && b.buffered() {
		name += " ‡"
	}
	return name
}

func (b *block) found(rules ...string) bool {
	for i := range b.target.Findings {
		for _, rule := range rules {
			if b.target.Findings[i].Rule == rule {
				return true
			}
		}
	}
	return false
}

// buffered reports whether the times between tokens are those of a buffer on the way.
func (b *block) buffered() bool {
	return slices.ContainsFunc(b.target.Findings, func(f bench.Finding) bool {
		return f.Rule == "stream_buffered" && f.Severity == bench.Serious
	})
}

// MetricNotes explain the marks of the table of metrics.
func (b *block) MetricNotes() []md {
	s, l := &b.target.Summary, b.l
	var notes []md
	if d := s.TTFT; d.N > 0 && d.P99Needs > 0 && b.result.Scenario != bench.Connectivity {
		notes = append(notes, l.say("note.p99", "n", d.N, "needs", d.P99Needs))
	}
	if b.buffered() {
		notes = append(notes, l.say("note.buffered"))
	}
	if left := s.TTFT.N - s.TPOT.N; left > 0 {
		notes = append(notes, l.say("note.tpot", "left", left, "n", s.TPOT.N))
	}
	if s.Open != nil {
		notes = append(notes, l.either([]string{"note.open." + string(b.result.Scenario), "note.open"}))
	}
	if s.TTFT.AvgCI != nil {
		notes = append(notes, l.either([]string{"note.interval." + string(b.result.Scenario), "note.interval.prefix"}))
	}
	return notes
}

// Cache is the table of the prompt cache's share.
func (b *block) Cache() *table {
	c, l := b.target.Summary.Cache, b.l
	hit := l.say("not_reported")
	cached := hit
	if c.HitRate != nil {
		hit, cached = bold(md(percent(*c.HitRate))), md(count(c.Cached))
	}
	prompt := l.unknown()
	if c.Of > 0 {
		prompt = md(count(c.Prompt))
	}
	t := newTable(number(l.say("cache.hit_rate")), number(l.say("cache.ceiling")), number(l.say("cache.coverage")), number("n"),
		number(l.say("cache.cached")), number(l.say("cache.prompt")), number(l.say("cache.first_use")))
	t.add(hit, l.share(c.Ceiling), l.share(c.Coverage), md(count(c.Of)), cached, prompt, l.share(c.FirstUse))
	return t
}

// CacheNotes explain how the hit rate came about.
func (b *block) CacheNotes() []md {
	c, l := b.target.Summary.Cache, b.l
	var notes []md
	if c.Reported > 0 && c.Reported < c.Of {
		notes = append(notes, l.say("cache.partial", "missing", c.Of-c.Reported, "n", c.Of))
	}
	if c.Excluded > 0 {
		notes = append(notes, l.say("cache.excluded", "n", c.Excluded))
	}
	if note := b.cacheGap(); note != "" {
		notes = append(notes, note)
	}
	if asked := b.result.Spec.ServiceTier; asked != "" {
		notes = append(notes, b.tierNote(asked))
	}
	return notes
}

func (b *block) tierNote(asked string) md {
	served := b.target.Summary.Observed.ServiceTiers
	reported := 0
	for _, n := range served {
		reported += n
	}
	if reported == 0 {
		return b.l.say("tier.unreported", "asked", code(asked))
	}
	return b.l.say("tier.served", "asked", code(asked), "tier_share", float64(served[asked])/float64(reported), "n", reported)
}
