package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/report"
)

func newRescore(std streams) *cobra.Command {
	var rule string
	var asJSON bool
	c := &cobra.Command{
		Use: "rescore DIR", Short: "Compute a run's figures under another tool's rules", Args: oneArg("DIR"),
		Long: `Computes TTFT, TPOT and E2E again, from the events of the journal, as another tool defines them: which chunk is the first
token, which one ends a request, and how TPOT is formed. The run's own figures stand above. Nothing is sent or written.`,
		Example: `  llm-bench rescore reports/prefix_20260701_120000 --rule vllm
  llm-bench rescore reports/prefix_20260701_120000 --json`,
		RunE: func(c *cobra.Command, args []string) error {
			var rules []bench.Rule
			if rule != "" {
				rules = []bench.Rule{bench.Rule(rule)}
			}
			rescored, err := job.Rescore(c.Context(), args[0], rules...)
			if err != nil {
				return ofArguments(err)
			}
			if asJSON {
				return printJSON(std.out, rescored)
			}
			fmt.Fprint(std.out, report.RescoredText(rescored.Targets))
			return nil
		},
	}
	c.Flags().StringVar(&rule, "rule", "", "vllm, sglang, guidellm or evalscope (default: all of them)")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}
