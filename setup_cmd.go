package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/server/setup"
)

func newSetup(std streams) *cobra.Command {
	var o setup.Options
	var asJSON bool
	c := &cobra.Command{
		Use: "setup --client " + strings.Join(setup.Clients(), "|"), Short: "Register the MCP server with an agent, or try it", Args: noArgs,
		Long: "Registers this program as an MCP server with an agent's client. What stood there before is kept and comes back with --uninstall.",
		Example: `  llm-bench setup --client claude
  llm-bench setup --client trae --print
  llm-bench setup --check`,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.Client == "" && !o.Check {
				return &usageError{fmt.Errorf("give --client (%s) or --check; see llm-bench setup --help", strings.Join(setup.Clients(), ", "))}
			}
			executable, err := os.Executable()
			if err != nil {
				return err
			}
			o.Binary, o.Ark = executable, arkcli.New(arkcli.Options{})
			report, err := setup.Run(c.Context(), o)
			if asJSON {
				if encodeErr := printJSON(std.out, report); encodeErr != nil {
					return encodeErr
				}
			} else if printErr := report.Print(std.out); printErr != nil {
				return printErr
			}
			return err
		},
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&o.Client, "client", "", strings.Join(setup.Clients(), ", "))
	c.Flags().BoolVar(&o.Print, "print", false, "change nothing, print what would stand where")
	c.Flags().BoolVar(&o.Uninstall, "uninstall", false, "take the registration back")
	c.Flags().BoolVar(&o.Check, "check", false, "start the server, ask for its tools, and look for Ark CLI")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}
