//go:build unix

package server

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench/rundir"
)

// patience is how long the clients of these tests wait for an answer.
const patience = 3 * time.Second

// heard are the notes that have come so far.
func (w *wire) heard() []map[string]any {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.notes
}

// losePatience waits as a client does: for 3 s, or, if it is to be told how
// the run stands, until it has been, which must be within 15 s.
func (w *wire) losePatience(told bool) {
	w.t.Helper()
	time.Sleep(patience)
	for deadline := time.Now().Add(15*time.Second - patience); told && len(w.heard()) == 0; {
		if time.Now().After(deadline) {
			w.t.Fatal("nothing was said for 15 s")
		}
		time.Sleep(20 * time.Millisecond)
	}
	if !told && len(w.heard()) > 0 {
		w.t.Errorf("notes that nobody asked for: %v", w.heard())
	}
}

func TestAClientThatGivesUpFindsItsRunByTheSameCallAndLoadsTheEndpointOnce(t *testing.T) {
	t.Parallel()
	for name, meta := range map[string]string{"with a token": `{"progressToken":"tok"}`, "without one": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, steady())
			w := h.serve(t)
			w.initialize("2025-06-18")
			longer := strings.Replace(h.slow(""), `"num_requests":30`, `"num_requests":60`, 1)
			w.tool(2, "run_prefix", longer, meta) // it would wait for 45 s
			w.losePatience(meta != "")
			w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"timeout"}}`)
			for _, n := range w.heard() {
				if p := n["params"].(map[string]any); p["total"] != 60.0 || p["progress"].(float64) < 0 || !strings.Contains(p["message"].(string), "/60 done") {
					t.Errorf("a note is %v", n)
				}
			}
			w.tool(3, "run_prefix", longer, meta)
			if a := w.result(3); !a.yes("attached") || a.str("state") != "succeeded" || a.num("succeeded") != 60 {
				t.Errorf("the second call gave %s", a.text)
			}
			runs, err := rundir.Index{Home: h.home + "/.llm-bench"}.List(0)
			if sent := h.endpoint.Stats().Requests; err != nil || len(runs) != 1 || sent < 60 || sent > 61 { // with one that asks whether it answers
				t.Errorf("%d runs sent %d requests, %v", len(runs), sent, err)
			}
		})
	}
}

func TestTheEnvironmentCapsEveryWaitForClientsThatGiveUpEarly(t *testing.T) {
	t.Parallel()
	h := newHouse(t, steady())
	h.env = append(h.env, envMaxWait+"=1")
	w := h.serve(t)
	w.initialize("2025-06-18")
	began := time.Now()
	w.tool(2, "run_prefix", h.slow(`"wait_seconds":60`), "")
	a := w.result(2)
	if took := time.Since(began); took > patience {
		t.Errorf("it took %v", took)
	}
	if a.isError || a.str("run_id") == "" || a.str("state") == "" || a.str("run_dir") == "" || !strings.Contains(a.str("next_step"), "get_run") {
		t.Errorf("it gave %s", a.text)
	}
}

func TestASignalEndsTheProgramsServerAtOnceAndInOrderEvenWhileCallsWait(t *testing.T) {
	t.Parallel()
	h := newHouse(t, steady())
	w := h.start(t, program(t))
	w.initialize("2025-06-18")
	w.tool(2, "run_prefix", h.slow(`"wait_seconds":0`), "")
	id := w.result(2).str("run_id")
	w.tool(3, "get_run", `{"run_id":"`+id+`","wait_seconds":60}`, "")
	time.Sleep(300 * time.Millisecond) // until the wait has begun
	began := time.Now()
	w.request(4, "ping", `{}`)
	w.get(4)
	if took := time.Since(began); took > 500*time.Millisecond {
		t.Errorf("ping was answered after %v", took)
	}
	check(t, w.cmd.Process.Signal(syscall.SIGTERM))
	if took, err := w.end(); err != nil || took > time.Second {
		t.Errorf("it ended after %v with %v", took, err)
	}
	next := h.serve(t)
	next.initialize("2025-06-18")
	next.tool(2, "get_run", `{"run_id":"`+id+`","wait_seconds":60}`, "")
	if a := next.result(2); a.str("state") != "succeeded" || a.num("succeeded") != 30 {
		t.Errorf("the run came to %s", a.text)
	}
}
