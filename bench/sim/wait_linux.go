package sim

import (
	"container/heap"
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// alarm is a clock on one timer file descriptor. The runtime's own timers end
// on Linux up to a millisecond late, since its poller waits in whole
// milliseconds; a timer descriptor wakes the poller when it is due.
type alarm struct {
	file *os.File
	mu   sync.Mutex
	due  dueHeap
	next time.Time // what the descriptor is set to; zero: not set
	done chan struct{}
}

type dueEntry struct {
	at   time.Time
	wake chan struct{}
}

const (
	clockMonotonic = 1
	// early is how long before a deadline the descriptor fires, for the way
	// from there to the waiting stream.
	early = 15 * time.Microsecond
)

// newAlarm starts an alarm. It lives until close.
func newAlarm() (*alarm, error) {
	fd, _, errno := syscall.Syscall(syscall.SYS_TIMERFD_CREATE, clockMonotonic, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if errno != 0 {
		return nil, fmt.Errorf("timerfd_create: %w", errno)
	}
	a := &alarm{file: os.NewFile(fd, "timerfd"), done: make(chan struct{})}
	go a.ring()
	return a, nil
}

func (a *alarm) close() {
	_ = a.file.Close()
	<-a.done
}

// ring wakes the sleepers whose time has come, each time the descriptor fires.
func (a *alarm) ring() {
	defer close(a.done)
	var expirations [8]byte
	for {
		if _, err := a.file.Read(expirations[:]); err != nil {
			return
		}
		a.wakeDue()
	}
}

func (a *alarm) wakeDue() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.next = time.Time{}
	now := time.Now()
	for len(a.due) > 0 && a.due[0].at.Sub(now) <= early {
		heap.Pop(&a.due).(dueEntry).wake <- struct{}{}
	}
	a.set()
}

// set makes the descriptor fire for the earliest deadline. The lock is held.
func (a *alarm) set() {
	if len(a.due) == 0 || !a.next.IsZero() && !a.due[0].at.Before(a.next) {
		return
	}
	a.next = a.due[0].at
	wait := max(time.Until(a.next)-early, 1)
	var spec struct{ interval, value syscall.Timespec }
	spec.value = syscall.NsecToTimespec(int64(wait))
	conn, err := a.file.SyscallConn()
	if err != nil {
		return // closed
	}
	_ = conn.Control(func(fd uintptr) {
		_, _, _ = syscall.Syscall6(syscall.SYS_TIMERFD_SETTIME, fd, 0, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
	})
}

func (a *alarm) sleeper() sleeper {
	return &alarmSleeper{alarm: a, wake: make(chan struct{}, 1)}
}

// alarmSleeper has at most one entry in the heap: a sleeper whose wait was
// broken off is not used again.
type alarmSleeper struct {
	alarm *alarm
	wake  chan struct{}
}

func (s *alarmSleeper) until(ctx context.Context, t time.Time) bool {
	if ctx.Err() != nil {
		return false
	}
	if time.Until(t) <= 0 {
		return true
	}
	s.alarm.add(dueEntry{t, s.wake})
	select {
	case <-s.wake:
		for time.Until(t) > 0 { // at most the head start
			runtime.Gosched()
		}
		return true
	case <-ctx.Done():
		return false
	}
}

func (*alarmSleeper) stop() {}

func (a *alarm) add(e dueEntry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	heap.Push(&a.due, e)
	a.set()
}

// dueHeap implements [heap.Interface], the earliest deadline first.
type dueHeap []dueEntry

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h dueHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *dueHeap) Push(x any)        { *h = append(*h, x.(dueEntry)) }
func (h *dueHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
