package main

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/sim"
)

// targetFile is a target file with this text.
func targetFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "target.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestATargetFileDecidesWhatIsSent(t *testing.T) {
	alone(t)
	t.Setenv("CLUSTER_TOKEN", "sk-LEAKTEST-0123456789abcdef")
	var record *sim.Record
	server, err := sim.New(sim.Config{Vendor: "vllm", AnswerTokens: 3, Recorder: func(r *sim.Record) { record = r }})
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(server)
	defer listening.Close()
	file := targetFile(t, "label: ours\nbase_url: "+listening.URL+"/v1\nmodel: doubao-seed-2-0-mini-260428\napi_key_env: CLUSTER_TOKEN\n"+
		"dialect: {name: vllm, extra_body: {ignore_eos: null, priority: 1}, extra_headers: {X-Route: blue}}\nlimits: {timeout: 7s}\nprices: {in: 1, out: 2, currency: CNY}\n")
	dir := t.TempDir()
	c := call("connectivity", "--target", file, "--json", "--output-dir", dir)
	if c.code != exitDone {
		t.Fatalf("exit code %d\n%s", c.code, c.err)
	}
	if first, _, _ := strings.Cut(c.err, "\n"); !strings.Contains(first, "--target "+file) || !strings.Contains(first, "key from CLUSTER_TOKEN, dialect vllm+custom") {
		t.Errorf("the first line is %q", first)
	}
	var body map[string]any
	if err := json.Unmarshal(record.Body, &body); err != nil || body["priority"] != 1.0 || body["ignore_eos"] != nil || body["max_tokens"] != 64.0 || body["max_completion_tokens"] != nil {
		t.Errorf("body %s, %v", record.Body, err)
	}
	if record.Header.Get("X-Route") != "blue" {
		t.Errorf("headers %v", record.Header)
	}
	r := runsOf(t, c)[0]
	if got := r.Targets[0]; got.Label != "ours" || got.Source != bench.SourceTargetFile || got.Summary.Cost == nil || bench.Milliseconds(r.Spec.Limits.Total) != 7000 {
		t.Errorf("target %+v, limits %+v", got.Target, r.Spec.Limits)
	}
	noTrace(t, dir, c.out+c.err)
}

func TestWhatIsWrongInATargetFileIsSaidWithItsLineAndNothingIsSent(t *testing.T) {
	alone(t)
	file := targetFile(t, "base_url: https://api.deepseek.com\nmodel: <model>\napi_key: sk-LEAKTEST-0123456789abcdef\n")
	dir := t.TempDir()
	c := call("prefix", "--target", file, "--output-dir", dir)
	for _, want := range []string{
		file + ":2: model is ", file + `:3: field is "api_key"`, "api_key_env is not set",
	} {
		if c.code != exitUsage || !strings.Contains(c.err, want) {
			t.Errorf("exit code %d, stderr lacks %q:\n%s", c.code, want, c.err)
		}
	}
	noTrace(t, dir, c.out+c.err)
}

func TestAFlagBeatsTheTermsOfATargetFileButForItsLimit(t *testing.T) {
	alone(t)
	file := targetFile(t, "base_url: http://127.0.0.1:9/v1\nmodel: m\nlimits: {max_concurrency: 2}\nprices: {in: 1, out: 2, currency: CNY}\n")
	if c := call("prefix", "--target", file, "--dry-run"); c.code != exitDone || !strings.Contains(c.out, "3.00 CNY") {
		t.Errorf("exit code %d, stdout %s", c.code, c.out)
	}
	if c := call("prefix", "--target", file, "--dry-run", "--price-in", "10", "--currency", "USD"); c.code != exitDone || !strings.Contains(c.out, "28.00 USD") {
		t.Errorf("exit code %d, stdout %s", c.code, c.out)
	}
	if c := call("prefix", "--target", file, "--dry-run", "--max-concurrency", "1,3"); c.code != exitUsage || !strings.Contains(c.err, "--max-concurrency is 3: allowed is 1 to 2, the limit of the target") {
		t.Errorf("exit code %d, stderr %s", c.code, c.err)
	}
}

func TestConnectivitySaysWhichSettingWorks(t *testing.T) {
	alone(t)
	c := call("connectivity", "--sim", "--sim-fault", "thinking_forced", "--output-dir", t.TempDir())
	if c.code != exitFailed || !strings.Contains(c.err, "this works: thinking: enabled, reasoning_effort: low") {
		t.Errorf("exit code %d, stderr %s", c.code, c.err)
	}
}
