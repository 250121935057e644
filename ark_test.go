package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/arkcli/fake"
	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/sim"
)

// withArk puts the fake Ark CLI before a stand-in endpoint that takes one key
// alone. The fake first gives the key of the scenario "logged_in".
func withArk(t *testing.T, scenario, takes string) {
	t.Helper()
	alone(t)
	server, err := sim.New(sim.Config{APIKey: takes, BaseTTFT: sim.Zero, PrefillPer1000: sim.Zero, TPOT: sim.Zero})
	if err != nil {
		t.Fatal(err)
	}
	base, err := server.ListenLoopback(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		fake.EntryVar: "1", "LLM_BENCH_ARKCLI": self, "FAKE_ARKCLI_SCENARIO": scenario, "FAKE_ARKCLI_STATE": t.TempDir(),
		"FAKE_ARKCLI_BASE_URL": base, "FAKE_ARKCLI_KEY": firstKey, "FAKE_ARKCLI_KEY2": secondKey, "GORACE": "atexit_sleep_ms=0",
	} {
		t.Setenv(name, value)
	}
}

const (
	firstKey  = "ark-LEAKTEST-0000-1111-first"
	secondKey = "ark-LEAKTEST-0000-2222-second"
)

func TestANameInChineseIsMeasuredThroughArkCLI(t *testing.T) {
	withArk(t, "logged_in", firstKey)
	dir := t.TempDir()
	c := call("all", "--model", "豆包 Seed 2.0 Mini", "--preset", "quick", "--json", "--output-dir", dir)
	runs := runsOf(t, c)
	if c.code != exitDone || len(runs) != 3 {
		t.Fatalf("exit code %d with %d runs\n%s", c.code, len(runs), c.err)
	}
	target := runs[1].Targets[0]
	if target.Model != "doubao-seed-2-0-mini-260428" || target.Asked != "豆包 Seed 2.0 Mini" || target.Source != bench.SourceArkCLI || runs[1].Spec.Lang != "zh" {
		t.Errorf("target %+v, report in %s", target.Target, runs[1].Spec.Lang)
	}
	leftNothing(t, dir, c.out+c.err)
}

// leftNothing looks for either key.
func leftNothing(t *testing.T, dir, text string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
	for _, file := range files {
		text += read(t, file)
	}
	if strings.Contains(text, "LEAKTEST") {
		t.Error("a key was left in the output or the run directory")
	}
}

func TestAKeyThatIsRefusedIsAskedForAnewOnce(t *testing.T) {
	for _, scenario := range []string{"connectivity", "prefix"} {
		withArk(t, "rotated_key", secondKey)
		dir := t.TempDir()
		c := call(scenario, "--model", "doubao-seed-2-0-mini-260428", "--preset", "quick", "--json", "--output-dir", dir)
		runs := runsOf(t, c)
		if c.code != exitDone || len(runs) != 1 || runs[0].Targets[0].Summary.Requests.Failed != 0 {
			t.Errorf("%s: exit code %d\n%s", scenario, c.code, c.err)
		}
		leftNothing(t, dir, c.out+c.err)
	}
}

func TestAKeyThatStaysRefusedIsSaidOnce(t *testing.T) {
	withArk(t, "logged_in", "ark-another-0000-3333")
	c := call("prefix", "--model", "doubao-seed-2-0-mini-260428", "--preset", "quick", "--output-dir", t.TempDir())
	if c.code != exitRefused || !strings.Contains(c.err, "AuthenticationError") || !strings.Contains(c.err, "llm-bench login") {
		t.Errorf("exit code %d\n%s", c.code, c.err)
	}
}

func TestLoginSaysWhatIsWrongAndWhatMendsIt(t *testing.T) {
	for _, c := range []struct {
		scenario string
		code     int
		says     []string
	}{
		{"logged_in", exitDone, []string{"ok (sso)", "platform_cn-beijing_default"}},
		{"logged_out", exitNoWayIn, []string{"none that works", "arkcli auth login volc-sso"}},
		{"expired", exitNoWayIn, []string{"expired", "arkcli auth login volc-sso", "--no-browser"}},
		{"plan_only", exitNoWayIn, []string{"platform"}},
	} {
		withArk(t, c.scenario, firstKey)
		got := call("login")
		for _, says := range c.says {
			if got.code != c.code || !strings.Contains(got.out+got.err, says) {
				t.Errorf("%s: exit code %d, want %d; %q is to be in:\n%s%s", c.scenario, got.code, c.code, says, got.out, got.err)
			}
		}
	}
}

func TestSeveralModelsThatFitAreShownAndNoneIsGuessed(t *testing.T) {
	withArk(t, "logged_in", firstKey)
	if c := call("models", "seed 2.0"); c.code != exitDone || strings.Count(c.out, "doubao-seed-2-0-") < 3 {
		t.Errorf("exit code %d\n%s%s", c.code, c.out, c.err)
	}
	c := call("prefix", "--model", "seed 2.0", "--output-dir", t.TempDir())
	if c.code != exitUsage || strings.Count(c.err, "doubao-seed-2-0-") < 3 {
		t.Errorf("exit code %d\n%s", c.code, c.err)
	}
	if c := call("models", "nonesuch 9000"); c.code != exitRefused {
		t.Errorf("exit code %d\n%s", c.code, c.err)
	}
}

func TestTheDiagnosisHoldsNoValues(t *testing.T) {
	withArk(t, "logged_in", firstKey)
	path := filepath.Join(t.TempDir(), "d.json")
	if c := call("login", "--diagnose="+path); c.code != exitDone {
		t.Fatalf("exit code %d\n%s", c.code, c.err)
	}
	if text := read(t, path); strings.Contains(text, "LEAKTEST") || !strings.Contains(text, "auth status") {
		t.Errorf("diagnosis:\n%s", text)
	}
	c := call("login", "--diagnose", "--json")
	var record arkcli.Diagnosis
	if err := json.Unmarshal([]byte(c.out), &record); err != nil || c.code != exitDone || !record.Found {
		t.Errorf("under --json: exit code %d, %v\n%s", c.code, err, c.out)
	}
}

func TestLengthsLikeProductionComeFromUsage(t *testing.T) {
	withArk(t, "in_production", firstKey)
	c := call("prefix", "--model", "doubao-seed-2-0-mini-260428", "--like-production", "--num-requests", "100", "--dry-run", "--json")
	// 8,000 prompt tokens a request, 75 % of them cached, 300 output tokens.
	for _, says := range []string{`"prompt_tokens": 800000`, `"output_tokens_max": 30000`} {
		if c.code != exitDone || !strings.Contains(c.out, says) {
			t.Errorf("exit code %d, %s is not in\n%s%s", c.code, says, c.out, c.err)
		}
	}
	if !strings.Contains(c.err, "8000 prompt tokens each, 75 % of them cached") {
		t.Errorf("stderr:\n%s", c.err)
	}
	withArk(t, "logged_in", firstKey)
	if c := call("prefix", "--model", "doubao-seed-2-0-mini-260428", "--like-production", "--dry-run"); c.code != exitFailed || !strings.Contains(c.err, "no usage") {
		t.Errorf("without usage: exit code %d\n%s", c.code, c.err)
	}
}

func TestThePlanSaysWhichLimitOfAnEndpointARunMayReach(t *testing.T) {
	f := forecast{Requests: 200, PromptTokens: 2_800_000, OutputTokensMax: 100_000, MinutesLow: 2}
	for _, c := range []struct {
		terms bench.Terms
		says  string
	}{
		{bench.Terms{}, ""}, {bench.Terms{RPM: 30_000, TPM: 5_000_000}, ""},
		{bench.Terms{RPM: 50}, "RPM"}, {bench.Terms{TPM: 1_000_000}, "TPM"},
	} {
		if got := throttled(&f, &c.terms); (got != "") != (c.says != "") || !strings.Contains(got, c.says) {
			t.Errorf("%+v: %q, want %q", c.terms, got, c.says)
		}
	}
}
