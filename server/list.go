package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// listResult is the result of list_runs.
type listResult struct {
	common
	Runs []listedRun `json:"runs,omitempty"`
}

// listedRun is a run in short.
type listedRun struct {
	RunID     string `json:"run_id"`
	Scenario  string `json:"scenario"`
	State     string `json:"state"`
	Simulated bool   `json:"simulated,omitempty"`
	Model     string `json:"model,omitempty"`
	StartedAt string `json:"started_at"`
	Planned   int    `json:"planned"`
	Succeeded int    `json:"succeeded"`
	Failed    int    `json:"failed"`
	RunDir    string `json:"run_dir"`
	Summary   string `json:"summary,omitempty"`
}

func (r *listResult) shrink() bool {
	if len(r.Runs) == 0 {
		return false
	}
	r.Runs = r.Runs[:len(r.Runs)-1]
	r.Warnings = []string{"more runs are known than fit into one answer"}
	return true
}

func (s *Server) listRunsTool() tool {
	return tool{
		name: "list_runs", title: "List runs",
		description: "Returns the newest benchmark runs of this machine with their state, newest first (压测记录). Call it to find a run_id that was lost, or runs that go on. Sends nothing.",
		hints:       hints{readOnly: true, idempotent: true},
		params:      []param{whole("limit", "runs to list", "10", 1, 50)},
		output:      outputSchema[listResult](), handle: s.listRuns,
	}
}

func (s *Server) listRuns(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args, err := arguments[struct {
		Limit int `json:"limit"`
	}](request)
	if err != nil {
		return failure(err)
	}
	if args.Limit == 0 {
		args.Limit = 10
	}
	entries, err := s.deps.Index.List(args.Limit)
	if err != nil {
		return failure(err)
	}
	r := &listResult{}
	r.OK = true
	going := 0
	for _, e := range entries {
		state, err := job.Look(ctx, e.Dir)
		if err != nil {
			continue // begun and not yet described, or damaged
		}
		if !state.State.Ended() {
			going++
		}
		r.Runs = append(r.Runs, listedOf(e.Dir, state))
	}
	r.Summary = fmt.Sprintf("%s, %d of them going on.", countOf(len(r.Runs), "run"), going)
	r.NextStep = "Call get_run with a run_id to see one of them."
	if len(r.Runs) == 0 {
		r.Summary, r.NextStep = "No runs are known on this machine.", "Call check_login to begin with one."
	}
	return success(r)
}

// listedOf is a run in short: its figures first, as far as there are any.
func listedOf(dir string, state *rundir.State) listedRun {
	r := listedRun{
		RunID: state.RunID, Scenario: string(state.Scenario), State: string(state.State), StartedAt: state.StartedAt.Format("2006-01-02T15:04:05-07:00"),
		Planned: state.Planned, Succeeded: state.Succeeded, Failed: state.Failed, RunDir: dir,
	}
	if !state.State.Ended() {
		r.Summary = progressLine(state)
		return r
	}
	result, err := readResult(dir)
	if err != nil || len(result.Targets) == 0 {
		if r.Summary = "no result"; state.Error != nil {
			r.Summary = clean(state.Error.Message)
		}
		return r
	}
	t := &result.Targets[0]
	r.Simulated, r.Model = result.Simulated, clean(t.Model)
	r.Summary = cut(strings.Join(shortly(result), ", "), 200)
	return r
}

// shortly are the first target's figures and what is to be known with them.
func shortly(result *bench.Result) []string {
	t := &result.Targets[0]
	var parts []string
	for _, d := range []struct {
		name string
		bench.Dist
	}{{"TTFT", t.Summary.TTFT}, {"TPOT", t.Summary.TPOT}, {"E2E", t.Summary.E2E}} {
		if d.N > 0 {
			parts = append(parts, fmt.Sprintf("%s P50 %.4g ms", d.name, d.P50))
		}
	}
	if rate := t.Summary.Cache.HitRate; rate != nil {
		parts = append(parts, fmt.Sprintf("cache hit rate %.1f%%", 100*(*rate)))
	}
	if more := len(result.Targets) - 1; more > 0 {
		parts = append(parts, "and "+countOf(more, "other target"))
	}
	if t.Measurement.Verdict != bench.Trusted {
		parts = append(parts, "measurement "+string(t.Measurement.Verdict))
	}
	if result.State == bench.StateSucceeded && !result.Baseline {
		parts = append(parts, "not a valid baseline")
	}
	return parts
}

// countOf is a number with its noun.
func countOf(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
