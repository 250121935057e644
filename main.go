// llm-bench measures how fast a large-language-model endpoint is, as the
// people who use it feel it: time to first token, time per output token,
// end-to-end latency and cache hit rate.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// version is that of this program. It is a constant, since an installed copy
// of the source has no history to read it from.
const version = "0.1.0"

func main() {
	outliveReaders()
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	// The first signal ends the run in order, a later one the program. Two at
	// once are one: some programs signal both a process and its group.
	context.AfterFunc(ctx, func() {
		time.Sleep(time.Second)
		stop()
	})
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// endings are the signals that end a run in order. That of a terminal that
// closes is one, unless the program was started to outlive it.
func endings() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// outliveReaders keeps the program alive where whoever read its output is gone,
// as in "llm-bench all | head -1": a write then fails, and the run goes on.
func outliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// streams are the standard streams of one invocation.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run is one invocation of the command line; it returns the exit code.
func run(ctx context.Context, args []string, std streams) int {
	root := newRoot(std)
	root.SetArgs(args)
	return exitCode(std.err, root.ExecuteContext(ctx))
}
