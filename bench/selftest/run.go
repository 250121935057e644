package selftest

import (
	"context"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/chat"
	"github.com/llm-bench/llm-bench/bench/meter"
)

// slack is how much longer than its duration a run may take.
const slack = 8 * time.Second

// Run measures one set-up. The command's process must end in [Serve] with the
// same config. A run that is cut short gives the figures until then.
func Run(ctx context.Context, c *Config, command *exec.Cmd) (*Result, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	endpoint, err := start(command)
	if err != nil {
		return nil, err
	}
	defer endpoint.stop()
	m := &measurement{config: c, spec: c.spec(), clock: bench.NewClock()}
	m.truth.zero = zeroOf(m.clock)
	m.client, err = chat.New(chat.Options{
		Target: bench.Target{BaseURL: endpoint.url, Model: "selftest", Dialect: bench.Generic()},
		Spec:   &m.spec, Clock: m.clock, Roots: endpoint.roots, UserClock: c.UserClock, Direct: true,
	})
	if err != nil {
		return nil, err
	}
	defer m.client.Close()
	if _, err := m.client.Prepare(ctx, c.Streams); err != nil {
		return nil, fmt.Errorf("connect to the endpoint: %w", err)
	}
	m.run(ctx)
	return m.result(), nil
}

// measurement is a run against the endpoint.
type measurement struct {
	config *Config
	spec   bench.Spec
	clock  bench.Clock
	client *chat.Client
	truth  truth
	kept   []*bench.Sample // those by which the verdict is found
	ticks  []bench.Tick
	cpu    time.Duration
}

// keepAtMost bounds the samples that are kept, so that memory stays flat.
const keepAtMost = 2000

func (m *measurement) run(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, m.config.Duration+slack)
	defer cancel()
	sessions := m.config.sessions()
	every := (len(sessions)-1)/keepAtMost + 1
	load := &bench.Load{Sessions: sessions, Concurrency: m.config.Streams, Caller: m.client, Clock: m.clock}
	stop := m.watch()
	before := meter.CPUTime()
	bench.Run(ctx, load, func(s *bench.Sample) {
		m.truth.add(s)
		if s.Session%every == 0 {
			kept := *s
			kept.Answer = ""
			m.kept = append(m.kept, &kept)
		}
	})
	m.cpu = meter.CPUTime() - before
	stop()
}

// watch takes the client's readings each second until it is stopped.
func (m *measurement) watch() (stop func()) {
	meter := meter.New(m.clock)
	meter.TakePulse()
	ending := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ending:
				m.ticks = append(m.ticks, meter.Tick())
				return
			case <-ticker.C:
				m.ticks = append(m.ticks, meter.Tick())
			}
		}
	})
	return func() {
		close(ending)
		watching.Wait()
		meter.Close()
	}
}
