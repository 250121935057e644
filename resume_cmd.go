package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/report"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

func newResume(std streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "resume DIR", Short: "Run what an interrupted run still lacks", Args: oneArg("DIR"),
		Long: `Runs what an interrupted or canceled run still lacks and renders its report again. Everything is taken from the
run's directory: endpoint, model, parameters, the NAME of the variable that holds the key (or the Ark CLI profile), seed,
nonce and calibration, so that the inputs are the same byte for byte. Sessions that were broken off begin anew. The report
says how long the run stood still; the cache may have lost meanwhile what the run had put there.`,
		Example: "  llm-bench resume reports/prefix_20260701_120000",
		RunE: func(c *cobra.Command, args []string) error {
			result, err := resume(c.Context(), std, args[0], asJSON)
			if errors.Is(err, rundir.ErrNoRun) {
				return &usageError{fmt.Errorf("%w: a run that never began is started anew", err)}
			}
			if err != nil {
				return err
			}
			if asJSON {
				if err := printJSON(std.out, map[string]any{"runs": []*bench.Result{result}}); err != nil {
					return err
				}
			}
			if code := codeOf(result); code != exitDone {
				return &outcomeError{code}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document on stdout, all else on stderr")
	return c
}

// resume carries out what a run lacks, and says what the whole of it came to.
func resume(ctx context.Context, std streams, dir string, asJSON bool) (*bench.Result, error) {
	notes := std.out
	if asJSON {
		notes = std.err
	}
	index, err := rundir.DefaultIndex()
	if err != nil {
		return nil, err
	}
	j, err := job.Resume(ctx, dir, job.Means{Version: version, Env: os.LookupEnv, Ark: arkcli.New(arkcli.Options{}), Index: index})
	if errors.Is(err, job.ErrNothingToResume) {
		fmt.Fprintf(notes, "there is nothing to resume: the run in %s has come to its end\n", dir)
		return complete(ctx, dir)
	}
	if err != nil {
		return nil, err
	}
	for _, t := range j.Targets() {
		fmt.Fprintln(notes, sourceLine(&t, "as the run says")) // the directory may have come from elsewhere
	}
	left, restarted := j.Left()
	fmt.Fprintf(notes, "left: %s; to begin anew: %s\n%s\n", counted(left, "request"), counted(restarted, "session"), j.Dir().Path)
	live := newLive(std.err, j.Planned())
	result, err := j.Run(ctx, live.show)
	live.end()
	if err != nil {
		return nil, unreported(notes, result, err)
	}
	fmt.Fprintln(notes, report.Summary(result))
	fmt.Fprintf(notes, "report: %s\n", result.Files.ReportMD)
	return result, nil
}

// complete is the result of a run that lacks nothing. Its report is rendered
// only where it was not, or not to its end.
func complete(ctx context.Context, dir string) (*bench.Result, error) {
	if result, err := job.Rendered(dir); err == nil {
		return result, nil
	}
	return job.Render(ctx, dir)
}

// codeOfRefusal is the exit code of a run that could not be taken up again.
func codeOfRefusal(refused *job.RefusedError) int {
	if refusedBy(refused.End.Class) {
		return exitRefused
	}
	return exitFailed
}
