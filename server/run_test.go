package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
	"github.com/llm-bench/llm-bench/bench/sim"
)

func TestARunThatEndsWithinTheWaitIsReportedAtOnce(t *testing.T) {
	for name, more := range map[string][]any{
		"run_prefix":    {"prefix_len", 200, "suffix_len", 100},
		"run_multiturn": {"initial_len", 200, "question_len", 64, "num_sessions", 2, "max_turns", 3},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, options{})
			a := b.call(name, b.args(append([]any{"preset", "quick", "max_output_tokens", 4, "lang", "zh"}, more...)...))
			if a.isError || a.str("state") != "succeeded" || !a.yes("ok") || !a.yes("simulated") || a.num("succeeded") != 6 {
				t.Fatalf("it gave %s", a.text)
			}
			for _, field := range []string{"run_dir", "report_md", "report_html", "result_json"} {
				path := a.str(field)
				if _, err := os.Stat(path); err != nil || !filepath.IsAbs(path) {
					t.Errorf("%s is %q: %v", field, path, err)
				}
			}
			if charts, _ := a.fields["charts"].([]any); len(charts) == 0 || len(a.links) == 0 || len(a.links) > len(charts) || a.links[0].URI != fileURI(charts[0].(string)) || a.links[0].MIMEType != "image/png" {
				t.Errorf("the charts are %v, the links to them %+v", a.fields["charts"], a.links)
			}
			metrics, _ := a.fields["metrics"].(map[string]any)
			if ttft, _ := metrics["ttft_ms"].(map[string]any); ttft["n"] != 6.0 || ttft["p50"].(float64) <= 0 {
				t.Errorf("metrics are %v", metrics)
			}
			if !strings.Contains(a.str("report_excerpt"), "模拟") || len([]rune(a.str("report_excerpt"))) > excerptSize {
				t.Errorf("the excerpt is %q", a.str("report_excerpt"))
			}
			again := b.call("get_run", map[string]any{"run_id": a.str("run_id")})
			if again.str("report_excerpt") != a.str("report_excerpt") || again.str("next_step") != a.str("next_step") {
				t.Errorf("get_run gave %s", again.text)
			}
		})
	}
}

func TestConnectivitySaysWhatTheOneRequestHasShown(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{})
	a := b.call("run_connectivity", b.args())
	for field, want := range map[string]any{
		"ok": true, "reachable": true, "http_status": 200.0, "usage_reported": true, "cached_tokens_reported": true, "streaming_ok": true,
		"reasoning_seen": false, "served_model": "doubao-seed-2-0-mini-260428", "service_tier": "default", "scenario": "connectivity", "state": "succeeded",
	} {
		if a.fields[field] != want {
			t.Errorf("%s is %v, want %v", field, a.fields[field], want)
		}
	}
	if a.num("ttft_ms") < 2 || a.num("e2e_ms") < a.num("ttft_ms") || a.str("report_md") == "" || !strings.Contains(a.str("next_step"), "run_prefix") {
		t.Errorf("it gave %s", a.text)
	}
}

func TestARefusedConnectivityRequestSaysWhyAndWhatHelps(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{})
	b.env["BED_API_KEY"] = "sk-another-key-0123456789"
	a := b.call("run_connectivity", b.args())
	if a.isError || a.yes("ok") || !a.yes("reachable") || a.num("http_status") != 401 || a.str("error_code") != "AuthenticationError" || !strings.Contains(a.str("next_step"), "api_key_env") {
		t.Errorf("a wrong key gave %s", a.text)
	}
	b.env["BED_API_KEY"] = canary
	a = b.call("run_connectivity", b.args("model", "no-such-model"))
	if a.yes("ok") || a.num("http_status") != 404 || !strings.Contains(a.str("next_step"), "resolve_model") {
		t.Errorf("an unknown model gave %s", a.text)
	}
	a = b.call("run_connectivity", b.args("base_url", "http://127.0.0.1:1/v1"))
	if a.yes("ok") || a.yes("reachable") || a.str("error_code") != "connect" || !strings.Contains(a.str("next_step"), "base_url") {
		t.Errorf("an address where nobody listens gave %s", a.text)
	}
}

func TestSettingsThatWorkAreThoseThatDoWhatWasAsked(t *testing.T) {
	t.Parallel()
	quickly := sim.Config{BaseTTFT: time.Millisecond, PrefillPer1000: sim.Zero, TPOT: sim.Zero, ThinkTokens: 8}
	forced, never := quickly, quickly
	forced.Fault = "thinking_forced"
	never.Models = []sim.Model{{ID: "doubao-seed-2-0-mini-260428", Thinking: sim.ThinkingNever}}
	b := newBed(t, options{sim: forced})
	a := b.call("run_connectivity", b.args())
	if works, _ := a.fields["working_settings"].([]any); a.yes("ok") || len(works) != 1 || works[0] != "thinking: enabled, reasoning_effort: low" || !strings.Contains(a.str("next_step"), "reasoning_effort: low") {
		t.Errorf("where low effort doesn't think it gave %s", a.text)
	}
	b = newBed(t, options{sim: never})
	a = b.call("run_connectivity", b.args("thinking", "enabled"))
	if a.yes("ok") || a.fields["working_settings"] != nil || !strings.Contains(a.text, "answered, but thinking is not as asked for: thinking: not sent") || !strings.Contains(a.str("next_step"), "none of the other settings") {
		t.Errorf("of a model that can't think it gave %s", a.text)
	}
}

func TestARunThatTheEndpointRefusesFailsWithAHint(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{})
	b.env["BED_API_KEY"] = "sk-another-key-0123456789"
	a := b.call("run_prefix", b.quick())
	if a.isError || a.yes("ok") || a.str("state") != "failed" || !strings.Contains(a.str("next_step"), "key was refused") {
		t.Errorf("it gave %s", a.text)
	}
}

func TestMoreFailuresThanAllowedAreNoValidBaseline(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{sim: sim.Config{BaseTTFT: time.Millisecond, PrefillPer1000: sim.Zero, TPOT: sim.Zero, FaultFor: thirdFails()}})
	a := b.call("run_prefix", b.quick("num_requests", 12, "length_unit", "local"))
	if a.isError || a.yes("ok") || a.str("state") != "succeeded" || a.num("failed") == 0 || !strings.HasPrefix(a.str("summary"), "Not a valid baseline") {
		t.Errorf("it gave %s", a.text)
	}
}

// thirdFails makes every third request fail.
func thirdFails() func(*sim.Request) string {
	var mu sync.Mutex
	n := 0
	return func(*sim.Request) string {
		mu.Lock()
		defer mu.Unlock()
		if n++; n%3 == 0 {
			return "status:500"
		}
		return ""
	}
}

func TestACallReturnsAtTheLatestAfterItsWait(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{sim: slowSim()})
	began := time.Now()
	a := b.call("run_prefix", b.slow("wait_seconds", 1))
	if took := time.Since(began); took < time.Second || took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if !a.yes("ok") || a.str("state") != "running" && a.str("state") != "queued" || !strings.Contains(a.str("next_step"), `get_run with run_id="`+a.str("run_id")+`" wait_seconds=45`) || a.num("poll_after_s") <= 0 {
		t.Errorf("it gave %s", a.text)
	}
	if a.num("planned") != 60 || a.fields["metrics"] != nil || a.fields["params"] == nil {
		t.Errorf("it gave %s", a.text)
	}
}

func TestTheSameCallJoinsTheRunAndAnotherIsRefusedNamingIt(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{sim: slowSim()})
	first := b.call("run_prefix", b.slow("wait_seconds", 0))
	again := b.call("run_prefix", b.slow("wait_seconds", 0))
	if !again.yes("attached") || again.str("run_id") != first.str("run_id") || len(again.fields["warnings"].([]any)) == 0 {
		t.Errorf("the same call gave %s", again.text)
	}
	for name, args := range map[string]map[string]any{"run_prefix": b.slow("num_requests", 61), "run_connectivity": b.args()} {
		other := b.call(name, args)
		if !other.isError || other.code() != "endpoint_busy" || !strings.Contains(other.text, first.str("run_id")) {
			t.Errorf("%s gave %s", name, other.text)
		}
	}
	runs, err := b.deps.Index.List(0)
	if err != nil || len(runs) != 1 {
		t.Errorf("there are %d runs, %v", len(runs), err)
	}
}

func TestCancelRunStopsTheRunAndReportsWhatThereIs(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{sim: slowSim()})
	run := b.call("run_prefix", b.slow("wait_seconds", 0, "length_unit", "local"))
	for b.call("get_run", map[string]any{"run_id": run.str("run_id"), "wait_seconds": 1}).num("succeeded") < 1 {
	}
	a := b.call("cancel_run", map[string]any{"run_id": run.str("run_id")})
	if a.isError || !a.yes("ok") || a.str("state") != "canceled" || a.num("succeeded") < 1 || a.num("not_run") < 1 || a.str("report_md") == "" {
		t.Errorf("it gave %s", a.text)
	}
	if says := fmt.Sprintf("INCOMPLETE: canceled, %v of 60 (by cancel_run)", a.num("succeeded")); !strings.Contains(a.str("summary"), says) {
		t.Errorf("the summary is %q, want %q in it", a.str("summary"), says)
	}
	again := b.call("cancel_run", map[string]any{"run_id": run.str("run_id")})
	if again.str("state") != "canceled" {
		t.Errorf("once more it gave %s", again.text)
	}
	look := b.call("get_run", map[string]any{"run_id": run.str("run_id")})
	if look.isError || look.yes("ok") || look.str("state") != "canceled" {
		t.Errorf("get_run gave %s", look.text)
	}
}

func TestListRunsNamesTheNewestFirst(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{})
	empty := b.call("list_runs", nil)
	if empty.isError || empty.fields["runs"] != nil {
		t.Errorf("without runs it gave %s", empty.text)
	}
	b.call("run_prefix", b.quick())
	last := b.call("run_connectivity", b.args())
	a := b.call("list_runs", map[string]any{"limit": 1})
	runs := a.fields["runs"].([]any)
	if len(runs) != 1 || runs[0].(map[string]any)["run_id"] != last.str("run_id") || a.str("summary") != "1 run, 0 of them going on." {
		t.Errorf("it gave %s", a.text)
	}
	a = b.call("list_runs", nil)
	of := a.fields["runs"].([]any)[1].(map[string]any)
	if says, _ := of["summary"].(string); !regexp.MustCompile(`^TTFT P50 [\d.]+ ms, TPOT P50 [\d.]+ ms, E2E P50 [\d.]+ ms, cache hit rate [\d.]+%`).MatchString(says) || of["simulated"] != true || of["model"] != "doubao-seed-2-0-mini-260428" {
		t.Errorf("a run in short is %v", of)
	}
}

func TestAListOfManyRunsFitsOneAnswerAndSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{})
	for i := range 50 {
		dir, err := rundir.Create(b.deps.Index, b.reports, bench.Prefix, time.Date(2026, 1, 31, 9, i, 0, 0, time.UTC))
		check(t, err)
		check(t, rundir.WriteState(dir.Path, &rundir.State{RunID: dir.RunID, Scenario: bench.Prefix, State: bench.StateFailed, Error: &rundir.Fault{Code: "c", Message: strings.Repeat("长", 400)}}))
	}
	a := b.call("list_runs", map[string]any{"limit": 50})
	runs, _ := a.fields["runs"].([]any)
	if len(runs) < 4 || len(runs) >= 50 || a.str("summary") != "50 runs, 0 of them going on." || !strings.Contains(a.text, "more runs are known than fit") {
		t.Fatalf("%d runs in %s", len(runs), a.text)
	}
	if newest, _ := runs[0].(map[string]any)["run_id"].(string); newest != "prefix_20260131_094900" {
		t.Errorf("the first is %s", newest)
	}
}

func TestADryRunEstimatesAndStartsNothing(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{})
	a := b.call("run_prefix", b.args("dry_run", true))
	e, _ := a.fields["estimate"].(map[string]any)
	if !a.yes("ok") || a.str("run_id") != "" || e["requests"] != 200.0 || e["prompt_tokens"] != 2.8e6 || e["output_tokens_max"] != 102400.0 || e["minutes_low"].(float64) >= e["minutes_high"].(float64) {
		t.Errorf("it gave %s", a.text)
	}
	entries, err := os.ReadDir(b.reports)
	if err != nil || len(entries) != 0 || b.endpoint.Stats().Requests != 0 {
		t.Errorf("%d directories, %d requests, %v", len(entries), b.endpoint.Stats().Requests, err)
	}
}

func TestAResultStaysSmallWhateverTheEndpointSays(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{})
	a := b.call("run_prefix", b.quick("num_requests", 40, "length_unit", "local", "model", "doubao-seed-2-0-mini-260428", "lang", "zh", "label", strings.Repeat("长", 30)))
	if len(a.text) > maxResult {
		t.Errorf("it has %d bytes", len(a.text))
	}
	r := &runStatus{Excerpt: strings.Repeat("很", 1500), Findings: make([]string, 5), Charts: []string{strings.Repeat("c", 1500)}}
	for i := range r.Findings {
		r.Findings[i] = strings.Repeat("长", 300)
	}
	for range 8 {
		r.Warnings = append(r.Warnings, strings.Repeat("w", 2000))
	}
	result, err := success(r)
	if err != nil || len(result.Content[0].(mcp.TextContent).Text) > maxResult || len(r.Findings) == 0 {
		t.Errorf("it has %d bytes with %d findings, %v", len(result.Content[0].(mcp.TextContent).Text), len(r.Findings), err)
	}
}

func TestALongRunOfManyLongErrorsStillFitsOneAnswer(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{})
	sent := atomic.Int64{}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := sent.Add(1)
		if n%5 != 0 {
			b.endpoint.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = fmt.Fprintf(w, `{"error":{"code":"Trouble","message":"trouble number %d: %s"}}`, n, strings.Repeat(fmt.Sprint("part ", n, " & <b> "), 150))
	}))
	t.Cleanup(front.Close)
	a := b.call("run_prefix", b.quick("base_url", front.URL+"/api/v3", "num_requests", 200, "length_unit", "local", "max_concurrency", 4))
	message, _ := a.fields["error"].(map[string]any)["message"].(string)
	if a.isError || a.yes("ok") || a.num("failed") < 30 || !strings.Contains(message, "trouble number") || !strings.HasPrefix(a.str("summary"), "Not a valid baseline") {
		t.Errorf("it gave %s", a.text)
	}
	if excerpt := a.str("report_excerpt"); !strings.Contains(excerpt, "| **TTFT**") || !filepath.IsAbs(a.str("report_md")) || !filepath.IsAbs(a.str("result_json")) {
		t.Errorf("it lacks the table or a path: %s\n%s", excerpt, a.text)
	}
}

func TestTheStandInEndpointNeedsNoAccount(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{})
	b.env[envSim] = "1"
	login := b.call("check_login", nil)
	if !login.yes("ok") || !login.yes("simulated") || !strings.Contains(login.str("summary"), "SIMULATED") {
		t.Errorf("check_login gave %s", login.text)
	}
	if many := b.call("resolve_model", map[string]any{"query": "doubao seed 2.0"}); many.yes("ok") || many.yes("resolved") || len(many.fields["candidates"].([]any)) != 3 {
		t.Errorf("words for three models gave %s", many.text)
	}
	if none := b.call("resolve_model", map[string]any{"query": "gpt 9"}); !none.isError || none.code() != "model_not_found" {
		t.Errorf("words for none gave %s", none.text)
	}
	if ep := b.call("resolve_model", map[string]any{"query": sim.DefaultEndpoint}); !ep.yes("resolved") || ep.str("endpoint_id") != sim.DefaultEndpoint || ep.str("served_model") == "" {
		t.Errorf("an endpoint ID gave %s", ep.text)
	}
	one := b.call("resolve_model", map[string]any{"query": "豆包 Seed 2.0 Mini"})
	if one.str("model_id") != "doubao-seed-2-0-mini-260428" {
		t.Fatalf("words for one gave %s", one.text)
	}
	run := b.call("run_connectivity", map[string]any{"model": one.str("model_id"), "output_dir": b.reports})
	if !run.yes("ok") || !run.yes("simulated") || !strings.Contains(run.str("summary"), "模拟") && !strings.Contains(run.str("summary"), "SIMULATED") {
		t.Errorf("the run gave %s", run.text)
	}
}

func TestRunsAreFoundWithoutAnIndex(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{})
	check(t, os.WriteFile(filepath.Join(b.home, ".llm-bench"), nil, 0o644)) // no folder can be made there
	delete(b.env, "BED_API_KEY")
	b.env["BED_API_KEY"] = canary
	args := b.quick()
	delete(args, "output_dir")
	run := b.call("run_prefix", args)
	if run.str("state") != "succeeded" || !strings.Contains(run.text, "index of runs") {
		t.Fatalf("it gave %s", run.text)
	}
	if a := b.call("get_run", map[string]any{"run_id": run.str("run_id")}); a.str("state") != "succeeded" {
		t.Errorf("get_run gave %s", a.text)
	}
	other := New(b.deps)
	if dir, err := other.find(run.str("run_id")); err != nil || dir != run.str("run_dir") {
		t.Errorf("another server finds it at %q, %v", dir, err)
	}
}

func TestReportsGoWhereTheUserWorks(t *testing.T) {
	home, project, work := t.TempDir(), t.TempDir(), t.TempDir()
	skill := t.TempDir()
	check(t, os.WriteFile(filepath.Join(skill, "SKILL.md"), []byte("---\nname: llm-bench\n---\n"), 0o644))
	for name, c := range map[string]struct{ named, project, work, want string }{
		"named":                         {"/somewhere/else", project, work, "/somewhere/else"},
		"named, relative":               {"out", project, work, filepath.Join(project, "out")},
		"named, in the home folder":     {"~/压测/out", project, work, filepath.Join(home, "压测", "out")},
		"named, the home folder":        {"~", project, work, home},
		"named, with a tilde within":    {"out/~/x", project, work, filepath.Join(project, "out", "~", "x")},
		"project":                       {"", project, work, filepath.Join(project, "reports")},
		"working folder":                {"", "", work, filepath.Join(work, "reports")},
		"root":                          {"", "", "/", filepath.Join(home, "llm-bench", "reports")},
		"home":                          {"", "", home, filepath.Join(home, "llm-bench", "reports")},
		"inside the installed skill":    {"", "", skill, filepath.Join(home, "llm-bench", "reports")},
		"project is skill, work is not": {"", skill, work, filepath.Join(work, "reports")},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"HOME": home, envProject: c.project}
			s := New(Deps{WorkDir: c.work, Env: func(n string) (string, bool) { v, ok := env[n]; return v, ok }})
			if c.named == "/somewhere/else" {
				c.named = filepath.Join(home, "elsewhere")
				c.want = c.named
			}
			if got, err := s.place(c.named); err != nil || got != c.want {
				t.Errorf("it is %q, %v; want %q", got, err, c.want)
			}
		})
	}
	s := New(Deps{WorkDir: work, Env: func(string) (string, bool) { return "", false }})
	if _, err := s.place(skill); err == nil {
		t.Error("a folder inside the installed skill was taken")
	}
}
