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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
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
