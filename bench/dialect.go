package bench

import (
	"maps"
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
}

// The names of the fields that cap the output.
const (
	CapMaxCompletionTokens = "max_completion_tokens"
	CapMaxTokens           = "max_tokens"
)

// Generic is the dialect of an endpoint of which nothing is known but that it
// speaks the OpenAI streaming protocol. It sends no thinking field.
func Generic() Dialect {
	return Dialect{Name: "generic", OutputCap: CapMaxCompletionTokens}
}

// Ark is the dialect of Volcengine Ark.
func Ark() Dialect {
	return Dialect{Name: "ark", OutputCap: CapMaxCompletionTokens, Thinking: thinkingType()}
}

func thinkingType() map[Thinking]map[string]any {
	fields := map[Thinking]map[string]any{}
	for _, t := range []Thinking{ThinkingDisabled, ThinkingEnabled, ThinkingAuto} {
		fields[t] = map[string]any{"thinking": map[string]any{"type": string(t)}}
	}
	return fields
}

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

// dialects lists every dialect with the hosts that speak it.
func dialects() []struct {
	Dialect
	hosts []string
} {
	type row = struct {
		Dialect
		hosts []string
	}
	return []row{
		{Ark(), []string{"volces.com", "bytepluses.com"}},
		{Generic(), nil},
	}
}

// DialectNames lists the dialects that [DialectNamed] knows.
func DialectNames() []string {
	var names []string
	for _, d := range dialects() {
		names = append(names, d.Name)
	}
	return names
}

// DialectNamed is the dialect of the given name.
func DialectNamed(name string) (Dialect, error) {
	for _, d := range dialects() {
		if d.Name == name {
			return d.Dialect, nil
		}
	}
	return Dialect{}, &FieldError{"dialect", name, strings.Join(DialectNames(), ", ")}
}

// DialectOfHost is the dialect of the vendor whose host it is, else [Generic].
func DialectOfHost(host string) Dialect {
	for _, d := range dialects() {
		for _, h := range d.hosts {
			if host == h || strings.HasSuffix(host, "."+h) {
				return d.Dialect
			}
		}
	}
	return Generic()
}
