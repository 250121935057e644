package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/arkcli/fake"
	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// asProgram makes the test binary be the program.
const asProgram = "LLM_BENCH_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	fake.IfCalled()
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// program is the command line as a process of its own.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Env = append(os.Environ(), asProgram+"=1")
	return c
}

// alone keeps the environment and the home of the machine out of a test.
func alone(t *testing.T) {
	t.Helper()
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "USERPROFILE": home, "APPDATA": home, "LLM_BENCH_HOME": filepath.Join(home, "lb"), "PATH": home,
		"LLM_BENCH_ARKCLI": "", "ARK_BASE_URL": "", "ARK_API_KEY": "", "HTTP_PROXY": "", "HTTPS_PROXY": "", "LANG": "C", "LC_ALL": "C",
	} {
		t.Setenv(name, value)
	}
}

// called is what one invocation did.
type called struct {
	code     int
	out, err string
}

func call(args ...string) called { return callIn(context.Background(), args...) }

func callIn(ctx context.Context, args ...string) called {
	var out, errs bytes.Buffer
	code := run(ctx, args, streams{strings.NewReader(""), &out, &errs})
	return called{code, out.String(), errs.String()}
}

// runsOf reads what --json printed.
func runsOf(t *testing.T, c called) []bench.Result {
	t.Helper()
	var doc struct{ Runs []bench.Result }
	if err := json.Unmarshal([]byte(c.out), &doc); err != nil {
		t.Fatalf("stdout is not one JSON document: %v\n%s\nstderr: %s", err, c.out, c.err)
	}
	return doc.Runs
}

func TestAllScenariosLeaveTheirFiles(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	c := call("all", "--sim", "--preset", "quick", "--json", "--output-dir", dir, "--sim-tpot-ms", "1", "--sim-ttft-ms", "5")
	if c.code != exitDone {
		t.Fatalf("exit code %d\n%s", c.code, c.err)
	}
	runs := runsOf(t, c)
	if len(runs) != 3 {
		t.Fatalf("%d runs, want 3", len(runs))
	}
	names := regexp.MustCompile(`^(connectivity|prefix|multiturn)_\d{8}_\d{6}(_\d+)?$`)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !names.MatchString(e.Name()) {
			t.Errorf("%s is left in the output folder", e.Name())
		}
	}
	for _, r := range runs {
		want := []string{"report.md", "requests.csv", "requests.jsonl", "result.json", "run.log", "state.json"}
		if r.Scenario != bench.Connectivity && len(r.Files.Charts) == 0 {
			t.Errorf("%s has no charts", r.Scenario)
		}
		if r.Scenario == bench.Connectivity && len(r.Files.Charts) > 0 {
			t.Errorf("connectivity has charts %v", r.Files.Charts)
		}
		for _, name := range want {
			if info, err := os.Stat(filepath.Join(r.RunDir, name)); err != nil || info.Size() == 0 {
				t.Errorf("%s: %s is missing or empty", r.Scenario, name)
			}
		}
		if q := r.Targets[0].Summary.Requests; q.Failed != 0 || q.Succeeded != q.Planned || !r.Simulated {
			t.Errorf("%s: requests %+v, simulated %v", r.Scenario, q, r.Simulated)
		}
		if text := read(t, r.Files.ReportMD); !strings.Contains(text, "SIMULATED ENDPOINT") {
			t.Errorf("%s: the report doesn't say that it is simulated", r.Scenario)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestMistakesAreSaidAtOnceAndNothingIsLeft(t *testing.T) {
	alone(t)
	for _, c := range []struct {
		name string
		args string
		code int
		says []string
	}{
		{"an unknown flag", "prefix --bogus", exitUsage, []string{"--bogus", "llm-bench prefix --help"}},
		{"an unknown command", "prefixx", exitUsage, []string{"prefixx", "llm-bench --help"}},
		{"an argument too many", "prefix x", exitUsage, []string{`takes no argument, got "x"`}},
		{"several wrong values", "prefix --sim --prefix-len 3 --num-requests 0 --thinking maybe", exitUsage, []string{"--prefix-len is 3", "--num-requests is 0", `--thinking is "maybe"`}},
		{"a preset that isn't there", "all --sim --preset huge", exitUsage, []string{`--preset is "huge"`, "quick"}},
		{"no number", "prefix --sim --num-requests many", exitUsage, []string{"num-requests", "many"}},
		{"a wrong SLO", "prefix --sim --slo ttft=fast", exitUsage, []string{"slo", "ttft=fast"}},
		{"no model", "prefix --base-url http://127.0.0.1:1/v1", exitUsage, []string{"--model"}},
		{"a key without its address", "prefix --api-key-env X_API_KEY --model m", exitUsage, []string{"--api-key-env", "base_url"}},
		{"an address that is none", "prefix --base-url host/v1 --model m", exitUsage, []string{"--base-url", "host/v1"}},
		{"a secret's name that could be any", "prefix --base-url https://host.invalid/v1 --api-key-env AWS_SECRET --model m", exitUsage, []string{"--api-key-env", "AWS_SECRET", "_API_KEY"}},
		{"a variable that isn't set", "prefix --base-url https://host.invalid/v1 --api-key-env NOT_SET_API_KEY --model m", exitNoWayIn, []string{"NOT_SET_API_KEY"}},
		{"no Ark CLI", "prefix --model m", exitNoWayIn, []string{"arkcli is required", "npm install -g @volcengine/ark-cli@latest", "arkcli auth login volc-sso"}},
		{"a folder that can't be made", "prefix --sim --output-dir /dev/null/x", exitFailed, []string{"/dev/null/x", "name a folder"}},
		{"a report of nothing", "report .", exitUsage, []string{"not a run directory"}},
		{"a stand-in endpoint for others", "sim --listen 0.0.0.0:0", exitUsage, []string{"--listen", "loopback"}},
		{"a port that is none", "sim --listen 127.0.0.1:99999", exitUsage, []string{"--listen", "99999"}},
		{"a fault that isn't there", "prefix --sim --sim-fault nonsense", exitUsage, []string{"--sim-fault", "nonsense"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			got := call(strings.Fields(c.args)...)
			if got.code != c.code {
				t.Errorf("exit code %d, want %d", got.code, c.code)
			}
			for _, says := range c.says {
				if !strings.Contains(got.err, says) {
					t.Errorf("%q is not in:\n%s", says, got.err)
				}
			}
			if entries, _ := os.ReadDir(dir); len(entries) > 0 {
				t.Errorf("%d entries were left behind", len(entries))
			}
		})
	}
}

// foreign is a server of somebody else's: it speaks the OpenAI protocol, and
// refuses every field that it doesn't know.
func foreign(t *testing.T, serve func(w http.ResponseWriter, r *http.Request, body map[string]any)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/chat/completions" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		serve(w, r, body)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func answer(w http.ResponseWriter, tokens int) {
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range tokens {
		fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"m-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"t%d \"}}]}\n\n", i)
		_ = http.NewResponseController(w).Flush()
	}
	fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":700,\"completion_tokens\":%d,\"total_tokens\":0}}\n\ndata: [DONE]\n\n", tokens)
}

func TestAServerThatIsNotOursGetsNoFieldThatItDoesNotKnow(t *testing.T) {
	alone(t)
	t.Setenv("MINE_API_KEY", "sk-LEAKTEST-0123456789abcdef")
	known := []string{"model", "messages", "stream", "stream_options", "max_completion_tokens"}
	url := foreign(t, func(w http.ResponseWriter, r *http.Request, body map[string]any) {
		for name := range body {
			if !slices.Contains(known, name) {
				t.Errorf("the server got the field %s", name)
			}
		}
		if got := r.Header.Get("Authorization"); got != "Bearer sk-LEAKTEST-0123456789abcdef" {
			t.Errorf("Authorization is %q", got)
		}
		answer(w, 5)
	})
	c := call("prefix", "--base-url", url, "--api-key-env", "MINE_API_KEY", "--model", "org/name:tag", "--preset", "quick", "--json", "--output-dir", t.TempDir())
	r := runsOf(t, c)[0]
	s := r.Targets[0].Summary
	if c.code != exitDone || s.Requests.Succeeded != 6 || r.Simulated || s.Cache.HitRate != nil || r.Targets[0].ServedModel != "m-1" {
		t.Errorf("exit code %d, requests %+v, hit rate %v, served %q\n%s", c.code, s.Requests, s.Cache.HitRate, r.Targets[0].ServedModel, c.err)
	}
}

func TestRefusalsEndTheRunWithASentenceAndARecord(t *testing.T) {
	alone(t)
	t.Setenv("MINE_API_KEY", "sk-LEAKTEST-0123456789abcdef")
	for _, c := range []struct {
		status int
		code   string
		exit   int
		says   string
	}{
		{401, "AuthenticationError", exitRefused, "MINE_API_KEY"},
		{404, "InvalidEndpointOrModel.NotFound", exitRefused, "--model"},
		{400, "InvalidParameter", exitFailed, "connectivity"},
	} {
		var hits atomic.Int32
		url := foreign(t, func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
			hits.Add(1)
			w.Header().Set("X-Request-Id", "req-1")
			w.WriteHeader(c.status)
			fmt.Fprintf(w, `{"error":{"code":%q,"message":"no, not with sk-LEAKTEST-0123456789abcdef"}}`, c.code)
		})
		dir := t.TempDir()
		got := call("prefix", "--base-url", url, "--api-key-env", "MINE_API_KEY", "--model", "m", "--output-dir", dir)
		if got.code != c.exit || !strings.Contains(got.err, c.code) || !strings.Contains(got.err, c.says) || !strings.Contains(got.err, "req-1") {
			t.Errorf("%d: exit code %d, want %d; stderr:\n%s", c.status, got.code, c.exit, got.err)
		}
		if n := hits.Load(); n > 5 {
			t.Errorf("%d: %d requests were sent", c.status, n)
		}
		if dirs, _ := os.ReadDir(dir); len(dirs) != 1 {
			t.Errorf("%d: %d run directories, want the partial record", c.status, len(dirs))
		}
		noTrace(t, dir, got.out+got.err)
	}
}

// noTrace looks for the test key in everything below dir and in text.
func noTrace(t *testing.T, dir, text string) {
	t.Helper()
	const key = "sk-LEAKTEST-0123456789abcdef"
	traces := []string{key, key[:12], base64.StdEncoding.EncodeToString([]byte(key))}
	look := func(where, text string) {
		for _, trace := range traces {
			if strings.Contains(text, trace) {
				t.Errorf("%q is in %s", trace, where)
			}
		}
	}
	look("the output", text)
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			look(path, read(t, path))
		}
		return nil
	})
}

func TestTheKeyIsNowhereAfterARun(t *testing.T) {
	alone(t)
	t.Setenv("MINE_API_KEY", "sk-LEAKTEST-0123456789abcdef")
	var n atomic.Int32
	url := foreign(t, func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		if n.Add(1)%3 == 0 { // some failures echo the header
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprintf(w, `{"error":{"code":"X","message":"%s"}}`, r.Header.Get("Authorization"))
			return
		}
		answer(w, 3)
	})
	dir := t.TempDir()
	c := call("prefix", "--base-url", url, "--api-key-env", "MINE_API_KEY", "--model", "m", "--preset", "quick", "--output-dir", dir, "--save-text")
	if c.code != exitNoBaseline {
		t.Errorf("exit code %d, want %d\n%s", c.code, exitNoBaseline, c.err)
	}
	if !strings.Contains(c.out, "not a valid baseline") {
		t.Errorf("the output doesn't say that this is no valid baseline:\n%s", c.out)
	}
	noTrace(t, dir, c.out+c.err)
	noTrace(t, os.Getenv("LLM_BENCH_HOME"), "")
}

// slow answers after a while, and tells when n requests have been answered.
func slow(t *testing.T, n int32) (url string, reached chan struct{}) {
	t.Helper()
	reached = make(chan struct{})
	var done atomic.Int32
	url = foreign(t, func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		if done.Add(1) == n {
			close(reached)
		}
		if done.Load() > n {
			<-r.Context().Done()
			return
		}
		answer(w, 2)
	})
	return url, reached
}

func TestAnInterruptLeavesAPartialReport(t *testing.T) {
	alone(t)
	url, reached := slow(t, 21)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-reached; time.Sleep(50 * time.Millisecond); cancel() }()
	c := callIn(ctx, "prefix", "--base-url", url, "--model", "m", "--length-unit", "local", "--prefix-len", "100", "--suffix-len", "100", "--max-concurrency", "2", "--json", "--lang", "en", "--output-dir", t.TempDir())
	r := runsOf(t, c)[0]
	q := r.Targets[0].Summary.Requests
	if c.code != exitInterrupted || r.State != bench.StateInterrupted || q.Succeeded < 18 || q.Failed != 0 || q.Succeeded+q.Canceled+q.NotRun != 200 {
		t.Errorf("exit code %d, state %s, requests %+v\n%s", c.code, r.State, q, c.err)
	}
	if text := read(t, r.Files.ReportMD); !strings.Contains(text, fmt.Sprintf("interrupted, %d of 200", q.Succeeded)) || !strings.Contains(text, "INCOMPLETE") {
		t.Errorf("the report doesn't say how far it got:\n%.600s", text)
	}
}

func TestAKilledRunIsReportedFromWhatItLeft(t *testing.T) {
	alone(t)
	url, reached := slow(t, 41)
	dir := t.TempDir()
	c := program(t, "prefix", "--base-url", url, "--model", "m", "--length-unit", "local", "--prefix-len", "100", "--suffix-len", "100", "--max-concurrency", "2", "--output-dir", dir)
	c.Stdout, c.Stderr = io.Discard, io.Discard
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	<-reached
	dirs, _ := filepath.Glob(filepath.Join(dir, "prefix_*"))
	waitFor(t, func() bool {
		record, err := rundir.Open(dirs[0])
		return err == nil && len(record.Samples) >= 38
	})
	_ = c.Process.Kill()
	_ = c.Wait()
	got := call("report", dirs[0], "--json")
	r := runsOf(t, got)[0]
	if q := r.Targets[0].Summary.Requests; got.code != exitDone || r.State != bench.StateInterrupted || q.Succeeded < 38 || q.Succeeded+q.Failed+q.Canceled+q.NotRun != 200 {
		t.Errorf("exit code %d, state %s, requests %+v\n%s", got.code, r.State, q, got.err)
	}
	before := read(t, r.Files.ReportMD)
	call("report", dirs[0])
	if read(t, r.Files.ReportMD) != before {
		t.Error("a second rendering gives other bytes")
	}
}

// waitFor waits for something that another process does.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it didn't come about within 20 s")
		}
	}
}

func TestADryRunSendsNothing(t *testing.T) {
	alone(t)
	url := foreign(t, func(http.ResponseWriter, *http.Request, map[string]any) { t.Error("a request was sent") })
	c := call("all", "--base-url", url, "--model", "m", "--dry-run", "--json", "--price-in", "0.8", "--price-out", "2", "--currency", "CNY")
	var doc struct{ Plans []forecast }
	if err := json.Unmarshal([]byte(c.out), &doc); err != nil || c.code != exitDone || len(doc.Plans) != 3 {
		t.Fatalf("exit code %d, %v\n%s", c.code, err, c.out)
	}
	if p := doc.Plans[1]; p.Requests != 200 || p.PromptTokens != 2_800_000 || p.OutputTokensMax != 102_400 || p.Cost == nil {
		t.Errorf("plan %+v", p)
	}
}

func TestWhateverIsWrongIsSaidBeforeAnythingIsSent(t *testing.T) {
	alone(t)
	var sent atomic.Int32
	url := foreign(t, func(http.ResponseWriter, *http.Request, map[string]any) { sent.Add(1) })
	for _, c := range []struct{ args, says string }{
		{"--corpus /nowhere/text.txt", "/nowhere/text.txt"},
		{"--ca-file /nowhere/ca.pem", "/nowhere/ca.pem"},
		{"--ca-file " + os.DevNull, "--ca-file is " + os.DevNull + ": allowed is a file of PEM certificates"},
		{"--sim-tpot-ms nan", "--sim-tpot-ms is NaN: allowed is 0 to 600000"},
		{"--sim-ttft-ms=-1", "--sim-ttft-ms is -1: allowed"},
		{"--sim-prefill-ms inf", "--sim-prefill-ms is +Inf: allowed"},
		{"--sim-limit=-2", "--sim-limit is -2: allowed"},
		{"--sim-fault pause:never", `--sim-fault is "pause:never": allowed`},
		{"--price-in 1 --price-cached=-1", "--price-cached is -1: allowed is 0 to 1e9"},
		{"--price-in 1 --price-cached 1x", "--price-cached is \"1x\": allowed is a number"},
		{"--prefix-len 4194304 --num-prefixes 1000 --num-requests 1000000", "--num-requests is 1000000: allowed is a number at which all texts of the run have at most 100000000 tokens: they would have 6194304000"},
		{"--warmup 1000 --prefix-len 4194304", "they would have 4238"},
		{"--service-tier a\x1b[1mb", `--service-tier is "a [1mb": allowed is at most 100 bytes of visible text`},
		{"--reasoning-effort a\x1b[1mb", `--reasoning-effort is "a [1mb": allowed`},
		{"--currency a\x1b[1mb", `--currency is "a [1mb": allowed`},
		{"--nonce " + strings.Repeat("n", 5000), `--nonce is "` + strings.Repeat("n", 80) + `…": allowed is at most 64 bytes`},
	} {
		for _, more := range []string{"--dry-run", "--json"} {
			folder := t.TempDir()
			got := call(append([]string{"prefix", "--base-url", url, "--model", "m", "--output-dir", folder, more}, strings.Fields(c.args)...)...)
			if got.code != exitUsage || !strings.Contains(got.err, c.says) || theRun(folder) != "" {
				t.Errorf("%s %s: exit code %d, %s", c.args, more, got.code, got.err)
			}
		}
	}
	if got := call("sim", "--sim-tpot-ms", "nan"); got.code != exitUsage || !strings.Contains(got.err, "--sim-tpot-ms is NaN") {
		t.Errorf("sim: exit code %d, %s", got.code, got.err)
	}
	if sent.Load() > 0 {
		t.Errorf("%d requests were sent", sent.Load())
	}
}

func TestProgressAndNotesStayOffStdoutUnderJSON(t *testing.T) {
	alone(t)
	c := call("connectivity", "--sim", "--json", "--output-dir", t.TempDir(), "--sim-ttft-ms", "5", "--sim-tpot-ms", "1")
	if runs := runsOf(t, c); len(runs) != 1 || !strings.Contains(c.err, "SIMULATED ENDPOINT") {
		t.Errorf("%d runs, stderr:\n%s", len(runs), c.err)
	}
}

func TestSeveralTargetsGetTheSameInputsInOneWindow(t *testing.T) {
	alone(t)
	seen := make([][]string, 2)
	var mu sync.Mutex
	var args []string
	for i, label := range []string{"left", "right"} {
		url := foreign(t, func(w http.ResponseWriter, _ *http.Request, body map[string]any) {
			text, _ := json.Marshal(body["messages"])
			mu.Lock()
			seen[i] = append(seen[i], string(text))
			mu.Unlock()
			answer(w, 3)
		})
		file := filepath.Join(t.TempDir(), label+".yaml")
		text := "label: " + label + "\nbase_url: " + url + "\nmodel: m\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--target", file)
	}
	dir := t.TempDir()
	c := call(append([]string{"prefix", "--preset", "quick", "--length-unit", "local", "--json", "--lang", "en", "--output-dir", dir}, args...)...)
	r := runsOf(t, c)[0]
	if len(r.Targets) != 2 || r.Targets[0].Label != "left" || r.Targets[1].Summary.Requests.Succeeded != 6 {
		t.Fatalf("exit code %d, targets %d\n%s", c.code, len(r.Targets), c.err)
	}
	slices.Sort(seen[0])
	slices.Sort(seen[1])
	// The check before the run goes to the first target alone.
	if len(seen[0]) != 7 || len(seen[1]) != 6 {
		t.Fatalf("the targets saw %d and %d requests", len(seen[0]), len(seen[1]))
	}
	for _, text := range seen[1] {
		if !slices.Contains(seen[0], text) {
			t.Errorf("the second target got another input: %.80s", text)
		}
	}
	if text := read(t, r.Files.ReportMD); !strings.Contains(text, "side by side") {
		t.Error("the report doesn't set the targets side by side")
	}
}

func TestASweepGivesAPointForEachLoad(t *testing.T) {
	alone(t)
	url := foreign(t, func(w http.ResponseWriter, _ *http.Request, _ map[string]any) { answer(w, 3) })
	c := call("prefix", "--base-url", url, "--model", "m", "--preset", "quick", "--length-unit", "local", "--max-concurrency", "1,2,3", "--json", "--output-dir", t.TempDir())
	r := runsOf(t, c)[0]
	points := r.Targets[0].Points
	if len(points) != 3 {
		t.Fatalf("exit code %d, %d points\n%s", c.code, len(points), c.err)
	}
	for i, p := range points {
		if p.MaxConcurrency != i+1 || p.Summary.Requests.Succeeded != 6 || p.Summary.Concurrency.Peak > i+1 {
			t.Errorf("point %d: %+v with %+v", i, p.Point, p.Summary.Requests)
		}
	}
}

func TestAnOpenLoopReportsFromTheIntendedStart(t *testing.T) {
	alone(t)
	url := foreign(t, func(w http.ResponseWriter, _ *http.Request, _ map[string]any) { answer(w, 3) })
	c := call("prefix", "--base-url", url, "--model", "m", "--preset", "quick", "--length-unit", "local", "--request-rate", "constant:50", "--json", "--output-dir", t.TempDir())
	r := runsOf(t, c)[0]
	open := r.Targets[0].Summary.Open
	if open == nil || open.TTFT.N != 6 || open.Wait.N != 6 || r.Spec.RequestRate != 50 || !r.Spec.ConstantRate {
		t.Errorf("exit code %d, open loop %+v\n%s", c.code, open, c.err)
	}
}

func TestBudgetsEndTheRunWithAReport(t *testing.T) {
	alone(t)
	url := foreign(t, func(w http.ResponseWriter, _ *http.Request, _ map[string]any) { answer(w, 3) })
	for _, limit := range [][]string{{"--max-tokens-total", "3000"}, {"--max-cost", "0.003", "--price-in", "1", "--price-out", "1"}} {
		args := []string{"prefix", "--base-url", url, "--model", "m", "--length-unit", "local", "--prefix-len", "100", "--suffix-len", "100", "--max-concurrency", "1", "--json", "--output-dir", t.TempDir()}
		c := call(append(args, limit...)...)
		r := runsOf(t, c)[0]
		q := r.Targets[0].Summary.Requests
		if c.code != exitFailed || r.End == nil || r.End.Ending != bench.EndBudget || q.Succeeded != 5 || q.NotRun != 195 {
			t.Errorf("%v: exit code %d, end %+v, requests %+v\n%s", limit, c.code, r.End, q, c.err)
		}
	}
}
