package main

import (
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"github.com/llm-bench/llm-bench/bench/selftest"
)

func newSelftest(std streams) *cobra.Command {
	var config selftest.Config
	var serve, asJSON bool
	c := &cobra.Command{
		Use: "selftest", Short: "Measure how exact the measuring is on this machine", Args: noArgs,
		Long: `Measures the measurer: streams from a built-in endpoint in a process of its own, whose every chunk carries
the time at which it was sent. The result says how far the client's times are from that, and what a chunk costs.
It takes at most 10 seconds longer than its duration, and exits with 0 whatever the verdict.`,
		Example: `  llm-bench selftest
  llm-bench selftest --streams 5 --tls
  llm-bench selftest --streams 4000 --rate 10 --duration 10m --json`,
		RunE: func(c *cobra.Command, _ []string) error {
			if serve {
				return selftest.Serve(&config, std.in, std.out)
			}
			return measureSelf(c, std, &config, asJSON)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.IntVar(&config.Streams, "streams", 200, "streams side by side")
	f.DurationVar(&config.Duration, "duration", 10*time.Second, "measured time")
	f.Float64Var(&config.Rate, "rate", 50, "chunks per second of each stream")
	f.BoolVar(&config.TLS, "tls", false, "encrypt, with a certificate made for the occasion")
	f.BoolVar(&asJSON, "json", false, "print one JSON document")
	f.DurationVar(&config.TTFT, "ttft", 0, "time from a request's arrival to its first chunk (0: 200ms)")
	f.IntVar(&config.Chunks, "chunks", 0, "chunks of an answer (0: as many as fit the duration)")
	f.IntVar(&config.Burst, "burst", 0, "chunks in one write (0: 1)")
	f.BoolVar(&config.UserClock, "user-clock", false, "stamp in user space even where the kernel gives receive times")
	f.BoolVar(&serve, "serve", false, "be the endpoint: print the address, serve until stdin ends")
	for _, name := range []string{"ttft", "chunks", "burst", "user-clock", "serve"} {
		hide(f, name)
	}
	return c
}

// measureSelf runs the endpoint from this program's own file and measures it.
func measureSelf(c *cobra.Command, std streams, config *selftest.Config, asJSON bool) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	endpoint := exec.CommandContext(c.Context(), self, append([]string{"selftest", "--serve"}, config.Args()...)...)
	endpoint.Stderr = std.err
	result, err := selftest.Run(c.Context(), config, endpoint)
	if err != nil {
		return err
	}
	if c.Context().Err() != nil {
		return c.Context().Err()
	}
	if result.Cut > 0 {
		fmt.Fprintf(std.err, "%d of %d requests did not fit into the time: this machine is too slow for the set-up, or busy\n", result.Cut, result.Requests)
	}
	if result.Failed > 0 {
		fmt.Fprintf(std.err, "%d of %d requests failed, first: %s\n", result.Failed, result.Requests, result.Fault)
	}
	if asJSON {
		return printJSON(std.out, result)
	}
	return result.WriteText(std.out)
}
