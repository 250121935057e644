package chat_test

import (
	"context"
	"fmt"
	"io"
	"log"
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

// Pieces of streams. K is a chunk with the given delta, F one with the given
// finish_reason, U one with usage alone, Z the end.
func K(delta string) string {
	return `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}` + "\n\n"
}

func C(text string) string { return K(`{"content":"` + text + `"}`) }

func F(reason string) string {
	return `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}` + "\n\n"
}

func U(prompt, completion, cached int) string {
	return usageChunk(fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}`,
		prompt, completion, prompt+completion, cached))
}

func usageChunk(usage string) string {
	return `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":` + usage + "}\n\n"
}

const Z = "data: [DONE]\n\n"

// write is bytes sent at a time after the request was read, in milliseconds.
type write struct {
	at   int
	data string
}

// answer is what a scripted server does with one request.
type answer struct {
	status  int // 0 is 200
	header  map[string]string
	writes  []write
	hang    bool // the body stays open until the client gives up
	cut     bool // the connection is closed without the body's end
	endLate time.Duration
}

func stream(writes ...write) answer { return answer{writes: writes} }

// serve plays the answer.
func (a answer) serve(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	for _, part := range a.writes {
		pause(r.Context(), time.Until(began.Add(time.Duration(part.at)*time.Millisecond)))
		_, _ = io.WriteString(w, part.data)
		_ = http.NewResponseController(w).Flush()
	}
	if a.hang {
		<-r.Context().Done()
	}
	if a.cut {
		panic(http.ErrAbortHandler)
	}
	pause(r.Context(), a.endLate)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// played is what became of requests to a scripted server.
type played struct {
	samples []*bench.Sample
	end     bench.End
	hits    int
	headers []http.Header
	bodies  []string
	opened  int
	took    time.Duration
}

// scene is a run against a scripted server, in a bubble.
type scene struct {
	answers  []answer // of the requests in order of arrival; the last repeats
	sessions []bench.Session
	spec     func(*bench.Spec)
	target   func(*bench.Target)
	cancel   time.Duration // > 0: the user interrupts the run then
}

func singles(n int) []bench.Session {
	var sessions []bench.Session
	for i := range n {
		sessions = append(sessions, bench.Session{Number: i + 1, Turns: []bench.Turn{{Text: "hello"}}})
	}
	return sessions
}

// play carries out a scene in a bubble of its own.
func play(t *testing.T, s scene) (p played) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { p = s.run(t) })
	return p
}

func (s scene) run(t *testing.T) (p played) {
	network := sim.NewPipeNet()
	var arriving sync.Mutex
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		arriving.Lock()
		a := s.answers[min(p.hits, len(s.answers)-1)]
		p.hits++
		p.headers, p.bodies = append(p.headers, r.Header.Clone()), append(p.bodies, string(body))
		arriving.Unlock()
		a.serve(w, r)
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(network) }()
	spec := bench.NewSpec(bench.Prefix, bench.Standard)
	spec.MaxConcurrency = 1
	if s.spec != nil {
		s.spec(&spec)
	}
	target := bench.Target{BaseURL: "http://server.invalid/v1", Model: "m", Dialect: bench.Generic(), Key: bench.NewSecret("sk-LEAKTEST-0123456789abcdef")}
	if s.target != nil {
		s.target(&target)
	}
	clock := bench.NewClock()
	client, err := chat.New(chat.Options{Target: target, Spec: &spec, Clock: clock, Dial: network.DialContext})
	if err != nil {
		t.Fatal(err)
	}
	sessions := s.sessions
	if sessions == nil {
		sessions = singles(1)
	}
	ctx := context.Background()
	if s.cancel > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, s.cancel, context.Canceled)
		defer stop()
	}
	load := &bench.Load{Sessions: sessions, Concurrency: spec.MaxConcurrency, Caller: client, Clock: clock}
	p.end = bench.Run(ctx, load, func(s *bench.Sample) { p.samples = append(p.samples, s) })
	p.took, p.opened = clock.Now(), client.Opened()
	client.Close()
	_ = server.Close()
	<-served
	arriving.Lock() // a handler may still be on its way out
	defer arriving.Unlock()
	return p
}

// one plays a single answer and returns its sample.
func one(t *testing.T, a answer) *bench.Sample {
	t.Helper()
	return play(t, scene{answers: []answer{a}}).samples[0]
}

// ms is a number of milliseconds, or "none".
func ms(d time.Duration, defined bool) string {
	if !defined {
		return "none"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.3f", bench.Milliseconds(d)), ".000")
}

// figures is a sample's outcome and figures in one line.
func figures(s *bench.Sample) string {
	tokens := "none"
	if n, known := s.OutputTokens(); known {
		tokens = fmt.Sprint(n)
	}
	return fmt.Sprintf("%s ttft=%s e2e=%s tpot=%s n=%s", s.Outcome, ms(s.TTFT()), ms(s.E2E()), ms(s.TPOT()), tokens)
}

// quiet is a log for servers that tests make fail.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
