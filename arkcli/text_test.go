package arkcli

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestWhatPeopleRead keeps the sentence, the advice and the note of each state
// in which something is wrong.
func TestWhatPeopleRead(t *testing.T) {
	var page strings.Builder
	missing := New(Options{Environ: []string{"PATH=/usr/bin:/bin"}, Home: "/home/a", GOOS: "linux", files: drawnDisk{}})
	_, err := missing.Login(t.Context(), "")
	write(t, &page, "missing_binary", err)
	for _, scenario := range []string{
		"logged_out", "expired", "stale_login", "sts_lock:3", "sts_dead", "no_platform_profile", "plan_only", "no_region", "show_bad_url", "show_bad_url:http",
		"very_old", "key_empty", "key_masked", "key_multiline", "key_on_stderr", "agreement_required", "garbage", "truncated", "empty", "huge", "crash",
		"unknown_shape", "confirm", "plain_error", "network_down", "bad_flag", "no_node", "hang",
	} {
		f := newFake(t, scenario)
		if scenario == "hang" {
			f = newProcess(t, scenario, Options{CallTimeout: 100 * time.Millisecond})
		}
		_, _, _, err := outcome(t.Context(), f, "doubao seed 2.0 mini")
		write(t, &page, scenario, err)
	}
	f := newFake(t, "logged_in")
	for _, query := range []string{"glm 4.6", "gpt-4o", "doubao 1.5 pro 32k", "…"} {
		_, err := f.Resolve(t.Context(), "", query)
		write(t, &page, query, err)
	}
	stopped := newFake(t, "endpoint_stopped")
	_, err = stopped.Resolve(t.Context(), "", "ep-20260701120000-abcde")
	write(t, &page, "endpoint_stopped", err)
	_, err = f.Access(t.Context(), "coding-plan_cn-beijing")
	write(t, &page, "a plan's profile", err)
	golden(t, "errors.txt", page.String())
}

func write(t *testing.T, page *strings.Builder, title string, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: got %v, want an *Error", title, err)
	}
	fmt.Fprintf(page, "%s: %s\n  %s\n  fix: %s\n", title, e.Problem, e.Message, e.Advice())
	if e.Note != "" {
		fmt.Fprintf(page, "  note: %s\n", e.Note)
	}
}

// TestWhyPeopleRead keeps how a resolution explains itself.
func TestWhyPeopleRead(t *testing.T) {
	var page strings.Builder
	f := newFake(t, "logged_in")
	for _, query := range []string{
		"豆包 Seed 2.0 Mini", "doubao-seed-2-0-mini-260428", "doubao sed 2.0 mnii", "seed 2.0", "doubao seed 2.0 max", "deepseek r1", "kimi",
		"doubao-seed-2-0-mini-260101", "ep-20260701120000-abcde", "ep-20250101-abc", "bench",
	} {
		r, err := f.Resolve(t.Context(), "", query)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&page, "%s -> %q\n  %s\n", query, r.Model(), r.Why)
		for _, w := range r.Warnings {
			fmt.Fprintf(&page, "  warning: %s\n", w)
		}
		for _, c := range r.Candidates {
			fmt.Fprintf(&page, "  candidate: %.2f %s (%s)\n", c.Score, c.ID, c.Name)
		}
	}
	golden(t, "resolutions.txt", page.String())
}
