package report

import "github.com/llm-bench/llm-bench/bench"

// compareWords is all text of a comparison in one language.
type compareWords struct {
	comparable, refused, noFigures, varyHint string // formats
	byRequest, bySession, unpaired           string
	mismatch, allowed, remarks               string // formats
	load, rate                               string // formats
	figure, difference, ratio, result        string // heads of columns
	better, none                             string // formats
	foot                                     string
	simulated, succeeded, throughput         string // formats
	fields, figures, limits                  map[string]string
}

func compareWordsOf(lang string) *compareWords {
	if lang == "en" {
		return englishCompareWords()
	}
	return chineseCompareWords()
}

func englishCompareWords() *compareWords {
	return &compareWords{
		comparable: "%s and %s can be compared; %s.", refused: "%s and %s can NOT be compared:",
		noFigures: "No figure is compared, and neither side is better.", varyHint: "If that is what you want to compare, say so: --vary %s",
		byRequest: "paired by request", bySession: "paired by session", unpaired: "not paired, as their texts differ",
		mismatch: "%s: %s %s, %s %s", allowed: " (allowed: %s)", remarks: "Keep in mind:",
		load: "Concurrency %d", rate: "%s sessions/s",
		figure: "figure", difference: "difference (95 %)", ratio: "ratio (95 %)", result: "result",
		better: "%s is better", none: "no difference shown",
		foot:      "The intervals hold for all figures of this comparison together (95 %, Holm). Runs at different times also differ by what else the server did.",
		simulated: "SIMULATED ENDPOINT", succeeded: "%d of %d succeeded", throughput: "%s output tokens/s",
		fields: map[string]string{
			"inputs": "input texts", "thinking_observed": "requests that reasoned", "concurrency_reached": "requests in flight, mean",
			"metric_rule": "metric rule", "client": "client machine", "measurement": "verdict on the measurement", "repeats": "repeats",
			"service_tier_served": "share of the tier asked for", "loads": "loads", "prompt_tokens": "prompt tokens, mean", "output_tokens": "output tokens, mean",
			"verdict": "verdict on the measurement", "arrival_clock": "clock of arrivals", "tool_version": "version of llm-bench", "text": "source of the text",
		},
		figures: map[string]string{
			bench.MetricTTFTPer1K: "TTFT/1k prompt tokens", bench.MetricHitRate: "cache hit rate", bench.MetricOutputRate: "output tokens/s, all places busy",
			"avg": "AVG", "typical": "geo. mean", "p50": "P50", "p99": "P99",
		},
	}
}

func chineseCompareWords() *compareWords {
	return &compareWords{
		comparable: "%s 与 %s 可比；%s。", refused: "%s 与 %s 不可比：",
		noFigures: "不比较任何指标，也不判定谁更好。", varyHint: "如果要比较的正是这一点，请写明：--vary %s",
		byRequest: "按请求配对", bySession: "按会话配对", unpaired: "文本不同，不配对",
		mismatch: "%s：%s 为 %s，%s 为 %s", allowed: "（允许：%s）", remarks: "请注意：",
		load: "并发 %d", rate: "%s 会话/s",
		figure: "指标", difference: "差值（95 %）", ratio: "比值（95 %）", result: "结论",
		better: "%s 更好", none: "未见差异",
		foot:      "各区间对本次比较的全部指标同时成立（95 %，Holm 校正）。不同时间的两次运行，还会因服务端当时的其他负载而不同。",
		simulated: "模拟端点 SIMULATED ENDPOINT", succeeded: "成功 %d / %d", throughput: "%s 输出 token/s",
		fields: map[string]string{
			"scenario": "场景", "preset": "预设", "inputs": "输入文本", "thinking": "思考（要求）", "thinking_observed": "出现思考的请求占比", "reasoning_effort": "思考等级",
			"concurrency_reached": "实际并发均值", "metric_rule": "指标口径", "client": "客户端机器", "proxy": "代理", "measurement": "测量可信度", "requests": "请求", "repeats": "重复次数",
			"simulated": "模拟端点", "model": "实际模型", "endpoint": "接入地址", "dialect": "方言", "service_tier": "服务等级", "service_tier_served": "所要求等级的占比",
			"loads": "负载", "prompt_tokens": "平均输入 token", "output_tokens": "平均输出 token", "verdict": "测量可信度", "arrival_clock": "到达时钟", "protocol": "协议",
			"tool_version": "llm-bench 版本", "text": "文本来源", "max_concurrency": "并发", "max_output_tokens": "输出上限", "length_unit": "长度单位", "request_rate": "到达速率",
			"warmup": "预热请求", "cold_connect": "冷连接",
		},
		figures: map[string]string{
			bench.MetricTTFTPer1K: "TTFT/千输入 token", bench.MetricHitRate: "缓存命中率", bench.MetricOutputRate: "输出 token/s（并发占满时）",
			"avg": "AVG", "typical": "几何平均", "p50": "P50", "p99": "P99",
		},
		limits: map[string]string{
			"inputs": "相同文本（--seed），或两边都按服务端 token 定长", "thinking_observed": "占比相差 5 个百分点以内", "service_tier_served": "占比相差 5 个百分点以内",
			"concurrency_reached": "相差 10 % 以内", "measurement": "可信或有保留", "requests": "缺失不超过 --max-failure-rate", "repeats": "至少 2 次", "model": "只有一个模型",
		},
	}
}
