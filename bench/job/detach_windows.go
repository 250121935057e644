package job

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// setDetached gives the worker a process group of its own and no console, so
// that nothing that ends the client's reaches it.
func setDetached(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS, HideWindow: true,
	}
}

// askedToEnd is a context that ends when the worker is asked to end: by the
// file, as a process without a console can't be sent a signal.
func askedToEnd(ctx context.Context, dir string) (context.Context, context.CancelFunc) {
	asked, stop := signal.NotifyContext(ctx, os.Interrupt)
	ctx, end := context.WithCancelCause(asked)
	go func() {
		ticker := time.NewTicker(followEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				if beingCanceled(dir) {
					end(ErrCanceled)
				}
			}
		}
	}()
	return ctx, func() { end(nil); stop() }
}

// askToEnd has nothing to do: the worker looks for the file.
func askToEnd(int) error { return nil }

func killProcess(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return nil // gone
	}
	defer func() { _ = p.Release() }()
	return p.Kill()
}

// lockFile waits until the file is locked for this process alone; closing it
// unlocks it, and so does the death of the process.
func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, new(windows.Overlapped))
}
