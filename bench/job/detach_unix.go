//go:build unix

package job

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// setDetached gives the worker a session of its own, so that nothing that ends
// the client's session, its terminal or its process group reaches it.
func setDetached(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// askedToEnd is a context that ends when the worker is asked to end. What ends
// ctx may be the same signal, so its cause doesn't count before the mark of a
// cancellation has been looked for.
func askedToEnd(ctx context.Context, dir string) (context.Context, context.CancelFunc) {
	signal.Ignore(syscall.SIGHUP)
	asked, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	ctx, end := context.WithCancelCause(context.WithoutCancel(ctx))
	context.AfterFunc(asked, func() {
		if beingCanceled(dir) {
			end(ErrCanceled)
		}
		end(context.Cause(asked))
	})
	return ctx, stop
}

// askToEnd asks a worker to end. One that is gone already is no error.
func askToEnd(pid int) error { return unlessGone(syscall.Kill(pid, syscall.SIGTERM)) }

func killProcess(pid int) error { return unlessGone(syscall.Kill(pid, syscall.SIGKILL)) }

func unlessGone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

// lockFile waits until the file is locked for this process alone; closing it
// unlocks it, and so does the death of the process.
func lockFile(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
