package rundir

import "os"

// Process names one process for good: its number and, since numbers come
// again, the time at which it started.
type Process struct {
	PID     int    `json:"pid"`
	Started string `json:"pid_started,omitempty"` // opaque; "" where the system doesn't tell
}

// ThisProcess is the process that asks.
func ThisProcess() Process {
	started, _ := inspect(os.Getpid())
	return Process{os.Getpid(), started}
}

// Alive reports whether the process still runs. Another one with its number,
// or one that has ended and was not yet waited for, doesn't count.
func (p Process) Alive() bool {
	if p.PID <= 0 {
		return false
	}
	started, running := inspect(p.PID)
	return running && (p.Started == "" || started == "" || p.Started == started)
}
