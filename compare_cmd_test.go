package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// recorded is the directory of a made-up prefix run, as a run leaves it.
func recorded(t *testing.T, change func(*benchtest.Run)) string {
	t.Helper()
	run := benchtest.New(bench.Prefix, bench.Standard, "en")
	run.Spec.NumRequests = 100
	if change != nil {
		change(run)
	}
	record := run.Record()
	dir := t.TempDir()
	journal, err := rundir.Begin(dir, &record.Header)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range record.Samples {
		err = errors.Join(err, journal.Attempt(s))
	}
	for _, tick := range record.Ticks {
		err = errors.Join(err, journal.Client(&tick))
	}
	if err := errors.Join(err, journal.End(record.Finish), journal.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// lateTokens makes the first token of each request later.
func lateTokens(run *benchtest.Run) {
	run.Touch = func(c *benchtest.Call) {
		c.TTFT = 140*time.Millisecond + time.Duration(c.Prompt-c.Cached)*40*time.Microsecond + time.Duration(c.N%20)*time.Millisecond
	}
}

func comparisonOf(t *testing.T, c called) bench.Comparison {
	t.Helper()
	var found bench.Comparison
	if err := json.Unmarshal([]byte(c.out), &found); err != nil || found.Schema != bench.ComparisonSchema {
		t.Fatalf("stdout is not a comparison: %v\n%s\nstderr: %s", err, c.out, c.err)
	}
	return found
}

func TestASlowerEndpointIsFoundAndNamedInWordsAndJSON(t *testing.T) {
	alone(t)
	a, b := recorded(t, nil), recorded(t, lateTokens)
	c := call("compare", a, b, "--json")
	found := comparisonOf(t, c)
	if c.code != exitDone || !found.Comparable || len(found.Pairs) != 1 || found.Pairs[0].PairedBy != bench.ByRequest {
		t.Fatalf("exit code %d, %+v\n%s", c.code, found, c.err)
	}
	first := found.Pairs[0].Figures[0]
	if first.Metric != bench.MetricTTFT || first.Statistic != "avg" || !first.Shown || first.Better != "A" || first.Difference.Low <= 0 || first.NA != 100 {
		t.Errorf("TTFT %+v", first)
	}
	text := call("compare", a, b, "--lang", "en")
	for _, says := range []string{"A and B can be compared; paired by request.", "TTFT AVG, ms", "A is better", "100 of 100 succeeded"} {
		if !strings.Contains(text.out, says) {
			t.Errorf("%q is not in:\n%s", says, text.out)
		}
	}
	if chinese := call("compare", a, b, "--lang", "zh"); !strings.Contains(chinese.out, "A 与 B 可比；按请求配对。") || !strings.Contains(chinese.out, "A 更好") {
		t.Errorf("in Chinese:\n%s", chinese.out)
	}
}

func TestRunsThatDifferInMoreHaveNoWinner(t *testing.T) {
	alone(t)
	a, b := recorded(t, nil), recorded(t, func(r *benchtest.Run) { r.Spec.MaxOutputTokens, r.Spec.NumPrefixes = 256, 5 })
	c := call("compare", a, b, "--lang", "en")
	for _, says := range []string{"can NOT be compared", "max_output_tokens: A 512, B 256", "num_prefixes: A 10, B 5", "neither side is better"} {
		if !strings.Contains(c.out, says) {
			t.Errorf("%q is not in:\n%s", says, c.out)
		}
	}
	if c.code != exitNotComparable || strings.Contains(c.out, "A is better") || strings.Contains(c.out, "B is better") || strings.Contains(c.out, "--vary") {
		t.Errorf("exit code %d\n%s", c.code, c.out)
	}
	asJSON := call("compare", a, b, "--json")
	if found := comparisonOf(t, asJSON); asJSON.code != exitNotComparable || found.Comparable || len(found.Pairs[0].Figures) > 0 || len(found.Pairs[0].Mismatches) != 2 {
		t.Errorf("exit code %d, %+v", asJSON.code, found)
	}
}

func TestAnotherModelIsComparedWhereItIsNamed(t *testing.T) {
	alone(t)
	a, b := recorded(t, nil), recorded(t, func(r *benchtest.Run) { r.Target.Model = "another-model" })
	c := call("compare", a, b, "--lang", "en")
	if c.code != exitNotComparable || !strings.Contains(c.out, "--vary model\n") {
		t.Errorf("exit code %d\n%s", c.code, c.out)
	}
	if c := call("compare", a, b, "--lang", "en", "--vary", "model"); c.code != exitDone || !strings.Contains(c.out, "TTFT/1k prompt tokens AVG, ms") {
		t.Errorf("exit code %d\n%s\n%s", c.code, c.out, c.err)
	}
}

func TestComparingChangesNoFile(t *testing.T) {
	alone(t)
	a := recorded(t, nil)
	before := listing(t, a)
	if c := call("compare", a, a); c.code != exitDone || strings.Contains(c.out, "is better") {
		t.Errorf("exit code %d\n%s%s", c.code, c.out, c.err)
	}
	if c := call("rescore", a); c.code != exitDone {
		t.Errorf("exit code %d\n%s", c.code, c.err)
	}
	if after := listing(t, a); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}

// listing is every file of a directory with its size and time.
func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, e.Name(), info.ModTime().String())
	}
	return strings.Join(lines, "\n")
}

func TestARunUnderTheRulesOfOtherTools(t *testing.T) {
	alone(t)
	dir := recorded(t, nil)
	var doc struct {
		RunDir  string `json:"run_dir"`
		Targets []struct {
			Label string
			Rules []bench.Rescored
		}
	}
	c := call("rescore", dir, "--rule", "evalscope", "--json")
	if err := json.Unmarshal([]byte(c.out), &doc); err != nil || c.code != exitDone {
		t.Fatalf("exit code %d, %v\n%s%s", c.code, err, c.out, c.err)
	}
	rules := doc.Targets[0].Rules
	if doc.RunDir != dir || len(rules) != 2 || rules[0].Rule != bench.RuleOwn || rules[1].Rule != bench.RuleEvalscope {
		t.Fatalf("%+v", doc)
	}
	// It counts from the empty first chunk to the chunk of usage.
	if own, other := rules[0], rules[1]; other.TTFT.Avg > own.TTFT.Avg || other.E2E.Avg <= own.E2E.Avg || other.TTFT.N != 100 {
		t.Errorf("own %+v %+v, evalscope %+v %+v", own.TTFT, own.E2E, other.TTFT, other.E2E)
	}
	text := call("rescore", dir).out
	for _, says := range []string{"llm-bench", "vllm", "sglang", "guidellm", "evalscope", "TTFT AVG, ms"} {
		if !strings.Contains(text, says) {
			t.Errorf("%q is not in:\n%s", says, text)
		}
	}
	if one := call("rescore", dir, "--rule", "vllm").out; strings.Contains(one, "sglang") || !strings.Contains(one, "vllm") {
		t.Errorf("under one rule:\n%s", one)
	}
}

func TestMistakesInComparingAreUsage(t *testing.T) {
	alone(t)
	dir := recorded(t, nil)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"compare"}, "at least one run directory"},
		{[]string{"compare", dir}, "one target is compared with nothing"},
		{[]string{"compare", dir, filepath.Join(dir, "nowhere")}, "not a run directory"},
		{[]string{"compare", dir, dir, "--vary", "moon"}, "--vary is \"moon\""},
		{[]string{"compare", dir, dir, "--lang", "fr"}, "--lang is \"fr\""},
		{[]string{"rescore", dir, "--rule", "mine"}, "--rule is \"mine\""},
		{[]string{"rescore", t.TempDir()}, "not a run directory"},
	} {
		if got := call(c.args...); got.code != exitUsage || !strings.Contains(got.err, c.says) || got.out != "" {
			t.Errorf("%q: exit code %d, %q is not in:\n%s", c.args, got.code, c.says, got.err)
		}
	}
}
