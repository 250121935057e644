package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// chartWords is all text of the charts in one language.
type chartWords struct {
	english bool

	reuse, turns, spread, timeline, loads string // titles of the pictures
	outputRate, perSecond                 string
	inFlight, startRate                   string // names of the axis of loads
	atATime, eachSecond                   string // formats of a load

	ttft, ttftPer1K, ttftAt, tpot, e2e, hits, flying, context string // what is measured
	ordinal, turn, clock, share                               string // names of axes
	ms, perK, seconds, minutes, hours                         string // units
	tokens, kiloTokens, percent                               string

	mean, band, best, contextKey, asked, beyond string // keys of the legend
	first, firstTurn, later                     string
	failed, retried, canceled, troubles         string

	overall, overallBest, overallMean                        string // notes: formats
	fewSamples                                               string
	simulated, incomplete                                    string
	verdicts                                                 map[bench.Verdict]string // those of a doubtful measurement
	left, leftPanel                                          string                   // a chart, a panel that is left out and why
	noSuccess, noStart, noTime, crashed, tooLong, notWritten string
}

func wordsOf(lang string) *chartWords {
	if lang == "en" {
		return englishWords()
	}
	return chineseWords()
}

func englishWords() *chartWords {
	return &chartWords{
		english: true,
		reuse:   "Prefix reuse: figures by reuse ordinal", turns: "Multi-turn: figures by turn",
		spread: "Distribution of latencies", timeline: "Timeline of the run", loads: "Sweep: latency and throughput by load",
		outputRate: "Output", perSecond: "tokens/s", inFlight: "Concurrency", startRate: "Starts per second",
		atATime: "concurrency %s", eachSecond: "%s starts/s",
		ttft: "TTFT", ttftAt: "TTFT by start of the request", ttftPer1K: "TTFT per 1,000 prompt tokens", tpot: "TPOT", e2e: "E2E latency",
		hits: "Prompt cache hit rate", flying: "Requests in flight", context: "Context length",
		ordinal: "Reuse ordinal: n-th request of the same prefix", turn: "Turn",
		clock: "Time since the run began", share: "Share of requests (%)",
		ms: "ms", perK: " per 1,000 tokens", seconds: "s", minutes: "min", hours: "h",
		tokens: "tokens", kiloTokens: "1,000 tokens", percent: "%",
		mean: "Mean", band: "P5 to P95", best: "Ceiling of the hit rate", contextKey: "Mean context length (right axis)",
		asked: "Concurrency asked for: %s", beyond: " (beyond the axis)", first: "First use of a prefix", firstTurn: "First turn", later: "Later requests",
		failed: "failed", retried: "retried", canceled: "canceled", troubles: "no success",
		overall: "overall %s", overallBest: ", ceiling %s", overallMean: "mean %s %s, n = %s", fewSamples: fewMark + " fewer than %d samples: P99 is little more than the maximum",
		simulated: "SIMULATED ENDPOINT", incomplete: "INCOMPLETE",
		verdicts: map[bench.Verdict]string{bench.Invalid: "MEASUREMENT INVALID", bench.Degraded: "MEASUREMENT DEGRADED"},
		left:     "%s was not drawn: %s", leftPanel: "%s is without %s: no request has this figure",
		noSuccess: "no request has succeeded", noStart: "no request has started",
		noTime: "there was no time left", crashed: "drawing failed (%v)", tooLong: "drawing took too long", notWritten: "the file could not be written (%v)",
	}
}

func chineseWords() *chartWords {
	return &chartWords{
		reuse: "前缀复用：各复用次序的指标", turns: "多轮对话：各轮次的指标",
		loads: "负载扫描：各档负载的延迟与吞吐", outputRate: "输出吞吐", perSecond: "token/s", inFlight: "并发数", startRate: "每秒发起数",
		atATime: "并发 %s", eachSecond: "每秒发起 %s 个",
		spread: "延迟分布", timeline: "压测时间线",
		ttft: "首 token 延迟 TTFT", ttftAt: "各请求的 TTFT（按发起时刻）", ttftPer1K: "每千输入 token 的 TTFT", tpot: "每输出 token 间隔 TPOT", e2e: "端到端耗时 E2E",
		hits: "缓存命中率", flying: "在途请求数", context: "上下文长度",
		ordinal: "复用次序（同一前缀的第几次请求）", turn: "轮次",
		clock: "压测开始后的时间", share: "请求占比（%）",
		ms: "ms", perK: " / 千 token", seconds: "s", minutes: "分钟", hours: "小时",
		tokens: "token", kiloTokens: "千 token", percent: "%",
		mean: "均值", band: "P5 至 P95", best: "命中率上限", contextKey: "平均上下文长度（右轴）",
		asked: "设定并发 %s", beyond: "（超出坐标范围）", first: "前缀首次请求", firstTurn: "首轮", later: "后续请求",
		failed: "失败", retried: "重试", canceled: "取消", troubles: "未成功",
		overall: "总体 %s", overallBest: "，上限 %s", overallMean: "均值 %s %s，n = %s", fewSamples: fewMark + " 样本少于 %d 个，P99 与最大值相差无几",
		simulated: "SIMULATED ENDPOINT 模拟端点", incomplete: "INCOMPLETE 未完成",
		verdicts: map[bench.Verdict]string{bench.Invalid: "测量无效", bench.Degraded: "测量有保留"},
		left:     "未绘制 %s：%s", leftPanel: "%s 不含“%s”：没有请求具备该指标",
		noSuccess: "没有成功的请求", noStart: "没有已发起的请求",
		noTime: "没有剩余时间", crashed: "绘制失败（%v）", tooLong: "绘制超时", notWritten: "文件无法写入（%v）",
	}
}

// badges are what a reader of a picture must not overlook: that no real model
// was measured, that the figures are doubtful, that the run didn't end as planned.
func (w *chartWords) badges(result *bench.Result) []string {
	var badges []string
	if result.Simulated {
		badges = append(badges, w.simulated)
	}
	for _, v := range []bench.Verdict{bench.Invalid, bench.Degraded} {
		if slices.ContainsFunc(result.Targets, func(t bench.TargetResult) bool { return t.Measurement.Verdict == v }) {
			badges = append(badges, w.verdicts[v])
			break
		}
	}
	if result.State != bench.StateSucceeded {
		badges = append(badges, w.incomplete)
	}
	return badges
}

// standing is how a target's requests ended, and what makes its figures doubtful.
func (w *chartWords) standing(t *bench.TargetResult) string {
	line := w.outcome(t.Summary.Requests)
	if doubt, doubtful := w.verdicts[t.Measurement.Verdict]; doubtful {
		line += between + doubt
	}
	return line
}

// workload is the run's parameters in one line.
func (w *chartWords) workload(result *bench.Result) string {
	s := &result.Spec
	if w.english {
		return fmt.Sprintf("%s | %s | output cap %s tokens | thinking %s",
			w.shape(s), w.load(result), whole(s.MaxOutputTokens), s.Thinking)
	}
	return fmt.Sprintf("%s | %s | 输出上限 %s token | 思考 %s",
		w.shape(s), w.load(result), whole(s.MaxOutputTokens), w.thinking(s.Thinking))
}

// load is how many requests at a time, or how many a second; of a sweep all of them.
func (w *chartWords) load(result *bench.Result) string {
	points := []bench.PointResult{{Point: bench.Point{MaxConcurrency: result.Spec.MaxConcurrency, RequestRate: result.Spec.RequestRate}}}
	if len(result.Targets) > 0 && len(result.Targets[0].Points) > 0 {
		points = result.Targets[0].Points
	}
	var loads []string
	for _, v := range loadValues(points) {
		loads = append(loads, exact(v))
	}
	form := w.atATime
	if points[0].RequestRate > 0 {
		form = w.eachSecond
	}
	return fmt.Sprintf(form, strings.Join(loads, ", "))
}

// shape is how many requests of what length.
func (w *chartWords) shape(s *bench.Spec) string {
	prefix := s.Scenario == bench.Prefix
	switch {
	case prefix && w.english:
		return fmt.Sprintf("%s, %s of %s tokens + %s tokens each",
			several(s.NumRequests, "request", "requests"), several(s.NumPrefixes, "prefix", "prefixes"), whole(s.PrefixLen), whole(s.SuffixLen))
	case prefix:
		return fmt.Sprintf("%s 个请求，%s 个前缀，前缀 %s + 后缀 %s token",
			whole(s.NumRequests), whole(s.NumPrefixes), whole(s.PrefixLen), whole(s.SuffixLen))
	case w.english:
		return fmt.Sprintf("%s of %s, %s tokens first, then %s per turn",
			several(s.NumSessions, "session", "sessions"), several(s.MaxTurns, "turn", "turns"), whole(s.InitialLen), whole(s.QuestionLen))
	}
	return fmt.Sprintf("%s 个会话 × %s 轮，首轮 %s token，之后每轮 %s token",
		whole(s.NumSessions), whole(s.MaxTurns), whole(s.InitialLen), whole(s.QuestionLen))
}

// whole writes a number with commas between its thousands.
func whole(n int) string { return thousands(strconv.Itoa(n)) }

func several(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return whole(n) + " " + many
}

// unfinished is how a run stands that has not ended as planned; "" for one that has.
func (w *chartWords) unfinished(s bench.State) string {
	texts := map[bench.State][2]string{
		bench.StateQueued: {"未开始", "not started"}, bench.StateRunning: {"进行中", "still running"},
		bench.StateFailed: {"提前停止", "stopped early"}, bench.StateCanceled: {"已取消", "canceled"},
		bench.StateInterrupted: {"已中断", "interrupted"},
	}
	if w.english {
		return texts[s][1]
	}
	return texts[s][0]
}

func (w *chartWords) thinking(t bench.Thinking) string {
	switch t {
	case bench.ThinkingDisabled:
		return "关闭"
	case bench.ThinkingEnabled:
		return "开启"
	}
	return string(t)
}

// outcome is how a target's requests ended, in one line.
func (w *chartWords) outcome(r bench.Requests) string {
	succeeded, notRun := "%s / %s succeeded", "not run"
	if !w.english {
		succeeded, notRun = "成功 %s / %s", "未执行"
	}
	parts := []string{fmt.Sprintf(succeeded, whole(r.Succeeded), whole(r.Planned))}
	for _, p := range []struct {
		name string
		n    int
	}{{w.failed, r.Failed}, {w.canceled, r.Canceled}, {notRun, r.NotRun}, {w.retried, r.Retries}} {
		if p.n > 0 {
			parts = append(parts, w.counted(p.name, p.n))
		}
	}
	if w.english {
		return strings.Join(parts, ", ")
	}
	return strings.Join(parts, "，")
}

// withUnit names an axis.
func (w *chartWords) withUnit(name, unit string) string {
	if w.english {
		return name + " (" + unit + ")"
	}
	return name + "（" + unit + "）"
}

// perThousand is a unit of time for each 1,000 tokens.
func (w *chartWords) perThousand(unit string) string { return unit + w.perK }

// counted is a number of requests of one kind.
func (w *chartWords) counted(kind string, n int) string {
	if w.english {
		return whole(n) + " " + kind
	}
	return kind + " " + whole(n)
}
