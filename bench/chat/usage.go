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

// object is a JSON object whose keys count as they are spelled: encoding/json
// would take "Prompt_Tokens" for "prompt_tokens" in a struct.
type object map[string]json.RawMessage

// within is the object under a key; what is none has no members.
func (o object) within(key string) object {
	var inner object
	if json.Unmarshal(o[key], &inner) != nil {
		return nil
	}
	return inner
}

// count reads the tokens under a key. It never fails: an odd count must not
// cost the others.
func (o object) count(key string) tokens {
	data := o[key]
	var n float64
	if data == nil || json.Unmarshal(bytes.Trim(data, `"`), &n) != nil || string(data) == "null" {
		return tokens{}
	}
	if n >= 0 && n <= math.MaxInt32 && n == math.Trunc(n) {
		return tokens{int(n), true}
	}
	return tokens{}
}

func (t tokens) pointer() *int {
	if !t.known {
		return nil
	}
	return &t.n
}

// wireUsage holds the spellings of all vendors.
type wireUsage struct {
	prompt, completion, total, reasoning tokens

	details   tokens // prompt_tokens_details.cached_tokens
	cacheHit  tokens // DeepSeek
	cacheMiss tokens
	kimi      tokens
	cacheRead tokens // TokenHub
}

func readUsage(o object) wireUsage {
	return wireUsage{
		prompt: o.count("prompt_tokens"), completion: o.count("completion_tokens"), total: o.count("total_tokens"),
		reasoning: o.within("completion_tokens_details").count("reasoning_tokens"),
		details:   o.within("prompt_tokens_details").count("cached_tokens"),
		cacheHit:  o.count("prompt_cache_hit_tokens"), cacheMiss: o.count("prompt_cache_miss_tokens"),
		kimi: o.count("cached_tokens"), cacheRead: o.count("cache_read_tokens"),
	}
}

// parseUsage reads a usage object; usage is nil for none. sound is false when
// its parts contradict each other.
func parseUsage(raw []byte) (usage *bench.Usage, sound bool) {
	var o object
	if raw == nil {
		return nil, true
	}
	if json.Unmarshal(raw, &o) != nil {
		return nil, false
	}
	w := readUsage(o)
	u := &bench.Usage{
		Prompt: w.prompt.pointer(), Completion: w.completion.pointer(),
		Cached: w.cached().pointer(), Reasoning: w.reasoning.pointer(),
	}
	if u.Completion == nil && w.total.known && w.prompt.known && w.total.n >= w.prompt.n {
		n := w.total.n - w.prompt.n
		u.Completion, u.Derived = &n, true
	}
	if u.Prompt == nil && u.Completion == nil && u.Cached == nil {
		return nil, true
	}
	return u, w.sound(u)
}

// cached is the first of the vendors' fields that is there.
func (w *wireUsage) cached() tokens {
	for _, t := range []tokens{w.details, w.cacheHit, w.kimi, w.cacheRead} {
		if t.known {
			return t
		}
	}
	return tokens{}
}

func (w *wireUsage) sound(u *bench.Usage) bool {
	split := !w.cacheHit.known || !w.cacheMiss.known || !w.prompt.known || w.cacheHit.n+w.cacheMiss.n == w.prompt.n
	reasoning := u.Reasoning == nil || u.Completion == nil || *u.Reasoning <= *u.Completion
	return split && reasoning
}
