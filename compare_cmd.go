package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/report"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// exitNotComparable says that the runs of a comparison differ in more than was named.
const exitNotComparable = 6

func newCompare(std streams) *cobra.Command {
	var vary, lang string
	var asJSON bool
	c := &cobra.Command{
		Use: "compare A B...", Short: "Say whether runs can be compared, and how they differ", Args: someArgs("run directory"),
		Long: `Compares each run with the first one. Runs are comparable only if workload, inputs, thinking, output cap, concurrency,
client and network match, and, unless --vary names them, model and endpoint. If they don't, every mismatch is named, no
figure is compared and the exit code is 6. Otherwise differences and ratios are printed, with intervals that hold for all
figures together. One run of several targets can be compared in itself.`,
		Example: `  llm-bench compare reports/prefix_20260701_120000 reports/prefix_20260702_120000
  llm-bench compare reports/prefix_20260701_120000 reports/prefix_20260701_123000 --vary model
  llm-bench compare reports/prefix_20260701_120000 --vary model,endpoint --json`,
		RunE: func(c *cobra.Command, args []string) error {
			factors, err := bench.ParseFactors(vary)
			if err != nil {
				return err
			}
			if lang != "" && !slices.Contains(report.Languages(), lang) {
				return &bench.FieldError{Field: "lang", Value: fmt.Sprintf("%q", lang), Allowed: fmt.Sprint(report.Languages())}
			}
			found, err := job.Compare(c.Context(), args, factors)
			if err != nil {
				return ofArguments(err)
			}
			return sayComparison(std, found, lang, asJSON)
		},
	}
	c.Flags().StringVar(&vary, "vary", "", "what the runs may differ in: model, endpoint or model,endpoint")
	c.Flags().StringVar(&lang, "lang", "", "language of the text: zh or en (default: by locale)")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}

// ofArguments marks an error that the named directories have caused.
func ofArguments(err error) error {
	if errors.Is(err, rundir.ErrNoRun) || errors.Is(err, job.ErrNoOther) {
		return &usageError{err}
	}
	return err
}

func sayComparison(std streams, c *bench.Comparison, lang string, asJSON bool) error {
	if lang == "" {
		lang = job.Language(&bench.Target{}, os.LookupEnv)
	}
	if asJSON {
		if err := printJSON(std.out, c); err != nil {
			return err
		}
	} else {
		fmt.Fprint(std.out, report.ComparisonText(c, lang))
	}
	if !c.Comparable {
		return &outcomeError{exitNotComparable}
	}
	return nil
}
