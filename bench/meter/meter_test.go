package meter_test

import (
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/meter"
)

func TestThePulseCountsEveryBeat(t *testing.T) {
	clock := bench.NewClock()
	m := meter.New(clock)
	m.TakePulse()
	var lags bench.Lags
	var longest time.Duration
	for lags.N() < 20 {
		time.Sleep(10 * time.Millisecond)
		tick := m.Tick()
		lags.Merge(tick.Lags)
		longest = max(longest, time.Duration(tick.LagMax))
	}
	took := clock.Now()
	m.Close()
	if beats := int(took / (10 * time.Millisecond)); lags.N() > beats {
		t.Errorf("%d beats in %v, which has room for %d", lags.N(), took, beats)
	}
	if longest <= 0 || longest > took {
		t.Errorf("the longest lag is %v in %v", longest, took)
	}
}

func TestATickTellsWhatTheProcessUsedSinceTheOneBefore(t *testing.T) {
	clock := bench.NewClock()
	m := meter.New(clock)
	before := meter.CPUTime()
	for meter.CPUTime() < before+20*time.Millisecond { // work
	}
	tick := m.Tick()
	if tick.CPUShare <= 0 || tick.At.At() <= 0 || tick.Lags != nil {
		t.Errorf("tick %+v after 20 ms of work, without a pulse", tick)
	}
	m.Close()
}
