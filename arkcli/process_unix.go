//go:build unix

package arkcli

import (
	"io/fs"
	"os/exec"
	"syscall"
)

func mayRun(info fs.FileInfo) bool { return info.Mode()&0o111 != 0 }

// isolate gives the child a process group of its own: the program behind an
// npm shim is a grandchild, and must get the same signals.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// terminate asks the child's group to end.
func terminate(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// kill ends the child's group.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// lives reports whether anything of the child's group is left.
func lives(cmd *exec.Cmd) bool { return syscall.Kill(-cmd.Process.Pid, 0) == nil }

// endedBy names the signal that ended the child, "" for none.
func endedBy(cmd *exec.Cmd) string {
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}
