package sim

// lengths is how many tokens of each kind an answer has, and how it ends.
type lengths struct {
	reasoning int
	answer    int
	finish    string // stop or length
}

func (l lengths) total() int { return l.reasoning + l.answer }

// measure decides an answer's lengths from what was asked.
func measure(cfg Config, v vendor, m Model, r *chatRequest, hash uint64) (lengths, *apiError) {
	think, err := thinks(m, r, hash)
	if err != nil {
		return lengths{}, err
	}
	l := lengths{answer: cfg.AnswerTokens, finish: "stop"}
	if think {
		l.reasoning = thinkTokens(cfg.ThinkTokens, m, r.effort)
	}
	if l.answer == 0 {
		l.answer = maxOutputCap
	}
	return l.cap(v, m, r), nil
}

// cap cuts l to the request's cap: max_tokens caps the answer alone but for
// models that count thinking too, max_completion_tokens always caps both.
func (l lengths) cap(v vendor, m Model, r *chatRequest) lengths {
	switch {
	case r.maxCompletion != nil && v.counts("max_completion_tokens"):
		return l.within(*r.maxCompletion)
	case r.maxTokens != nil && m.CapsThinking:
		return l.within(*r.maxTokens)
	case r.maxTokens != nil && v.counts("max_tokens"):
		return l.within(l.reasoning + *r.maxTokens)
	}
	return l.within(l.reasoning + defaultOutputCap)
}

func (l lengths) within(limit int) lengths {
	if l.total() <= limit {
		return l
	}
	l.finish = "length"
	l.reasoning = min(l.reasoning, limit)
	l.answer = limit - l.reasoning
	return l
}

// thinks decides whether a request is answered with thinking. thinking.type
// goes before reasoning_effort; with neither the model's default holds.
func thinks(m Model, r *chatRequest, hash uint64) (bool, *apiError) {
	off := r.thinking == "disabled" || r.thinking == "" && effortIsOff(r.effort)
	on := r.thinking == "enabled" || r.thinking == "" && r.effort != "" && !effortIsOff(r.effort)
	switch {
	case m.Thinking == ThinkingForced && r.thinking == "disabled":
		return false, refusal("InvalidParameter", "thinking type `disabled` is not supported by this model.").on("thinking.type")
	case m.Thinking == ThinkingForced && r.effort == "none":
		return false, refusal("InvalidParameter", "reasoning_effort `none` is not supported by this model.").on("reasoning_effort")
	case m.Thinking == ThinkingForced:
		return true, nil
	case m.Thinking == ThinkingNever && r.thinking == "enabled":
		return false, refusal("InvalidParameter", "thinking type `enabled` is not supported by this model.").on("thinking.type")
	case m.Thinking == ThinkingNever:
		return false, nil
	case off:
		return false, nil
	case on:
		return true, nil
	case r.thinking == "auto":
		return hash%2 == 0, nil // the model decides, by the prompt
	}
	return m.Thinking == ThinkingDefaultOn, nil
}

func effortIsOff(effort string) bool { return effort == "none" || effort == "minimal" }

// thinkTokens scales the medium number of thinking tokens by effort. A model
// that cannot stop thinking thinks nothing at low effort.
func thinkTokens(medium int, m Model, effort string) int {
	switch effort {
	case "minimal", "none":
		return 0
	case "low":
		if m.Thinking == ThinkingForced {
			return 0
		}
		return medium / 2
	case "high", "xhigh", "max":
		return 2 * medium
	}
	return medium
}
