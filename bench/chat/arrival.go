package chat

import "time"

// instant is one moment on two clocks, in nanoseconds: the wall clock, by which
// the kernel stamps what it receives, and the run's, which is monotonic.
type instant struct{ wall, run int64 }

func (i instant) offset() int64 { return i.wall - i.run }

// arrivals puts the kernel's wall times on the run's clock. Each conversion
// takes both clocks anew, so that a slewed wall clock does no harm; a wall
// clock that was set between two conversions is noticed by their distance.
type arrivals struct {
	now    func() instant
	before instant // at the latest conversion
}

func newArrivals(now func() instant) arrivals { return arrivals{now: now, before: now()} }

const (
	// tornBy and slewed bound how far the two clocks may part between two
	// conversions, once and for each second between them, without having been set.
	tornBy = 200 * int64(time.Microsecond)
	slewed = 1_000 // 1/slewed of the time in between
)

// convert gives the arrival on the run's clock of what the kernel received at
// a wall time, and how long ago that is. Where the wall clock was set so that
// the arrival can't be told, it is the present, and the lag 0.
func (a *arrivals) convert(received int64) (at, lag int64) {
	now := a.now()
	step := a.step(now)
	if step != 0 {
		now = a.untorn(now)
		step = a.step(now)
	}
	lag = now.wall - received
	if step != 0 {
		lag = a.across(now, lag, step)
	}
	a.before = now
	if lag < 0 {
		lag = 0
	}
	return now.run - lag, lag
}

// step is by how much the wall clock was set since the latest conversion.
func (a *arrivals) step(now instant) int64 {
	step := now.offset() - a.before.offset()
	if bound := tornBy + (now.run-a.before.run)/slewed; step <= bound && step >= -bound {
		return 0
	}
	return step
}

// untorn reads the clocks again where something may have come between their
// two readings, until two instants agree.
func (a *arrivals) untorn(now instant) instant {
	for range 3 {
		again := a.now()
		apart := again.offset() - now.offset()
		now = again
		if apart <= tornBy && apart >= -tornBy {
			break
		}
	}
	return now
}

// across decides whether a segment came before the wall clock was set or after.
// It came after the latest conversion in any case.
func (a *arrivals) across(now instant, lag, step int64) int64 {
	since := now.run - a.before.run
	possible := func(lag int64) bool { return lag >= 0 && lag <= since }
	switch before := lag - step; {
	case possible(lag) && !possible(before):
		return lag
	case possible(before) && !possible(lag):
		return before
	}
	return 0
}
