package job

import (
	"math"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// meter reads the client's own state, tick by tick.
type meter struct {
	clock  bench.Clock
	before struct {
		at  time.Duration
		cpu time.Duration
		gc  []uint64 // counts of the pauses' histogram
	}
}

func newMeter(clock bench.Clock) *meter {
	m := &meter{clock: clock}
	m.tick()
	return m
}

// tick takes one reading; shares and pauses are since the one before.
func (m *meter) tick() bench.Tick {
	now, cpu := m.clock.Now(), cpuTime()
	t := bench.Tick{At: bench.MarkAt(now), RSSMiB: residentMiB(), GCPause: bench.Millis(m.longestPause())}
	if span := now - m.before.at; span > 0 && m.before.cpu > 0 {
		t.CPUShare = float64(cpu-m.before.cpu) / float64(span) / float64(runtime.GOMAXPROCS(0))
	}
	wall := time.Now().Round(0).Sub(m.clock.Began().Round(0))
	t.WallDrift = bench.Millis(wall - m.clock.Now())
	m.before.at, m.before.cpu = now, cpu
	return t
}

// longestPause is the upper bound of the longest garbage-collection pause
// since the reading before.
func (m *meter) longestPause() time.Duration {
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
