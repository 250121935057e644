package sim

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestEveryFaultOfAConfigurationIsReportedAtOnce(t *testing.T) {
	err := Config{
		BaseTTFT: -5, TPOT: 2 * time.Hour, Limit: -2, TemplateTokens: 1, Tokenizer: "none", Vendor: "none",
		Models: []Model{{ID: "a"}, {ID: "a", Thinking: "perhaps"}, {}}, Fault: "none",
	}.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"base ttft -5ns", "tpot 2h0m0s", "limit -2", "template tokens 1", `tokenizer "none": must be one of standard,`,
		`vendor "none": must be one of ark,`, `model "a": is listed twice`, `thinking of model a "perhaps"`, "model 3: has an empty id", `fault "none"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in:\n%v", want, err)
		}
	}
	if err := (Config{}).Validate(); err != nil {
		t.Errorf("the zero value is refused: %v", err)
	}
}

func TestZeroMeansDefaultAndTheConstantsMeanNone(t *testing.T) {
	standard := Config{}.withDefaults()
	if standard.BaseTTFT != 120*time.Millisecond || standard.Limit != 64 || standard.CacheMinTokens != 1024 {
		t.Errorf("standard %+v", standard)
	}
	none := Config{BaseTTFT: Zero, PrefillPer1000: Zero, TPOT: Zero, Limit: Off, ThinkTokens: Off}.withDefaults()
	if none.BaseTTFT != 0 || none.PrefillPer1000 != 0 || none.TPOT != 0 || none.Limit != 0 || none.ThinkTokens != 0 {
		t.Errorf("none %+v", none)
	}
}

func TestEveryAnswerSaysThatItIsSimulated(t *testing.T) {
	inBubble(t, Config{}, func(l *lab) {
		for _, r := range []reply{l.post(ask(mini, "hi", 1)), l.post("{"), l.get("/models"), l.get("/nothing")} {
			if r.header.Get(HeaderSimulated) != "true" {
				t.Errorf("status %d: header %q", r.status, r.header.Get(HeaderSimulated))
			}
		}
	})
}

func (l *lab) get(path string, header ...string) reply {
	req, err := http.NewRequest(http.MethodGet, l.base+path, nil)
	if err != nil {
		return reply{err: err}
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := l.client.Do(req)
	if err != nil {
		return reply{err: err}
	}
	defer func() { _ = resp.Body.Close() }()
	return readReply(resp, time.Now())
}

func TestModelsAreListedUnderAnyPrefix(t *testing.T) {
	inBubble(t, Config{Models: []Model{{ID: "one"}, {ID: "two"}}}, func(l *lab) {
		l.base = strings.TrimSuffix(l.base, basePath) + "/compatible-mode/v1"
		var list struct{ Data []struct{ ID string } }
		if err := json.Unmarshal([]byte(l.get("/models").body), &list); err != nil {
			t.Fatal(err)
		}
		if len(list.Data) != 2 || list.Data[0].ID != "one" || list.Data[1].ID != "two" {
			t.Errorf("models %+v", list.Data)
		}
		if got := l.post(ask("two", "hi", 1)).told(t); got.model != "two" {
			t.Errorf("chat under the same prefix served %q", got.model)
		}
	})
}

func TestAKeyIsRequiredOnlyIfOneIsSet(t *testing.T) {
	for _, c := range []struct {
		key, sent string
		want      int
	}{{"", "", 200}, {"", "Bearer x", 200}, {"k", "Bearer k", 200}, {"k", "", 401}, {"k", "Bearer kk", 401}, {"k", "k", 401}} {
		inBubble(t, Config{APIKey: c.key}, func(l *lab) {
			r := l.post(ask(mini, "hi", 1), "Authorization", c.sent)
			if r.status != c.want || c.want == 401 && !strings.Contains(r.body, "AuthenticationError") {
				t.Errorf("key %q, sent %q: %d %s", c.key, c.sent, r.status, r.body)
			}
			if got := l.get("/models", "Authorization", c.sent).status; got != c.want {
				t.Errorf("key %q, sent %q: models answer %d", c.key, c.sent, got)
			}
		})
	}
}

func TestRequestIDsAreEchoedOrMade(t *testing.T) {
	inBubble(t, Config{}, func(l *lab) {
		if got := l.post(ask(mini, "hi", 1), "X-Client-Request-Id", "mine-1").header.Get("X-Client-Request-Id"); got != "mine-1" {
			t.Errorf("echo %q", got)
		}
		r := l.post(ask(mini, "hi", 1))
		if len(r.header.Get("X-Client-Request-Id")) != 34 {
			t.Errorf("made %q, want a time and 20 hex digits", r.header.Get("X-Client-Request-Id"))
		}
		if id := r.header.Get("X-Tt-Logid"); !strings.HasPrefix(id, "02") || len(id) != 55 || !strings.Contains(r.body, `"id":"`+id+`"`) {
			t.Errorf("id %q", id)
		}
	})
}

func TestTheSameSeedGivesTheSameBytes(t *testing.T) {
	run := func(seed uint64) string {
		var body string
		inBubble(t, Config{Seed: seed}, func(l *lab) { body = l.post(ask(mini, "你好", 20)).body })
		return body
	}
	if run(1) != run(1) {
		t.Error("one seed gives two answers")
	}
	if run(1) == run(2) {
		t.Error("two seeds give one answer")
	}
}

func TestRecordHoldsRequestScheduleAndSendTimes(t *testing.T) {
	inBubble(t, Config{Fault: "late_end"}, func(l *lab) {
		body := ask(mini, "hi", 3)
		l.post(body, "Authorization", "Bearer secret-key", "X-Other", "seen")
		r := <-l.records
		if string(r.Body) != body || r.Header.Get("X-Other") != "seen" || r.Path != basePath+"/chat/completions" {
			t.Errorf("request not recorded: %+v", r)
		}
		if got := r.Header.Get("Authorization"); got != "[redacted]" {
			t.Errorf("authorization recorded as %q", got)
		}
		if r.Ordinal != 1 || r.Status != 200 || r.Model != mini || r.Answer != 3 || r.PromptTokens != 8 || !slices.Equal(r.Faults, []string{"late_end"}) || r.Canceled {
			t.Errorf("record %+v", r)
		}
		ttft := 120320 * time.Microsecond
		want := []Mark{
			{"content", 1, ttft, ttft, 0},
			{"content", 1, ttft + 10*time.Millisecond, ttft + 10*time.Millisecond, 1},
			{"content", 1, ttft + 20*time.Millisecond, ttft + 20*time.Millisecond, 2},
			{"finish", 0, ttft + 20*time.Millisecond, ttft + 20*time.Millisecond, 3},
			{"usage", 0, ttft + 20*time.Millisecond, ttft + 20*time.Millisecond, 3},
			{"done", 0, ttft + 20*time.Millisecond, ttft + 20*time.Millisecond, 3},
		}
		if r.TTFT != ttft || !slices.Equal(r.Marks, want) {
			t.Errorf("TTFT %v, marks %+v, want %+v", r.TTFT, r.Marks, want)
		}
		if r.Ended != ttft+25*time.Millisecond {
			t.Errorf("ended at %v, want 5 ms after [DONE]", r.Ended)
		}
	})
}

func TestStatsCountWhatIsInFlight(t *testing.T) {
	inBubble(t, Config{BaseTTFT: 50 * time.Millisecond, PrefillPer1000: Zero}, func(l *lab) {
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				for range 40 {
					l.post(ask(mini, "hi", 1))
				}
			})
		}
		wg.Wait()
		s := l.s.Stats()
		if s.Requests != 200 || s.MaxInFlight != 5 || s.InFlight != 0 || s.MeanInFlight() != 5 || s.Span != 2*time.Second {
			t.Errorf("stats %+v, mean %v, want 200 requests, always 5, in 2 s", s, s.MeanInFlight())
		}
		if s.Connections > 5 {
			t.Errorf("%d connections for 5 clients", s.Connections)
		}
	})
}

func TestCloseEndsAnswersThatAreUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, Config{})
		pipes := NewPipeNet()
		served := make(chan error, 1)
		go func() { served <- l.s.Serve(pipes) }()
		transport := &http.Transport{DialContext: pipes.DialContext}
		l.client, l.base = &http.Client{Transport: transport}, pipes.BaseURL()
		broken := make(chan reply, 2)
		for _, fault := range []string{"", "stall"} {
			go func() { broken <- l.post(ask(mini, "hi", 1000), HeaderFault, fault) }()
		}
		time.Sleep(time.Second)
		if err := l.s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		for range 2 {
			if r := <-broken; r.err == nil {
				t.Errorf("an answer came to its end: %d lines", len(r.lines))
			}
		}
		for range 2 {
			if r := <-l.records; !r.Canceled {
				t.Error("a broken answer is recorded as complete")
			}
		}
		if _, err := pipes.DialContext(t.Context(), "", ""); err == nil {
			t.Error("the network is still open")
		}
		if err := l.s.Serve(NewPipeNet()); err == nil {
			t.Error("a closed server serves again")
		}
	})
}

// onLoopback gives a lab with a server on 127.0.0.1.
func onLoopback(t *testing.T, cfg Config) *lab {
	t.Helper()
	l := newLab(t, cfg)
	base, err := l.s.ListenLoopback(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	l.base, l.client = base, &http.Client{Transport: transport}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := l.s.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func TestOnLoopbackNothingIsSentBeforeItsTime(t *testing.T) {
	l := onLoopback(t, Config{BaseTTFT: 5 * time.Millisecond, TPOT: time.Millisecond})
	if !strings.HasSuffix(l.base, "/api/v3") || !strings.HasPrefix(l.base, "http://127.0.0.1:") {
		t.Errorf("base URL %q", l.base)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { l.post(ask(mini, "hi", 50)) })
	}
	wg.Wait()
	for range 8 {
		r := <-l.records
		if len(r.Marks) != 53 {
			t.Fatalf("%d marks, want 53", len(r.Marks))
		}
		for _, m := range r.Marks {
			if m.Sent < m.Due {
				t.Errorf("%s due %v was sent at %v", m.Kind, m.Due, m.Sent)
			}
		}
	}
}

func TestListenLoopbackEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	base, err := s.ListenLoopback(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for s.begin() { // ends when the context's end has reached the server
		s.serving.Done()
		runtime.Gosched()
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(base, "http://"), basePath)); err == nil {
		_ = conn.Close()
		t.Error("the port is still open")
	}
}

func TestCloseOnLoopbackBreaksAStreamOff(t *testing.T) {
	l := onLoopback(t, Config{BaseTTFT: time.Millisecond})
	resp, err := l.client.Post(l.base+"/chat/completions", "application/json", strings.NewReader(ask(mini, "hi", 60000)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err := l.s.Close(); err != nil {
		t.Error(err)
	}
	if r := readReply(resp, time.Now()); r.err == nil {
		t.Error("the answer came to its end")
	}
	if r := <-l.records; !r.Canceled {
		t.Error("the broken answer is recorded as complete")
	}
}

func TestScriptSendsItsBytesAtItsTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipes := NewPipeNet()
		server := &http.Server{Handler: Script{
			Writes: []Write{{5 * time.Millisecond, "data: a\n\n"}, {7 * time.Millisecond, "data: "}, {9 * time.Millisecond, "b\n\n"}},
			Tail:   time.Millisecond,
		}}
		go func() { _ = server.Serve(pipes) }()
		transport := &http.Transport{DialContext: pipes.DialContext}
		start := time.Now()
		resp, err := (&http.Client{Transport: transport}).Post(pipes.BaseURL(), "", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r := readReply(resp, start)
		_ = resp.Body.Close()
		if r.body != "data: a\n\ndata: b\n\n" || r.lines[0].at != 5*time.Millisecond || r.lines[1].at != 9*time.Millisecond || time.Since(start) != 10*time.Millisecond {
			t.Errorf("%q, lines %v, end %v", r.body, r.lines, time.Since(start))
		}
		transport.CloseIdleConnections()
		_ = server.Close()
	})
}

func TestScriptMayCutTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipes := NewPipeNet()
		server := &http.Server{Handler: Script{Writes: []Write{{0, "data: a\n\n"}}, Cut: true}}
		go func() { _ = server.Serve(pipes) }()
		transport := &http.Transport{DialContext: pipes.DialContext}
		resp, err := (&http.Client{Transport: transport}).Post(pipes.BaseURL(), "", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if r := readReply(resp, time.Now()); !errors.Is(r.err, io.ErrUnexpectedEOF) || r.body != "data: a\n\n" {
			t.Errorf("%q, error %v", r.body, r.err)
		}
		_ = resp.Body.Close()
		transport.CloseIdleConnections()
		_ = server.Close()
	})
}
