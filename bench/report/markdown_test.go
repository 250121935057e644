package report

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
)

func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

// golden compares with testdata/name, or writes it under -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if updating() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s differs from what is rendered now; look at it, then run the tests with -update", path)
	}
}

// runs are the made-up runs of the goldens.
func runs() map[string]*benchtest.Run {
	clean := benchtest.New(bench.Prefix, bench.Standard, "en")
	turns := benchtest.New(bench.Multiturn, bench.Standard, "en")
	connectivity := benchtest.New(bench.Connectivity, bench.Standard, "en")
	failures := benchtest.New(bench.Prefix, bench.Standard, "en")
	failures.Touch = failing
	interrupted := benchtest.New(bench.Prefix, bench.Standard, "en")
	interrupted.Stop, interrupted.State = 120, bench.StateRunning
	nothing := benchtest.New(bench.Prefix, bench.Quick, "en")
	nothing.Touch, nothing.State = refused, bench.StateFailed
	silent := benchtest.New(bench.Multiturn, bench.Quick, "en")
	silent.Touch = func(c *benchtest.Call) { c.Uncount, c.Sample.Simulated = true, true }
	open := benchtest.New(bench.Prefix, bench.Standard, "en")
	open.Spec.RequestRate, open.Spec.MaxConcurrency, open.Spec.SLO = 1.2, 8, bench.SLO{TTFT: 500e6}
	sweep := benchtest.New(bench.Prefix, bench.Standard, "en")
	sweep.Spec.NumRequests = 40
	sweep.Points = []bench.Point{{MaxConcurrency: 1}, {MaxConcurrency: 5}, {MaxConcurrency: 10}, {MaxConcurrency: 20}}
	both := benchtest.New(bench.Prefix, bench.Quick, "en")
	both.Others = []bench.Target{other(both.Target)}
	both.Touch = slower
	rates := benchtest.New(bench.Multiturn, bench.Quick, "en")
	rates.Spec.NumSessions, rates.Spec.MaxTurns = 6, 5
	rates.Points = []bench.Point{{MaxConcurrency: 4, RequestRate: 0.5}, {MaxConcurrency: 4, RequestRate: 1}, {MaxConcurrency: 4, RequestRate: 2.5}}
	rates.Target.Label = "豆包 Seed 2.0 Mini 华北 2（北京）低延迟接入点 doubao-seed-2-0-mini-260428"
	rates.Others = []bench.Target{other(rates.Target)}
	rates.Touch = slower
	budget := benchtest.New(bench.Prefix, bench.Quick, "en")
	budget.Stop, budget.State, budget.Spec.MaxTokensTotal = 4, bench.StateFailed, 9000
	budget.End = bench.End{Ending: bench.EndBudget, Reason: "max_tokens_total: 9280 of 9000 tokens are used"}
	return map[string]*benchtest.Run{
		"open_loop": open, "sweep": sweep, "targets": both, "rates": rates, "budget": budget,
		"prefix": clean, "multiturn": turns, "connectivity": connectivity, "failures": failures,
		"interrupted": interrupted, "nothing": nothing, "not_reported": silent,
	}
}

// other is a second target beside the first.
func other(first bench.Target) bench.Target {
	first.Label, first.Model, first.Asked = "vllm", "qwen3-32b", ""
	first.BaseURL, first.Source, first.Profile, first.KeyEnv = "http://10.0.0.7:8000/v1", bench.SourceTargetFile, "", "VLLM_API_KEY"
	first.Dialect = bench.Generic()
	return first
}

// slower makes the second target slower than the first, and count tokens otherwise.
func slower(c *benchtest.Call) {
	if c.Sample.Target == "vllm" {
		c.Prompt, c.Cached, c.TPOT = c.Prompt*21/20, c.Cached*21/20, c.TPOT*14/10
	}
}

func failing(c *benchtest.Call) {
	switch {
	case c.N%11 == 0:
		c.Fail = bench.FailRateLimited
		c.Failure = &bench.Failure{Status: 429, Code: "RateLimitExceeded.EndpointTPMExceeded", Type: "TooManyRequests",
			Message: "The TPM limit of the endpoint is exceeded. | <b>Request id</b>: `0217` [x](http://example.com)"}
	case c.N == 37:
		c.Fail = bench.FailStreamTruncated
		c.Failure = &bench.Failure{Status: 200, Message: "stream ended after 12 events without an end"}
	}
}

func refused(c *benchtest.Call) {
	c.Fail = bench.FailAuth
	c.Failure = &bench.Failure{Status: 401, Code: "AuthenticationError", Type: "Unauthorized", Message: "the API key is missing or invalid"}
}

func TestReportsAreAsTheyWereLookedAt(t *testing.T) {
	t.Parallel()
	for name, run := range runs() {
		record := run.Record()
		result := run.Result(record)
		for _, lang := range Languages() {
			result.Spec.Lang = lang
			page, err := Markdown(result, record, nil)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name+"."+lang+".md", page)
		}
	}
}

func TestMain(m *testing.M) {
	flag.Bool("update", false, "write the golden files anew")
	flag.Parse()
	os.Exit(m.Run())
}
