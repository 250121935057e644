//go:build unix

package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench/rundir"
	"github.com/llm-bench/llm-bench/bench/sim"
)

// wire is a server as a process of its own, spoken to over pipes.
type wire struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	stderr *bytes.Buffer
	exited chan struct{} // closed at the process's end
	fault  error         // with which it ended

	mu     sync.Mutex
	lines  []string
	answer map[float64]chan map[string]any
	notes  []map[string]any
	times  []time.Time // of the notes
}

// house is where processes of a test live: little environment, as one client
// gives it, and the root as working folder.
type house struct {
	home, out, url string
	env            []string
	endpoint       *sim.Server
}

func newHouse(t *testing.T, config sim.Config) *house {
	t.Helper()
	h := &house{home: filepath.Join(t.TempDir(), "家 of user"), out: t.TempDir()}
	check(t, os.Mkdir(h.home, 0o755))
	if config.BaseTTFT == 0 {
		config = sim.Config{BaseTTFT: time.Millisecond, PrefillPer1000: sim.Zero, TPOT: sim.Zero}
	}
	config.APIKey = canary
	endpoint, err := sim.New(config)
	check(t, err)
	front := httptest.NewServer(endpoint)
	h.url, h.endpoint = front.URL+"/api/v3", endpoint
	h.env = []string{"HOME=" + h.home, "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "GORACE=atexit_sleep_ms=0", envProgram + "=" + program(t), "BED_API_KEY=" + canary}
	t.Cleanup(func() {
		endRuns(rundir.Index{Home: filepath.Join(h.home, ".llm-bench")})
		front.Close()
		_ = endpoint.Close()
	})
	return h
}

func (h *house) args(more string) string {
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"model":"doubao-seed-2-0-mini-260428","base_url":%q,"api_key_env":"BED_API_KEY","dialect":"ark","output_dir":%q%s}`, h.url, h.out, more)
}

// slow are the arguments of a run of about six seconds on an endpoint of 20 ms a token.
func (h *house) slow(more string) string {
	if more != "" {
		more = "," + more
	}
	return h.args(`"preset":"quick","num_requests":30,"prefix_len":200,"suffix_len":100,"max_output_tokens":20,"length_unit":"local"` + more)
}

func steady() sim.Config {
	return sim.Config{BaseTTFT: 20 * time.Millisecond, PrefillPer1000: sim.Zero, TPOT: 20 * time.Millisecond}
}

func (h *house) serve(t *testing.T, flags ...string) *wire {
	t.Helper()
	self, err := os.Executable()
	check(t, err)
	return h.start(t, self, flags...)
}

func (h *house) start(t *testing.T, program string, flags ...string) *wire {
	t.Helper()
	var err error
	w := &wire{t: t, cmd: exec.Command(program, append([]string{"mcp"}, flags...)...), stderr: &bytes.Buffer{}, exited: make(chan struct{}), answer: map[float64]chan map[string]any{}}
	w.cmd.Env, w.cmd.Dir, w.cmd.Stderr = h.env, "/", w.stderr
	w.in, err = w.cmd.StdinPipe()
	check(t, err)
	out, err := w.cmd.StdoutPipe()
	check(t, err)
	check(t, w.cmd.Start())
	go func() {
		defer close(w.exited)
		w.read(out)
		w.fault = w.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = w.cmd.Process.Kill()
		<-w.exited
		for _, line := range w.lines {
			if !json.Valid([]byte(line)) {
				t.Errorf("a line on stdout is no JSON: %q", line)
			}
		}
		for _, text := range append(w.lines, w.stderr.String()) {
			if strings.Contains(text, canary) || strings.Contains(text, canary[:12]) {
				t.Errorf("the key stands in %q", text)
			}
		}
	})
	return w
}

func (w *wire) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var m map[string]any
		_ = json.Unmarshal(lines.Bytes(), &m)
		w.mu.Lock()
		w.lines = append(w.lines, lines.Text())
		if id, ok := m["id"].(float64); ok {
			w.slot(id) <- m
		} else if m["method"] != nil {
			w.notes, w.times = append(w.notes, m), append(w.times, time.Now())
		}
		w.mu.Unlock()
	}
}

// slot is where the answer to a request arrives. The lock is held.
func (w *wire) slot(id float64) chan map[string]any {
	if w.answer[id] == nil {
		w.answer[id] = make(chan map[string]any, 2)
	}
	return w.answer[id]
}

func (w *wire) send(line string) {
	w.t.Helper()
	_, err := io.WriteString(w.in, line+"\n")
	check(w.t, err)
}

func (w *wire) request(id int, method, params string) {
	w.t.Helper()
	w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
}

func (w *wire) tool(id int, name, args, meta string) {
	w.t.Helper()
	if meta != "" {
		meta = `,"_meta":` + meta
	}
	w.request(id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s%s}`, name, args, meta))
}

func (w *wire) get(id int) map[string]any {
	w.t.Helper()
	w.mu.Lock()
	slot := w.slot(float64(id))
	w.mu.Unlock()
	select {
	case m := <-slot:
		return m
	case <-time.After(60 * time.Second):
		w.t.Fatalf("there is no answer to request %d", id)
		return nil
	}
}

// result is the structured content of a tool's answer.
func (w *wire) result(id int) answer {
	w.t.Helper()
	m := w.get(id)
	r, _ := m["result"].(map[string]any)
	a := answer{text: string(mustJSON(w.t, m))}
	a.fields, _ = r["structuredContent"].(map[string]any)
	a.isError, _ = r["isError"].(bool)
	return a
}

func (w *wire) initialize(version string) map[string]any {
	w.t.Helper()
	w.request(1, "initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"test","version":"1"}}`, version))
	m := w.get(1)
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return m
}

func (w *wire) end() (took time.Duration, err error) {
	w.t.Helper()
	began := time.Now()
	select {
	case <-w.exited:
	case <-time.After(20 * time.Second):
		w.t.Fatal("the server doesn't end")
	}
	return time.Since(began), w.fault
}

func TestEachProtocolVersionIsAnsweredAtOnceWithoutArkCLIOrNetwork(t *testing.T) {
	t.Parallel()
	h := newHouse(t, sim.Config{})
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25", "2026-07-28": "2025-11-25",
	} {
		began := time.Now()
		w := h.serve(t)
		r := w.initialize(asked)["result"].(map[string]any)
		if took := time.Since(began); took > time.Second {
			t.Errorf("%s: it took %v", asked, took)
		}
		if info := r["serverInfo"].(map[string]any); r["protocolVersion"] != want || info["name"] != Name || r["instructions"] != instructions {
			t.Errorf("%s: it gave %v", asked, r)
		}
		w.tool(2, "check_login", `{}`, "") // nobody is logged in, and mostly there is no Ark CLI
		if a := w.result(2); a.isError || a.yes("ok") || a.yes("logged_in") || a.str("problem") == "" || a.str("next_step") == "" {
			t.Errorf("%s: check_login gave %s", asked, a.text)
		}
	}
}

func TestTheModernWayOfBeginningIsServedToo(t *testing.T) {
	t.Parallel()
	w := newHouse(t, sim.Config{}).serve(t)
	meta := `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	w.request(1, "server/discover", `{"_meta":`+meta+`}`)
	r, _ := w.get(1)["result"].(map[string]any)
	if len(r["supportedVersions"].([]any)) != 5 || r["instructions"] != instructions {
		t.Errorf("it gave %v", r)
	}
	w.tool(2, "list_runs", `{}`, meta)
	if a := w.result(2); a.isError || !a.yes("ok") {
		t.Errorf("a tool gave %s", a.text)
	}
}

func TestMistakesOnTheWireAreAnsweredAndSurvived(t *testing.T) {
	t.Parallel()
	w := newHouse(t, sim.Config{}).serve(t)
	w.initialize("2025-06-18")
	w.send(`{"jsonrpc":"2.0","id":`)
	w.request(2, "tools/call", `{"name":"no_such_tool","arguments":{}}`)
	w.request(3, "no/such/method", `{}`)
	w.tool(4, "get_run", `{"run_id":7}`, "")
	for id, code := range map[int]float64{2: -32602, 3: -32601} {
		if e, _ := w.get(id)["error"].(map[string]any); e["code"] != code {
			t.Errorf("request %d got %v", id, e)
		}
	}
	if a := w.result(4); !a.isError || a.code() != invalidArgument {
		t.Errorf("a wrong argument got %s", a.text)
	}
	w.tool(5, "list_runs", `{}`, "")
	if a := w.result(5); a.isError {
		t.Errorf("afterwards a good call got %s", a.text)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !strings.Contains(strings.Join(w.lines, "\n"), "-32700") {
		t.Error("half a message got no parse error")
	}
}

func TestStdoutHoldsAnswersAloneThroughDefectsAndFloodsOnStderrUnderEveryFlag(t *testing.T) {
	t.Parallel()
	h := newHouse(t, sim.Config{})
	h.env = append(h.env, envDefect+"=1")
	for i, flags := range [][]string{nil, {"--read-only"}, {"--log-file", filepath.Join(h.home, "wire.log")}} {
		w := h.serve(t, flags...)
		w.initialize("2025-06-18")
		for id := 2; id < 6; id++ {
			w.tool(id, "check_login", `{}`, "")
			w.tool(id+10, "list_runs", `{}`, "")
		}
		for id := 2; id < 6; id++ {
			if e, _ := w.get(id)["error"].(map[string]any); e["code"] != -32603.0 {
				t.Errorf("%v: the defect gave %v", flags, e)
			}
			if a := w.result(id + 10); a.isError || !a.yes("ok") {
				t.Errorf("%v: beside it a good call gave %s", flags, a.text)
			}
		}
		check(t, w.in.Close())
		if _, err := w.end(); err != nil || w.stderr.Len() < 1_000_000 || len(w.lines) != 9 {
			t.Errorf("%d: it ended with %v, %d bytes on stderr, %d lines on stdout", i, err, w.stderr.Len(), len(w.lines))
		}
	}
}

func TestManyCallsAreAnsweredWhileOthersWait(t *testing.T) {
	t.Parallel()
	h := newHouse(t, steady())
	w := h.serve(t)
	w.initialize("2025-06-18")
	w.tool(2, "run_prefix", h.slow(`"wait_seconds":0`), "")
	id := w.result(2).str("run_id")
	for i := range 5 {
		w.tool(10+i, "get_run", fmt.Sprintf(`{"run_id":%q,"wait_seconds":60}`, id), "")
	}
	began := time.Now()
	for i := range 20 {
		w.tool(100+i, "get_run", fmt.Sprintf(`{"run_id":%q,"wait_seconds":0}`, id), "")
	}
	w.request(200, "ping", `{}`)
	w.get(200)
	for i := range 20 {
		if a := w.result(100 + i); a.isError || a.str("run_id") != id {
			t.Errorf("it gave %s", a.text)
		}
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("they took %v", took)
	}
	for i := range 5 {
		if a := w.result(10 + i); a.str("state") != "succeeded" || a.num("succeeded") != 30 {
			t.Errorf("a wait gave %s", a.text)
		}
	}
}

func TestProgressIncreasesKeepsItsDistanceAndGoesToThoseWhoAskAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t, steady())
	w := h.serve(t)
	w.initialize("2025-06-18")
	w.tool(2, "run_prefix", h.slow(`"wait_seconds":60`), `{"progressToken":"tok-7"}`)
	w.tool(3, "run_prefix", strings.Replace(h.slow(`"wait_seconds":60`), "-mini-", "-lite-", 1), "")
	a := w.result(2)
	answered := time.Now()
	if a.str("state") != "succeeded" {
		t.Fatalf("it gave %s", a.text)
	}
	if b := w.result(3); b.str("state") != "succeeded" {
		t.Errorf("the run without a token gave %s", b.text)
	}
	w.mu.Lock()
	notes, times := w.notes, w.times
	w.mu.Unlock()
	if len(notes) < 2 {
		t.Fatalf("there were %d notes", len(notes))
	}
	last := -1.0
	for i, n := range notes {
		p := n["params"].(map[string]any)
		value := p["progress"].(float64)
		if n["method"] != "notifications/progress" || p["progressToken"] != "tok-7" || p["total"] != 30.0 || value <= last || !strings.Contains(p["message"].(string), "prefix") {
			t.Errorf("note %d is %v after %v", i, n, last)
		}
		if i > 0 && times[i].Sub(times[i-1]) < time.Second {
			t.Errorf("note %d came %v after the one before", i, times[i].Sub(times[i-1]))
		}
		if times[i].After(answered) {
			t.Errorf("note %d came after the answer", i)
		}
		last = value
	}
}

func TestNoNoteFollowsItsAnswerThoughManyWaitForTheSameEnd(t *testing.T) {
	t.Parallel()
	h := newHouse(t, steady())
	w := h.serve(t)
	w.initialize("2025-06-18")
	w.tool(2, "run_prefix", h.slow(`"wait_seconds":0`), "")
	id := w.result(2).str("run_id")
	const waiting = 25
	for i := range waiting {
		w.tool(100+i, "get_run", fmt.Sprintf(`{"run_id":%q,"wait_seconds":%d}`, id, 3+i%5), fmt.Sprintf(`{"progressToken":%d}`, 100+i))
	}
	for i := range waiting {
		w.get(100 + i)
	}
	w.request(200, "ping", `{}`)
	w.get(200)
	w.mu.Lock()
	defer w.mu.Unlock()
	answered, notes := map[float64]bool{}, 0
	for _, line := range w.lines {
		var m struct {
			ID     float64
			Params struct{ ProgressToken float64 }
		}
		check(t, json.Unmarshal([]byte(line), &m))
		answered[m.ID] = true
		if token := m.Params.ProgressToken; token != 0 {
			if notes++; answered[token] {
				t.Errorf("a note for %v came after its answer", token)
			}
		}
	}
	if notes < waiting/2 {
		t.Errorf("only %d notes came", notes)
	}
}

func TestClientsOfTheModernKindGetProgressToo(t *testing.T) {
	t.Parallel()
	h := newHouse(t, steady())
	w := h.serve(t)
	w.tool(2, "run_prefix", h.slow(`"wait_seconds":5`), `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":9}`)
	if a := w.result(2); a.isError {
		t.Fatalf("it gave %s", a.text)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.notes) == 0 || w.notes[0]["params"].(map[string]any)["progressToken"] != 9.0 {
		t.Errorf("the notes are %v", w.notes)
	}
}

func TestCancelingTheCallEndsTheWaitAndNotTheRun(t *testing.T) {
	t.Parallel()
	h := newHouse(t, steady())
	w := h.serve(t)
	w.initialize("2025-06-18")
	w.tool(2, "run_prefix", h.slow(`"wait_seconds":0`), "")
	id := w.result(2).str("run_id")
	w.tool(3, "get_run", fmt.Sprintf(`{"run_id":%q,"wait_seconds":60}`, id), "")
	time.Sleep(300 * time.Millisecond) // until the wait has begun
	began := time.Now()
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"timeout"}}`)
	if a := w.result(3); !a.isError || time.Since(began) > time.Second {
		t.Errorf("after %v it gave %s", time.Since(began), a.text)
	}
	w.tool(4, "get_run", fmt.Sprintf(`{"run_id":%q,"wait_seconds":60}`, id), "")
	if a := w.result(4); a.str("state") != "succeeded" || a.num("succeeded") != 30 {
		t.Errorf("the run came to %s", a.text)
	}
}

func TestTheDeathOfTheServerLeavesTheRunGoingForTheNextServer(t *testing.T) {
	t.Parallel()
	for name, kill := range map[string]func(*wire){
		"SIGKILL": func(w *wire) { _ = w.cmd.Process.Signal(syscall.SIGKILL) },
		"SIGTERM": func(w *wire) { _ = w.cmd.Process.Signal(syscall.SIGTERM) },
		"EOF":     func(w *wire) { _ = w.in.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, steady())
			first := h.serve(t)
			first.initialize("2025-06-18")
			first.tool(2, "run_prefix", h.slow(`"wait_seconds":0`), "")
			id := first.result(2).str("run_id")
			kill(first)
			_, _ = first.end()
			second := h.serve(t)
			second.initialize("2025-06-18")
			second.tool(2, "get_run", fmt.Sprintf(`{"run_id":%q,"wait_seconds":0}`, id), "")
			if a := second.result(2); a.str("state") != "running" && a.str("state") != "queued" {
				t.Errorf("at first it is %s", a.text)
			}
			second.tool(3, "get_run", fmt.Sprintf(`{"run_id":%q,"wait_seconds":60}`, id), "")
			if a := second.result(3); a.str("state") != "succeeded" || a.num("succeeded") != 30 || a.str("report_md") == "" {
				t.Errorf("at last it is %s", a.text)
			}
		})
	}
}

func TestAnEndOfInputEndsTheServerAtOnceEvenWhileCallsWait(t *testing.T) {
	t.Parallel()
	h := newHouse(t, steady())
	w := h.serve(t)
	w.initialize("2025-06-18")
	w.tool(2, "run_prefix", h.slow(`"wait_seconds":60`), "")
	time.Sleep(500 * time.Millisecond) // until the wait has begun
	check(t, w.in.Close())
	if took, err := w.end(); err != nil || took > 500*time.Millisecond {
		t.Errorf("it ended after %v with %v", took, err)
	}
}

func TestTheRecordOfTheWireHoldsBothDirectionsAndNoKey(t *testing.T) {
	t.Parallel()
	h := newHouse(t, sim.Config{})
	path := filepath.Join(h.home, "wire.log")
	w := h.serve(t, "--log-file", path, "--read-only")
	w.initialize("2025-06-18")
	w.tool(2, "get_run", `{"run_id":"`+canary+`"}`, "")
	w.get(2)
	check(t, w.in.Close())
	_, _ = w.end()
	text, err := os.ReadFile(path)
	check(t, err)
	info, err := os.Stat(path)
	check(t, err)
	if !strings.Contains(string(text), `<- {"jsonrpc"`) || !strings.Contains(string(text), `-> {"`) || strings.Contains(string(text), canary[:12]) || info.Mode().Perm() != 0o600 {
		t.Errorf("it holds, with mode %v:\n%s", info.Mode(), text)
	}
	w.lines = nil // the client itself sent the key, and is told that it is no run
}
