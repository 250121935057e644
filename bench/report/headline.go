package report

import (
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// shownFindings is how many findings the first section shows.
const shownFindings = 5

// Headline is the result in a few sentences.
func (b *block) Headline() md {
	return md(strings.Join(b.sentences(), string(b.l.say("headline.join"))))
}

// sentences are those of the headline, the weightiest first.
func (b *block) sentences() []string {
	r := b.target.Summary.Requests
	switch {
	case r.Succeeded == 0 && r.Failed == 0:
		return []string{string(b.l.say("headline.nothing", "planned", r.Planned))}
	case r.Succeeded == 0:
		return []string{string(b.l.say("headline.none", "failed", r.Failed))}
	case b.result.Scenario == bench.Connectivity:
		return []string{string(b.successes()), string(b.connectivityHeadline())}
	case len(b.target.Points) > 0:
		return []string{string(b.successes()), string(b.sweepHeadline())}
	case b.target.Summary.Open == nil || b.target.Summary.Open.TTFT.N == 0:
		return []string{string(b.successes()), string(b.latencyHeadline())}
	}
	return []string{string(b.successes()), string(b.latencyHeadline()), string(b.openHeadline())}
}

// Headlines are the result of several targets: a line each, with its verdict.
func (p *page) Headlines() []md {
	var lines []md
	for _, b := range p.Blocks() {
		lines = append(lines, b.headlineOfMany())
	}
	return lines
}

func (b *block) headlineOfMany() md {
	return b.l.say("headline.target", "target", b.Label(), "headline", b.Headline(),
		"verdict", b.l.say("verdict.short."+string(b.target.Measurement.Verdict)))
}

func (b *block) successes() md {
	r := b.target.Summary.Requests
	switch {
	case b.result.Scenario == bench.Connectivity && r.Succeeded == r.Planned:
		return b.l.say("headline.reachable")
	case r.Succeeded == r.Planned:
		return b.l.say("headline.all", "n", r.Planned)
	}
	return b.l.say("headline.some", "n", r.Succeeded, "planned", r.Planned)
}

func (b *block) latencyHeadline() md {
	s := &b.target.Summary
	return b.l.say("headline.latency",
		"ttft", b.median(s.TTFT), "p99", b.tail(s.TTFT), "tpot", b.median(s.TPOT), "e2e", b.median(s.E2E), "cache", b.cacheHeadline())
}

// openHeadline is the latency as the users of an open loop feel it.
func (b *block) openHeadline() md {
	o := b.target.Summary.Open
	return b.l.say("headline.open", "ttft", b.median(o.TTFT), "p99", b.tail(o.TTFT), "queue", b.tail(o.Wait))
}

func (b *block) connectivityHeadline() md {
	s := &b.target.Summary
	return b.l.say("headline.connectivity", "ttft", b.median(s.TTFT), "tpot", b.median(s.TPOT), "e2e", b.median(s.E2E), "usage", b.usageState())
}

// usageState says what of its token counts the server reported.
func (b *block) usageState() md {
	s := &b.target.Summary
	switch {
	case s.Observed.UsageMissing > 0:
		return b.l.say("headline.no_usage")
	case s.Cache.HitRate == nil:
		return b.l.say("headline.no_cached")
	}
	return b.l.say("headline.usage")
}

func (b *block) cacheHeadline() md {
	c := b.target.Summary.Cache
	switch {
	case c.HitRate == nil:
		return b.l.say("headline.cache_unknown")
	case c.Ceiling == nil:
		return b.l.say("headline.cache_alone", "hit_rate", *c.HitRate)
	case *c.HitRate > *c.Ceiling+withinCeiling:
		return b.l.say("headline.cache_above", "hit_rate", *c.HitRate, "ceiling_rate", *c.Ceiling)
	}
	return b.l.say("headline.cache", "hit_rate", *c.HitRate, "ceiling_rate", *c.Ceiling)
}

func (b *block) median(d bench.Dist) md { return b.timeOf(d, d.P50) }
func (b *block) tail(d bench.Dist) md   { return b.timeOf(d, d.P99) }

// timeOf prints one figure of a distribution, which may have none.
func (b *block) timeOf(d bench.Dist, ms float64) md {
	if d.N == 0 {
		return b.l.unknown()
	}
	return md(duration(ms))
}

// Verdict says whether the measurement is to be trusted, and why not.
func (b *block) Verdict() md {
	v := b.target.Measurement.Verdict
	if v == bench.Unknown {
		return b.l.say("verdict." + string(v))
	}
	return b.l.say("verdict."+string(v)) + b.grounds()
}

// grounds are the reasons of a verdict, or nothing.
func (b *block) grounds() md {
	var reasons []string
	for _, r := range b.target.Measurement.Reasons {
		reasons = append(reasons, string(b.reason(r)))
	}
	if len(reasons) == 0 {
		return ""
	}
	return b.l.say("verdict.reasons", "reasons", md(strings.Join(reasons, string(b.l.say("list.join")))))
}

// verdictWord is the verdict in a word or two, bold unless the measurement is trusted.
func (b *block) verdictWord() md {
	v := b.target.Measurement.Verdict
	word := b.l.say("verdict.short." + string(v))
	if v == bench.Trusted {
		return word
	}
	return bold(word)
}

// doubted reports whether the measurement is less than trusted.
func (b *block) doubted() bool {
	v := b.target.Measurement.Verdict
	return v == bench.Degraded || v == bench.Invalid
}

// reason words one ground of the verdict; the code's ending is its unit.
func (b *block) reason(r bench.Reason) md {
	name := unitName(r.Code)
	return b.l.either([]string{"reason." + r.Code, "reason.other"}, "code", code(r.Code),
		"value", md(figure(name, r.Value)), "limit", md(figure(name, r.Limit)), "median_share", r.OfMedian())
}

// unitName is a reason's code with an ending that names its unit.
func unitName(code string) string {
	if code == bench.ReasonConcurrency {
		return "shortfall_share"
	}
	return code
}

// Standing says how the run stands to the standard preset.
func (b *block) Standing() md {
	n := len(b.result.Deviations)
	switch {
	case b.Swept():
		return b.l.say("standing.sweep", "n", len(b.target.Points))
	case b.result.Scenario == bench.Connectivity:
		return ""
	case n == 0:
		return b.l.say("standing.standard")
	}
	return b.l.say("standing.deviates", "n", n)
}

// Findings words the findings that matter most, at most five.
func (b *block) Findings() []md {
	var lines []md
	for _, f := range b.target.Findings[:min(shownFindings, len(b.target.Findings))] {
		lines = append(lines, b.finding(&f))
	}
	return lines
}

// finding is what was seen, its cause, what to do next, and request ids.
func (b *block) finding(f *bench.Finding) md {
	line := bold(b.l.say("severity."+string(f.Severity))+b.findingTitle(f)) + "<br>" + b.findingWhy(f)
	if len(f.Points) > 0 && len(f.Points) < len(b.target.Points) {
		line += " " + b.l.say("finding.loads", "loads", b.loadNames(f.Points))
	}
	if ids := f.RequestIDs; len(ids) > 0 {
		line += " " + b.l.say("finding.ids", "ids", codes(ids[:min(5, len(ids))]))
	}
	return line
}

func (b *block) findingTitle(f *bench.Finding) md {
	args := append(b.findingArgs(f), "rule", code(f.Rule), "what", b.l.either([]string{"class." + f.Texts["class"], "class.other"}))
	return b.l.either([]string{"finding." + f.Rule + "." + string(f.Severity), "finding." + f.Rule, "finding.other"}, args...)
}

func (b *block) findingWhy(f *bench.Finding) md {
	key := "finding." + f.Rule
	if f.Rule == "refused_at_start" {
		key = "finding.failures"
	}
	return b.l.either([]string{key + "." + variant(f), key + ".why", "finding.other.why"}, b.findingArgs(f)...)
}

// variant is the part of a finding that decides its wording.
func variant(f *bench.Finding) string {
	if class := f.Texts["class"]; class != "" {
		return class
	}
	return f.Texts["cause"]
}

func (b *block) findingArgs(f *bench.Finding) []any {
	var args []any
	for name, v := range f.Figures {
		args = append(args, name, v)
	}
	for name, v := range f.Texts {
		args = append(args, name, b.quoted(name, v))
	}
	return args
}

// quoted prints a text from outside within a sentence: a message in quotation
// marks, an identifier as code.
func (b *block) quoted(name, text string) md {
	switch {
	case text == "":
		return b.l.unknown()
	case name == "message":
		return "“" + esc(text) + "”"
	}
	return code(text)
}
