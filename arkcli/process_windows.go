//go:build windows

package arkcli

import (
	"io/fs"
	"os/exec"
	"strconv"
	"syscall"
)

const ctrlBreakEvent = 1

// mayRun is decided by the file's name on Windows.
func mayRun(fs.FileInfo) bool { return true }

// isolate gives the child a process group of its own, which can be asked to
// end without ending this process.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// terminate asks the child's group to end.
func terminate(cmd *exec.Cmd) {
	send := syscall.NewLazyDLL("kernel32.dll").NewProc("GenerateConsoleCtrlEvent")
	_, _, _ = send.Call(ctrlBreakEvent, uintptr(cmd.Process.Pid))
}

// kill ends the child and all that it started.
func kill(cmd *exec.Cmd) {
	tree := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid))
	tree.SysProcAttr = &syscall.SysProcAttr{HideWindow: true}
	_ = tree.Run()
	_ = cmd.Process.Kill()
}

// lives is not asked on Windows beyond the child itself.
func lives(*exec.Cmd) bool { return false }

// endedBy is empty: Windows has no signals.
func endedBy(*exec.Cmd) string { return "" }
