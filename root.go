package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// newRoot is the command line: every command under one root.
func newRoot(std streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "llm-bench",
		Short: "Measure TTFT, TPOT, E2E latency and cache hit rate of an LLM endpoint",
		Long: `llm-bench measures how fast a large-language-model endpoint is, as the people who use it feel it:
time to first token (TTFT), time per output token (TPOT), end-to-end latency (E2E) and cache hit rate.
It works with Volcengine Ark (through Ark CLI) and with any OpenAI-compatible streaming chat endpoint.`,
		Example: `  llm-bench all --sim --preset quick                      try everything on the built-in stand-in endpoint
  llm-bench all --model "doubao seed 2.0 mini"            the standard baseline on Ark
  llm-bench prefix --base-url https://host/v1 --api-key-env HOST_API_KEY --model m`,
		SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{fmt.Errorf("%w; see %s --help", err, c.CommandPath())}
	})
	root.AddCommand(
		newConnectivity(std), newPrefix(std), newMultiturn(std), newAll(std),
		newReport(std), newCompare(std), newRescore(std), newResume(std), newPackage(std), newVerify(std), newLogin(std), newModels(std), newSim(std), newSelftest(std), newMCP(std), newSetup(std), newWorker(std), newVersion(std),
	)
	return root
}

func newVersion(std streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "version", Short: "Print version, Go version and system", Args: noArgs, Example: "  llm-bench version",
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return printJSON(std.out, map[string]string{"version": version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
			}
			_, err := fmt.Fprintf(std.out, "llm-bench %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}
