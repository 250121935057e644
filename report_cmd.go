package main

import (
	"context"
	"errors"
	"fmt"
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
				if result != nil && !asJSON { // a folder that can't be written still tells its figures
					fmt.Fprintln(std.out, report.Summary(result))
				}
				return err
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
