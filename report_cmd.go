package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/report"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

func newReport(std streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "report DIR", Short: "Render the report again from a run's directory alone", Args: oneArg("DIR"),
		Example: "  llm-bench report reports/prefix_20260701_120000",
		RunE: func(c *cobra.Command, args []string) error {
			ctx, cancel := context.WithTimeout(c.Context(), time.Minute)
			defer cancel()
			result, err := job.Render(ctx, args[0])
			if errors.Is(err, rundir.ErrNoRun) {
				return &usageError{err}
			}
			if err != nil {
				notes := std.out
				if asJSON {
					notes = std.err
				}
				return unreported(notes, result, err)
			}
			if asJSON {
				return printJSON(std.out, map[string]any{"runs": []*bench.Result{result}})
			}
			fmt.Fprintln(std.out, report.Summary(result))
			fmt.Fprintln(std.out, "report: "+result.Files.ReportMD)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}

// unreported tells the figures of a run whose report could not be written, and
// what will mend that; result is nil where there are none.
func unreported(notes io.Writer, result *bench.Result, err error) error {
	if result == nil {
		return err
	}
	fmt.Fprintln(notes, report.Summary(result))
	return fmt.Errorf("%w; %s holds all that was measured: once the folder can be written, run llm-bench report %q", err, rundir.JournalFile, result.RunDir)
}
