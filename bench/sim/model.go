package sim

import "strings"

// ThinkingMode is what a model does with thinking.
type ThinkingMode string

// The modes of a model. The zero value is ThinkingDefaultOn.
const (
	ThinkingDefaultOn  ThinkingMode = ""       // thinks unless told not to
	ThinkingDefaultOff ThinkingMode = "off"    // thinks when told to
	ThinkingForced     ThinkingMode = "forced" // always thinks, refuses to be told otherwise
	ThinkingNever      ThinkingMode = "never"  // cannot think, refuses to be told to
)

func thinkingModes() []string {
	return []string{string(ThinkingDefaultOff), string(ThinkingForced), string(ThinkingNever)}
}

// Model is one served model.
type Model struct {
	ID             string
	Endpoints      []string // ep- ids that lead to it
	Thinking       ThinkingMode
	CacheMinTokens int  // 0: that of Config; Off: the model has no prefix cache
	UsageUnasked   bool // sends usage in a stream without being asked
	FastTier       bool // may be served in the tier "fast"
	CapsThinking   bool // max_tokens counts thinking tokens too
}

// DefaultEndpoint is an endpoint id that leads to the default models' first.
const DefaultEndpoint = "ep-20260701120000-abcde"

func arkModels() []Model {
	return []Model{
		{ID: "doubao-seed-2-0-mini-260428", Endpoints: []string{DefaultEndpoint}, FastTier: true},
		{ID: "doubao-seed-2-0-lite-260428", FastTier: true},
		{ID: "doubao-seed-2-0-pro-260215", FastTier: true},
		{ID: "doubao-seed-2-1-turbo-260628", FastTier: true, CacheMinTokens: 2048},
		{ID: "doubao-seed-1-8-251228", CacheMinTokens: Off},
		{ID: "deepseek-v4-pro-ga-260813", CacheMinTokens: 2048, UsageUnasked: true},
		{ID: "deepseek-v4-flash-ga-260731", CacheMinTokens: 2048, UsageUnasked: true},
		{ID: "glm-5-2-260617", CacheMinTokens: 2048, UsageUnasked: true},
		{ID: "glm-5-3", Thinking: ThinkingForced},
		{ID: "kimi-k3", Thinking: ThinkingForced, CapsThinking: true},
	}
}

// lookup finds the model that a request's model field leads to, and the faults
// that the name asks for.
func (s *Server) lookup(name string) (m Model, faults string, ok bool) {
	if m, ok = s.model(name); ok {
		return m, "", true
	}
	base, suffix, _ := strings.Cut(name, "+")
	if m, ok = s.model(base); ok {
		return m, suffix, true
	}
	spec, isSim := strings.CutPrefix(name, "sim-")
	if !isSim {
		return Model{}, "", false
	}
	if _, err := parseFaults(spec); err != nil {
		return Model{}, "", false
	}
	return s.cfg.Models[0], spec, true
}

func (s *Server) model(id string) (Model, bool) {
	for _, m := range s.cfg.Models {
		if m.ID == id {
			return m, true
		}
		for _, ep := range m.Endpoints {
			if ep == id {
				return m, true
			}
		}
	}
	return Model{}, false
}

// served is the model name that answers carry: the model behind an endpoint
// id, else the name as it was asked for.
func served(asked string, m Model) string {
	if strings.HasPrefix(asked, "ep-") {
		return m.ID
	}
	return asked
}
