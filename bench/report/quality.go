package report

import (
	"slices"

	"github.com/llm-bench/llm-bench/bench"
)

// Quality is the table of what the client measured of itself: first what the
// verdict hangs on, each with its limit, then the rest.
func (b *block) Quality() *table {
	m, l := b.target.Measurement, b.l
	t := newTable(text(l.say("quality")), number(l.say("value")), number(l.say("quality.limit")), text(l.say("quality.state")), text(l.say("quality.meaning")))
	for _, c := range b.checks() {
		t.add(l.either([]string{"quality." + c.Code, "reason.other"}), b.checked(c, c.Value), b.checked(c, c.Limit), b.stateOf(c), l.either([]string{"quality." + c.Code + ".why", "finding.other.why"}))
	}
	add := func(key string, value md) {
		t.add(l.say("quality."+key), value, "–", "–", l.say("quality."+key+".why"))
	}
	clock := l.unknown()
	if m.Clock != "" {
		clock = l.either([]string{"clock." + m.Clock, "clock.other"})
	}
	add("clock", clock)
	if m.LagAvgMS != nil && m.LagMaxMS != nil {
		add("lag", md(duration(*m.LagAvgMS)+" · "+duration(*m.LagMaxMS)))
	}
	add("merged", l.share(m.MergedShare))
	add("send", b.sending(m.SendMS))
	add("connections", b.connectionsIn(m))
	return t
}

// checks are what the verdict hangs on; of a sweep, a load at which a limit was
// exceeded stands for all.
func (b *block) checks() []bench.Reason {
	m := b.target.Measurement
	checks := m.Checks(&b.target.Summary)
	for _, r := range m.Reasons {
		i := slices.IndexFunc(checks, func(c bench.Reason) bool { return c.Code == r.Code })
		switch {
		case i < 0:
			checks = append(checks, r)
		case !checks[i].Exceeded() || r.Verdict == bench.Invalid:
			checks[i] = r
		}
	}
	return checks
}

// checked prints a figure that is checked, or its limit; what bears on a
// latency also as a share of that.
func (b *block) checked(c bench.Reason, v float64) md {
	text := md(figure(unitName(c.Code), v))
	if c.Limit == 0 || c.Code != bench.ReasonLag && c.Code != bench.ReasonLagTPOT {
		return text
	}
	return b.l.say("quality.of_median", "value", text, "median_share", v/c.Limit*bench.TolerableDelay)
}

func (b *block) stateOf(c bench.Reason) md {
	switch {
	case !c.Exceeded():
		return b.l.say("quality.within")
	case c.Verdict == bench.Trusted:
		return b.l.say("quality.remark")
	}
	return bold(b.l.say("quality.exceeded", "verdict", b.l.say("verdict.short."+string(c.Verdict))))
}

func (b *block) sending(d bench.Dist) md {
	if d.N == 0 {
		return b.l.unknown()
	}
	return md(duration(d.P50) + " · " + duration(d.P99))
}

func (b *block) connectionsIn(m bench.Measurement) md {
	if m.HandshakeMS == nil {
		return md(count(m.NewConns))
	}
	return b.l.say("quality.handshake", "n", m.NewConns, "shake_ms", *m.HandshakeMS)
}

// Rescored is the table of the run under the rules of other tools.
func (b *block) Rescored() *table {
	s, l := &b.target.Summary, b.l
	if s.TTFT.N == 0 {
		return nil
	}
	first, e2e := scaleOf(s.TTFT), scaleOf(s.E2E)
	name := func(key string, u scale, statistic string) md {
		return l.say("metric."+key+".short", "unit", md(u.unit), "statistic", md(statistic))
	}
	ms := scale{"ms", 1}
	t := newTable(text(l.say("rule")), number("n"), number(name("ttft", first, "AVG")), number(name("ttft", first, "P50")), number(name("ttft", first, "P99")),
		number(name("tpot", ms, "AVG")), number(name("tpot", ms, "P50")), number(name("tpot", ms, "P99")), number(name("e2e", e2e, "AVG")), number(name("e2e", e2e, "P99")))
	add := func(rule md, ttft, tpot, total bench.Dist) {
		t.add(rule, md(count(ttft.N)), b.one(first, ttft, ttft.Avg), b.one(first, ttft, ttft.P50), b.one(first, ttft, ttft.P99),
			b.one(ms, tpot, tpot.Avg), b.one(ms, tpot, tpot.P50), b.one(ms, tpot, tpot.P99), b.one(e2e, total, total.Avg), b.one(e2e, total, total.P99))
	}
	add(bold(code(string(bench.RuleOwn))), s.TTFT, s.TPOT, s.E2E)
	for _, r := range s.Rescored {
		add(code(string(r.Rule)), r.TTFT, r.TPOT, r.E2E)
	}
	return t
}

func (b *block) one(u scale, d bench.Dist, ms float64) md { return b.interval(u, d, ms, nil) }
