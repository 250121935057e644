package job

import (
	"slices"

	"github.com/llm-bench/llm-bench/bench"
)

// knownTarget is an endpoint that a target's name alone stands for. Its
// dialect has the same name.
type knownTarget struct{ name, baseURL, keyEnv string }

// knownTargets lists the built-in targets. Those on this machine need no key.
func knownTargets() []knownTarget {
	return []knownTarget{
		{"ark", "https://ark.cn-beijing.volces.com/api/v3", EnvKey},
		{"aliyun", "https://dashscope.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"},
		{"bigmodel", "https://open.bigmodel.cn/api/paas/v4", "ZHIPUAI_API_KEY"},
		{"deepseek", "https://api.deepseek.com", "DEEPSEEK_API_KEY"},
		{"kimi", "https://api.moonshot.cn/v1", "MOONSHOT_API_KEY"},
		{"tencent", "https://tokenhub.tencentmaas.com/v1", "TOKENHUB_API_KEY"},
		{"openai", "https://api.openai.com/v1", "OPENAI_API_KEY"},
		{"vllm", "http://localhost:8000/v1", "VLLM_API_KEY"},
		{"sglang", "http://localhost:30000/v1", "SGLANG_API_KEY"},
	}
}

// TargetNames lists the built-in targets.
func TargetNames() []string {
	var names []string
	for _, k := range knownTargets() {
		names = append(names, k.name)
	}
	return names
}

// knownTargetNamed is the built-in target of that name.
func knownTargetNamed(name string) (knownTarget, bool) {
	all := knownTargets()
	i := slices.IndexFunc(all, func(k knownTarget) bool { return k.name == name })
	if i < 0 {
		return knownTarget{}, false
	}
	return all[i], true
}

// target is the endpoint without its model and key.
func (k knownTarget) target() (bench.Target, error) {
	dialect, err := bench.DialectNamed(k.name)
	return bench.Target{Label: k.name, BaseURL: k.baseURL, Dialect: dialect, KeyEnv: k.keyEnv}, err
}
