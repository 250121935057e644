package bench

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The tolerances of the gate.
const (
	flyingTolerance = 0.10 // of the mean requests in flight
	shareTolerance  = 0.05 // of the shares of requests that reasoned, or were served by the tier asked for; absolute
	promptTolerance = 0.02 // of the mean prompt: a remark beyond it
	outputTolerance = 0.05 // of the mean output: a remark beyond it
)

// load is one load of one target: all that the gate and the figures look at.
type load struct {
	header      *Header
	target      *Target
	spec        Spec
	point       *Point // nil: no sweep
	rule        Rule
	state       State
	summary     *Summary
	measurement *Measurement
	ok          []*Sample // the attempts that count and succeeded
}

// loadsOf are the loads at which a target was measured.
func loadsOf(record *Record, result *Result, t *TargetResult) []load {
	samples := record.Of(t.Label)
	base := load{header: &record.Header, target: &t.Target, spec: result.Spec, rule: result.MetricRule, state: result.State}
	if len(t.Points) == 0 {
		base.summary, base.measurement, base.ok = &t.Summary, &t.Measurement, succeeded(lastAttempts(samples))
		return []load{base}
	}
	var loads []load
	for i := range t.Points {
		l, p := base, &t.Points[i]
		l.point, l.spec, l.summary, l.measurement = &p.Point, p.Apply(result.Spec), &p.Summary, &p.Measurement
		l.ok = succeeded(lastAttempts(where(samples, func(s *Sample) bool { return s.Point == i+1 })))
		loads = append(loads, l)
	}
	return loads
}

// loadsDiffer reports sweeps over other loads.
func loadsDiffer(a, b *Side) (Mismatch, bool) {
	m := Mismatch{Field: "loads", A: loadNames(a.loads), B: loadNames(b.loads)}
	return m, m.A != m.B && len(a.loads)+len(b.loads) > 2
}

func loadNames(loads []load) string {
	var names []string
	for i := range loads {
		s := &loads[i].spec
		name := strconv.Itoa(s.MaxConcurrency)
		if s.RequestRate > 0 {
			name += fmt.Sprintf(" at %v/s", s.RequestRate)
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// comparing gathers what differs between two loads.
type comparing struct {
	a, b                *load
	mismatches, remarks []Mismatch
}

// gate lists why two loads can't be compared, and what else differs.
func gate(a, b *load, vary []Factor) (mismatches, remarks []Mismatch) {
	c := comparing{a, b, []Mismatch{}, []Mismatch{}}
	c.workload()
	c.inputs()
	c.thinking()
	c.concurrency()
	c.client()
	c.validity()
	if !slices.Contains(vary, VaryModel) {
		c.model()
	}
	if !slices.Contains(vary, VaryEndpoint) {
		c.endpoint()
	}
	c.remark()
	return c.mismatches, c.remarks
}

// differ notes a field whose texts differ.
func (c *comparing) differ(field string, of func(*load) string) {
	if a, b := of(c.a), of(c.b); a != b {
		c.mismatches = append(c.mismatches, Mismatch{Field: field, A: a, B: b})
	}
}

func (c *comparing) number(field string, of func(*Spec) int) {
	c.differ(field, func(l *load) string { return strconv.Itoa(of(&l.spec)) })
}

func (c *comparing) workload() {
	c.differ("scenario", func(l *load) string { return string(l.spec.Scenario) })
	c.differ("preset", func(l *load) string { return string(l.spec.Preset) })
	c.number("prefix_len", func(s *Spec) int { return s.PrefixLen })
	c.number("suffix_len", func(s *Spec) int { return s.SuffixLen })
	c.number("num_prefixes", func(s *Spec) int { return s.NumPrefixes })
	c.number("num_requests", func(s *Spec) int { return s.NumRequests })
	c.number("initial_len", func(s *Spec) int { return s.InitialLen })
	c.number("question_len", func(s *Spec) int { return s.QuestionLen })
	c.number("num_sessions", func(s *Spec) int { return s.NumSessions })
	c.number("max_turns", func(s *Spec) int { return s.MaxTurns })
	c.number("max_output_tokens", func(s *Spec) int { return s.MaxOutputTokens })
	c.number("warmup", func(s *Spec) int { return s.Warmup })
	c.differ("cold_connect", func(l *load) string { return strconv.FormatBool(l.spec.ColdConnect) })
	c.differ("metric_rule", func(l *load) string { return string(l.rule) })
}

// inputs must be the same texts, but for nonces, or texts of the same length
// in the tokens of the server.
func (c *comparing) inputs() {
	if sameInputs(c.a, c.b) {
		return
	}
	c.differ("length_unit", func(l *load) string { return string(l.spec.LengthUnit) })
	if c.a.calibrated() && c.b.calibrated() {
		return
	}
	c.mismatches = append(c.mismatches, Mismatch{"inputs", c.a.inputName(), c.b.inputName(), "the same texts (--seed), or lengths in the server's tokens on both sides"})
}

func sameInputs(a, b *load) bool {
	return a.header.InputHash != "" && a.header.InputHash == b.header.InputHash ||
		a.header.MaterialHash != "" && a.header.MaterialHash == b.header.MaterialHash
}

func (l *load) calibrated() bool {
	return l.spec.LengthUnit == LengthServer && len(l.header.Calibration) > 0
}

func (l *load) inputName() string {
	hash := cmp.Or(l.header.MaterialHash, l.header.InputHash, "unknown")
	return fmt.Sprintf("%.12s (seed %d)", hash, l.spec.Seed)
}

func (c *comparing) thinking() {
	c.differ("thinking", func(l *load) string { return string(l.spec.Thinking) })
	c.differ("reasoning_effort", func(l *load) string { return cmp.Or(l.spec.ReasoningEffort, "not sent") })
	a, b := c.a.reasoned(), c.b.reasoned()
	if math.Abs(a-b) > shareTolerance {
		c.mismatches = append(c.mismatches, Mismatch{"thinking_observed", percentText(a), percentText(b), "shares of requests within 5 points"})
	}
}

func (l *load) reasoned() float64 { return share(l.summary.Observed.Reasoned, len(l.ok)) }

func percentText(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

func (c *comparing) concurrency() {
	c.number("max_concurrency", func(s *Spec) int { return s.MaxConcurrency })
	c.differ("request_rate", func(l *load) string { return l.rateName() })
	a, b := c.a.summary.Concurrency.Mean, c.b.summary.Concurrency.Mean
	open := c.a.spec.RequestRate > 0 || c.b.spec.RequestRate > 0 // there it is the server's doing
	if a != nil && b != nil && !open && c.a.spec.MaxConcurrency == c.b.spec.MaxConcurrency && fallsShort(*a, *b, flyingTolerance) {
		c.mismatches = append(c.mismatches, Mismatch{"concurrency_reached", fmt.Sprintf("%.2f", *a), fmt.Sprintf("%.2f", *b), "within 10 %"})
	}
}

func (l *load) rateName() string {
	switch {
	case l.spec.RequestRate == 0:
		return "closed loop"
	case l.spec.ConstantRate:
		return fmt.Sprintf("constant:%v", l.spec.RequestRate)
	}
	return fmt.Sprint(l.spec.RequestRate)
}

// fallsShort reports whether the smaller falls short of the larger by more than a share.
func fallsShort(a, b, tolerance float64) bool { return min(a, b) < (1-tolerance)*max(a, b) }

func (c *comparing) client() {
	c.differ("client", func(l *load) string {
		h := &l.header.Host
		return fmt.Sprintf("%s/%s, %s, %d CPUs", h.OS, h.Arch, cmp.Or(h.CPU, "CPU unknown"), h.CPUs)
	})
	c.differ("proxy", func(l *load) string { return cmp.Or(l.header.Proxy, "none") })
}

// validity refuses figures that stand for nothing, even where both sides share
// the fault.
func (c *comparing) validity() {
	c.either("measurement", "trusted or degraded", func(l *load) (string, bool) {
		v := l.measurement.Verdict
		return string(v), v == Invalid || v == Unknown
	})
	c.either("requests", "no more missing than --max-failure-rate", func(l *load) (string, bool) {
		r := l.summary.Requests
		return fmt.Sprintf("%d of %d succeeded (%s)", r.Succeeded, r.Planned, l.state), float64(r.Planned-r.Succeeded) > l.spec.MaxFailureRate*float64(r.Planned)
	})
	c.either("repeats", "2 or more", func(l *load) (string, bool) {
		n := len(unitsOf(l))
		return strconv.Itoa(n), n < 2
	})
	c.differ("simulated", func(l *load) string {
		return strconv.FormatBool(l.summary.Observed.Simulated || l.target.Source == SourceSim)
	})
}

// either notes a field that is bad on one side or on both.
func (c *comparing) either(field, allowed string, of func(*load) (text string, bad bool)) {
	a, badA := of(c.a)
	b, badB := of(c.b)
	if badA || badB {
		c.mismatches = append(c.mismatches, Mismatch{field, a, b, allowed})
	}
}

// model must be one, and the same.
func (c *comparing) model() {
	c.differ("model", func(l *load) string { return l.modelName() })
	if a, b := c.a.summary.Observed.Models, c.b.summary.Observed.Models; len(a) > 1 && maps.Equal(a, b) {
		c.mismatches = append(c.mismatches, Mismatch{"model", c.a.modelName(), c.b.modelName(), "one model"})
	}
}

// modelName is the model as served, or as asked for where no response names it.
func (l *load) modelName() string {
	served := l.summary.Observed.Models
	switch len(served) {
	case 0:
		return l.target.Model
	case 1:
		return mostFrequent(served)
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(served)) {
		names = append(names, fmt.Sprintf("%s (%d)", name, served[name]))
	}
	return strings.Join(names, ", ")
}

func (c *comparing) endpoint() {
	c.differ("endpoint", func(l *load) string {
		if l.target.Source == SourceSim {
			return "stand-in endpoint"
		}
		return l.target.BaseURL
	})
	c.differ("dialect", func(l *load) string { return cmp.Or(l.target.Dialect.Name, "unknown") })
	c.differ("service_tier", func(l *load) string { return cmp.Or(l.spec.ServiceTier, "not sent") })
	if a, b := c.a.tierShare(), c.b.tierShare(); c.a.spec.ServiceTier == c.b.spec.ServiceTier && math.Abs(a-b) > shareTolerance {
		c.mismatches = append(c.mismatches, Mismatch{"service_tier_served", percentText(a), percentText(b), "shares of requests within 5 points"})
	}
}

// tierShare is the share of requests that were served by the tier asked for.
func (l *load) tierShare() float64 {
	return share(l.summary.Observed.ServiceTiers[l.spec.ServiceTier], len(l.ok))
}

// remark notes what doesn't forbid the comparison.
func (c *comparing) remark() {
	note := func(field, a, b string) {
		if a != b {
			c.remarks = append(c.remarks, Mismatch{Field: field, A: a, B: b})
		}
	}
	tokens := func(field string, a, b Count, tolerance float64) {
		if a.N > 0 && b.N > 0 && fallsShort(a.Avg, b.Avg, tolerance) {
			note(field, fmt.Sprintf("%.1f", a.Avg), fmt.Sprintf("%.1f", b.Avg))
		}
	}
	a, b := c.a.summary, c.b.summary
	tokens("prompt_tokens", a.PromptTokens, b.PromptTokens, promptTolerance)
	tokens("output_tokens", a.OutputTokens, b.OutputTokens, outputTolerance)
	note("verdict", string(c.a.measurement.Verdict), string(c.b.measurement.Verdict))
	note("arrival_clock", c.a.measurement.Clock, c.b.measurement.Clock)
	note("protocol", strings.Join(c.a.measurement.Protocols, ", "), strings.Join(c.b.measurement.Protocols, ", "))
	note("tool_version", c.a.header.Tool.Version, c.b.header.Tool.Version)
	note("text", c.a.textName(), c.b.textName())
	if !sameInputs(c.a, c.b) {
		note("inputs", c.a.inputName(), c.b.inputName())
	}
}

// textName says where the inputs' text came from.
func (l *load) textName() string {
	switch h := l.header; {
	case h.Setup.Corpus == "":
		return "generated"
	case h.CorpusReused:
		return filepath.Base(h.Setup.Corpus) + ", used again"
	}
	return filepath.Base(l.header.Setup.Corpus)
}
