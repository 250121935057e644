package bench

import "maps"

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
