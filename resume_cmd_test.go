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

func TestAnInterruptedSweepIsBroughtToItsEnd(t *testing.T) {
	alone(t)
	var g gate
	dir := broken(t, &g, "prefix", "--base-url", g.serve(t, 10), "--max-concurrency", "1,2")
	before, err := rundir.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	asked := int(g.asked.Load())
	got := call("resume", dir, "--json")
	r := runsOf(t, got)[0]
	if q := r.Targets[0].Summary.Requests; got.code != exitDone || q.Succeeded != 12 || q.Planned != 12 || r.State != bench.StateSucceeded {
		t.Fatalf("exit code %d, requests %+v\n%s", got.code, q, got.err)
	}
	for i, p := range r.Targets[0].Points {
		if p.Summary.Requests.Succeeded != 6 {
			t.Errorf("load %d: requests %+v", i+1, p.Summary.Requests)
		}
	}
	ended := 0
	for _, s := range before.Samples {
		if s.Outcome == bench.Succeeded {
			ended++
		}
	}
	if n := int(g.asked.Load()) - asked; n != 12-ended+1 { // and the check
		t.Errorf("%d requests were sent for %d that were missing", n, 12-ended)
	}
}

// same fails if a run's journal or state is another than before.
func same(t *testing.T, dir string) func() {
	t.Helper()
	journal, state := read(t, filepath.Join(dir, rundir.JournalFile)), read(t, filepath.Join(dir, rundir.StateFile))
	return func() {
		t.Helper()
		if read(t, filepath.Join(dir, rundir.JournalFile)) != journal {
			t.Error("the journal was changed")
		}
		now, err := rundir.ReadState(dir)
		if err != nil || string(now.State) != "canceled" || !strings.Contains(state, `"canceled"`) {
			t.Errorf("the state is %+v, %v", now, err)
		}
	}
}

func TestARunThatCannotBeTakenUpIsLeftAsItWas(t *testing.T) {
	alone(t)
	var g gate
	t.Setenv("MINE_API_KEY", "sk-LEAKTEST-0123456789abcdef")
	dir := broken(t, &g, "prefix", "--base-url", g.serve(t, 4), "--api-key-env", "MINE_API_KEY")
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
	url := g.serve(t, 4)
	dir := broken(t, &g, "prefix", "--base-url", url)
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

func TestOtherInputsAreNeverMixedIntoARun(t *testing.T) {
	alone(t)
	var g gate
	corpus := filepath.Join(t.TempDir(), "corpus.txt")
	text := strings.Repeat("The harbour was quiet, and the boats lay side by side in the evening light. ", 4000)
	if err := os.WriteFile(corpus, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := broken(t, &g, "prefix", "--base-url", g.serve(t, 4), "--corpus", corpus, "--allow-corpus-reuse")
	unchanged := same(t, dir)
	if err := os.WriteFile(corpus, []byte(strings.ReplaceAll(text, "boats", "ships")), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := call("resume", dir); got.code != exitFailed || !strings.Contains(got.err, corpus) || !strings.Contains(got.err, "would not be those of the run") {
		t.Errorf("exit code %d\n%s", got.code, got.err)
	}
	if err := os.Remove(corpus); err != nil {
		t.Fatal(err)
	}
	if got := call("resume", dir); got.code == exitDone || !strings.Contains(got.err, corpus) {
		t.Errorf("exit code %d\n%s", got.code, got.err)
	}
	unchanged()
	if err := os.WriteFile(corpus, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := call("resume", dir); got.code != exitDone {
		t.Errorf("exit code %d\n%s", got.code, got.err)
	}
}
