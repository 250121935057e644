//go:build unix

package job

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
	"github.com/llm-bench/llm-bench/bench/sim"
)

// leakKey stands for an API key that must show nowhere.
const leakKey = "sk-LEAKTEST-0123456789abcdef"

// yard is where workers are started: an endpoint, an index and a place for runs.
type yard struct {
	t      *testing.T
	url    string
	index  rundir.Index
	out    string
	self   string
	latest atomic.Int64 // when the latest chat request arrived, Unix nanoseconds
}

func newYard(t *testing.T, tpot time.Duration) *yard {
	t.Helper()
	y := &yard{t: t, index: rundir.Index{Home: t.TempDir()}, out: t.TempDir()}
	server, err := sim.New(sim.Config{
		BaseTTFT: time.Millisecond, PrefillPer1000: sim.Zero, TPOT: tpot, APIKey: leakKey,
		FaultFor: func(*sim.Request) string { y.latest.Store(time.Now().UnixNano()); return "" },
	})
	done(t, err)
	front := httptest.NewServer(server)
	t.Cleanup(func() { front.Close(); _ = server.Close() })
	y.url = front.URL + "/api/v3"
	y.self = program(t)
	t.Cleanup(func() {
		entries, _ := y.index.List(0)
		for _, e := range entries {
			_, _ = Cancel(context.Background(), e.Dir)
		}
	})
	return y
}

func done(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (y *yard) order(requests int) Order {
	spec := bench.NewSpec(bench.Prefix, bench.Quick)
	spec.PrefixLen, spec.SuffixLen, spec.NumRequests, spec.MaxOutputTokens = 200, 100, requests, 20
	spec.LengthUnit, spec.Lang = bench.LengthLocal, "en"
	return Order{
		Spec: spec, OutputDir: y.out, Version: "test",
		Target: bench.Target{Label: "m", BaseURL: y.url, Model: "doubao-seed-2-0-mini-260428", Dialect: bench.Ark(), Source: bench.SourceBaseURL, Key: bench.NewSecret(leakKey)},
	}
}

func (y *yard) detach(o Order) *Detached {
	y.t.Helper()
	d, err := Detach(y.t.Context(), o, y.index, y.self)
	done(y.t, err)
	return d
}

func (y *yard) follow(d *Detached) *rundir.State {
	y.t.Helper()
	s, err := Follow(y.t.Context(), d.Dir.Path, 30*time.Second, nil)
	done(y.t, err)
	return s
}

// until waits for something that a process does.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); {
		if time.Now().After(deadline) {
			t.Fatalf("it never came to this: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (y *yard) worker(d *Detached) *rundir.State {
	y.t.Helper()
	var s *rundir.State
	until(y.t, "a worker measures", func() bool {
		var err error
		s, err = rundir.ReadState(d.Dir.Path)
		return err == nil && s.Phase == "measuring"
	})
	return s
}

func TestAWorkerCarriesOutTheOrderAndLeavesItsReport(t *testing.T) {
	t.Parallel()
	y := newYard(t, sim.Zero)
	d := y.detach(y.order(6))
	s := y.follow(d)
	if s.State != bench.StateSucceeded || s.Succeeded != 6 || s.Summary == "" || d.Attached {
		t.Errorf("it ended as %+v", s)
	}
	files := rundir.Files(d.Dir.Path)
	if files.ReportMD == "" || files.ResultJSON == "" || files.RequestsJSONL == "" {
		t.Errorf("it left %+v", files)
	}
	if found, err := y.index.Find(d.Dir.RunID); err != nil || found != d.Dir.Path {
		t.Errorf("the index finds it at %s, %v", found, err)
	}
}

func TestAWorkerIsTheLeaderOfASessionOfItsOwn(t *testing.T) {
	t.Parallel()
	y := newYard(t, 50*time.Millisecond)
	s := y.worker(y.detach(y.order(20)))
	session, _, errno := syscall.Syscall(syscall.SYS_GETSID, uintptr(s.PID), 0, 0)
	if errno != 0 || int(session) != s.PID {
		t.Errorf("process %d is in session %d, %v", s.PID, session, errno)
	}
}

func TestTheKeyReachesTheWorkerAndNothingElse(t *testing.T) {
	t.Setenv("ARK_API_KEY", leakKey)
	t.Setenv("SOME_TOKEN", leakKey)
	y := newYard(t, 10*time.Millisecond)
	d := y.detach(y.order(10))
	s := y.worker(d)
	for _, file := range []string{"cmdline", "environ"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.PID, file))
		done(t, err)
		refuseKey(t, file, text)
	}
	if s := y.follow(d); s.Succeeded != 10 {
		t.Fatalf("the key didn't reach the endpoint: %+v", s)
	}
	for _, root := range []string{y.out, y.index.Home} {
		done(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			refuseKey(t, path, text)
			return err
		}))
	}
}

func refuseKey(t *testing.T, where string, text []byte) {
	t.Helper()
	for _, form := range []string{leakKey, leakKey[:12], base64.StdEncoding.EncodeToString([]byte(leakKey))} {
		if bytes.Contains(text, []byte(form)) {
			t.Errorf("%s holds %s", where, form)
		}
	}
}

func TestAWorkersEnvironmentIsWhatItNeedsAlone(t *testing.T) {
	got := workerEnviron([]string{
		"HOME=/h", "PATH=/bin", "https_proxy=http://p", "NO_PROXY=x", "LC_ALL=C", "LLM_BENCH_HOME=/l", "Path=C:\\",
		"LLM_BENCH_ARKCLI=/a", "ARK_API_KEY=k", "ARK_BASE_URL=u", "OPENAI_API_KEY=k", "OPENAI_BASE_URL=u", "AWS_SECRET_ACCESS_KEY=k", "LD_PRELOAD=x", "LLM_BENCH_SIM=1", "broken",
	})
	want := []string{"HOME=/h", "PATH=/bin", "https_proxy=http://p", "NO_PROXY=x", "LC_ALL=C", "LLM_BENCH_HOME=/l", "Path=C:\\", "LLM_BENCH_ARKCLI=/a"}
	if !slices.Equal(got, want) {
		t.Errorf("it is %q, want %q", got, want)
	}
}

func TestTheSameOrderJoinsTheRunThatGoesOnAndAnotherIsRefused(t *testing.T) {
	t.Parallel()
	y := newYard(t, 20*time.Millisecond)
	first := y.detach(y.order(20))
	second := y.detach(y.order(20))
	if !second.Attached || *second.Dir != (rundir.Dir{Path: first.Dir.Path, RunID: first.Dir.RunID}) {
		t.Errorf("the same order gave %+v", second)
	}
	_, err := Detach(t.Context(), y.order(21), y.index, y.self)
	var busy *BusyError
	if !errors.As(err, &busy) || busy.RunID != first.Dir.RunID || busy.Scenario != bench.Prefix {
		t.Errorf("another order gave %v", err)
	}
	if _, err = Detach(t.Context(), seeded(y.order(20), 7, ""), y.index, y.self); !errors.As(err, &busy) {
		t.Errorf("the same order with a seed of its own gave %v", err)
	}
	other := y.order(21)
	other.Target.Model = "doubao-seed-2-0-lite-260428"
	if d := y.detach(other); d.Attached {
		t.Error("an order for another model joined")
	}
	if id := Occupant(y.index, new(y.order(21))); id != first.Dir.RunID {
		t.Errorf("the occupant is %q", id)
	}
	y.follow(first)
	if id := Occupant(y.index, new(y.order(21))); id != "" {
		t.Errorf("after the end the occupant is %q", id)
	}
	if d := y.detach(y.order(3)); d.Attached {
		t.Error("an order joined a run that had ended")
	}
}

func seeded(o Order, seed uint64, nonce string) Order {
	o.Spec.Seed, o.Spec.Nonce = seed, nonce
	return o
}

func TestASeedThatWasGivenCountsAmongTheParametersAndADrawnOneDoesNot(t *testing.T) {
	t.Parallel()
	y := newYard(t, 20*time.Millisecond)
	first := y.detach(seeded(y.order(20), 7, "given"))
	if again := y.detach(seeded(y.order(20), 7, "given")); !again.Attached {
		t.Error("the same seed and nonce did not join")
	}
	for _, other := range []Order{seeded(y.order(20), 8, "given"), seeded(y.order(20), 7, "other"), y.order(20)} {
		var busy *BusyError
		if _, err := Detach(t.Context(), other, y.index, y.self); !errors.As(err, &busy) || busy.RunID != first.Dir.RunID {
			t.Errorf("seed %d, nonce %q gave %v", other.Spec.Seed, other.Spec.Nonce, err)
		}
	}
	queued := seeded(y.order(20), 7, "given")
	if s := y.worker(first); s.ParamsHash != queued.Hash() {
		t.Errorf("the worker wrote the hash %s, want %s", s.ParamsHash, queued.Hash())
	}
	drawn := y.order(20)
	before := drawn.Hash()
	drawn.draw()
	if drawn.Spec.Seed == 0 || drawn.Spec.Nonce == "" || drawn.Hash() != before {
		t.Errorf("the draw made %s of the hash %s", drawn.Hash(), before)
	}
}

func TestOfManyEqualOrdersAtOnceOneIsCarriedOut(t *testing.T) {
	t.Parallel()
	y := newYard(t, sim.Zero)
	var mu sync.Mutex
	fresh := 0
	var racing sync.WaitGroup
	for range 20 {
		racing.Go(func() {
			d, err := Detach(t.Context(), y.order(40), y.index, y.self)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			} else if !d.Attached {
				fresh++
			}
		})
	}
	racing.Wait()
	entries, err := os.ReadDir(y.out)
	if err != nil || fresh != 1 || len(entries) != 1 {
		t.Errorf("%d were carried out, %d directories, %v", fresh, len(entries), err)
	}
}

func TestTheSlotOfAKilledWorkerIsFree(t *testing.T) {
	t.Parallel()
	y := newYard(t, 50*time.Millisecond)
	d := y.detach(y.order(20))
	done(t, syscall.Kill(y.worker(d).PID, syscall.SIGKILL))
	y.follow(d)
	if again := y.detach(y.order(3)); again.Attached || again.Dir.RunID == d.Dir.RunID {
		t.Errorf("it gave %+v", again)
	}
}

func TestAKilledWorkersRunIsInterruptedWithAPartialReport(t *testing.T) {
	t.Parallel()
	y := newYard(t, 10*time.Millisecond)
	d := y.detach(y.order(200))
	s := y.worker(d)
	until(t, "some requests are in the journal", func() bool { return kept(d) >= 4 })
	done(t, syscall.Kill(s.PID, syscall.SIGKILL))
	end := y.follow(d)
	if end.State != bench.StateInterrupted || end.Succeeded < 4 || end.Succeeded >= 200 || end.EndedAt == nil {
		t.Errorf("it ended as %+v", end)
	}
	_, result, err := load(t.Context(), d.Dir.Path)
	if err != nil || result.State != bench.StateInterrupted || result.End != nil {
		t.Errorf("its report says %+v, %v", result, err)
	}
	agree(t, d.Dir.Path, end)
	if rundir.Files(d.Dir.Path).ReportMD == "" {
		t.Error("there is no report")
	}
}

func TestCancelEndsTheLoadAtOnceAndLeavesAPartialReport(t *testing.T) {
	t.Parallel()
	y := newYard(t, 10*time.Millisecond)
	d := y.detach(y.order(200))
	s := y.worker(d)
	until(t, "some requests are in the journal", func() bool { return kept(d) >= 3 })
	asked := time.Now()
	end, err := Cancel(t.Context(), d.Dir.Path)
	if err != nil || end.State != bench.StateCanceled || end.Succeeded < 3 {
		t.Fatalf("it ended as %+v, %v", end, err)
	}
	if s.Alive() && time.Since(asked) > cancelGrace {
		t.Error("the worker lives on")
	}
	if late := time.Unix(0, y.latest.Load()).Sub(asked); late > 2*time.Second {
		t.Errorf("a request came %v after the cancellation", late)
	}
	page, err := os.ReadFile(filepath.Join(d.Dir.Path, rundir.ReportMD))
	if want := fmt.Sprintf("canceled, %d of 200 (by cancel", end.Done()); err != nil || !strings.Contains(string(page), want) {
		t.Errorf("the report doesn't say %q: %v", want, err)
	}
	agree(t, d.Dir.Path, end)
	again, err := Cancel(t.Context(), d.Dir.Path)
	if err != nil || again.State != bench.StateCanceled || !again.EndedAt.Equal(*end.EndedAt) {
		t.Errorf("canceled again it is %+v, %v", again, err)
	}
}

// kept is the number of attempts in the journal of a run.
func kept(d *Detached) int {
	record, err := rundir.Open(d.Dir.Path)
	if err != nil {
		return 0
	}
	return len(record.Samples)
}

// agree compares what the files of a run that has ended say of its end and its
// requests, as they stand and rendered once more.
func agree(t *testing.T, dir string, s *rundir.State) {
	t.Helper()
	there, err := Rendered(dir)
	done(t, err)
	_, again, err := load(t.Context(), dir)
	done(t, err)
	for _, result := range []*bench.Result{there, again} {
		r := result.Targets[0].Summary.Requests
		if result.State != s.State || r.Planned != s.Planned || r.Succeeded != s.Succeeded || r.Failed != s.Failed || r.Canceled != s.Canceled || r.NotRun != s.NotRun {
			t.Errorf("the result says %s, %+v; the state %+v", result.State, r, s)
		}
	}
}

func TestASignalThatNobodyAskedForInterruptsTheRun(t *testing.T) {
	t.Parallel()
	y := newYard(t, 10*time.Millisecond)
	order := y.order(200)
	order.Spec.LengthUnit = bench.LengthServer // whose probes are in no count
	d := y.detach(order)
	s := y.worker(d)
	until(t, "some requests are in the journal", func() bool { return kept(d) >= 4 })
	done(t, syscall.Kill(s.PID, syscall.SIGTERM))
	end := y.follow(d)
	if end.State != bench.StateInterrupted || end.Done() < 4 {
		t.Errorf("it ended as %+v", end)
	}
	page, err := os.ReadFile(filepath.Join(d.Dir.Path, rundir.ReportMD))
	if want := fmt.Sprintf("interrupted, %d of 200 (terminated", end.Done()); err != nil || !strings.Contains(string(page), want) {
		t.Errorf("the report doesn't say %q: %v", want, err)
	}
	agree(t, d.Dir.Path, end)
}

func TestCancelKillsAWorkerThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	y := newYard(t, 50*time.Millisecond)
	d := y.detach(y.order(40))
	s := y.worker(d)
	// What has been answered is not yet measured: the worker must have kept it.
	until(t, "some requests are in the journal", func() bool { return kept(d) >= 2 })
	done(t, syscall.Kill(s.PID, syscall.SIGSTOP))
	asked := time.Now()
	end, err := Cancel(t.Context(), d.Dir.Path)
	if err != nil || end.State != bench.StateCanceled || end.Succeeded < 1 || s.Alive() {
		t.Errorf("it ended as %+v, alive %v, %v", end, s.Alive(), err)
	}
	if took := time.Since(asked); took < cancelGrace {
		t.Errorf("it was killed after %v", took)
	}
	agree(t, d.Dir.Path, end)
}

func TestNothingIsLeftOfAnOrderThatCannotBeCarriedOut(t *testing.T) {
	t.Parallel()
	y := newYard(t, sim.Zero)
	bad := y.order(0)
	bad.Spec.PrefixLen = 3
	_, err := Detach(t.Context(), bad, y.index, y.self)
	var field *bench.FieldError
	if !errors.As(err, &field) || !strings.Contains(err.Error(), "num_requests") || !strings.Contains(err.Error(), "prefix_len") {
		t.Errorf("the error is %v", err)
	}
	if entries, err := os.ReadDir(y.out); err != nil || len(entries) != 0 {
		t.Errorf("there is %v, %v", entries, err)
	}
}

func TestAWorkerThatCannotBeStartedFailsItsRunAndFreesTheSlot(t *testing.T) {
	t.Parallel()
	y := newYard(t, sim.Zero)
	if _, err := Detach(t.Context(), y.order(3), y.index, filepath.Join(y.out, "nothing")); err == nil {
		t.Fatal("there is no error")
	}
	entries, err := y.index.List(0)
	done(t, err)
	s, err := rundir.ReadState(entries[0].Dir)
	if err != nil || s.State != bench.StateFailed || s.Error.Code != "worker_not_started" {
		t.Errorf("the state is %+v, %v", s, err)
	}
	if d := y.detach(y.order(3)); d.Attached {
		t.Error("the next order joined it")
	}
}

func TestRunsGoOnWithoutAPlaceForLocks(t *testing.T) {
	t.Parallel()
	y := newYard(t, sim.Zero)
	y.index = rundir.Index{}
	d := y.detach(y.order(3))
	if s := y.follow(d); s.State != bench.StateSucceeded || d.Dir.Unlisted == nil {
		t.Errorf("it ended as %+v, unlisted %v", s, d.Dir.Unlisted)
	}
}
