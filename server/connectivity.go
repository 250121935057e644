package server

import (
	"context"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// connectivityResult is the result of run_connectivity.
type connectivityResult struct {
	runStatus
	Reachable       *bool    `json:"reachable,omitempty"` // the endpoint answered, if only with a refusal
	HTTPStatus      int      `json:"http_status,omitempty"`
	TTFT            *float64 `json:"ttft_ms,omitempty"`
	E2E             *float64 `json:"e2e_ms,omitempty"`
	UsageReported   *bool    `json:"usage_reported,omitempty"`
	CachedReported  *bool    `json:"cached_tokens_reported,omitempty"`
	StreamingOK     *bool    `json:"streaming_ok,omitempty"`
	ReasoningSeen   *bool    `json:"reasoning_seen,omitempty"`
	ServedModel     string   `json:"served_model,omitempty"`
	ServiceTier     string   `json:"service_tier,omitempty"`
	WorkingSettings []string `json:"working_settings,omitempty"`
	ErrorCode       string   `json:"error_code,omitempty"`
}

func (s *Server) connectivityTool() tool {
	std := bench.NewSpec(bench.Connectivity, bench.Standard)
	return tool{
		name: "run_connectivity", title: "Check connectivity",
		description: "Sends one measured streamed request to the model and returns whether it works, with TTFT, E2E latency, served model, and whether token usage and cached tokens are reported (连通性测试). " +
			"Call it after resolve_model and before run_prefix and run_multiturn. If the request is refused, at most 3 small probes look for settings that work. Takes 1-40 s and about 100 tokens; writes a report.",
		hints:  hints{openWorld: true},
		params: append(targetParams(), sharedParams(number(float64(std.MaxOutputTokens)))...),
		output: outputSchema[connectivityResult](), handle: s.connectivity,
	}
}

func (s *Server) connectivity(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args, err := arguments[runArgs](request)
	if err != nil {
		return failure(err)
	}
	order, err := s.order(ctx, &args, bench.Connectivity)
	if err != nil {
		return failure(err)
	}
	status, err := s.carryOut(ctx, request, order, args.OutputDir, connectivityWait)
	if err != nil {
		return failure(err)
	}
	r := &connectivityResult{runStatus: *status}
	if result, err := readResult(status.RunDir); err == nil && bench.State(status.State).Ended() {
		r.describe(result)
	}
	return success(r)
}

// describe adds what the one request has shown.
func (r *connectivityResult) describe(result *bench.Result) {
	if len(result.Targets) != 1 {
		return
	}
	t := &result.Targets[0]
	sum := &t.Summary
	r.ServedModel = clean(t.ServedModel)
	for tier := range sum.Observed.ServiceTiers {
		r.ServiceTier = clean(tier)
	}
	if sum.TTFT.N > 0 {
		r.TTFT, r.E2E = new(figure(sum.TTFT.P50)), new(figure(sum.E2E.P50))
	}
	if sum.Requests.Succeeded > 0 {
		r.Reachable, r.HTTPStatus = new(true), 200
		r.UsageReported = new(sum.Observed.UsageMissing == 0)
		r.CachedReported = new(sum.Cache.Reported > 0)
		r.StreamingOK = new(sum.OutputEvents.N > 0 && sum.OutputEvents.Avg > 1)
		r.ReasoningSeen = new(sum.Observed.Reasoned > 0)
	} else if len(sum.Failures) > 0 {
		g := &sum.Failures[0]
		r.Reachable, r.HTTPStatus, r.ErrorCode = new(g.Status > 0), g.Status, firstOf(g.Code, string(g.Class))
	}
	r.addProbes(result)
	switch {
	case r.OK:
		r.NextStep = "Call run_prefix and run_multiturn, or the one that was asked for, with the same target arguments."
	case len(r.WorkingSettings) > 0:
		r.NextStep = "The parameters were refused, but this works: " + strings.Join(r.WorkingSettings, "; ") + ". Say so to the user and call run_connectivity again with it."
	case r.refused():
		r.NextStep = "The endpoint refused the parameters, and none of the other settings that were tried does what was asked. Show the user error and report_md."
	}
}

// refused reports whether the endpoint refused the parameters of the request.
func (r *connectivityResult) refused() bool {
	return r.Error != nil && r.Error.Hint == adviceOn(bench.FailBadRequest)
}

// addProbes lists the settings under which all was as asked for, and warns of
// those that were only answered.
func (r *connectivityResult) addProbes(result *bench.Result) {
	record, err := rundir.Open(result.RunDir)
	if err != nil || record.Finish == nil {
		return
	}
	for _, p := range record.Finish.Probes {
		switch {
		case p.Works(result.Spec.Thinking):
			r.WorkingSettings = append(r.WorkingSettings, clean(p.Setting))
		case p.Outcome == bench.Succeeded:
			r.Warnings = append(r.Warnings, "answered, but thinking is not as asked for: "+clean(p.Setting))
		}
	}
}
