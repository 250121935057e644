package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/llm-bench/llm-bench/bench"
)

// SummaryLimit is the greatest length of [Summary] in characters for each target.
const SummaryLimit = 400

// Excerpt is the gist of a report as Markdown of at most limit characters: the
// result, the verdict, the metrics, the parameters in one line, and what room
// there is for of the findings. lang is zh or en.
func Excerpt(result *bench.Result, lang string, limit int) string {
	l, err := languageOf(lang)
	if err != nil {
		return ""
	}
	p := &page{l: l, result: result, record: &bench.Record{}}
	return fit(p.excerpt(), "\n\n", limit)
}

// excerpt lists the parts of an excerpt, the weightiest first.
func (p *page) excerpt() []string {
	var parts, findings []string
	for _, a := range p.Alarms() {
		parts = append(parts, string(bold(a)))
	}
	few := string(p.FewNote())
	if p.Many() {
		for _, line := range p.Headlines() {
			parts = append(parts, "- "+string(line))
		}
		parts = append(parts, p.Comparison().String(), few)
	}
	for _, b := range p.Blocks() {
		switch {
		case !p.Many():
			parts = append(parts, string(b.Headline()+" "+b.Verdict()), b.gist().String(), few)
		case b.doubted():
			parts = append(parts, string(b.named(b.Verdict())))
		}
		parts = append(parts, string(b.named(b.parameterLine())))
		for i := range b.target.Findings {
			if f := &b.target.Findings[i]; f.Severity != bench.Info {
				findings = append(findings, "- "+string(b.named(b.findingTitle(f))))
			}
		}
	}
	return append(parts, strings.Join(findings, "\n"))
}

// gist is the table of metrics, or of loads.
func (b *block) gist() *table {
	if b.Points() {
		return b.LoadTable()
	}
	return b.small()
}

// small is the table of metrics without intervals.
func (b *block) small() *table {
	if b.target.Summary.TTFT.N == 0 {
		return nil
	}
	c := b.target.Summary.Cache
	if b.result.Scenario == bench.Connectivity {
		t := b.single()
		t.add(b.l.say("cache.hit_rate"), md(count(c.Of)), b.hitRate(c.HitRate))
		return t
	}
	t := newTable(text(b.l.say("metric")), number("n"), number("AVG"), number("P50"), number("P99"))
	for _, row := range b.latencyRows() {
		u, d := scaleOf(row.dist), row.dist
		t.add(b.metricName(row), md(count(d.N)), b.one(u, d, d.Avg), b.one(u, d, d.P50), b.p99(u, d))
	}
	t.add(b.l.say("cache.hit_rate"), md(count(c.Of)), b.hitRate(c.HitRate), "–", "–")
	return t
}

// parameterLine is what two runs must share to be compared.
func (b *block) parameterLine() md {
	s, l := &b.result.Spec, b.l
	p := parameters{block: b}
	var sizes md
	switch s.Scenario {
	case bench.Prefix:
		sizes = l.say("line.prefix", "prefix", s.PrefixLen, "suffix", s.SuffixLen, "prefixes", s.NumPrefixes, "requests", s.NumRequests)
	case bench.Multiturn:
		sizes = l.say("line.multiturn", "initial", s.InitialLen, "question", s.QuestionLen, "sessions", s.NumSessions, "turns", s.MaxTurns)
	default:
		sizes = l.say("line.connectivity")
	}
	return l.say("line", "model", code(b.target.Model), "sizes", sizes, "concurrency", b.loadLine(), "cap", s.MaxOutputTokens,
		"thinking", p.thinkingAsked(), "prompt", p.spread(b.target.Summary.PromptTokens), "seed", md(fmt.Sprint(s.Seed)))
}

// loadLine is the load in a few words.
func (b *block) loadLine() md {
	switch {
	case b.Points() && b.byRate():
		return b.l.say("load.rate", "rate", b.askedLoads(func(p bench.Point) float64 { return p.RequestRate }))
	case b.Points():
		return b.l.say("load.concurrency", "n", b.askedLoads(func(p bench.Point) float64 { return float64(p.MaxConcurrency) }))
	case b.result.Spec.RequestRate > 0:
		return b.l.say("load.rate", "rate", md(exact(b.result.Spec.RequestRate)))
	}
	return b.l.say("load.concurrency", "n", b.target.Summary.Concurrency.Asked)
}

// fit joins parts as long as they fit. The first is cut if need be; a later
// one that doesn't fit is left out, so that no table breaks off.
func fit(parts []string, separator string, limit int) string {
	var kept []string
	room := limit
	for i, part := range parts {
		part = strings.TrimSpace(part)
		cost := utf8.RuneCountInString(part)
		if i > 0 {
			cost += utf8.RuneCountInString(separator)
		}
		switch {
		case part == "":
		case cost <= room:
			kept, room = append(kept, part), room-cost
		case len(kept) == 0:
			return string([]rune(part)[:max(0, room-1)]) + "…"
		}
	}
	return strings.Join(kept, separator)
}

// Summary is the result in a few sentences without markup, of at most
// [SummaryLimit] characters for each target, in the language of the run's report.
func Summary(result *bench.Result) string {
	l, err := languageOf(result.Spec.Lang)
	if err != nil {
		return ""
	}
	p := &page{l: l, result: result, record: &bench.Record{}}
	var parts []string
	for _, a := range p.Alarms() {
		parts = append(parts, bare(l.sentence(a)))
	}
	var last []string // what may be left out
	for _, b := range p.Blocks() {
		grounds := strings.TrimSpace(bare(b.grounds()))
		switch {
		case p.Many():
			parts = append(parts, bare(b.headlineOfMany()))
			if b.doubted() && grounds != "" {
				last = append(last, bare(b.named(md(grounds))))
			}
		case b.doubted():
			parts = append(parts, bare(l.say("verdict."+string(b.target.Measurement.Verdict))))
			parts, last = append(parts, b.bareSentences()...), append(last, grounds)
		default:
			parts, last = append(parts, b.bareSentences()...), append(last, bare(b.Verdict()))
		}
	}
	return fit(append(parts, last...), string(l.say("headline.join")), SummaryLimit*max(1, len(result.Targets)))
}

// bareSentences are the sentences of the headline as plain text.
func (b *block) bareSentences() []string {
	sentences := b.sentences()
	for i := range sentences {
		sentences[i] = bare(md(sentences[i]))
	}
	return sentences
}

// bare is Markdown as plain text.
func bare(m md) string {
	return strings.NewReplacer("**", "", "`", "", "<br>", " ", `:\//`, "://", `www\.`, "www.",
		`\\`, `\`, "\\`", "`", `\*`, "*", `\_`, "_", `\[`, "[", `\]`, "]", `\|`, "|", `\~`, "~", `\$`, "$", `\#`, "#",
		"&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(string(m))
}
