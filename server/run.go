package server

import (
	"context"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
)

// targetParams say what to measure.
func targetParams() []param {
	return []param{
		must(text("model", "ID from resolve_model, or the model's name with base_url")),
		text("base_url", "OpenAI-compatible endpoint other than Ark, like https://host/v1; needs api_key_env"),
		text("api_key_env", "NAME of the key's variable, ending in _API_KEY; never the key"),
		text("profile", "Ark CLI profile"),
		choice("dialect", "how the vendor spells its API", "by host", bench.DialectNames()...),
		text("label", "name in the report (default the model)"),
	}
}

func sharedParams(outputDefault string) []param {
	return []param{
		whole("max_output_tokens", "output cap, tokens", outputDefault, 1, 1<<20),
		choice("thinking", "chain of thought", "disabled", "disabled", "enabled", "auto"),
		text("reasoning_effort", "sent as given"),
		text("service_tier", "sent as given"),
		choice("lang", "of the report", "zh for Ark", "zh", "en"),
		text("output_dir", "where reports go (default reports in the project)"),
	}
}

// loadParams are those of the tools that measure under load.
func loadParams(std bench.Spec) []param {
	return append(append(targetParams(),
		choice("preset", "sizes: quick for a first look", "standard", "standard", "quick", "thorough"),
		whole("max_concurrency", "requests side by side", fmt.Sprint(std.MaxConcurrency), 1, 10_000)),
		append(sharedParams(fmt.Sprint(std.MaxOutputTokens)),
			whole("seed", "of the text", "drawn", 1, 1<<53),
			choice("length_unit", "whose tokens lengths are", "server", "server", "local"),
			text("slo", "goodput limits, such as ttft=1s,tpot=50ms,e2e=20s"),
			decimal("max_minutes", "hard end", "60 or 3 x estimate", 0.1, 10_000),
			waitParam(),
			toggle("dry_run", "only estimate the run; send nothing"))...)
}

func waitParam() param {
	return whole("wait_seconds", "longest wait for the answer", "45", 0, int(longestWait/time.Second))
}

func (s *Server) prefixTool() tool {
	std := bench.NewSpec(bench.Prefix, bench.Standard)
	return tool{
		name: "run_prefix", title: "Benchmark prefix reuse",
		description: "Measures TTFT, TPOT, E2E latency and cache hit rate of requests that share long prefixes (benchmark, load test, 压测, 性能测试, 缓存命中率). " +
			"Call it after run_connectivity has succeeded. Standard: 200 requests, about 2.8 M prompt tokens, " + usualMinutes(&std) + "; costs tokens. " + pollingRule,
		hints: hints{openWorld: true},
		params: append(loadParams(std),
			whole("prefix_len", "tokens of a shared prefix", fmt.Sprint(std.PrefixLen), 64, 4<<20),
			whole("suffix_len", "tokens of a request's own", fmt.Sprint(std.SuffixLen), 64, 4<<20),
			whole("num_prefixes", "different prefixes, at most num_requests", fmt.Sprint(std.NumPrefixes), 1, 1_000_000),
			whole("num_requests", "requests in all", fmt.Sprint(std.NumRequests), 1, 1_000_000)),
		output: outputSchema[runStatus](), handle: s.run(bench.Prefix),
	}
}

func (s *Server) multiturnTool() tool {
	std := bench.NewSpec(bench.Multiturn, bench.Standard)
	return tool{
		name: "run_multiturn", title: "Benchmark multi-turn conversations",
		description: "Measures TTFT, TPOT, E2E latency and cache hit rate of conversations whose context grows turn by turn (benchmark, load test, 压测, 多轮对话, 长上下文). " +
			"Call it after run_connectivity has succeeded. Standard: 10 sessions x 20 turns, 200 requests, about 3 M prompt tokens, " + usualMinutes(&std) + "; costs tokens. " + pollingRule,
		hints: hints{openWorld: true},
		params: append(loadParams(std),
			whole("initial_len", "tokens of the first turn", fmt.Sprint(std.InitialLen), 64, 4<<20),
			whole("question_len", "tokens of a follow-up", fmt.Sprint(std.QuestionLen), 64, 4<<20),
			whole("num_sessions", "conversations", fmt.Sprint(std.NumSessions), 1, 100_000),
			whole("max_turns", "turns of each", fmt.Sprint(std.MaxTurns), 1, 10_000)),
		output: outputSchema[runStatus](), handle: s.run(bench.Multiturn),
	}
}

// run handles the calls of a tool that measures under load.
func (s *Server) run(scenario bench.Scenario) func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args, err := arguments[runArgs](request)
		if err != nil {
			return failure(err)
		}
		if args.DryRun {
			return s.estimate(&args, scenario)
		}
		order, err := s.order(ctx, &args, scenario)
		if err != nil {
			return failure(err)
		}
		status, err := s.carryOut(ctx, request, order, args.OutputDir, s.wait(args.WaitSeconds))
		if err != nil {
			return failure(err)
		}
		return success(status)
	}
}

// carryOut starts a run, or joins the same one that goes on, and waits for it.
func (s *Server) carryOut(ctx context.Context, request mcp.CallToolRequest, order *job.Order, folder string, wait time.Duration) (*runStatus, error) {
	var err error
	if order.OutputDir, err = s.place(folder); err != nil {
		return nil, err
	}
	run, err := job.Detach(ctx, *order, s.deps.Index, s.deps.Executable)
	if err != nil {
		return nil, err
	}
	s.runs.add(run.Dir.RunID, run.Dir.Path)
	state, err := s.follow(ctx, request, run.Dir.Path, wait)
	if err != nil {
		return nil, err
	}
	status := s.statusOf(run.Dir.Path, state)
	status.Attached = run.Attached
	if run.Attached {
		status.Warnings = append(status.Warnings, "a run with the same parameters was going on already: this is that run, no second one was started")
	} else if status.Params == nil {
		status.Params = paramsOf(&order.Spec, &order.Target)
		status.Warnings = append(status.Warnings, order.Warnings...)
	}
	if run.Dir.Unlisted != nil {
		status.Warnings = append(status.Warnings, "the run could not be entered in the index of runs; another server finds it only if its reports are in the same folder: "+run.Dir.Unlisted.Error())
	}
	return status, nil
}

// estimate is what a run would send and how long it would take.
type estimate struct {
	Requests        int     `json:"requests"`
	PromptTokens    int     `json:"prompt_tokens"`
	OutputTokensMax int     `json:"output_tokens_max"`
	MinutesLow      float64 `json:"minutes_low"`
	MinutesHigh     float64 `json:"minutes_high"`
}

// estimate answers a dry run. It asks nobody and sends nothing.
func (s *Server) estimate(args *runArgs, scenario bench.Scenario) (*mcp.CallToolResult, error) {
	spec, err := args.spec(scenario)
	if err != nil {
		return failure(err)
	}
	prompt, output := job.Tokens(&spec)
	low, high := job.Estimate(&spec)
	e := &estimate{spec.Planned(), prompt, output, minutes(low), minutes(high)}
	r := &runStatus{Scenario: string(scenario), Estimate: e, Params: paramsOf(&spec, &bench.Target{Model: args.Model, BaseURL: args.BaseURL})}
	r.OK = true
	r.Summary = fmt.Sprintf("%s of %s would send %d requests with about %s prompt tokens and get at most %s output tokens, in about %g to %g minutes. Nothing was sent.",
		scenario, clean(args.Model), e.Requests, amount(prompt), amount(output), e.MinutesLow, e.MinutesHigh)
	r.NextStep = "State this in one sentence, then call the tool again without dry_run."
	return success(r)
}

// usualMinutes is the range that a dry run gives, in whole minutes.
func usualMinutes(s *bench.Spec) string {
	low, high := job.Estimate(s)
	return fmt.Sprintf("%.0f-%.0f min", low.Minutes(), high.Minutes())
}

// minutes rounds to a tenth, and up from nothing.
func minutes(d time.Duration) float64 {
	return max(0.1, float64(int(d.Minutes()*10+0.5))/10)
}

func amount(tokens int) string {
	switch {
	case tokens >= 1_000_000:
		return fmt.Sprintf("%.1f M", float64(tokens)/1e6)
	case tokens >= 10_000:
		return fmt.Sprintf("%d k", (tokens+500)/1000)
	}
	return fmt.Sprint(tokens)
}
