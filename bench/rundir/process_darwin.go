package rundir

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// zombie is the state of a process that has ended and was not yet waited for.
const zombie = 5

// inspect gives when a process started and whether it runs.
func inspect(pid int) (started string, running bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return "", false
	}
	at := info.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", at.Sec, at.Usec), info.Proc.P_stat != zombie
}
