package rundir

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// inspect gives when a process started, in ticks of the present boot, and
// whether it runs.
func inspect(pid int) (started string, running bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", signalable(pid)
	}
	// The name in parentheses can hold anything, so what follows counts from its end.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	const state, startTime = 0, 19
	if len(fields) <= startTime {
		return "", signalable(pid)
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		boot = nil
	}
	return strings.TrimSpace(string(boot)) + "/" + fields[startTime], !strings.ContainsAny(fields[state], "ZXx")
}

// signalable reports whether there is a process with this number.
func signalable(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
