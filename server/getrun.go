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
