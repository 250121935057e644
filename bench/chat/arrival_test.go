package chat

import (
	"testing"
	"time"
)

// clocks are a wall clock and a run clock under a test's control, in ns.
type clocks struct {
	wall, run int64
	torn      int64 // comes between the two readings, once
}

func (c *clocks) now() instant {
	i := instant{wall: c.wall, run: c.run + c.torn}
	c.run += c.torn
	c.wall += c.torn
	c.torn = 0
	return i
}

// pass lets time pass on both clocks.
func (c *clocks) pass(d time.Duration) {
	c.wall += int64(d)
	c.run += int64(d)
}

// read converts what the kernel received a time ago.
func (c *clocks) read(a *arrivals, ago time.Duration) (at, lag time.Duration) {
	x, y := a.convert(c.wall - int64(ago))
	return time.Duration(x), time.Duration(y)
}

const microsecond = time.Microsecond

func startClocks() (*clocks, *arrivals) {
	c := &clocks{wall: 1_790_000_000_000_000_000, run: int64(time.Second)}
	a := newArrivals(c.now)
	return c, &a
}

func TestAnArrivalIsTheKernelsTimeOnTheRunClock(t *testing.T) {
	c, a := startClocks()
	c.pass(20 * time.Millisecond)
	at, lag := c.read(a, 300*microsecond)
	if at != time.Second+20*time.Millisecond-300*microsecond || lag != 300*microsecond {
		t.Errorf("arrival %v, lag %v", at, lag)
	}
}

func TestASlewedWallClockDoesNoHarm(t *testing.T) {
	c, a := startClocks()
	for range 1000 {
		c.pass(time.Second)
		c.wall += int64(500 * microsecond) // 500 ppm, the most that NTP slews by
		if at, lag := c.read(a, 40*microsecond); at != time.Duration(c.run)-40*microsecond || lag != 40*microsecond {
			t.Fatalf("at %v: arrival %v, lag %v", time.Duration(c.run), at, lag)
		}
	}
}

func TestAWallClockThatIsSetDoesNoHarm(t *testing.T) {
	for _, step := range []time.Duration{time.Hour, -time.Hour, time.Second, -time.Second, 50 * time.Millisecond, -50 * time.Millisecond} {
		c, a := startClocks()
		c.pass(20 * time.Millisecond)
		received := c.wall // by the clock before it was set
		c.pass(100 * microsecond)
		c.wall += int64(step)
		c.pass(100 * microsecond)
		at, lag := a.convert(received)
		if want := c.run - int64(200*microsecond); at != want || time.Duration(lag) != 200*microsecond {
			t.Errorf("set by %v after the arrival: arrival %v, lag %v, want %v", step, time.Duration(at), time.Duration(lag), time.Duration(want))
		}
		c.pass(20 * time.Millisecond)
		if at, lag := c.read(a, 30*microsecond); at != time.Duration(c.run)-30*microsecond || lag != 30*microsecond {
			t.Errorf("set by %v: the next arrival %v, lag %v", step, at, lag)
		}
	}
}

func TestAnArrivalAfterTheClockWasSetIsTold(t *testing.T) {
	for _, step := range []time.Duration{time.Hour, -time.Hour} {
		c, a := startClocks()
		c.pass(10 * time.Millisecond)
		c.wall += int64(step)
		c.pass(10 * time.Millisecond)
		if at, lag := c.read(a, 30*microsecond); at != time.Duration(c.run)-30*microsecond || lag != 30*microsecond {
			t.Errorf("set by %v before the arrival: arrival %v, lag %v", step, at, lag)
		}
	}
}

func TestWhereASmallStepLeavesTheArrivalOpenItIsThePresent(t *testing.T) {
	c, a := startClocks()
	c.pass(20 * time.Millisecond)
	c.wall += int64(2 * time.Millisecond)
	if at, lag := c.read(a, 5*time.Millisecond); at != time.Duration(c.run) || lag != 0 {
		t.Errorf("arrival %v, lag %v; 3 and 5 ms ago are both possible", at, lag)
	}
}

func TestWhatComesBetweenTheReadingsOfTheClocksIsNoStep(t *testing.T) {
	c, a := startClocks()
	c.pass(20 * time.Millisecond)
	c.torn = int64(3 * time.Millisecond)
	received := c.wall - int64(40*microsecond)
	at, lag := a.convert(received)
	if want := time.Duration(c.run) - 40*microsecond - 3*time.Millisecond; time.Duration(at) != want || time.Duration(lag) != 3*time.Millisecond+40*microsecond {
		t.Errorf("arrival %v, lag %v, want %v", time.Duration(at), time.Duration(lag), want)
	}
}

func TestNoArrivalLiesInTheFuture(t *testing.T) {
	c, a := startClocks()
	c.pass(time.Millisecond)
	if at, lag := c.read(a, -10*microsecond); at != time.Duration(c.run) || lag != 0 {
		t.Errorf("arrival %v, lag %v at %v", at, lag, time.Duration(c.run))
	}
}
