package sim

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// lab is a server with a client, over a PipeNet in a synctest bubble or over
// loopback.
type lab struct {
	t       *testing.T
	s       *Server
	client  *http.Client
	base    string
	records chan *Record
}

// inBubble runs f with a server over a PipeNet, where time is exact.
func inBubble(t *testing.T, cfg Config, f func(l *lab)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, cfg)
		pipes := NewPipeNet()
		go func() {
			if err := l.s.Serve(pipes); err != nil {
				t.Error(err)
			}
		}()
		transport := &http.Transport{DialContext: pipes.DialContext, DisableCompression: true, MaxIdleConnsPerHost: 100}
		l.client, l.base = &http.Client{Transport: transport, CheckRedirect: stay}, pipes.BaseURL()
		f(l)
		transport.CloseIdleConnections()
		if err := l.s.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
	})
}

// stay makes a client return a redirect as it is.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func newLab(t *testing.T, cfg Config) *lab {
	t.Helper()
	l := &lab{t: t, records: make(chan *Record, 1000)}
	if cfg.Recorder == nil {
		cfg.Recorder = func(r *Record) { l.records <- r }
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l.s = s
	return l
}

// reply is an answer as a client read it.
type reply struct {
	status int
	header http.Header
	body   string
	lines  []line
	err    error // of reading the body
}

type line struct {
	at   time.Duration // since the request was sent
	text string
}

// post sends a body to the chat endpoint and reads all of the answer.
func (l *lab) post(body string, header ...string) reply {
	return l.postWithin(context.Background(), body, header...)
}

func (l *lab) postWithin(ctx context.Context, body string, header ...string) reply {
	l.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.base+"/chat/completions", strings.NewReader(body))
	if err != nil {
		l.t.Error(err)
		return reply{err: err}
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	start := time.Now()
	resp, err := l.client.Do(req)
	if err != nil {
		return reply{err: err}
	}
	defer func() { _ = resp.Body.Close() }()
	return readReply(resp, start)
}

func readReply(resp *http.Response, start time.Time) reply {
	r := reply{status: resp.StatusCode, header: resp.Header}
	reader := bufio.NewReader(resp.Body)
	for {
		text, err := reader.ReadString('\n')
		r.body += text
		if trimmed := strings.TrimRight(text, "\r\n"); trimmed != "" {
			r.lines = append(r.lines, line{time.Since(start), trimmed})
		}
		if err != nil {
			if err != io.EOF {
				r.err = err
			}
			return r
		}
	}
}

// ask is a streaming request for some tokens of a model's answer, without
// thinking.
func ask(model, text string, tokens int) string {
	return fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":%q}],"stream":true,"stream_options":{"include_usage":true},"max_completion_tokens":%d,"thinking":{"type":"disabled"}}`, model, text, tokens)
}

const mini = "doubao-seed-2-0-mini-260428"

func TestEveryTokenLeavesExactlyOnSchedule(t *testing.T) {
	inBubble(t, Config{}, func(l *lab) {
		r := l.post(ask(mini, "hello there", 5))
		prompt := CountTokens("standard", "hello there") + 4 + 3
		ttft := 120*time.Millisecond + 40*time.Millisecond*time.Duration(prompt)/1000
		if len(r.lines) != 8 {
			t.Fatalf("%d lines, want 5 tokens, finish, usage and [DONE]:\n%s", len(r.lines), r.body)
		}
		for k, got := range r.lines {
			if want := ttft + time.Duration(min(k, 4))*10*time.Millisecond; got.at != want {
				t.Errorf("line %d at %v, want %v", k, got.at, want)
			}
		}
	})
}
