package meter

import (
	"sync"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// pulseGap is the time between two beats.
const pulseGap = 10 * time.Millisecond

// pulse waits for moments that are known beforehand, in the way in which the
// streams of a run wait for bytes, and keeps how late it came to each. That is
// what bytes arriving at that moment would have had to wait to be read.
type pulse struct {
	clock bench.Clock
	alarm *alarm
	began time.Duration
	done  chan struct{}

	mu   sync.Mutex
	lags bench.Lags
	max  time.Duration
}

// startPulse returns nil where the system gives no alarm.
func startPulse(clock bench.Clock) *pulse {
	p := &pulse{clock: clock, began: clock.Now(), done: make(chan struct{})}
	var err error
	if p.alarm, err = newAlarm(pulseGap); err != nil {
		return nil
	}
	go p.run()
	return p
}

func (p *pulse) stop() {
	p.alarm.close()
	<-p.done
}

// run keeps the lag of every beat, also of those that one awakening came too
// late for.
func (p *pulse) run() {
	defer close(p.done)
	due := p.began
	for {
		beats := p.alarm.wait()
		if beats == 0 {
			return
		}
		now := p.clock.Now()
		p.mu.Lock()
		for range beats {
			due += pulseGap
			p.lags.Add(now - due)
			p.max = max(p.max, now-due)
		}
		p.mu.Unlock()
	}
}

// take returns the lags since it was last called, and the longest.
func (p *pulse) take() (bench.Lags, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	lags, longest := p.lags, p.max
	p.lags, p.max = nil, 0
	return lags, longest
}
