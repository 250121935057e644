package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/rundir"
	"github.com/llm-bench/llm-bench/server"
)

func newMCP(std streams) *cobra.Command {
	var deps server.Deps
	c := &cobra.Command{
		Use: "mcp", Short: "Serve the tools for agents over standard input and output (MCP)", Args: noArgs,
		Example: "  llm-bench mcp\n  llm-bench mcp --read-only --log-file wire.log",
		Long: `Serves the tools for agents over standard input and output. Runs that it starts are carried out by
processes of their own, and go on when the server or its client ends.`,
		RunE: func(c *cobra.Command, _ []string) error {
			executable, err := os.Executable()
			if err != nil {
				return err
			}
			index, err := rundir.DefaultIndex()
			if err != nil { // without a home folder runs are found by their place alone
				index = rundir.Index{}
			}
			deps.Ark, deps.Index, deps.Executable = arkcli.New(arkcli.Options{}), index, executable
			deps.Version, deps.Env, deps.Stderr = version, os.LookupEnv, std.err
			return server.New(deps).Serve(c.Context(), std.in, std.out)
		},
	}
	c.Flags().BoolVar(&deps.ReadOnly, "read-only", false, "offer only tools that start and stop nothing")
	c.Flags().StringVar(&deps.LogFile, "log-file", "", "record what goes over the wire in this file, without keys")
	return c
}

func newWorker(std streams) *cobra.Command {
	return &cobra.Command{
		Use: "worker DIR", Short: "Carry out a run that the MCP server has ordered", Hidden: true, Args: oneArg("DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			return job.Work(c.Context(), args[0], std.in, version, arkcli.New(arkcli.Options{}))
		},
	}
}
