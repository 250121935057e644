package main

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/sim"
)

// simFlags are the settings of the stand-in endpoint.
type simFlags struct {
	ttft, prefill, tpot float64 // ms
	limit               int
	fault               string
}

func (f *simFlags) bind(fs *pflag.FlagSet, hidden bool) {
	fs.Float64Var(&f.ttft, "sim-ttft-ms", 120, "stand-in endpoint: time to first token of a fully cached prompt, ms")
	fs.Float64Var(&f.prefill, "sim-prefill-ms", 40, "stand-in endpoint: prefill time for 1,000 uncached tokens, ms")
	fs.Float64Var(&f.tpot, "sim-tpot-ms", 10, "stand-in endpoint: time per output token, ms")
	fs.IntVar(&f.limit, "sim-limit", 64, "stand-in endpoint: concurrent generations, others queue; -1: no limit")
	fs.StringVar(&f.fault, "sim-fault", "", "stand-in endpoint: faults of its answers (llm-bench sim --help lists them)")
	for _, name := range []string{"sim-ttft-ms", "sim-prefill-ms", "sim-tpot-ms", "sim-limit", "sim-fault"} {
		if hidden {
			hide(fs, name)
		}
	}
}

// check reports a time that no endpoint can take.
func (f *simFlags) check() error {
	const longest = 600_000
	for _, t := range []struct {
		field string
		ms    float64
	}{{"sim_ttft_ms", f.ttft}, {"sim_prefill_ms", f.prefill}, {"sim_tpot_ms", f.tpot}} {
		if !(t.ms >= 0 && t.ms <= longest) {
			return &bench.FieldError{Field: t.field, Value: t.ms, Allowed: fmt.Sprintf("0 to %d", longest)}
		}
	}
	if f.limit < sim.Off {
		return &bench.FieldError{Field: "sim_limit", Value: f.limit, Allowed: fmt.Sprintf("1 or more, 0 (64), or %d (no limit)", sim.Off)}
	}
	if err := (sim.Config{Fault: f.fault}).Validate(); err != nil {
		return &bench.FieldError{Field: "sim_fault", Value: fmt.Sprintf("%q", bench.Clean(f.fault, 100)), Allowed: fmt.Sprintf("what llm-bench sim --help lists (%v)", err)}
	}
	return nil
}

func (f *simFlags) options() *job.SimOptions {
	return &job.SimOptions{BaseTTFT: simMillis(f.ttft), Prefill: simMillis(f.prefill), TPOT: simMillis(f.tpot), Limit: f.limit, Fault: f.fault}
}

// simMillis keeps a time of zero apart from one that isn't stated.
func simMillis(ms float64) bench.Millis {
	if ms == 0 {
		return -1
	}
	return bench.Millis(bench.FromMilliseconds(ms))
}

func newSim(std streams) *cobra.Command {
	var flags simFlags
	var address string
	c := &cobra.Command{
		Use: "sim", Short: "Run the stand-in Ark endpoint on loopback", Args: noArgs,
		Long: "Runs the stand-in Ark endpoint by itself until it is interrupted. Every answer is marked as simulated.\n\n" + faultSyntax + faultList(),
		Example: `  llm-bench sim --sim-tpot-ms 20
  llm-bench connectivity --base-url http://127.0.0.1:8000/api/v3 --model doubao-seed-2-0-mini-260428 --dialect ark`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			server, err := sim.New(flags.options().Config())
			if err != nil {
				return &usageError{err}
			}
			host, port, err := net.SplitHostPort(address)
			_, noPort := strconv.ParseUint(port, 10, 16)
			if ip := net.ParseIP(host); err != nil || noPort != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
				return &bench.FieldError{Field: "listen", Value: fmt.Sprintf("%q", address), Allowed: "a loopback address with a port, such as 127.0.0.1:8000"}
			}
			listener, err := net.Listen("tcp", address)
			if err != nil {
				return fmt.Errorf("listen on %s: %w", address, err)
			}
			stop := make(chan struct{})
			go func() {
				defer close(stop)
				<-c.Context().Done()
				_ = server.Close()
			}()
			fmt.Fprintf(std.out, "stand-in endpoint (SIMULATED) on http://%s/api/v3, any key, model %s; Ctrl-C ends it\n", listener.Addr(), server.Config().Models[0].ID)
			err = server.Serve(listener)
			if c.Context().Err() != nil {
				<-stop
				return nil
			}
			return err
		},
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&address, "listen", "127.0.0.1:8000", "loopback address to listen on; port 0 picks a free one")
	flags.bind(c.Flags(), false)
	return c
}

const faultSyntax = `Faults, for --sim-fault, for the request header X-Sim-Fault, or behind a model's name (MODEL+fault):
NAME, or NAME:VALUE where it takes a value; several with + between them. Then, if not every request is meant:
@N or @N-M the N-th request (to the M-th), %N every N-th, ^N the first N tries of each.
Such as pause:500ms%10 or http_429@5-8+late_usage:1s

`

func faultList() string {
	var b strings.Builder
	for _, f := range sim.Faults() {
		fmt.Fprintf(&b, "  %-24s %s", f.Name, f.Doc)
		if f.Argument != "" {
			fmt.Fprintf(&b, " (:VALUE is a %s)", f.Argument)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
