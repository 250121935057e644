// Package meter reads the state of the process that measures: processor time,
// memory, garbage-collection pauses, and its pulse, which is how late it
// notices what happens.
package meter

import (
	"math"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// Meter reads the process's state, tick by tick. It isn't safe for concurrent use.
type Meter struct {
	clock  bench.Clock
	pulse  *pulse // nil: not taken
	before struct {
		at  time.Duration
		cpu time.Duration
		gc  []uint64 // counts of the pauses' histogram
	}
}

// New starts a meter without a pulse.
func New(clock bench.Clock) *Meter {
	m := &Meter{clock: clock}
	m.Tick()
	return m
}

// TakePulse starts the pulse, which waits on the system's own timers: it has no
// place where time is simulated. Close ends it.
func (m *Meter) TakePulse() { m.pulse = startPulse(m.clock) }

// Close ends the pulse.
func (m *Meter) Close() {
	if m.pulse != nil {
		m.pulse.stop()
	}
}

// Tick takes one reading; shares, pauses and the pulse are since the one before.
func (m *Meter) Tick() bench.Tick {
	now, cpu := m.clock.Now(), cpuTime()
	t := bench.Tick{At: bench.MarkAt(now), RSSMiB: residentMiB(), GCPause: bench.Millis(m.longestPause())}
	if span := now - m.before.at; span > 0 && m.before.cpu > 0 {
		t.CPUShare = float64(cpu-m.before.cpu) / float64(span) / float64(runtime.GOMAXPROCS(0))
	}
	wall := time.Now().Round(0).Sub(m.clock.Began().Round(0))
	t.WallDrift = bench.Millis(wall - m.clock.Now())
	if m.pulse != nil {
		lags, longest := m.pulse.take()
		t.Lags, t.LagMax = lags, bench.Millis(longest)
	}
	m.before.at, m.before.cpu = now, cpu
	return t
}

// CPUTime is the processor time that this process has used.
func CPUTime() time.Duration { return cpuTime() }

// longestPause is the upper bound of the longest garbage-collection pause
// since the reading before.
func (m *Meter) longestPause() time.Duration {
	sample := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindFloat64Histogram {
		return 0
	}
	h := sample[0].Value.Float64Histogram()
	longest := 0.0
	for i, n := range h.Counts {
		if i < len(m.before.gc) && n == m.before.gc[i] || n == 0 {
			continue
		}
		if bound := h.Buckets[i+1]; !math.IsInf(bound, 1) {
			longest = max(longest, bound)
		}
	}
	m.before.gc = append(m.before.gc[:0], h.Counts...)
	return time.Duration(longest * float64(time.Second))
}
