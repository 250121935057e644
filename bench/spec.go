package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Scenario is what a run measures.
type Scenario string

// The scenarios.
const (
	Connectivity Scenario = "connectivity" // one request
	Prefix       Scenario = "prefix"       // fixed prefixes, each followed by suffixes of its own
	Multiturn    Scenario = "multiturn"    // conversations over a growing context
)

// Preset is a named set of parameters.
type Preset string

// The presets. Standard is the baseline whose figures can be compared.
const (
	Standard Preset = "standard"
	Quick    Preset = "quick"
	Thorough Preset = "thorough"
)

// LengthUnit is the unit of the lengths asked for.
type LengthUnit string

// The units of length. LengthLocal estimates tokens from characters.
const (
	LengthServer LengthUnit = "server"
	LengthLocal  LengthUnit = "local"
)

// Spec holds all parameters of a run. It is validated once and echoed whole
// into what the run leaves behind. Lengths are tokens; a field of the other
// scenario is 0.
type Spec struct {
	Scenario Scenario `json:"scenario"`
	Preset   Preset   `json:"preset"`

	PrefixLen   int `json:"prefix_len,omitempty"`
	SuffixLen   int `json:"suffix_len,omitempty"`
	NumPrefixes int `json:"num_prefixes,omitempty"`
	NumRequests int `json:"num_requests,omitempty"`

	InitialLen  int `json:"initial_len,omitempty"`
	QuestionLen int `json:"question_len,omitempty"`
	NumSessions int `json:"num_sessions,omitempty"`
	MaxTurns    int `json:"max_turns,omitempty"`

	MaxConcurrency int `json:"max_concurrency"`
	// RequestRate is the rate of an open loop in sessions/s; 0 is a closed loop.
	// Arrivals are a Poisson process unless ConstantRate is set.
	RequestRate     float64  `json:"request_rate,omitempty"`
	ConstantRate    bool     `json:"constant_rate,omitempty"`
	MaxOutputTokens int      `json:"max_output_tokens"`
	Thinking        Thinking `json:"thinking"`
	ReasoningEffort string   `json:"reasoning_effort,omitempty"` // "" is not sent
	ServiceTier     string   `json:"service_tier,omitempty"`     // "" is not sent

	Seed       uint64     `json:"seed"`
	Nonce      string     `json:"nonce"` // heads every prefix and session, so that no earlier run's cache is hit
	LengthUnit LengthUnit `json:"length_unit"`
	Warmup     int        `json:"warmup,omitempty"` // requests that are sent first and not measured

	ColdConnect    bool    `json:"cold_connect,omitempty"` // connections are opened inside TTFT
	Limits         Limits  `json:"limits"`
	SLO            SLO     `json:"slo,omitzero"`
	Prices         Prices  `json:"prices,omitzero"`
	MaxMinutes     float64 `json:"max_minutes,omitempty"`      // 0: a bound drawn from the estimate
	MaxCost        float64 `json:"max_cost,omitempty"`         // in the currency of the prices; 0: no limit
	MaxTokensTotal int     `json:"max_tokens_total,omitempty"` // prompt and output; 0: no limit
	MaxFailureRate float64 `json:"max_failure_rate"`           // above it a run is no valid baseline
	SaveText       bool    `json:"save_text,omitempty"`        // keep prompts and answers
	Lang           string  `json:"lang"`                       // of the report: zh or en
}

// Limits are the four time limits of a request. Comments extend none of them.
type Limits struct {
	Connect    time.Duration // of opening a connection
	FirstToken time.Duration // from start to the first output event
	Idle       time.Duration // between events, after the first output event
	Total      time.Duration // from start to the end
}

type limitsJSON struct {
	Connect    Millis `json:"connect_timeout_ms"`
	FirstToken Millis `json:"first_token_timeout_ms"`
	Idle       Millis `json:"idle_timeout_ms"`
	Total      Millis `json:"timeout_ms"`
}

// MarshalJSON implements [json.Marshaler].
func (l Limits) MarshalJSON() ([]byte, error) {
	return json.Marshal(limitsJSON{Millis(l.Connect), Millis(l.FirstToken), Millis(l.Idle), Millis(l.Total)})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (l *Limits) UnmarshalJSON(data []byte) error {
	var j limitsJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*l = Limits{time.Duration(j.Connect), time.Duration(j.FirstToken), time.Duration(j.Idle), time.Duration(j.Total)}
	return nil
}

// DefaultLimits suit a model that thinks for minutes.
func DefaultLimits() Limits {
	return Limits{Connect: 10 * time.Second, FirstToken: 600 * time.Second, Idle: 120 * time.Second, Total: 1800 * time.Second}
}

// Prices are per million tokens. Cached prompt tokens cost Cached, where it is
// given, else In.
type Prices struct {
	In       float64  `json:"in,omitempty"`
	Cached   *float64 `json:"cached,omitempty"`
	Out      float64  `json:"out,omitempty"`
	Currency string   `json:"currency,omitempty"`
}

// NewSpec is a scenario at a preset, with the defaults of all that the preset
// leaves alone. Seed and Nonce are left for the run to draw.
func NewSpec(scenario Scenario, preset Preset) Spec {
	s := Spec{
		Scenario: scenario, Preset: preset,
		MaxConcurrency: 5, Thinking: ThinkingDisabled, LengthUnit: LengthServer,
		Limits: DefaultLimits(), MaxFailureRate: 0.05, Lang: "zh",
	}
	if preset == Quick {
		s.MaxConcurrency = 2
	}
	switch scenario {
	case Connectivity:
		s.NumRequests, s.MaxConcurrency, s.MaxOutputTokens = 1, 1, 64
	case Prefix:
		s.prefixSizes(preset)
	case Multiturn:
		s.multiturnSizes(preset)
	}
	return s
}

func (s *Spec) prefixSizes(p Preset) {
	s.PrefixLen, s.SuffixLen, s.NumPrefixes, s.NumRequests, s.MaxOutputTokens = 12000, 2000, 10, 200, 512
	switch p {
	case Quick:
		s.PrefixLen, s.SuffixLen, s.NumPrefixes, s.NumRequests, s.MaxOutputTokens = 2000, 256, 2, 6, 64
	case Thorough:
		s.NumPrefixes, s.NumRequests = 20, 1000
	}
}

func (s *Spec) multiturnSizes(p Preset) {
	s.InitialLen, s.QuestionLen, s.NumSessions, s.MaxTurns, s.MaxOutputTokens = 3000, 256, 10, 20, 1024
	switch p {
	case Quick:
		s.InitialLen, s.QuestionLen, s.NumSessions, s.MaxTurns, s.MaxOutputTokens = 1000, 128, 2, 3, 64
	case Thorough:
		s.NumSessions = 50
	}
}

// Planned is the number of requests that the run is made of, retries and
// warm-up left out.
func (s *Spec) Planned() int {
	if s.Scenario == Multiturn {
		return s.NumSessions * s.MaxTurns
	}
	return s.NumRequests
}

// FieldError is a parameter whose value isn't allowed. Field is its name in
// snake_case; the command line shows it as a flag.
type FieldError struct {
	Field   string
	Value   any
	Allowed string
}

// Error implements error.
func (e *FieldError) Error() string {
	return fmt.Sprintf("%s is %v: allowed is %s", e.Field, e.Value, e.Allowed)
}

// Validate reports every parameter that is wrong, as joined [FieldError]s.
func (s *Spec) Validate() error {
	v := validation{}
	v.oneOf("scenario", string(s.Scenario), string(Connectivity), string(Prefix), string(Multiturn))
	v.oneOf("preset", string(s.Preset), string(Standard), string(Quick), string(Thorough))
	v.oneOf("thinking", string(s.Thinking), string(ThinkingDisabled), string(ThinkingEnabled), string(ThinkingAuto))
	v.oneOf("length_unit", string(s.LengthUnit), string(LengthServer), string(LengthLocal))
	v.oneOf("lang", s.Lang, "zh", "en")
	v.within("max_concurrency", s.MaxConcurrency, 1, 10_000)
	v.within("max_output_tokens", s.MaxOutputTokens, 1, 1<<20)
	v.within("warmup", s.Warmup, 0, 1000)
	switch s.Scenario {
	case Prefix:
		v.within("prefix_len", s.PrefixLen, 64, 4<<20)
		v.within("suffix_len", s.SuffixLen, 64, 4<<20)
		v.within("num_requests", s.NumRequests, 1, 1_000_000)
		if s.NumRequests >= 1 {
			v.within("num_prefixes", s.NumPrefixes, 1, s.NumRequests)
		}
	case Multiturn:
		v.within("initial_len", s.InitialLen, 64, 4<<20)
		v.within("question_len", s.QuestionLen, 64, 4<<20)
		v.within("num_sessions", s.NumSessions, 1, 100_000)
		v.within("max_turns", s.MaxTurns, 1, 10_000)
	}
	s.validateLimits(&v)
	return errors.Join(v.faults...)
}

func (s *Spec) validateLimits(v *validation) {
	v.positive("connect_timeout", s.Limits.Connect)
	v.positive("first_token_timeout", s.Limits.FirstToken)
	v.positive("idle_timeout", s.Limits.Idle)
	v.positive("timeout", s.Limits.Total)
	v.check(s.MaxFailureRate >= 0 && s.MaxFailureRate <= 1, "max_failure_rate", s.MaxFailureRate, "0 to 1")
	v.check(s.MaxMinutes >= 0 && s.MaxMinutes <= 100_000, "max_minutes", s.MaxMinutes, "0 (drawn from the estimate) to 100000")
	v.check(s.RequestRate == 0 || s.RequestRate >= 0.0001 && s.RequestRate <= 100_000, "request_rate", s.RequestRate, "0.0001 to 100000 (or left out: closed loop)")
	v.check(s.MaxCost >= 0 && s.MaxCost <= maxPrice, "max_cost", s.MaxCost, "0 (no limit) or more")
	v.check(s.MaxCost == 0 || s.Prices.In > 0 || s.Prices.Out > 0, "max_cost", s.MaxCost, "given together with price_in and price_out")
	v.check(s.MaxTokensTotal >= 0, "max_tokens_total", s.MaxTokensTotal, "0 (no limit) or more")
	v.check(s.Prices.In >= 0 && s.Prices.In <= maxPrice, "price_in", s.Prices.In, "0 to 1e9")
	v.check(s.Prices.Out >= 0 && s.Prices.Out <= maxPrice, "price_out", s.Prices.Out, "0 to 1e9")
	if cached := s.Prices.Cached; cached != nil {
		v.check(*cached >= 0 && *cached <= maxPrice, "price_cached", *cached, "0 to 1e9")
	}
	v.text("nonce", s.Nonce, 64)
	v.text("reasoning_effort", s.ReasoningEffort, 100)
	v.text("service_tier", s.ServiceTier, 100)
	v.text("currency", s.Prices.Currency, 20)
}

// maxPrice bounds prices and costs.
const maxPrice = 1e9

// validation gathers faults.
type validation struct{ faults []error }

func (v *validation) check(ok bool, field string, value any, allowed string) {
	if !ok {
		v.faults = append(v.faults, &FieldError{field, value, allowed})
	}
}

func (v *validation) within(field string, value, low, high int) {
	v.check(value >= low && value <= high, field, value, fmt.Sprintf("%d to %d", low, high))
}

func (v *validation) positive(field string, d time.Duration) {
	v.check(d > 0 && d <= 7*24*time.Hour, field, d, "more than 0s, at most 168h")
}

func (v *validation) text(field, value string, limit int) {
	v.check(len(value) <= limit && Clean(value, limit) == value, field, fmt.Sprintf("%q", Clean(value, 80)), fmt.Sprintf("at most %d bytes of visible text", limit))
}

func (v *validation) oneOf(field, value string, allowed ...string) {
	for _, a := range allowed {
		if value == a {
			return
		}
	}
	v.check(false, field, fmt.Sprintf("%q", Clean(value, 80)), fmt.Sprint(allowed))
}

// Point is one load of a sweep.
type Point struct {
	MaxConcurrency int     `json:"max_concurrency"`
	RequestRate    float64 `json:"request_rate,omitempty"` // sessions/s; 0: closed loop
}

// Apply is the spec at this point of a sweep.
func (p Point) Apply(s Spec) Spec {
	s.MaxConcurrency, s.RequestRate = p.MaxConcurrency, p.RequestRate
	return s
}

// Deviation is a parameter that differs from the standard preset.
type Deviation struct {
	Field    string `json:"field"`
	Value    any    `json:"value"`
	Standard any    `json:"standard"`
}

// Deviations lists the parameters that shape the load and differ from the
// standard preset; runs are comparable to the baseline only without any.
func (s *Spec) Deviations() []Deviation {
	std := NewSpec(s.Scenario, Standard)
	var ds []Deviation
	note := func(field string, value, standard any) {
		if value != standard {
			ds = append(ds, Deviation{field, value, standard})
		}
	}
	note("prefix_len", s.PrefixLen, std.PrefixLen)
	note("suffix_len", s.SuffixLen, std.SuffixLen)
	note("num_prefixes", s.NumPrefixes, std.NumPrefixes)
	note("num_requests", s.NumRequests, std.NumRequests)
	note("initial_len", s.InitialLen, std.InitialLen)
	note("question_len", s.QuestionLen, std.QuestionLen)
	note("num_sessions", s.NumSessions, std.NumSessions)
	note("max_turns", s.MaxTurns, std.MaxTurns)
	note("max_concurrency", s.MaxConcurrency, std.MaxConcurrency)
	note("request_rate", s.RequestRate, std.RequestRate)
	note("max_output_tokens", s.MaxOutputTokens, std.MaxOutputTokens)
	note("thinking", s.Thinking, std.Thinking)
	note("reasoning_effort", s.ReasoningEffort, std.ReasoningEffort)
	note("service_tier", s.ServiceTier, std.ServiceTier)
	note("warmup", s.Warmup, std.Warmup)
	note("cold_connect", s.ColdConnect, std.ColdConnect)
	return ds
}
