package sim

import "fmt"

// usage is what a request cost, in tokens.
type usage struct {
	prompt     int
	cached     int // of prompt
	completion int
	reasoning  int // of completion
}

// usageStyle appends the usage object in one vendor's spelling.
type usageStyle func(dst []byte, u usage) []byte

func total(u usage) string {
	return fmt.Sprintf(`{"completion_tokens":%d,"prompt_tokens":%d,"total_tokens":%d`, u.completion, u.prompt, u.completion+u.prompt)
}

func reasoningDetails(u usage) string {
	return fmt.Sprintf(`,"completion_tokens_details":{"reasoning_tokens":%d}`, u.reasoning)
}

// nestedUsage is the spelling of Ark and OpenAI.
func nestedUsage(dst []byte, u usage) []byte {
	return fmt.Appendf(dst, `%s,"prompt_tokens_details":{"cached_tokens":%d}%s}`, total(u), u.cached, reasoningDetails(u))
}

// deepseekUsage has hit and miss counts of its own.
func deepseekUsage(dst []byte, u usage) []byte {
	return fmt.Appendf(dst, `%s,"prompt_cache_hit_tokens":%d,"prompt_cache_miss_tokens":%d%s}`, total(u), u.cached, u.prompt-u.cached, reasoningDetails(u))
}

// deepseekBothUsage has the nested field beside DeepSeek's own.
func deepseekBothUsage(dst []byte, u usage) []byte {
	return fmt.Appendf(dst, `%s,"prompt_tokens_details":{"cached_tokens":%d},"prompt_cache_hit_tokens":%d,"prompt_cache_miss_tokens":%d%s}`,
		total(u), u.cached, u.cached, u.prompt-u.cached, reasoningDetails(u))
}

// topUsage is Kimi's: cached_tokens stands at the top.
func topUsage(dst []byte, u usage) []byte {
	return fmt.Appendf(dst, `%s,"cached_tokens":%d%s}`, total(u), u.cached, reasoningDetails(u))
}

// tencentUsage names the cached tokens cache_read_tokens.
func tencentUsage(dst []byte, u usage) []byte {
	return fmt.Appendf(dst, `%s,"cache_read_tokens":%d%s}`, total(u), u.cached, reasoningDetails(u))
}

// bareUsage has no details at all.
func bareUsage(dst []byte, u usage) []byte {
	return append(append(dst, total(u)...), '}')
}

// nullDetailsUsage has null where the details would stand.
func nullDetailsUsage(dst []byte, u usage) []byte {
	return fmt.Appendf(dst, `%s,"prompt_tokens_details":null,"completion_tokens_details":null}`, total(u))
}

// withoutCompletionUsage leaves completion_tokens out.
func withoutCompletionUsage(dst []byte, u usage) []byte {
	return fmt.Appendf(dst, `{"prompt_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}%s}`,
		u.prompt, u.prompt+u.completion, u.cached, reasoningDetails(u))
}
