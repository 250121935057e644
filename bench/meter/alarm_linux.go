package meter

import (
	"encoding/binary"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// alarm goes off at even intervals, by a timer descriptor: the runtime's
// poller wakes who waits for it, as it does for a socket.
type alarm struct{ file *os.File }

func newAlarm(every time.Duration) (*alarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create a timer: %w", err)
	}
	file := os.NewFile(uintptr(fd), "timerfd")
	gap := unix.NsecToTimespec(int64(every))
	if err := unix.TimerfdSettime(fd, 0, &unix.ItimerSpec{Interval: gap, Value: gap}, nil); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("set a timer: %w", err)
	}
	return &alarm{file}, nil
}

// wait returns how many times the alarm has gone off since it was last called,
// at least once; 0 when it is closed.
func (a *alarm) wait() uint64 {
	var times [8]byte
	if _, err := a.file.Read(times[:]); err != nil {
		return 0
	}
	return binary.NativeEndian.Uint64(times[:])
}

func (a *alarm) close() { _ = a.file.Close() }
