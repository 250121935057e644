package bench

// vendor is a dialect with the hosts that speak it: these, and all below them.
type vendor struct {
	Dialect
	hosts []string
}

// vendors lists every dialect. What it doesn't say isn't sent.
func vendors() []vendor {
	return []vendor{
		{Ark(), []string{"volces.com", "bytepluses.com"}},
		{aliyun(), []string{"dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"}},
		{bigmodel(), []string{"bigmodel.cn", "z.ai"}},
		{deepseek(), []string{"deepseek.com"}},
		{kimi(), []string{"moonshot.cn", "moonshot.ai"}},
		{tencent(), []string{"tencentmaas.com", "tencentcloudmaas.com"}},
		{openAI(), []string{"api.openai.com"}},
		{served("vllm"), nil},
		{served("sglang"), nil},
		{Generic(), nil},
	}
}

// Generic is the dialect of an endpoint of which nothing is known but that it
// speaks the OpenAI streaming protocol. It sends no thinking field.
func Generic() Dialect {
	return Dialect{Name: "generic", OutputCap: CapMaxCompletionTokens}
}

// Ark is the dialect of Volcengine Ark.
func Ark() Dialect {
	return Dialect{Name: "ark", OutputCap: CapMaxCompletionTokens, Thinking: thinkingType(ThinkingDisabled, ThinkingEnabled, ThinkingAuto)}
}

// thinkingType asks for each of the states by the field thinking.type.
func thinkingType(states ...Thinking) map[Thinking]map[string]any {
	fields := map[Thinking]map[string]any{}
	for _, t := range states {
		fields[t] = map[string]any{"thinking": map[string]any{"type": string(t)}}
	}
	return fields
}

// onOff asks for thinking by one field, with a value for off and one for on.
func onOff(field string, off, on any) map[Thinking]map[string]any {
	return map[Thinking]map[string]any{ThinkingDisabled: {field: off}, ThinkingEnabled: {field: on}}
}

// aliyun is Model Studio's (DashScope's) compatible mode. Its hosted models
// don't all take max_completion_tokens.
func aliyun() Dialect {
	return Dialect{Name: "aliyun", OutputCap: CapMaxTokens, Thinking: onOff("enable_thinking", false, true), Foreign: []string{fieldTier}}
}

// bigmodel is Zhipu's (Z.ai's) GLM. max_completion_tokens would leave the
// output without a cap.
func bigmodel() Dialect {
	return Dialect{Name: "bigmodel", OutputCap: CapMaxTokens, Thinking: thinkingType(ThinkingDisabled, ThinkingEnabled),
		Foreign: []string{CapMaxCompletionTokens, fieldTier}}
}

// deepseek ignores max_completion_tokens without a word.
func deepseek() Dialect {
	return Dialect{Name: "deepseek", OutputCap: CapMaxTokens, Thinking: thinkingType(ThinkingDisabled, ThinkingEnabled),
		Foreign: []string{CapMaxCompletionTokens, fieldTier}}
}

// kimi is Moonshot's. Its models fix their sampling and refuse other values.
func kimi() Dialect {
	return Dialect{Name: "kimi", OutputCap: CapMaxCompletionTokens, Thinking: thinkingType(ThinkingDisabled, ThinkingEnabled),
		Foreign: []string{"temperature", "top_p", "presence_penalty", "frequency_penalty", fieldTier}}
}

// tencent is TokenHub, which hosts other vendors' models.
func tencent() Dialect {
	return Dialect{Name: "tencent", OutputCap: CapMaxTokens, Thinking: thinkingType(ThinkingDisabled, ThinkingEnabled), Foreign: []string{fieldTier}}
}

// openAI has no switch for thinking but the effort. Which efforts a model
// takes differs: some know minimal in the place of none.
func openAI() Dialect {
	return Dialect{Name: "openai", OutputCap: CapMaxCompletionTokens, Thinking: onOff(fieldEffort, "none", "medium"),
		Foreign: []string{CapMaxTokens, "thinking", "enable_thinking", "chat_template_kwargs", "ignore_eos"}}
}

// served is the dialect of vLLM and SGLang, which hand arguments to the
// model's chat template: templates call the switch enable_thinking (Qwen, GLM)
// or thinking (DeepSeek, Granite), and skip the one that they don't know.
// Every release of both knows max_tokens; one that skipped the cap would,
// under ignore_eos, generate until the context is full.
func served(name string) Dialect {
	switches := func(on bool) map[string]any { return map[string]any{"enable_thinking": on, "thinking": on} }
	return Dialect{Name: name, OutputCap: CapMaxTokens, Thinking: onOff("chat_template_kwargs", switches(false), switches(true)),
		ExtraBody: map[string]any{"ignore_eos": true}}
}
