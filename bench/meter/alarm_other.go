//go:build !linux

package meter

import "time"

// alarm goes off at even intervals, by the runtime's timers.
type alarm struct {
	every  time.Duration
	next   time.Time
	closed chan struct{}
}

func newAlarm(every time.Duration) (*alarm, error) {
	return &alarm{every: every, next: time.Now(), closed: make(chan struct{})}, nil
}

// wait returns how many times the alarm has gone off since it was last called,
// at least once; 0 when it is closed.
func (a *alarm) wait() uint64 {
	a.next = a.next.Add(a.every)
	timer := time.NewTimer(time.Until(a.next))
	defer timer.Stop()
	select {
	case <-a.closed:
		return 0
	case <-timer.C:
	}
	missed := max(time.Since(a.next), 0) / a.every
	a.next = a.next.Add(missed * a.every)
	return 1 + uint64(missed)
}

func (a *alarm) close() { close(a.closed) }
