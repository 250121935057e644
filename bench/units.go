package bench

import (
	"encoding/json"
	"math"
	"time"
)

// Milliseconds converts a duration to the unit of every _ms field. Durations
// under 26 days keep their nanoseconds and are given back by [FromMilliseconds].
func Milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

// FromMilliseconds is the inverse of [Milliseconds].
func FromMilliseconds(ms float64) time.Duration { return time.Duration(math.Round(ms * 1e6)) }

// Millis is a duration that JSON shows as a number of milliseconds.
type Millis time.Duration

// MarshalJSON implements [json.Marshaler].
func (m Millis) MarshalJSON() ([]byte, error) {
	return json.Marshal(Milliseconds(time.Duration(m)))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (m *Millis) UnmarshalJSON(data []byte) error {
	var ms float64
	if err := json.Unmarshal(data, &ms); err != nil {
		return err
	}
	*m = Millis(FromMilliseconds(ms))
	return nil
}

// Mark is a moment of a request on the run's clock: the time since the run
// began. The zero Mark was not reached. JSON shows milliseconds, or null.
type Mark struct {
	at    time.Duration
	taken bool
}

// MarkAt is the mark reached at the given time since the run began.
func MarkAt(at time.Duration) Mark { return Mark{at, true} }

// Taken reports whether the moment was reached.
func (m Mark) Taken() bool { return m.taken }

// At is the time since the run began; 0 for a mark not reached.
func (m Mark) At() time.Duration { return m.at }

// IsZero reports whether the mark was not reached; it serves JSON's omitzero.
func (m Mark) IsZero() bool { return !m.taken }

// Since is the time from an earlier mark to this one. It is undefined (false)
// unless both were reached.
func (m Mark) Since(from Mark) (time.Duration, bool) {
	if !m.taken || !from.taken {
		return 0, false
	}
	return m.at - from.at, true
}

// MarshalJSON implements [json.Marshaler].
func (m Mark) MarshalJSON() ([]byte, error) {
	if !m.taken {
		return []byte("null"), nil
	}
	return json.Marshal(Milliseconds(m.at))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (m *Mark) UnmarshalJSON(data []byte) error {
	var ms *float64
	if err := json.Unmarshal(data, &ms); err != nil {
		return err
	}
	*m = Mark{}
	if ms != nil {
		*m = MarkAt(FromMilliseconds(*ms))
	}
	return nil
}

// Clock is the one clock of a run: monotonic, in nanoseconds since it began.
type Clock struct{ began time.Time }

// NewClock starts a clock now.
func NewClock() Clock { return Clock{time.Now()} }

// ClockAt starts a clock now that shows the given time already: that of a run
// which is taken up again.
func ClockAt(elapsed time.Duration) Clock { return Clock{time.Now().Add(-elapsed)} }

// Began is the wall time at which the clock started, for print only.
func (c Clock) Began() time.Time { return c.began }

// Now is the monotonic time since the clock started.
func (c Clock) Now() time.Duration { return time.Since(c.began) }

// Mark is the present moment.
func (c Clock) Mark() Mark { return MarkAt(c.Now()) }

// Of is the mark of a time that was read with [time.Now].
func (c Clock) Of(t time.Time) Mark { return MarkAt(t.Sub(c.began)) }
