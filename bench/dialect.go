package bench

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Thinking is the state of a model's chain of thought: what a user asks for,
// or what was observed.
type Thinking string

// The states of thinking. ThinkingAuto leaves the choice to the model.
const (
	ThinkingDisabled Thinking = "disabled"
	ThinkingEnabled  Thinking = "enabled"
	ThinkingAuto     Thinking = "auto"
)

// Met reports whether a request that succeeded did what was asked for. Either
// way is right where the choice was the model's.
func (t Thinking) Met(s *Sample) bool {
	return t == ThinkingAuto || s.Reasoned == (t == ThinkingEnabled)
}

// Dialect is how one vendor spells what the OpenAI chat API leaves open. It is
// plain data: the client sends what stands here and nothing else.
type Dialect struct {
	Name      string `json:"name"`
	OutputCap string `json:"output_cap"` // field that caps output tokens; exactly one is sent
	// Thinking gives, for each state that can be asked for, the fields of the
	// request body that ask for it. A state that is absent isn't sent: the
	// server's default holds.
	Thinking     map[Thinking]map[string]any `json:"thinking,omitempty"`
	ExtraBody    map[string]any              `json:"extra_body,omitempty"`
	ExtraHeaders map[string]string           `json:"extra_headers,omitempty"`
	// Foreign are fields of the request body that other vendors take and this
	// one refuses, or takes and ignores: they must not be sent.
	Foreign []string `json:"-"`
}

// Fields of the request body that dialects differ in.
const (
	CapMaxCompletionTokens = "max_completion_tokens"
	CapMaxTokens           = "max_tokens"

	fieldEffort = "reasoning_effort"
	fieldTier   = "service_tier"
)

// Body returns the fields to add to a request that asks for thinking to be in
// state t, and whether t itself is among them.
func (d Dialect) Body(t Thinking) (fields map[string]any, sent bool) {
	fields = maps.Clone(d.ExtraBody)
	if fields == nil {
		fields = map[string]any{}
	}
	asked, sent := d.Thinking[t]
	maps.Copy(fields, asked)
	return fields, sent
}

// WithEffort is d for requests that name a reasoning effort: it stands in for
// the one by which d itself asks for a state of thinking.
func (d Dialect) WithEffort(effort string) Dialect {
	if effort == "" {
		return d
	}
	thinking := maps.Clone(d.Thinking)
	for state, fields := range thinking {
		fields = maps.Clone(fields)
		delete(fields, fieldEffort)
		thinking[state] = fields
	}
	d.Thinking = thinking
	return d
}

// Check reports every parameter of s that can't be sent in this dialect, as
// joined [FieldError]s.
func (d Dialect) Check(s *Spec) error {
	v := validation{}
	off, byEffort := d.Thinking[ThinkingDisabled][fieldEffort]
	against := s.Thinking == ThinkingDisabled && byEffort && s.ReasoningEffort != "" && s.ReasoningEffort != off
	v.check(!against, fieldEffort, fmt.Sprintf("%q", s.ReasoningEffort),
		fmt.Sprintf("with thinking enabled or auto: the dialect %s turns thinking off by %s %v", d.Name, fieldEffort, off))
	for _, sent := range [][2]string{{fieldEffort, s.ReasoningEffort}, {fieldTier, s.ServiceTier}} {
		v.check(sent[1] == "" || !d.Refuses(sent[0]), sent[0], fmt.Sprintf("%q", sent[1]), "nothing: the API of "+d.Name+" has no such field")
	}
	return errors.Join(v.faults...)
}

// Refuses reports whether the field of the request body must not be sent.
func (d Dialect) Refuses(field string) bool { return slices.Contains(d.Foreign, field) }

// DialectNames lists the dialects that [DialectNamed] knows.
func DialectNames() []string {
	var names []string
	for _, v := range vendors() {
		names = append(names, v.Name)
	}
	return names
}

// DialectNamed is the dialect of the given name.
func DialectNamed(name string) (Dialect, error) {
	for _, v := range vendors() {
		if v.Name == name {
			return v.Dialect, nil
		}
	}
	return Dialect{}, &FieldError{"dialect", fmt.Sprintf("%q", name), strings.Join(DialectNames(), ", ")}
}

// DialectOfHost is the dialect of the vendor whose host it is, else [Generic].
func DialectOfHost(host string) Dialect {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, v := range vendors() {
		for _, h := range v.hosts {
			if host == h || strings.HasSuffix(host, "."+h) {
				return v.Dialect
			}
		}
	}
	return Generic()
}
