package arkcli

import (
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/arkcli/fake"
)

// update rewrites the golden files.
func update() bool { return flag.Lookup("update").Value.String() == "true" }

func TestMain(m *testing.M) {
	fake.IfCalled()
	flag.Bool("update", false, "rewrite golden files")
	flag.Parse()
	os.Exit(m.Run())
}

// fakeCLI is a CLI whose arkcli is the stand-in, in a scenario.
type fakeCLI struct {
	*CLI
	state string
	lines *[]string // commands answered without a process
}

// newProcess is a CLI that runs this test binary as arkcli.
func newProcess(t *testing.T, scenario string, opts Options, env ...string) fakeCLI {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	opts.Path = self
	opts.Home = t.TempDir()
	opts.Environ = append([]string{
		fake.EntryVar + "=1", "FAKE_ARKCLI_SCENARIO=" + scenario, "FAKE_ARKCLI_STATE=" + state,
		"PATH=/usr/bin:/bin", "HOME=/nowhere", "GORACE=atexit_sleep_ms=0",
	}, env...)
	opts.RetryPause = orDefault(opts.RetryPause, time.Millisecond)
	return fakeCLI{CLI: New(opts), state: state}
}

// newFake is the same without a process, for tests of what is made of an
// answer.
func newFake(t *testing.T, scenario string, env ...string) fakeCLI {
	t.Helper()
	f := newProcess(t, scenario, Options{}, env...)
	f.lines = new([]string)
	f.once = func(_ context.Context, args []string) (reply, *Error) {
		*f.lines = append(*f.lines, strings.Join(args, " "))
		stdout, stderr, exit := fake.Answer(args, f.env().forChild(f.opts.Home, "/usr/bin"))
		kept := &clip{limit: maxStdout}
		_, _ = io.WriteString(kept, stdout)
		r := reply{args: args, stdout: kept.kept, stderr: []byte(stderr), cut: kept.cut, exit: exit}
		if exit < 0 {
			r.signal = "killed"
		}
		return r, nil
	}
	return f
}

// calls is the log of the processes run; commands is what was asked, as lines.
func (f fakeCLI) calls(t *testing.T) []fake.Call {
	t.Helper()
	calls, err := fake.ReadCalls(f.state)
	if err != nil {
		t.Fatal(err)
	}
	return calls
}

func (f fakeCLI) commands(t *testing.T) []string {
	t.Helper()
	if f.lines != nil {
		return *f.lines
	}
	var out []string
	for _, call := range f.calls(t) {
		out = append(out, call.Command())
	}
	return out
}

func count(lines []string, part string) int {
	n := 0
	for _, line := range lines {
		if strings.Contains(line, part) {
			n++
		}
	}
	return n
}

// golden compares text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if update() {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run the test with -update and look at the change:\n%s", name, got)
	}
}
