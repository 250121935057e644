//go:build !linux

package sim

// newAlarm reports that this system has no clock better than the runtime's.
func newAlarm() (*alarm, error) { return nil, nil }

type alarm struct{ timerClock }

func (*alarm) close() {}
