//go:build unix

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// measuring are the arguments of a prefix run against a server of the test's.
func measuring(url, folder string, more ...string) []string {
	return append([]string{"prefix", "--base-url", url, "--model", "m", "--length-unit", "local", "--preset", "quick", "--prefix-len", "100", "--suffix-len", "100", "--lang", "en", "--output-dir", folder}, more...)
}

func TestATerminalThatClosesLeavesAPartialReport(t *testing.T) {
	alone(t)
	url, reached := slow(t, 9)
	folder := t.TempDir()
	c := program(t, measuring(url, folder, "--num-requests", "40")...)
	c.Stdout, c.Stderr = io.Discard, io.Discard
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	<-reached
	if err := c.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	state, err := rundir.ReadState(theRun(folder))
	if err != nil || c.ProcessState.ExitCode() != exitInterrupted || state.State != bench.StateInterrupted || state.Succeeded < 6 {
		t.Fatalf("exit code %d, state %+v, %v", c.ProcessState.ExitCode(), state, err)
	}
	if text := read(t, filepath.Join(theRun(folder), "report.md")); !strings.Contains(text, "INCOMPLETE") {
		t.Errorf("the report doesn't say that it is incomplete:\n%.600s", text)
	}
}

func TestARunOutlivesWhoeverReadItsOutput(t *testing.T) {
	for _, more := range [][]string{nil, {"--json"}} {
		alone(t)
		url, _ := slow(t, 1000)
		folder := t.TempDir()
		c := program(t, measuring(url, folder, append(more, "--num-requests", "4")...)...)
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = reader.Close()
		c.Stdout, c.Stderr = writer, writer
		err = c.Run()
		_ = writer.Close()
		state, failed := rundir.ReadState(theRun(folder))
		if failed != nil || state.State != bench.StateSucceeded || state.Succeeded != 4 {
			t.Errorf("%q: %v; state %+v, %v", more, err, state, failed)
		}
		if text := read(t, filepath.Join(theRun(folder), "report.md")); !strings.Contains(text, "4 requests succeeded") {
			t.Errorf("%q: the report is\n%.600s", more, text)
		}
	}
}
