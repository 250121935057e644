package server

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
)

func (s *Server) getRunTool() tool {
	return tool{
		name: "get_run", title: "Follow a run",
		description: "Returns how a benchmark run stands, waiting for its end at most wait_seconds; once it has ended: metrics, findings, report excerpt and file paths (压测结果, 报告). " +
			"Call it with a run_id, again while state is running. Works after a restart of client or server. Sends nothing to the model.",
		hints:  hints{readOnly: true, idempotent: true},
		params: []param{must(text("run_id", "name of the run, such as prefix_20260131_093000")), waitParam()},
		output: outputSchema[runStatus](), handle: s.getRun,
	}
}

func (s *Server) getRun(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args, err := arguments[struct {
		RunID       string `json:"run_id"`
		WaitSeconds *int   `json:"wait_seconds"`
	}](request)
	if err != nil {
		return failure(err)
	}
	dir, err := s.find(args.RunID)
	if err != nil {
		return failure(unknownRun(err))
	}
	state, err := s.follow(ctx, request, dir, s.wait(args.WaitSeconds))
	if err != nil {
		return failure(err)
	}
	return success(s.statusOf(dir, state))
}

// unknownRunError says that there is no such run.
type unknownRunError struct{ cause error }

// Error implements error.
func (e *unknownRunError) Error() string { return e.cause.Error() }

func unknownRun(cause error) error { return &unknownRunError{cause} }

func (s *Server) cancelRunTool() tool {
	return tool{
		name: "cancel_run", title: "Stop a run",
		description: "Stops a benchmark run that goes on and returns what it has measured until then (停止压测). The load ends within 2 s, and a partial report is written. " +
			"Call it only when the user wants the run stopped. A run that has ended is left as it is.",
		hints:  hints{idempotent: true},
		params: []param{must(text("run_id", "name of the run"))},
		output: outputSchema[runStatus](), handle: s.cancelRun,
	}
}

func (s *Server) cancelRun(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args, err := arguments[struct {
		RunID string `json:"run_id"`
	}](request)
	if err != nil {
		return failure(err)
	}
	dir, err := s.find(args.RunID)
	if err != nil {
		return failure(unknownRun(err))
	}
	state, err := job.Cancel(ctx, dir)
	if err != nil {
		return failure(err)
	}
	status := s.statusOf(dir, state)
	if state.State == bench.StateCanceled {
		status.OK, status.Error = true, nil
	} else {
		status.Warnings = append(status.Warnings, fmt.Sprintf("the run had ended before (%s): nothing was stopped", state.State))
	}
	return success(status)
}

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
		r.Runs = append(r.Runs, listedRun{e.RunID, string(state.Scenario), string(state.State), state.StartedAt.Format("2006-01-02T15:04:05-07:00"),
			state.Planned, state.Succeeded, state.Failed, e.Dir, cut(state.Summary, 160)})
	}
	r.Summary = fmt.Sprintf("%d runs, %d of them going on.", len(r.Runs), going)
	r.NextStep = "Call get_run with a run_id to see one of them."
	if len(r.Runs) == 0 {
		r.Summary, r.NextStep = "No runs are known on this machine.", "Call check_login to begin with one."
	}
	return success(r)
}
