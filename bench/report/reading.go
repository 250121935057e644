package report

import (
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// ConsolePage is where Ark shows the performance of its models by input length.
const ConsolePage = "https://ark.volcengine.com/region:cn-beijing/model/leaderboard"

// Console is the link to that page.
func (p *page) Console() md { return "<" + ConsolePage + ">" }

// deviationRow is a row of the table that explains figures out of line.
type deviationRow struct {
	key     string
	applies func(*block) bool
}

func deviationRows() []deviationRow {
	found := func(rules ...string) func(*block) bool {
		return func(b *block) bool { return b.found(rules...) }
	}
	return []deviationRow{
		{"cached", found("cache_low", "cache_uneven", "cache_not_reported", "cache_claim_unsupported")},
		{"ttft_thinking", func(b *block) bool { return b.target.Summary.Observed.Reasoned > 0 }},
		{"ttft_timeout", func(b *block) bool {
			return b.failed(bench.FailFirstTokenTimeout, bench.FailIdleTimeout, bench.FailTotalTimeout)
		}},
		{"fast", found("tier_not_served", "tier_not_echoed")},
		{"ttft_length", found("prompts_longer", "new_connections", "slow_upload")},
		{"ttft_cold", found("cold_tail")},
		{"quota", found("throttled")},
		{"buffered", found("stream_buffered")},
		{"short", found("answers_short", "output_cut_early")},
	}
}

func (b *block) failed(classes ...bench.Outcome) bool {
	for _, f := range b.target.Summary.Failures {
		for _, class := range classes {
			if f.Class == class {
				return true
			}
		}
	}
	return false
}

// Reading is the table of what may be out of line and why: first the rows that
// apply to this run, marked, then the others.
func (p *page) Reading() *table {
	l := p.l
	t := newTable(text(l.say("reading.applies")), text(l.say("reading.seen")), text(l.say("reading.cause")), text(l.say("reading.next")))
	var others [][]md
	for _, row := range deviationRows() {
		mark, applies := p.mark(row)
		cells := []md{mark, l.say("reading." + row.key), l.say("reading." + row.key + ".cause"), l.say("reading." + row.key + ".next")}
		if applies {
			cells[1] = bold(cells[1])
			t.add(cells...)
			continue
		}
		others = append(others, cells)
	}
	t.rows = append(t.rows, others...)
	return t
}

// ReadingNone says that no row of the table applies; empty where one does.
func (p *page) ReadingNone() md {
	for _, row := range deviationRows() {
		if _, applies := p.mark(row); applies {
			return ""
		}
	}
	return p.l.say("reading.none")
}

// mark says whether a row applies, and of several targets to which.
func (p *page) mark(row deviationRow) (mark md, applies bool) {
	var labels []string
	for _, b := range p.Blocks() {
		if row.applies(b) {
			labels = append(labels, string(b.Label()))
		}
	}
	switch {
	case len(labels) == 0:
		return p.l.say("reading.no"), false
	case p.Many():
		return bold(p.l.say("reading.yes")) + ": " + md(strings.Join(labels, " ")), true
	}
	return bold(p.l.say("reading.yes")), true
}
