package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// gate is a server that stops answering after so many requests, until it is
// opened, and refuses with a status where one is set.
type gate struct {
	asked, limit, status atomic.Int32
	reached              chan struct{}
}

func (g *gate) serve(t *testing.T, limit int32) string {
	g.reached = make(chan struct{})
	g.limit.Store(limit)
	return foreign(t, func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		n, limit := g.asked.Add(1), g.limit.Load()
		if status := g.status.Load(); status != 0 {
			w.WriteHeader(int(status))
			_, _ = w.Write([]byte(`{"error":{"code":"Refused","message":"not now"}}`))
			return
		}
		if limit > 0 && n == limit {
			close(g.reached)
		}
		if limit > 0 && n >= limit {
			<-r.Context().Done()
			return
		}
		answer(w, 3)
	})
}

// broken starts a run and interrupts it once the server has come to its limit.
func broken(t *testing.T, g *gate, args ...string) (dir string) {
	t.Helper()
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-g.reached; cancel() }()
	c := callIn(ctx, append(args, "--model", "m", "--length-unit", "local", "--lang", "en", "--preset", "quick", "--output-dir", folder)...)
	if c.code != exitInterrupted {
		t.Fatalf("exit code %d\n%s", c.code, c.err)
	}
	g.limit.Store(0)
	return theRun(folder)
}

// same fails if a run's journal or the word for its state is another than before.
func same(t *testing.T, dir string) func() {
	t.Helper()
	look := func() (journal string, state bench.State) {
		s, err := rundir.ReadState(dir)
		if err != nil {
			t.Fatal(err)
		}
		return read(t, filepath.Join(dir, rundir.JournalFile)), s.State
	}
	journal, state := look()
	return func() {
		t.Helper()
		if j, s := look(); j != journal || s != state || !s.Ended() {
			t.Errorf("the journal was changed: %v; the state was %s and is %s", j != journal, state, s)
		}
	}
}

func TestARunThatCannotBeTakenUpIsLeftAsItWas(t *testing.T) {
	alone(t)
	var g gate
	t.Setenv("MINE_API_KEY", "sk-LEAKTEST-0123456789abcdef")
	dir := broken(t, &g, "connectivity", "--base-url", g.serve(t, 1), "--api-key-env", "MINE_API_KEY")
	unchanged := same(t, dir)
	for _, c := range []struct {
		name   string
		status int32
		key    string
		code   int
		says   string
	}{
		{"the key is gone", 0, "", exitNoWayIn, "MINE_API_KEY"},
		{"the key is refused", 401, "sk-another-0123456789", exitRefused, "can't be measured: Refused"},
		{"the model is gone", 404, "sk-another-0123456789", exitRefused, "can't be measured: Refused"},
	} {
		t.Setenv("MINE_API_KEY", c.key)
		g.status.Store(c.status)
		got := call("resume", dir)
		if got.code != c.code || !strings.Contains(got.err, c.says) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s", c.name, got.code, c.code, c.says, got.err)
		}
		unchanged()
	}
	g.status.Store(0)
	t.Setenv("MINE_API_KEY", "sk-LEAKTEST-0123456789abcdef")
	if got := call("resume", dir); got.code != exitDone {
		t.Errorf("exit code %d\n%s", got.code, got.err)
	}
	noTrace(t, dir, "")
}

func TestAnEndpointThatIsGoneIsSaidAndChangesNothing(t *testing.T) {
	alone(t)
	var g gate
	url := g.serve(t, 1)
	dir := broken(t, &g, "connectivity", "--base-url", url)
	unchanged := same(t, dir)
	journal := filepath.Join(dir, rundir.JournalFile)
	whole := read(t, journal)
	if err := os.WriteFile(journal, []byte(strings.ReplaceAll(whole, url, "http://127.0.0.1:9/v1")), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := call("resume", dir); got.code != exitFailed || !strings.Contains(got.err, "can't be measured") {
		t.Errorf("exit code %d\n%s", got.code, got.err)
	}
	if err := os.WriteFile(journal, []byte(whole), 0o644); err != nil {
		t.Fatal(err)
	}
	unchanged()
}
