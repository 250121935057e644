package chat_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/chat"
	"github.com/llm-bench/llm-bench/bench/sim"
)

// simulate runs sessions against a stand-in endpoint over net.Pipe; it must be
// called in a bubble. The records of the endpoint are in order of completion.
func simulate(t *testing.T, config sim.Config, spec bench.Spec, model string, sessions []bench.Session) (samples []*bench.Sample, records []*sim.Record, end bench.End) {
	t.Helper()
	var recording sync.Mutex
	config.Recorder = func(r *sim.Record) {
		recording.Lock()
		defer recording.Unlock()
		records = append(records, r)
	}
	server, err := sim.New(config)
	if err != nil {
		t.Fatal(err)
	}
	network := sim.NewPipeNet()
	served := make(chan error, 1)
	go func() { served <- server.Serve(network) }()
	defer func() {
		_ = server.Close()
		<-served
	}()
	clock := bench.NewClock()
	client, err := chat.New(chat.Options{
		Target: bench.Target{BaseURL: network.BaseURL(), Model: model, Dialect: bench.Ark()},
		Spec:   &spec, Clock: clock, Dial: network.DialContext,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Prepare(context.Background(), spec.MaxConcurrency); err != nil {
		t.Fatal(err)
	}
	load := &bench.Load{Sessions: sessions, Concurrency: spec.MaxConcurrency, Caller: client, Clock: clock}
	end = bench.Run(context.Background(), load, func(s *bench.Sample) { samples = append(samples, s) })
	return samples, records, end
}

func TestEverySampleEqualsTheTimetableOfTheEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := bench.NewSpec(bench.Prefix, bench.Standard)
		config := sim.Config{BaseTTFT: 300 * time.Millisecond, PrefillPer1000: 50 * time.Millisecond, TPOT: 20 * time.Millisecond, CacheCapacityTokens: sim.Off}
		var sessions []bench.Session
		for i := range 20 {
			sessions = append(sessions, bench.Session{Number: i + 1, Turns: []bench.Turn{{Text: strings.Repeat("measure the stream ", 40+i)}}})
		}
		samples, _, end := simulate(t, config, spec, "doubao-seed-2-0-mini-260428", sessions)
		if end.Ending != bench.EndComplete || len(samples) != 20 {
			t.Fatalf("end %+v with %d samples", end, len(samples))
		}
		for _, s := range samples {
			if s.Outcome != bench.Succeeded {
				t.Fatalf("session %d: %s: %+v", s.Session, s.Outcome, s.Failure)
			}
			ttft, _ := s.TTFT()
			tpot, _ := s.TPOT()
			e2e, _ := s.E2E()
			want := config.BaseTTFT + time.Duration(*s.Usage.Prompt)*config.PrefillPer1000/1000
			if ttft != want || tpot != config.TPOT || e2e != want+511*config.TPOT {
				t.Errorf("session %d: TTFT %v TPOT %v E2E %v, want %v %v %v", s.Session, ttft, tpot, e2e, want, config.TPOT, want+511*config.TPOT)
			}
			if len(s.Warnings) > 0 {
				t.Errorf("session %d: warnings %v", s.Session, s.Warnings)
			}
		}
	})
}
