package arkcli

import (
	"context"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"sync"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// Options says where and how Ark CLI is run. The zero value finds the program
// and runs it with the environment of this process.
type Options struct {
	// Path is the program to run. When empty, LLM_BENCH_ARKCLI of Environ
	// counts, then PATH, then the places where npm puts programs.
	Path    string
	Environ []string // KEY=VALUE, default os.Environ()
	Home    string   // default the user's home: it decides whose login is used
	GOOS    string   // default runtime.GOOS; decides names and places of files

	// Command makes the command to run; default [exec.Command]. Environment,
	// folder and pipes are set on what it returns.
	Command func(name string, args ...string) *exec.Cmd

	CallTimeout time.Duration // per call, default 20 s
	Grace       time.Duration // between asking a child to end and killing it, default 2 s
	RetryPause  time.Duration // before each of two retries when the login is being renewed elsewhere, default 2 s

	files files // what lies on disk; default the disk
}

// CLI runs Ark CLI, one call at a time. It is safe for concurrent use.
type CLI struct {
	opts   Options
	redact redactor
	turn   chan struct{}                                            // holds one token: whoever has it may run
	once   func(ctx context.Context, args []string) (reply, *Error) // runs the program once

	mu      sync.Mutex
	logins  map[string]cachedLogin // by profile asked for
	secrets []string               // keys seen, for redaction
}

// cachedLogin is a login that was good a moment ago.
type cachedLogin struct {
	login Login
	at    time.Time
}

// loginAge is how long a good login is believed without asking again.
const loginAge = 30 * time.Second

// New returns a CLI. It runs nothing and looks for nothing.
func New(opts Options) *CLI {
	if opts.Environ == nil {
		opts.Environ = os.Environ()
	}
	if opts.GOOS == "" {
		opts.GOOS = runtime.GOOS
	}
	if opts.Home == "" {
		opts.Home = homeOf(environment{opts.Environ, opts.GOOS})
	}
	if me, err := user.Current(); opts.Home == "" && err == nil {
		opts.Home = me.HomeDir
	}
	if opts.Command == nil {
		opts.Command = exec.Command
	}
	if opts.files == nil {
		opts.files = disk{}
	}
	opts.CallTimeout = orDefault(opts.CallTimeout, 20*time.Second)
	opts.Grace = orDefault(opts.Grace, 2*time.Second)
	opts.RetryPause = orDefault(opts.RetryPause, 2*time.Second)
	c := &CLI{opts: opts, redact: newRedactor(), turn: make(chan struct{}, 1), logins: map[string]cachedLogin{}}
	c.once = c.run
	return c
}

func orDefault(d, def time.Duration) time.Duration {
	if d <= 0 {
		return def
	}
	return d
}

// remember keeps a key for redaction, so that no later text can show it.
func (c *CLI) remember(key bench.Secret) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.secrets = append(c.secrets, key.Reveal())
}

// env is the environment of this process, as the options see it.
func (c *CLI) env() environment { return environment{c.opts.Environ, c.opts.GOOS} }
