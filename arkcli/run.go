package arkcli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

const (
	maxStdout  = 4 << 20 // bytes kept; a page of 100 endpoints has about 60 KiB
	maxStderr  = 1 << 20
	drainDelay = 250 * time.Millisecond // for a grandchild that keeps the pipes open
	lockTries  = 3
)

// reply is what one run of the program left behind.
type reply struct {
	args           []string
	stdout, stderr []byte
	cut            bool // stdout was longer than is kept
	exit           int  // -1 when a signal ended it
	signal         string
}

// call runs the program when its turn has come, and again, twice at most,
// when another Ark CLI process was renewing the login.
func (c *CLI) call(ctx context.Context, args ...string) (reply, *Error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return reply{}, c.gaveUp(ctx, args)
	}
	for try := 1; ; try++ {
		r, err := c.once(ctx, args)
		if err != nil || !r.lockedOut() {
			return r, err
		}
		if try == lockTries {
			return r, problem(CLIBusy, fmt.Sprintf("another arkcli process was renewing the login each of the %d times that `%s` was tried", lockTries, c.name(args)))
		}
		if err := pause(ctx, c.opts.RetryPause); err != nil {
			return r, c.gaveUp(ctx, args)
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run runs the program once. A non-zero exit is no error here.
func (c *CLI) run(ctx context.Context, args []string) (reply, *Error) {
	at, missing := c.find()
	if missing != nil {
		return reply{}, missing
	}
	limited, cancel := context.WithTimeout(ctx, c.opts.CallTimeout)
	defer cancel()
	stdout, stderr := &clip{limit: maxStdout}, &clip{limit: maxStderr}
	cmd := c.command(at.path, args)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		return reply{}, c.notStarted(at.path, err)
	}
	err := c.wait(limited, cmd)
	if limited.Err() != nil {
		return reply{}, c.tooSlow(ctx, args)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return reply{}, problem(CLIFailed, c.say(fmt.Sprintf("running `%s` failed: %v", c.name(args), err), maxMessage))
	}
	return reply{
		args: args, stdout: stdout.kept, stderr: stderr.kept, cut: stdout.cut,
		exit: cmd.ProcessState.ExitCode(), signal: endedBy(cmd),
	}, nil
}

func (c *CLI) command(path string, args []string) *exec.Cmd {
	s := search{c.env(), c.opts.Home, c.opts.files}
	cmd := c.opts.Command(path, args...)
	cmd.Env = s.env.forChild(c.opts.Home, s.childPath(path))
	if info, err := os.Stat(c.opts.Home); err == nil && info.IsDir() {
		cmd.Dir = c.opts.Home // not the working folder: a .env there is none of ours
	}
	cmd.WaitDelay = drainDelay
	isolate(cmd)
	return cmd
}

// wait waits for the child. When ctx ends first, the child is asked to end,
// so that it can let go of its login lock, and killed when it doesn't within
// the grace.
func (c *CLI) wait(ctx context.Context, cmd *exec.Cmd) error {
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	terminate(cmd)
	deadline := time.NewTimer(c.opts.Grace)
	defer deadline.Stop()
	select {
	case err := <-done:
		awaitGroup(cmd, deadline.C)
		return err
	case <-deadline.C:
		kill(cmd)
		return <-done
	}
}

// awaitGroup waits for what the child left behind in its group, and kills it
// at the deadline.
func awaitGroup(cmd *exec.Cmd, deadline <-chan time.Time) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for lives(cmd) {
		select {
		case <-tick.C:
		case <-deadline:
			kill(cmd)
			return
		}
	}
}

func (c *CLI) notStarted(path string, err error) *Error {
	if errors.Is(err, fs.ErrNotExist) {
		return problem(CLIMissing, c.say(fmt.Sprintf("arkcli is required, but %s cannot be started: the file or the program that it names in its first line is gone", path), maxMessage))
	}
	e := problem(CLIFailed, c.say(fmt.Sprintf("arkcli was found at %s but cannot be started: %v", path, err), maxMessage))
	e.Fix, e.cause = []string{InstallCommand}, err
	return e
}

func (c *CLI) tooSlow(ctx context.Context, args []string) *Error {
	if ctx.Err() != nil {
		return c.gaveUp(ctx, args)
	}
	e := problem(Timeout, fmt.Sprintf("`%s` did not answer within %v and was ended", c.name(args), c.opts.CallTimeout))
	e.cause = context.DeadlineExceeded
	return e
}

func (c *CLI) gaveUp(ctx context.Context, args []string) *Error {
	p, word := Interrupted, "was interrupted"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		p, word = Timeout, "did not answer in the time left and was ended"
	}
	e := problem(p, fmt.Sprintf("`%s` %s", c.name(args), word))
	e.cause = ctx.Err()
	return e
}

// name is the command as a person would type it, without its flags.
func (c *CLI) name(args []string) string {
	end := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") && a != "--version" })
	if end < 0 {
		end = len(args)
	}
	return c.say(strings.Join(append([]string{"arkcli"}, args[:end]...), " "), 120)
}

// clip keeps the first bytes written to it and swallows the rest, so that a
// child never blocks on a full pipe.
type clip struct {
	kept  []byte
	limit int
	cut   bool
}

// Write implements [io.Writer].
func (w *clip) Write(p []byte) (int, error) {
	room := max(w.limit-len(w.kept), 0)
	w.cut = w.cut || len(p) > room
	w.kept = append(w.kept, p[:min(len(p), room)]...)
	return len(p), nil
}
