package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// parameters builds the table of what was asked for and what was observed.
type parameters struct {
	*block
	t *table
}

// Parameters is the table of all parameters. Without it no figure means anything.
func (b *block) Parameters() *table {
	l := b.l
	p := parameters{b, newTable(text(l.say("param")), text(l.say("param.asked")), text(l.say("param.observed")), text(l.say("param.standard")))}
	p.endpoint()
	p.workload()
	p.generation()
	p.load()
	p.reproduction()
	p.environment()
	return p.t
}

// row adds a parameter. field is its name, where the standard preset has a value for it.
func (p *parameters) row(key string, asked, observed md, field string) {
	name := p.l.say("param." + key)
	if field != "" {
		name += " " + code(field)
	}
	p.t.add(name, orDash(asked), orDash(observed), p.standard(field))
}

func orDash(m md) md {
	if m == "" {
		return "–"
	}
	return m
}

// standard says whether the field's value is the standard preset's.
func (p *parameters) standard(field string) md {
	if field == "" {
		return ""
	}
	for _, d := range p.result.Deviations {
		if d.Field == field && field == "request_rate" {
			return bold(p.l.say("param.differs", "standard", p.l.say("arrival.closed.short")))
		}
		if d.Field == field {
			return bold(p.l.say("param.differs", "standard", p.value(d.Standard)))
		}
	}
	return p.l.say("param.same")
}

func (p *parameters) value(v any) md {
	text := fmt.Sprint(v)
	switch text {
	case "":
		return p.l.say("not_sent")
	case "true", "false":
		return p.l.say("bool." + text)
	}
	return code(text)
}

func (p *parameters) endpoint() {
	t, l := p.target, p.l
	model := code(t.Model)
	if t.Asked != "" && t.Asked != t.Model {
		model += " " + l.say("param.resolved", "asked", code(t.Asked))
	}
	p.row("model", model, p.tally(p.target.Summary.Observed.Models), "")
	p.row("base_url", code(t.BaseURL), p.protocols(), "")
	p.row("dialect", code(t.Dialect.Name), "", "")
	p.row("source", p.source(), "", "")
	p.row("preset", l.say("scenario."+string(p.result.Scenario))+" · "+l.say("preset."+string(p.result.Spec.Preset)), "", "")
}

func (p *parameters) protocols() md { return codes(p.target.Measurement.Protocols) }

func (p *parameters) source() md {
	source := p.l.say("source." + string(p.target.Source))
	if p.target.KeyEnv != "" {
		source += " · " + p.l.say("source.key", "name", code(p.target.KeyEnv))
	}
	if p.target.Profile != "" {
		source += " · " + p.l.say("source.profile", "name", code(p.target.Profile))
	}
	return source
}

// tally lists what was counted, the most frequent first.
func (p *parameters) tally(counts map[string]int) md {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	if len(names) == 0 {
		return p.l.say("not_reported")
	}
	var parts []string
	for _, n := range names {
		parts = append(parts, string(code(n))+" × "+count(counts[n]))
	}
	return md(strings.Join(parts, ", "))
}

// workload is the lengths and counts of the scenario.
func (p *parameters) workload() {
	s := &p.result.Spec
	tokens := func(n int) md { return p.l.say("tokens", "n", n) }
	switch p.result.Scenario {
	case bench.Prefix:
		p.row("prefix_len", tokens(s.PrefixLen), "", "prefix_len")
		p.row("suffix_len", tokens(s.SuffixLen), "", "suffix_len")
		p.row("num_prefixes", md(count(s.NumPrefixes)), "", "num_prefixes")
		p.row("num_requests", md(count(s.NumRequests)), p.carriedOut(), "num_requests")
	case bench.Multiturn:
		p.row("initial_len", tokens(s.InitialLen), "", "initial_len")
		p.row("question_len", tokens(s.QuestionLen), "", "question_len")
		p.row("num_sessions", md(count(s.NumSessions)), "", "num_sessions")
		p.row("max_turns", md(count(s.MaxTurns)), p.carriedOut(), "max_turns")
	default:
		p.row("num_requests", md(count(s.Planned())), p.carriedOut(), "")
	}
	p.row("prompt_tokens", p.planned(), p.spread(p.target.Summary.PromptTokens), "")
	unit := p.l.say("unit." + string(s.LengthUnit))
	p.row("length_unit", unit, p.calibrated(), "")
}

// planned is the prompt length asked for; nobody knows beforehand how long the
// answers in a conversation will be.
func (p *parameters) planned() md {
	planned := p.spread(p.target.Summary.PlannedPrompt)
	if p.result.Scenario == bench.Multiturn {
		planned += p.l.say("param.without_answers")
	}
	return planned
}

// calibrated says through how many probes the server was asked how it counts.
func (p *parameters) calibrated() md {
	var calibration struct {
		Probes []struct{} `json:"probes"`
	}
	if err := json.Unmarshal(p.record.Header.Calibration, &calibration); err != nil || len(calibration.Probes) == 0 {
		return ""
	}
	return p.l.say("param.calibrated", "n", len(calibration.Probes))
}

func (p *parameters) carriedOut() md {
	r := p.target.Summary.Requests
	return p.l.say("param.carried_out", "done", r.Succeeded+r.Failed, "planned", r.Planned)
}

// spread prints a count's mean, least and greatest.
func (p *parameters) spread(c bench.Count) md {
	if c.N == 0 {
		return p.l.unknown()
	}
	if c.Min == c.Max {
		return p.l.say("tokens", "n", c.Min)
	}
	return p.l.say("param.spread", "avg", md(grouped(int64(c.Avg+0.5))), "min", c.Min, "max", c.Max, "n", c.N)
}

// generation is what was asked of the model's output.
func (p *parameters) generation() {
	s, sum, l := &p.result.Spec, &p.target.Summary, p.l
	capped := p.spread(sum.OutputTokens)
	if sum.NearCap != nil {
		capped += l.say("param.near_cap", "near_cap_share", *sum.NearCap)
	}
	p.row("max_output_tokens", l.say("tokens", "n", s.MaxOutputTokens)+" "+code(p.target.Dialect.OutputCap), capped, "max_output_tokens")
	p.row("thinking", p.thinkingAsked(), p.thinkingObserved(), "thinking")
	p.row("reasoning_effort", p.sent(s.ReasoningEffort), p.reasoning(), "reasoning_effort")
	p.row("service_tier", p.sent(s.ServiceTier), p.tally(sum.Observed.ServiceTiers), "service_tier")
	p.row("sampling", l.say("not_sent"), "", "")
}

func (p *parameters) sent(value string) md {
	if value == "" {
		return p.l.say("not_sent")
	}
	return code(value)
}

func (p *parameters) thinkingAsked() md {
	asked := p.result.Spec.Thinking
	if _, sent := p.target.Dialect.Body(asked); !sent {
		return p.l.say("thinking."+string(asked)) + p.l.say("param.dialect_silent")
	}
	return p.l.say("thinking." + string(asked))
}

func (p *parameters) thinkingObserved() md {
	r, o := p.target.Summary.Requests, p.target.Summary.Observed
	if r.Succeeded == 0 {
		return p.l.unknown()
	}
	return p.l.say("param.reasoned", "reasoned", o.Reasoned, "n", r.Succeeded)
}

func (p *parameters) reasoning() md {
	c := p.target.Summary.ReasoningTokens
	if c.N == 0 || c.Max == 0 {
		return ""
	}
	return p.l.say("param.reasoning_tokens", "tokens", p.spread(c))
}

// load is how the requests were sent.
func (p *parameters) load() {
	s, l := p.spec(), p.l
	p.concurrency()
	p.arrival()
	p.budgets()
	p.row("warmup", md(count(s.Warmup)), "", "warmup")
	p.row("cold_connect", l.say(fmt.Sprintf("bool.%t", s.ColdConnect)), p.connections(), "cold_connect")
	p.row("limits", l.say("limits", "connect", durationOf(s.Limits.Connect), "first", durationOf(s.Limits.FirstToken),
		"idle", durationOf(s.Limits.Idle), "total", durationOf(s.Limits.Total)), "", "")
	p.row("max_failure_rate", md(percent(s.MaxFailureRate)), p.failureRate(), "")
	if s.SLO != (bench.SLO{}) {
		p.row("slo", p.slo(), "", "")
	}
}

func (p *parameters) connections() md {
	line := p.l.say("param.new_connections", "n", p.target.Summary.Observed.NewConns)
	if f := p.record.Finish; f != nil && f.Warm.Connections > 0 {
		line += p.l.say("param.opened_before", "n", f.Warm.Connections)
	}
	return line
}

func (p *parameters) failureRate() md {
	r := p.target.Summary.Requests
	if r.Succeeded+r.Failed == 0 {
		return p.l.unknown()
	}
	return md(percent(r.FailureRate()))
}

func (p *parameters) slo() md {
	s := p.result.Spec.SLO
	var parts []string
	for _, limit := range []struct {
		name string
		ms   float64
	}{{"TTFT", bench.Milliseconds(s.TTFT)}, {"TPOT", bench.Milliseconds(s.TPOT)}, {"E2E", bench.Milliseconds(s.E2E)}} {
		if limit.ms > 0 {
			parts = append(parts, limit.name+" ≤ "+duration(limit.ms))
		}
	}
	return md(strings.Join(parts, ", "))
}

// reproduction is what a second run needs to be the same.
func (p *parameters) reproduction() {
	s := &p.result.Spec
	p.row("seed", code(fmt.Sprint(s.Seed)), "", "")
	p.row("nonce", code(s.Nonce), "", "")
	for _, hash := range []struct{ key, value string }{{"input", p.result.InputHash}, {"material", p.record.Header.MaterialHash}, {"journal", p.result.Journal}} {
		if hash.value != "" {
			p.row(hash.key, code(hash.value[:min(16, len(hash.value))]), "", "")
		}
	}
}

// environment is where, when and with what was measured.
func (p *parameters) environment() {
	h, l := p.result.Host, p.l
	p.row("window", p.window(), p.took(), "")
	cpu := h.CPU
	if cpu == "" {
		cpu = string(l.say("param.cpu_unknown"))
	}
	p.row("client", l.say("param.host", "os", h.OS, "arch", h.Arch, "cpus", h.CPUs, "cpu", cpu), "", "")
	proxy := l.say("none")
	if name := p.record.Header.Proxy; name != "" {
		proxy = code(name)
	}
	p.row("proxy", proxy, "", "")
	p.row("tool", l.say("param.version", "version", p.result.Tool.Version, "go", p.result.Tool.Go), "", "")
	p.row("rule", code(string(p.result.MetricRule)), "", "")
}

func (p *parameters) window() md {
	zone := p.result.Host.TimeZone
	end := p.l.unknown()
	if p.result.Ended != nil {
		end = md(moment(*p.result.Ended))
	}
	return p.l.say("param.window_of", "began", moment(p.result.Began), "ended", end, "zone", zone)
}

func (p *parameters) took() md {
	if s := p.target.Summary.DurationS; s != nil {
		return p.l.say("param.took", "took", duration(*s*1000))
	}
	return ""
}
