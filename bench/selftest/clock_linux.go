package selftest

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// sharedNow reads CLOCK_MONOTONIC, which all processes of the machine share.
func sharedNow() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // can't fail for this clock
	return t.Nano()
}

// wakeSharply keeps the calling goroutine on a thread whose sleeps end without
// the slack of 50 µs that the kernel otherwise takes.
func wakeSharply() {
	runtime.LockOSThread()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
}

// sleep blocks the thread, which a timer of the runtime would end up to 1 ms late.
func sleep(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&t, nil)
}
