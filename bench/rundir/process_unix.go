//go:build unix && !linux && !darwin

package rundir

import (
	"errors"
	"syscall"
)

// inspect tells only whether there is a process with this number.
func inspect(pid int) (started string, running bool) {
	err := syscall.Kill(pid, 0)
	return "", err == nil || errors.Is(err, syscall.EPERM)
}
