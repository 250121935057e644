package server

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

func TestNotesOfProgressIncreaseKeepTheirDistanceAndStopBeforeTheEnd(t *testing.T) {
	began := time.Unix(0, 0)
	p := &progress{began: began, at: began, wait: 45 * time.Second}
	var last float64
	var at []time.Duration
	for elapsed := time.Duration(0); elapsed < 45*time.Second; elapsed += 200 * time.Millisecond {
		done := int(elapsed / (10 * time.Second)) // one request each ten seconds
		value, due := p.next(began.Add(elapsed), done)
		if !due {
			continue
		}
		if value <= last || value >= float64(done+1) {
			t.Errorf("after %v it is %v, before it was %v with %d done", elapsed, value, last, done)
		}
		last, at = value, append(at, elapsed)
	}
	if len(at) != 22 || at[0] != 2*time.Second || at[21] != 44*time.Second {
		t.Errorf("notes came at %v", at)
	}
	short := &progress{began: began, at: began, wait: time.Second}
	if _, due := short.next(began.Add(900*time.Millisecond), 1); due {
		t.Error("a wait of a second got a note")
	}
}

func TestWaitsAreBoundedByTheServerAndItsEnvironment(t *testing.T) {
	env := map[string]string{}
	s := New(Deps{Env: func(n string) (string, bool) { v, ok := env[n]; return v, ok }})
	for _, c := range []struct {
		asked *int
		most  string
		want  time.Duration
	}{
		{nil, "", 45 * time.Second}, {new(0), "", 0}, {new(240), "", 240 * time.Second}, {new(999), "", 240 * time.Second}, {new(-1), "", 0},
		{nil, "20", 20 * time.Second}, {new(5), "20", 5 * time.Second}, {nil, "soon", 45 * time.Second},
	} {
		env[envMaxWait] = c.most
		if got := s.wait(c.asked); got != c.want {
			t.Errorf("asked %v with at most %q it is %v, want %v", c.asked, c.most, got, c.want)
		}
	}
}

func TestProgressIsSaidInOneLine(t *testing.T) {
	state := &rundir.State{Scenario: bench.Prefix, Planned: 200, Succeeded: 83, Failed: 1, NotRun: 116, TTFTP50: new(bench.Millis(410 * time.Millisecond)), ETA: new(500.0)}
	if got, want := progressLine(state), "prefix 84/200 done, 1 failed, TTFT p50 0.41 s, about 9 min left"; got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
	if got := progressLine(&rundir.State{Scenario: bench.Prefix, Phase: "calibrate", Planned: 6, NotRun: 6}); got != "prefix 0/6 done, 0 failed, phase calibrate" {
		t.Errorf("before the measured window it is %q", got)
	}
}

// arkPanics is an Ark with a defect.
type arkPanics struct{ arkFake }

func (arkPanics) Login(context.Context, string) (arkcli.Login, error) { panic("a defect") }

func TestADefectInOneCallSparesTheOthers(t *testing.T) {
	b := newBed(t, options{ark: &arkPanics{}})
	if _, err := b.try(t.Context(), "check_login", nil); err == nil || !strings.Contains(err.Error(), "panic recovered in check_login") {
		t.Errorf("the call gave %v", err)
	}
	if a := b.call("list_runs", nil); a.isError {
		t.Errorf("the next call gave %s", a.text)
	}
}
