package chat_test

import (
	"context"
	"net/http"
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

// slowReader serves a plain stream after it has let the body wait.
func slowReader(wait time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(wait)
		plain().serve(w, r)
	})
}

func TestTheUploadIsSeenByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := sim.NewPipeNet()
		server := &http.Server{Handler: slowReader(100 * time.Millisecond)}
		served := make(chan error, 1)
		go func() { served <- server.Serve(network) }()
		text := strings.Repeat("a prompt of many words ", 10_000)
		s := sendOne(t, network, text)
		up, _ := s.SentLast.Since(s.SentFirst)
		ttft, _ := s.TTFT()
		if s.SentFirst.At() != s.Start.At() || up != 100*time.Millisecond || ttft != 150*time.Millisecond {
			t.Errorf("first byte %v after the start, upload %v, TTFT %v; want 0s, 100ms, 150ms", s.SentFirst.At()-s.Start.At(), up, ttft)
		}
		_ = server.Close()
		<-served
	})
}

func sendOne(t *testing.T, network *sim.PipeNet, text string) *bench.Sample {
	t.Helper()
	spec := bench.NewSpec(bench.Prefix, bench.Standard)
	client, err := chat.New(chat.Options{
		Target: bench.Target{BaseURL: "http://server.invalid/v1", Model: "m", Dialect: bench.Generic()},
		Spec:   &spec, Clock: bench.NewClock(), Dial: network.DialContext,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	s := client.Call(context.Background(), &bench.Request{Session: 1, Turn: 1, Attempt: 1, Messages: []bench.Message{{Role: bench.RoleUser, Text: text}}})
	return &s
}

func TestAnInterruptIsNoFailureWhereverItComes(t *testing.T) {
	limited := answer{status: 429, header: map[string]string{"Retry-After": "60"}, writes: []write{at(0, `{"error":{"code":"RateLimitExceeded","message":"m"}}`)}}
	for _, c := range []struct {
		name   string
		answer answer
		turns  int
		want   bench.Requests
	}{
		{"before the headers", answer{hang: true}, 1, bench.Requests{Planned: 1, Canceled: 1}},
		{"before the first token", answer{writes: []write{at(10, ": keep-alive\n\n")}, hang: true}, 1, bench.Requests{Planned: 1, Canceled: 1}},
		{"in mid-stream", answer{writes: []write{at(10, C("A"))}, hang: true}, 1, bench.Requests{Planned: 1, Canceled: 1}},
		{"after the end of the output", answer{writes: []write{at(10, C("A"), F("stop"), U(10, 1, 0), Z)}, hang: true}, 1, bench.Requests{Planned: 1, Succeeded: 1}},
		{"while a turn waits to be tried again", limited, 2, bench.Requests{Planned: 2, Failed: 1, NotRun: 1}},
	} {
		session := bench.Session{Number: 1, Turns: make([]bench.Turn, c.turns)}
		p := play(t, scene{answers: []answer{c.answer}, sessions: []bench.Session{session}, cancel: time.Second})
		spec := bench.NewSpec(bench.Multiturn, bench.Standard)
		if got := bench.Summarize(&spec, c.turns, p.samples).Requests; got != c.want || p.end.Ending != bench.EndCanceled || p.took != time.Second {
			t.Errorf("%s: %+v, %s after %v; want %+v, canceled after 1s", c.name, got, p.end.Ending, p.took, c.want)
		}
	}
}
