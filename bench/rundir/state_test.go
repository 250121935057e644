package rundir

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

func state() *State {
	p50, eta, ended := bench.Millis(410*time.Millisecond), 540.5, began.Add(time.Hour)
	return &State{
		RunID: "prefix_20260131_093000", Scenario: bench.Prefix, State: bench.StateRunning, Phase: "measuring", Process: Process{4711, "x/1"},
		Planned: 200, Succeeded: 80, Failed: 3, Canceled: 1, NotRun: 116, TTFTP50: &p50, ETA: &eta,
		StartedAt: began, HeartbeatAt: began.Add(time.Minute), EndedAt: &ended, ParamsHash: "5e5e", Summary: "80 of 200",
		Error: &Fault{"auth", "the key is wrong", "log in again"},
	}
}

func TestAStateIsReadBackAsItWasWritten(t *testing.T) {
	dir := t.TempDir()
	must(t, WriteState(dir, &State{RunID: "earlier"}))
	must(t, WriteState(dir, state()))
	got, err := ReadState(dir)
	must(t, err)
	want := state()
	sameTime(t, &got.StartedAt, &want.StartedAt)
	sameTime(t, &got.HeartbeatAt, &want.HeartbeatAt)
	sameTime(t, got.EndedAt, want.EndedAt)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, want %+v", got, want)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%v were left", entries)
	}
}

func TestNamesInTheStateFileAreThoseThatOthersRelyOn(t *testing.T) {
	dir := t.TempDir()
	must(t, WriteState(dir, state()))
	text, err := os.ReadFile(filepath.Join(dir, StateFile))
	must(t, err)
	for _, member := range []string{
		`"run_id": "prefix_20260131_093000"`, `"scenario": "prefix"`, `"state": "running"`, `"phase": "measuring"`, `"pid": 4711`, `"pid_started": "x/1"`,
		`"planned": 200`, `"succeeded": 80`, `"failed": 3`, `"canceled": 1`, `"not_run": 116`, `"ttft_p50_ms": 410`, `"eta_s": 540.5`,
		`"started_at": "2026-01-31T09:30:00+08:00"`, `"heartbeat_at": "2026-01-31T09:31:00+08:00"`, `"params_hash": "5e5e"`, `"code": "auth"`,
	} {
		if !strings.Contains(string(text), member) {
			t.Errorf("no %s in %s", member, text)
		}
	}
}

func TestAReaderNeverSeesHalfAState(t *testing.T) {
	dir := t.TempDir()
	must(t, WriteState(dir, state()))
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := range 60 {
			s := state()
			s.Summary = strings.Repeat("x", 57*n)
			if err := WriteState(dir, s); err != nil {
				t.Error(err)
			}
		}
	})
	done := make(chan struct{})
	go func() { writing.Wait(); close(done) }()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		if s, err := ReadState(dir); err != nil || s.Planned != 200 {
			t.Fatal(s, err)
		}
	}
}

func TestAStateThatIsMissingOrDamagedIsAnError(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadState(dir)
	wantError(t, err, fs.ErrNotExist, "state")
	for _, text := range []string{"", "{", `{"planned":"x"}`} {
		must(t, os.WriteFile(filepath.Join(dir, StateFile), []byte(text), 0o644))
		_, err = ReadState(dir)
		wantError(t, err, nil, "state.json is damaged")
	}
	must(t, os.WriteFile(filepath.Join(dir, StateFile), make([]byte, maxState+1), 0o644))
	_, err = ReadState(dir)
	wantError(t, err, nil, "longer than")
	wantError(t, WriteState(filepath.Join(dir, "none"), state()), fs.ErrNotExist, "state")
}

func TestAStateThatCannotBePutInPlaceLeavesNoTrace(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, StateFile, "x"), 0o755))
	wantError(t, WriteState(dir, state()), nil, "state")
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%v were left", entries)
	}
}

func TestARunIsInterruptedOnceItsHeartbeatIsOldAndItsProcessGone(t *testing.T) {
	living := ThisProcess()
	gone := Process{living.PID, "another start"}
	for _, c := range []struct {
		written bench.State
		process Process
		age     time.Duration
		want    bench.State
	}{
		{bench.StateRunning, living, time.Second, bench.StateRunning},
		{bench.StateRunning, living, time.Hour, bench.StateRunning}, // a machine that slept
		{bench.StateRunning, gone, 15 * time.Second, bench.StateRunning},
		{bench.StateRunning, gone, 15*time.Second + 1, bench.StateInterrupted},
		{bench.StateQueued, gone, time.Minute, bench.StateInterrupted},
		{bench.StateSucceeded, gone, time.Hour, bench.StateSucceeded},
		{bench.StateCanceled, gone, time.Hour, bench.StateCanceled},
	} {
		s := &State{State: c.written, Process: c.process, HeartbeatAt: began}
		if got := s.Now(began.Add(c.age)); got != c.want {
			t.Errorf("%s, %v, %v old: %s, want %s", c.written, c.process, c.age, got, c.want)
		}
	}
}

func TestAProcessIsAliveFromItsStartToItsEnd(t *testing.T) {
	sleeper := another(t, "sleeper")
	stdin, err := sleeper.StdinPipe()
	must(t, err)
	must(t, sleeper.Start())
	started, running := inspect(sleeper.Process.Pid)
	child := Process{sleeper.Process.Pid, started}
	if !running || !child.Alive() || !(Process{PID: child.PID}).Alive() {
		t.Errorf("%+v is not alive", child)
	}
	if (Process{child.PID, started + "0"}).Alive() {
		t.Error("a process that started at another time is alive")
	}
	must(t, stdin.Close())
	_, err = sleeper.Process.Wait()
	must(t, err)
	if child.Alive() || (Process{PID: child.PID}).Alive() {
		t.Error("it is alive after its end")
	}
	if again := ThisProcess(); again != ThisProcess() || !again.Alive() || (Process{}).Alive() || (Process{PID: -1}).Alive() {
		t.Errorf("this process is %+v", again)
	}
}
