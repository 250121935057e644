package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// ledger is a server's own account of what it was asked.
type ledger struct {
	mu       sync.Mutex
	started  int             // measured requests
	finished int             // of them, answered to the end
	prompts  map[string]bool // first messages of measured requests
}

// served is a server that keeps account.
func (l *ledger) served(t *testing.T) string {
	l.prompts = map[string]bool{}
	return foreign(t, func(w http.ResponseWriter, _ *http.Request, body map[string]any) {
		first, _ := body["messages"].([]any)[0].(map[string]any)["content"].(string)
		check := strings.HasPrefix(first, "Check ")
		l.count(!check, false, first)
		answer(w, 3)
		l.count(false, !check, "")
	})
}

func (l *ledger) count(start, finish bool, prompt string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if start {
		l.started++
		l.prompts[prompt] = true
	}
	if finish {
		l.finished++
	}
}

func (l *ledger) now() (started, finished int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.started, l.finished
}

// attempt is what names an attempt in a journal.
type attempt struct {
	Session, Turn, Attempt int
}

// journaled reads the journal of a run line by line, by other code than the
// program's: it counts all attempts, and fails on one that stands there twice
// or is before the point at which the run was taken up.
func journaled(t *testing.T, dir string) (attempts int) {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, rundir.JournalFile))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	counted := map[attempt]bool{}
	from := 0.0
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var line struct {
			Kind string
			attempt
			Start     float64 `json:"start_ms"`
			At        float64 `json:"at_ms"`
			Since     float64 `json:"since_ms"`
			Restarted []bench.SessionID
		}
		if json.Unmarshal(lines.Bytes(), &line) != nil {
			continue // torn by a kill
		}
		switch line.Kind {
		case "attempt":
			if attempts++; counted[line.attempt] || line.Start < from {
				t.Errorf("attempt %+v stands there twice, or began at %v before %v", line.attempt, line.Start, from)
			}
			counted[line.attempt] = true
		case "resume":
			if from = line.At; line.Since > line.At {
				t.Errorf("the gap begins at %v and ends at %v", line.Since, line.At)
			}
			for _, id := range line.Restarted {
				for a := range counted {
					if a.Session == id.Session {
						delete(counted, a)
					}
				}
			}
		}
	}
	return attempts
}

// theRun is the one run in an output folder; "" while there is none.
func theRun(folder string) string {
	dirs, _ := filepath.Glob(filepath.Join(folder, "*", rundir.JournalFile))
	if len(dirs) == 0 {
		return ""
	}
	return filepath.Dir(dirs[0])
}

// killed lets a process run until the server was asked so many more measured
// requests, and a moment longer, and kills it.
func killed(t *testing.T, c *exec.Cmd, l *ledger, requests int, moment time.Duration) {
	t.Helper()
	before, _ := l.now()
	c.Stdout, c.Stderr = io.Discard, io.Discard
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = c.Wait(); close(ended) }()
	for {
		select {
		case <-ended:
			return
		case <-time.After(time.Millisecond):
		}
		if started, _ := l.now(); started >= before+requests {
			break
		}
	}
	time.Sleep(moment)
	_ = c.Process.Kill()
	<-ended
}

func TestNothingMeasuredIsLostToTwentyKillsAndWhatIsMissingIsRun(t *testing.T) {
	for name, c := range map[string]struct {
		kills int
		sizes string
	}{
		"prefix":    {14, "--num-requests 400 --num-prefixes 4 --prefix-len 100 --suffix-len 100"},
		"multiturn": {6, "--num-sessions 48 --max-turns 4 --initial-len 100 --question-len 64"},
	} {
		t.Run(name, func(t *testing.T) {
			alone(t)
			random := rand.New(rand.NewPCG(7, uint64(len(name))))
			var l ledger
			folder := t.TempDir()
			args := append([]string{name, "--base-url", l.served(t), "--model", "m", "--length-unit", "local", "--preset", "quick", "--lang", "en", "--output-dir", folder}, strings.Fields(c.sizes)...)
			resumes := 0
			for kill := range c.kills {
				dir := theRun(folder)
				process := program(t, args...)
				if dir != "" {
					process, resumes = program(t, "resume", dir), resumes+1
				}
				_, finished := l.now()
				attempts := 0
				if dir != "" {
					attempts = journaled(t, dir)
				}
				killed(t, process, &l, 1+random.IntN(5), time.Duration(random.IntN(4000))*time.Microsecond)
				dir = theRun(folder)
				_, finishedNow := l.now()
				lost := finishedNow - finished - (journaled(t, dir) - attempts)
				if lost > 2 { // those that were in flight for the client
					t.Fatalf("kill %d: %d answered requests are not in the journal", kill+1, lost)
				}
				if kill == 10 {
					reported(t, dir)
				}
			}
			completed(t, theRun(folder), &l, resumes)
		})
	}
}

// reported renders the report of a killed run.
func reported(t *testing.T, dir string) {
	t.Helper()
	got := call("report", dir, "--json")
	r := runsOf(t, got)[0]
	if q := r.Targets[0].Summary.Requests; got.code != exitDone || r.State != bench.StateInterrupted || q.Succeeded+q.Failed+q.Canceled+q.NotRun != q.Planned || q.Failed > 0 {
		t.Errorf("exit code %d, state %s, requests %+v\n%s", got.code, r.State, q, got.err)
	}
}

// completed takes a run up for the last time and looks at the whole of it.
func completed(t *testing.T, dir string, l *ledger, resumes int) {
	t.Helper()
	before := len(l.prompts)
	got := call("resume", dir, "--json")
	r := runsOf(t, got)[0]
	q := r.Targets[0].Summary.Requests
	if got.code != exitDone || r.State != bench.StateSucceeded || q.Succeeded != q.Planned {
		t.Fatalf("exit code %d, state %s, requests %+v\n%s", got.code, r.State, q, got.err)
	}
	journaled(t, dir)
	record, err := rundir.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	sessions := map[int]bool{}
	for _, s := range record.Samples {
		sessions[s.Session] = true
	}
	if len(l.prompts) != len(sessions) || before > len(sessions) {
		t.Errorf("%d different prompts were sent for %d sessions: the inputs were not the same", len(l.prompts), len(sessions))
	}
	if len(record.Resumes) == 0 || len(record.Resumes) > resumes+1 {
		t.Errorf("the journal has %d resumes of %d", len(record.Resumes), resumes+1)
	}
	if text := read(t, r.Files.ReportMD); strings.Count(text, "Taken up again at") != len(record.Resumes) || !strings.Contains(text, "cache may have lost") {
		t.Errorf("the report doesn't mark the %d gaps", len(record.Resumes))
	}
	if again := call("resume", dir); again.code != exitDone || !strings.Contains(again.out, "nothing to resume") {
		t.Errorf("exit code %d\n%s%s", again.code, again.out, again.err)
	}
}

func TestACrashWhileChartsAreDrawnCostsNothing(t *testing.T) {
	alone(t)
	folder := t.TempDir()
	c := program(t, "prefix", "--sim", "--preset", "quick", "--sim-tpot-ms", "1", "--sim-ttft-ms", "2", "--output-dir", folder)
	c.Stdout, c.Stderr = io.Discard, io.Discard
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool {
		dir := theRun(folder)
		_, err := os.Stat(filepath.Join(dir, rundir.ReportMD))
		return dir != "" && err == nil
	})
	_ = c.Process.Kill()
	_ = c.Wait()
	dir := theRun(folder)
	got := call("resume", dir, "--json")
	r := runsOf(t, got)[0]
	if q := r.Targets[0].Summary.Requests; got.code != exitDone || q.Succeeded != 6 || r.State != bench.StateSucceeded || !strings.Contains(got.err, "nothing to resume") {
		t.Errorf("exit code %d, state %s, requests %+v\n%s", got.code, r.State, q, got.err)
	}
	if got := call("report", dir, "--json"); got.code != exitDone || runsOf(t, got)[0].Files.ReportMD == "" {
		t.Errorf("exit code %d\n%s%s", got.code, got.out, got.err)
	}
}

func TestARunWhoseFolderIsTakenAwayKeepsItsJournal(t *testing.T) {
	alone(t)
	folder, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "prefix_20260701_120000")
	var once sync.Once
	url := foreign(t, func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		if dir := theRun(folder); dir != "" {
			once.Do(func() {
				if err := os.Rename(dir, elsewhere); err != nil {
					t.Error(err)
				}
			})
		}
		answer(w, 3)
	})
	got := call("prefix", "--base-url", url, "--model", "m", "--length-unit", "local", "--preset", "quick", "--output-dir", folder)
	if got.code != exitFailed || !strings.Contains(got.err, folder) {
		t.Errorf("exit code %d: the folder isn't named in\n%s", got.code, got.err)
	}
	if n := journaled(t, elsewhere); n != 6 {
		t.Errorf("%d attempts are in the journal, want 6", n)
	}
	report := call("report", elsewhere, "--json")
	if r := runsOf(t, report)[0]; report.code != exitDone || r.State != bench.StateSucceeded || r.Targets[0].Summary.Requests.Succeeded != 6 {
		t.Errorf("exit code %d, state %s\n%s", report.code, r.State, report.err)
	}
}

// shortDisk is the command line as a process whose files can't grow beyond so
// many blocks of 512 bytes, as on a disk that is full.
func shortDisk(t *testing.T, blocks int, args ...string) *exec.Cmd {
	c := program(t, args...)
	c.Args = append([]string{"/bin/sh", "-c", fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, blocks), c.Path}, args...)
	c.Path = "/bin/sh"
	return c
}

func TestAFullDiskLeavesWhatItTookAndTheRestIsRunLater(t *testing.T) {
	alone(t)
	folder := t.TempDir()
	t.Setenv("PATH", "/usr/bin:/bin")
	c := shortDisk(t, 16, "prefix", "--sim", "--preset", "quick", "--num-requests", "30", "--sim-tpot-ms", "1", "--sim-ttft-ms", "2", "--lang", "en", "--output-dir", folder)
	out, err := c.CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != exitFailed || !strings.Contains(string(out), "incomplete") || !strings.Contains(string(out), "llm-bench resume") {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := theRun(folder)
	if n := journaled(t, dir); n < 1 || n > 29 {
		t.Fatalf("%d attempts found room, want some of 30", n)
	}
	got := call("resume", dir, "--json")
	r := runsOf(t, got)[0]
	if q := r.Targets[0].Summary.Requests; got.code != exitDone || q.Succeeded != 30 || !r.Simulated {
		t.Errorf("exit code %d, requests %+v\n%s", got.code, q, got.err)
	}
	journaled(t, dir)
}

func TestADiskWithoutRoomForTheReportStillTellsTheFigures(t *testing.T) {
	alone(t)
	folder := t.TempDir()
	t.Setenv("PATH", "/usr/bin:/bin")
	c := shortDisk(t, 30, "prefix", "--sim", "--preset", "quick", "--sim-tpot-ms", "1", "--sim-ttft-ms", "2", "--lang", "en", "--output-dir", folder)
	out, _ := c.CombinedOutput()
	dir := theRun(folder)
	if c.ProcessState.ExitCode() != exitFailed || !strings.Contains(string(out), "TTFT") || !strings.Contains(string(out), "run llm-bench report "+strconv.Quote(dir)) {
		t.Errorf("%s\n%s", c.ProcessState, out)
	}
	if got := call("report", dir); got.code != exitDone || journaled(t, dir) != 6 {
		t.Errorf("exit code %d, %d attempts\n%s", got.code, journaled(t, dir), got.err)
	}
}

func TestAFolderThatTakesNoReportStillTellsItsFigures(t *testing.T) {
	alone(t)
	dir := measured(t)
	if err := errors.Join(os.Remove(filepath.Join(dir, rundir.ReportMD)), os.MkdirAll(filepath.Join(dir, rundir.ReportMD, "in the way"), 0o755)); err != nil {
		t.Fatal(err)
	}
	got := call("report", dir)
	if got.code != exitFailed || !strings.Contains(got.out, "TTFT") || !strings.Contains(got.err, rundir.ReportMD) || !strings.Contains(got.err, "run llm-bench report "+strconv.Quote(dir)) {
		t.Errorf("exit code %d\n%s%s", got.code, got.out, got.err)
	}
	if n := journaled(t, dir); n != 1 {
		t.Errorf("%d attempts are in the journal", n)
	}
}
