package server

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// packageResult is the result of package_reports.
type packageResult struct {
	common
	ZipPath   string   `json:"zip_path,omitempty"`
	Bytes     *int64   `json:"bytes,omitempty"`
	Files     *int     `json:"files,omitempty"`
	RunIDs    []string `json:"run_ids,omitempty"`
	Simulated bool     `json:"simulated,omitempty"`
}

func (r *packageResult) shrink() bool {
	if len(r.Warnings) == 0 {
		return false
	}
	r.Warnings = r.Warnings[:len(r.Warnings)-1]
	return true
}

func (s *Server) packageTool() tool {
	return tool{
		name: "package_reports", title: "Pack reports",
		description: "Packs benchmark runs into one zip for the account manager and returns its path (打包报告, 交付): reports, charts and raw measurements. " +
			"A secret in any file stops it. Call it when the user wants to hand results over, with runs that have ended. Sends nothing.",
		hints: hints{idempotent: true},
		params: []param{
			must(names("run_ids", "names of the runs", 1, 20)),
			text("output_file", "path of the zip (default beside the runs); another zip there is replaced"),
		},
		output: outputSchema[packageResult](), handle: s.packageReports,
	}
}

func (s *Server) packageReports(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args, err := arguments[struct {
		RunIDs     []string `json:"run_ids"`
		OutputFile string   `json:"output_file"`
	}](request)
	if err != nil {
		return failure(err)
	}
	dirs, err := s.findEnded(ctx, args.RunIDs)
	if err != nil {
		return failure(err)
	}
	file, err := s.zipPath(args.OutputFile, dirs[0])
	if err != nil {
		return failure(err)
	}
	packed, err := job.Package(ctx, s.deps.Version, dirs, file)
	if err != nil {
		return failure(err)
	}
	return success(packageOf(packed))
}

// zipPath is where the zip goes: the file that was named, or the folder in
// which the first of the runs lies.
func (s *Server) zipPath(named, firstDir string) (string, error) {
	if named == "" {
		return filepath.Dir(firstDir), nil
	}
	if !strings.EqualFold(filepath.Ext(named), ".zip") {
		return "", &argumentError{"output_file must be the path of a file that ends in .zip, got " + shown(named)}
	}
	file := s.absolute(named)
	if err := checkNamed(filepath.Dir(file)); err != nil {
		return "", &placeError{fmt.Errorf("output_file: %w", err)}
	}
	return file, nil
}

// findEnded finds the directories of runs that have ended, each once.
func (s *Server) findEnded(ctx context.Context, runIDs []string) ([]string, error) {
	var dirs []string
	for _, id := range runIDs {
		dir, err := s.find(id)
		if err != nil {
			return nil, unknownRun(err)
		}
		state, err := job.Look(ctx, dir)
		if err != nil {
			return nil, err
		}
		if !state.State.Ended() {
			return nil, &goingOnError{id}
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// goingOnError says that a run has not ended yet.
type goingOnError struct{ runID string }

// Error implements error.
func (e *goingOnError) Error() string { return "run " + e.runID + " still goes on" }

func packageOf(p *job.Packed) *packageResult {
	r := &packageResult{ZipPath: p.File, Bytes: &p.Bytes, Files: &p.Files}
	for _, run := range p.Runs {
		r.RunIDs = append(r.RunIDs, run.RunID)
		r.Simulated = r.Simulated || run.Simulated
	}
	r.OK = true
	r.Summary = fmt.Sprintf("Packed %s (%s) into %s: %d files, %s, no secret found.", countOf(len(p.Runs), "run"), strings.Join(r.RunIDs, ", "), filepath.Base(p.File), p.Files, size(p.Bytes))
	if r.Simulated {
		r.Summary = "SIMULATED: " + r.Summary
	}
	r.NextStep = "Give the user zip_path. Whoever gets the zip checks it with: llm-bench verify " + filepath.Base(p.File)
	for _, id := range p.Rendered {
		r.Warnings = append(r.Warnings, "the report of "+id+" was missing, unfinished or of another version: the zip holds it rendered again")
	}
	if len(p.LeftOut) > 0 {
		r.Warnings = append(r.Warnings, "left out, as they say nothing of the runs: "+strings.Join(p.LeftOut, ", "))
	}
	return r
}

// shellWord is a path as a shell takes it for one word.
func shellWord(path string) string {
	if !strings.ContainsAny(path, " \t'\"$&;()<>|*?`\\") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

func size(bytes int64) string {
	if bytes < 1e6 {
		return fmt.Sprintf("%.0f kB", max(1, float64(bytes)/1e3))
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

// deliveryFault words why runs could not be packed or read; nil for other errors.
func deliveryFault(err error) *fault {
	var going *goingOnError
	var leaks rundir.LeakError
	var stale *job.StaleError
	switch {
	case errors.As(err, &going):
		return &fault{Code: "run_going_on", Message: going.Error(), Hint: fmt.Sprintf(`Call get_run with run_id="%s" wait_seconds=45 until it has ended, then call again.`, clean(going.runID))}
	case errors.As(err, &leaks):
		return &fault{Code: "secret_found", Message: "no zip was written: " + clean(leaks.Error()),
			Hint: "Tell the user which file holds a secret; it must be taken out before the runs are packed, and a key that was in a file is best replaced."}
	case errors.As(err, &stale):
		return &fault{Code: "report_changed", Message: "no zip was written: " + clean(stale.Error()), Hint: "Tell the user that the file was changed after the run; rendering it again puts it right.",
			FixCommand: "llm-bench report " + shellWord(stale.Dir)}
	}
	return nil
}
