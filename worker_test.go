//go:build unix

package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/arkcli/fake"
	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// script is a program that runs the test binary with more variables in its
// environment: a worker is handed down few of them.
func script(t *testing.T, name string, variables ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := "#!/bin/sh\n"
	for _, v := range variables {
		text += fmt.Sprintf("export %s='%s'\n", v, os.Getenv(v))
	}
	text += fmt.Sprintf("exec '%s' \"$@\"\n", self)
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAWorkerAsksOnceForAKeyThatIsRefused(t *testing.T) {
	withArk(t, "rotated_key", secondKey)
	t.Setenv("LLM_BENCH_ARKCLI", script(t, "arkcli", fake.EntryVar, "FAKE_ARKCLI_SCENARIO", "FAKE_ARKCLI_STATE", "FAKE_ARKCLI_BASE_URL", "FAKE_ARKCLI_KEY", "FAKE_ARKCLI_KEY2", "GORACE"))
	target, _, err := job.Find(t.Context(), job.Want{Model: "doubao-seed-2-0-mini-260428"}, os.LookupEnv, arkcli.New(arkcli.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Unsetenv(fake.EntryVar); err != nil { // from here on the test binary is the worker
		t.Fatal(err)
	}
	t.Setenv(asProgram, "1")
	index, err := rundir.DefaultIndex()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	order := job.Order{Spec: bench.NewSpec(bench.Connectivity, bench.Quick), Target: target, OutputDir: dir, Version: version}
	run, err := job.Detach(t.Context(), order, index, script(t, "llm-bench", asProgram))
	if err != nil {
		t.Fatal(err)
	}
	state, err := job.Follow(t.Context(), run.Dir.Path, time.Minute, nil)
	if err != nil || state.State != bench.StateSucceeded || state.Succeeded != 1 {
		t.Fatalf("it ended as %+v, %v", state, err)
	}
	if log := read(t, filepath.Join(run.Dir.Path, rundir.LogFile)); strings.Count(log, "asked for anew") != 1 {
		t.Errorf("the log says:\n%s", log)
	}
	leftNothing(t, dir, "")
}

func TestTheCommandLineWarnsOfARunAgainstTheSameEndpoint(t *testing.T) {
	alone(t)
	t.Setenv(asProgram, "1")
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	const ofWorker = 77 // tokens of output
	url := foreign(t, func(w http.ResponseWriter, r *http.Request, body map[string]any) {
		if n, _ := body["max_completion_tokens"].(float64); n == ofWorker {
			<-r.Context().Done()
			return
		}
		answer(w, 2)
	})
	index, err := rundir.DefaultIndex()
	if err != nil {
		t.Fatal(err)
	}
	target, _, err := job.Find(t.Context(), job.Want{Model: "m", BaseURL: url}, os.LookupEnv, nil)
	if err != nil {
		t.Fatal(err)
	}
	order := job.Order{Spec: bench.NewSpec(bench.Connectivity, bench.Quick), Target: target, OutputDir: t.TempDir(), Version: version}
	order.Spec.MaxOutputTokens = ofWorker
	run, err := job.Detach(t.Context(), order, index, script(t, "llm-bench", asProgram, "GORACE"))
	if err != nil {
		t.Fatal(err)
	}
	connectivity := func() string {
		c := call("connectivity", "--base-url", url, "--model", "m", "--output-dir", t.TempDir())
		if c.code != exitDone {
			t.Errorf("exit code %d\n%s", c.code, c.err)
		}
		return c.err
	}
	if says := connectivity(); strings.Count(says, "warning: run "+run.Dir.RunID+" is going on against the same endpoint") != 1 {
		t.Errorf("while run %s goes on it says:\n%s", run.Dir.RunID, says)
	}
	waitFor(t, func() bool { // a worker that could not yet be asked to end is never killed
		s, err := rundir.ReadState(run.Dir.Path)
		return err == nil && s.Phase == "measuring"
	})
	if _, err := job.Cancel(t.Context(), run.Dir.Path); err != nil {
		t.Fatal(err)
	}
	if says := connectivity(); strings.Contains(says, "going on") {
		t.Errorf("after its end it says:\n%s", says)
	}
}
