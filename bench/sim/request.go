package sim

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// chatRequest is the body of a chat request.
type chatRequest struct {
	fields map[string]json.RawMessage

	model         string
	messages      []message
	stream        bool
	includeUsage  bool
	chunkUsage    bool
	thinking      string // "" when not sent
	effort        string // "" when not sent
	maxTokens     *int
	maxCompletion *int
	serviceTier   string
}

type message struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Reasoning *string         `json:"reasoning_content"`

	text      string
	reasoning string
}

// parseRequest decodes a body. The error names the first field that is wrong.
func parseRequest(body []byte) (*chatRequest, *apiError) {
	r := &chatRequest{}
	if err := json.Unmarshal(body, &r.fields); err != nil || r.fields == nil {
		return r, refusal("InvalidParameter", "The request body is not a JSON object.")
	}
	var stream struct {
		IncludeUsage bool `json:"include_usage"`
		ChunkUsage   bool `json:"chunk_include_usage"`
	}
	var thinking struct {
		Type string `json:"type"`
	}
	for _, f := range []struct {
		name string
		into any
	}{
		{"model", &r.model}, {"messages", &r.messages}, {"stream", &r.stream},
		{"stream_options", &stream}, {"thinking", &thinking}, {"reasoning_effort", &r.effort},
		{"max_tokens", &r.maxTokens}, {"max_completion_tokens", &r.maxCompletion}, {"service_tier", &r.serviceTier},
	} {
		if !r.take(f.name, f.into) {
			return r, refusal("InvalidParameter", "The parameter `%s` specified in the request is not valid.", f.name).on(f.name)
		}
	}
	r.includeUsage, r.chunkUsage = stream.IncludeUsage, stream.ChunkUsage
	r.thinking = thinking.Type
	r.foreignThinking()
	return r, r.check()
}

// take decodes a field, if it was sent.
func (r *chatRequest) take(name string, into any) bool {
	raw, sent := r.fields[name]
	return !sent || json.Unmarshal(raw, into) == nil
}

// foreignThinking reads the spellings of thinking that other vendors take.
// Whether a vendor takes a field at all is checked elsewhere.
func (r *chatRequest) foreignThinking() {
	var on *bool
	_ = r.take("enable_thinking", &on)
	var template struct {
		EnableThinking *bool `json:"enable_thinking"`
		Thinking       *bool `json:"thinking"`
	}
	_ = r.take("chat_template_kwargs", &template)
	for _, asked := range []*bool{on, template.EnableThinking, template.Thinking} {
		if asked != nil && r.thinking == "" {
			r.thinking = map[bool]string{true: "enabled", false: "disabled"}[*asked]
		}
	}
}

// check refuses what Ark refuses whatever the model.
func (r *chatRequest) check() *apiError {
	switch {
	case r.model == "":
		return refusal("MissingParameter.model", "The request is missing the `model` parameter.").on("model")
	case len(r.messages) == 0:
		return refusal("MissingParameter.messages", "The request is missing the `messages` parameter.").on("messages")
	case r.maxTokens != nil && r.maxCompletion != nil:
		return refusal("InvalidParameter", "`max_tokens` and `max_completion_tokens` cannot both be set.").on("max_tokens")
	case r.maxTokens != nil && *r.maxTokens < 1:
		return refusal("InvalidParameter", "`max_tokens` must be at least 1.").on("max_tokens")
	case r.maxCompletion != nil && (*r.maxCompletion < 1 || *r.maxCompletion > maxOutputCap):
		return refusal("InvalidParameter", "`max_completion_tokens` must be between 1 and %d.", maxOutputCap).on("max_completion_tokens")
	case r.thinking != "" && !slices.Contains([]string{"enabled", "disabled", "auto"}, r.thinking):
		return refusal("InvalidParameter", "`thinking.type` must be enabled, disabled or auto.").on("thinking.type")
	case !slices.Contains([]string{"", "none", "minimal", "low", "medium", "high", "xhigh", "max"}, r.effort):
		return refusal("InvalidParameter", "`reasoning_effort` is not a known level.").on("reasoning_effort")
	}
	return r.readMessages()
}

func (r *chatRequest) readMessages() *apiError {
	for i := range r.messages {
		m := &r.messages[i]
		if !slices.Contains([]string{"system", "user", "assistant", "tool"}, m.Role) {
			return refusal("InvalidArgumentError.UnknownRole", "The role %q of message %d is not supported.", m.Role, i).on("messages")
		}
		text, ok := contentText(m.Content)
		if !ok {
			return refusal("InvalidParameter", "The content of message %d is not valid.", i).on("messages")
		}
		m.text = text
		m.Content = nil
		if m.Reasoning != nil {
			m.reasoning = *m.Reasoning
		}
	}
	return nil
}

// contentText is the text of a message's content: a string, a list of parts,
// or null. Parts other than text count as nothing.
func contentText(raw json.RawMessage) (string, bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "", true
	}
	if raw[0] != '[' {
		var text *string
		if json.Unmarshal(raw, &text) != nil {
			return "", false
		}
		if text == nil {
			return "", true
		}
		return *text, true
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", false
	}
	var all strings.Builder
	for _, p := range parts {
		all.WriteString(p.Text)
	}
	return all.String(), true
}
