package chat

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/llm-bench/llm-bench/bench"
)

// tokens is a token count as servers write it: a number, a number in quotes,
// or null. known is false for null and for what is no count at all.
type tokens struct {
	n     int
	known bool
}

// UnmarshalJSON implements [json.Unmarshaler]. It never fails: an odd count
// must not cost the others.
func (t *tokens) UnmarshalJSON(data []byte) error {
	var n float64
	if json.Unmarshal(bytes.Trim(data, `"`), &n) != nil || string(data) == "null" {
		return nil
	}
	if n >= 0 && n <= math.MaxInt32 && n == math.Trunc(n) {
		*t = tokens{int(n), true}
	}
	return nil
}

func (t tokens) pointer() *int {
	if !t.known {
		return nil
	}
	return &t.n
}

// wireUsage holds the spellings of all vendors.
type wireUsage struct {
	Prompt        tokens `json:"prompt_tokens"`
	Completion    tokens `json:"completion_tokens"`
	Total         tokens `json:"total_tokens"`
	PromptDetails struct {
		Cached tokens `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning tokens `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	CacheHit  tokens `json:"prompt_cache_hit_tokens"` // DeepSeek
	CacheMiss tokens `json:"prompt_cache_miss_tokens"`
	Cached    tokens `json:"cached_tokens"`     // Kimi
	CacheRead tokens `json:"cache_read_tokens"` // TokenHub
}

// parseUsage reads a usage object; usage is nil for none. sound is false when
// its parts contradict each other.
func parseUsage(raw []byte) (usage *bench.Usage, sound bool) {
	var w wireUsage
	if raw == nil {
		return nil, true
	}
	if json.Unmarshal(raw, &w) != nil {
		return nil, false
	}
	u := &bench.Usage{
		Prompt: w.Prompt.pointer(), Completion: w.Completion.pointer(),
		Cached: w.cached().pointer(), Reasoning: w.CompletionDetails.Reasoning.pointer(),
	}
	if u.Completion == nil && w.Total.known && w.Prompt.known && w.Total.n >= w.Prompt.n {
		n := w.Total.n - w.Prompt.n
		u.Completion, u.Derived = &n, true
	}
	if u.Prompt == nil && u.Completion == nil && u.Cached == nil {
		return nil, true
	}
	return u, w.sound(u)
}

// cached is the first of the vendors' fields that is there.
func (w *wireUsage) cached() tokens {
	for _, t := range []tokens{w.PromptDetails.Cached, w.CacheHit, w.Cached, w.CacheRead} {
		if t.known {
			return t
		}
	}
	return tokens{}
}

func (w *wireUsage) sound(u *bench.Usage) bool {
	split := !w.CacheHit.known || !w.CacheMiss.known || !w.Prompt.known || w.CacheHit.n+w.CacheMiss.n == w.Prompt.n
	reasoning := u.Reasoning == nil || u.Completion == nil || *u.Reasoning <= *u.Completion
	return split && reasoning
}
