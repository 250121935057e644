package sim

import (
	"slices"
	"strings"
)

// vendor is how one vendor's server differs from Ark's.
type vendor struct {
	name   string
	fields string // body fields beside commonFields, "" with lax
	caps   string // output-cap fields that count
	lax    bool   // takes fields that it doesn't know
	always string // faults that are this vendor's habit
}

// commonFields are body fields that every vendor takes.
const commonFields = "model messages stream stream_options temperature top_p stop tools tool_choice response_format frequency_penalty presence_penalty "

func vendors() []vendor {
	const both = "max_tokens max_completion_tokens "
	return []vendor{
		{name: "ark", caps: both, fields: both + "thinking reasoning_effort service_tier logprobs top_logprobs logit_bias parallel_tool_calls repetition_penalty n user"},
		{name: "aliyun", caps: both, fields: both + "enable_thinking thinking thinking_budget reasoning_effort top_k seed n logprobs top_logprobs parallel_tool_calls enable_search search_options repetition_penalty"},
		{name: "bigmodel", caps: "max_tokens ", fields: "max_tokens thinking reasoning_effort do_sample request_id user_id tool_stream"},
		{name: "deepseek", caps: "max_tokens ", fields: both + "thinking reasoning_effort logprobs top_logprobs", always: "refuse_reasoning_history+cached_deepseek"},
		{name: "kimi", caps: both, fields: both + "thinking reasoning_effort n prompt_cache_key safety_identifier", always: "fixed_temperature+cached_top"},
		{name: "tencent", caps: both, fields: both + "thinking reasoning_effort seed n", always: "cached_tencent"},
		{name: "openai", caps: "max_completion_tokens ", always: "openai_shape+hidden_thinking",
			fields: "max_completion_tokens reasoning_effort service_tier seed n logprobs top_logprobs logit_bias parallel_tool_calls user store metadata modalities audio prediction verbosity prompt_cache_key safety_identifier web_search_options"},
		{name: "vllm", caps: both, lax: true, always: "openai_shape+reasoning_field+usage_null_details"},
		{name: "sglang", caps: both, lax: true, always: "openai_shape+usage_null_details"},
		{name: "any", caps: both, lax: true},
	}
}

// VendorNames lists the vendors for [Config]. Each but vllm, sglang and any
// refuses body fields that the vendor's API doesn't have.
func VendorNames() []string {
	var names []string
	for _, v := range vendors() {
		names = append(names, v.name)
	}
	return names
}

func vendorNamed(name string) vendor {
	all := vendors()
	i := slices.IndexFunc(all, func(v vendor) bool { return v.name == name })
	return all[max(i, 0)]
}

// refuse returns an error for the first field, by name, that v doesn't take.
func (v vendor) refuse(r *chatRequest) *apiError {
	if v.lax {
		return nil
	}
	allowed := strings.Fields(commonFields + v.fields)
	var unknown []string
	for name := range r.fields {
		if !slices.Contains(allowed, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	return refusal("InvalidParameter.UnsupportedParameter", "The parameter `%s` is not supported.", clip(unknown[0], 64)).on(clip(unknown[0], 64))
}

// counts reports whether an output-cap field has an effect.
func (v vendor) counts(field string) bool { return strings.Contains(v.caps, field+" ") }

// clip bounds a text that came from outside.
func clip(text string, limit int) string {
	return strings.ToValidUTF8(text[:min(len(text), limit)], "")
}
