package meter

import (
	"time"

	"golang.org/x/sys/windows"
)

// cpuTime is the processor time that this process has used.
func cpuTime() time.Duration {
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user) != nil {
		return 0
	}
	return ticks(kernel) + ticks(user)
}

// ticks turns a count of 100 ns into a duration.
func ticks(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}

// residentMiB is unknown on this system.
func residentMiB() float64 { return 0 }
