package arkcli

import (
	"context"
	"encoding/base64"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const key = "ark-test-0000-1111"

// outcome is all that a program needs from Ark CLI before a run: login, key,
// model. An empty problem means that all three came.
func outcome(ctx context.Context, f fakeCLI, query string) (Login, Access, Resolution, error) {
	l, err := f.Login(ctx, "")
	if err != nil {
		return l, Access{}, Resolution{}, err
	}
	a, err := f.Access(ctx, "")
	if err != nil {
		return l, a, Resolution{}, err
	}
	r, err := f.Resolve(ctx, "", query)
	return l, a, r, err
}

func problemOf(t *testing.T, err error) Problem {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no *Error", err)
	}
	if e.Message == "" || len(e.Fix) == 0 || len([]rune(e.Message)) > maxMessage || strings.ContainsAny(e.Message, "\n\x1b\x00") {
		t.Errorf("%s: message %q, fix %q: want one bounded line and what to do", e.Problem, e.Message, e.Fix)
	}
	return e.Problem
}

func TestEveryScenarioEndsAsItMust(t *testing.T) {
	const model = "doubao seed 2.0 mini"
	for _, c := range []struct {
		scenario, query string
		want            Problem
		says            string // part of the message
	}{
		{"logged_in", model, "", ""},
		{"logged_out", model, NotLoggedIn, "nobody is logged in"},
		{"expired", model, LoginExpired, "has expired"},
		{"stale_login", model, LoginExpired, "refresh_failed"},
		{"sso_expired_but_ok", model, "", ""},
		{"no_control_plane_field", model, "", ""},
		{"sts_lock:1", model, "", ""},
		{"sts_lock:2", model, "", ""},
		{"sts_lock:3", model, CLIBusy, "another arkcli process"},
		{"sts_dead", model, LoginExpired, "refresh_token is invalid"},
		{"sts_race", model, "", ""},
		{"no_platform_profile", model, NoPlatformProfile, "no profile"},
		{"plan_only", model, OnlyPlanProfiles, "coding-plan_cn-beijing"},
		{"team_plan_only", model, OnlyPlanProfiles, "coding-plan-team_cn-beijing"},
		{"multi_platform", model, "", ""},
		{"chinese_project", model, "", ""},
		{"no_summary", model, "", ""},
		{"ok_envelope", model, "", ""},
		{"ok_envelope,no_summary", model, "", ""},
		{"text_types", model, "", ""},
		{"unknown_shape", model, BadOutput, "shape"},
		{"show_nested", model, "", ""},
		{"show_no_base_url", model, "", ""},
		{"no_region", model, BadBaseURL, "neither base_url nor region"},
		{"show_bad_url", model, BadBaseURL, `"ftp"`},
		{"show_bad_url:user", model, BadBaseURL, "user name"},
		{"show_bad_url:http", model, BadBaseURL, "https only"},
		{"show_bad_url:plan", model, BadBaseURL, "plan"},
		{"show_bad_url:text", model, BadBaseURL, "no address"},
		{"no_match", model, ModelNotFound, "no text model like"},
		{"logged_in", "doubao 1.5 pro 32k", ModelShutdown, "shut down"},
		{"endpoint_stopped", "ep-20260701120000-abcde", EndpointStopped, "stopped by its owner"},
		{"endpoint_custom_model", "ep-20260701120000-abcde", "", ""},
		{"paged_endpoints", "ep-20260701120000-abcde", "", ""},
		{"old_no_plain", model, "", ""},
		{"old", model, "", ""},
		{"very_old", model, CLITooOld, "cannot hand out an API key"},
		{"very_old,help_for_unknown", model, CLITooOld, "cannot hand out an API key"},
		{"bare_search", model, "", ""},
		{"key_data_envelope,old_no_plain", model, "", ""},
		{"key_uuid", model, "", ""},
		{"key_quoted", model, "", ""},
		{"key_empty", model, NoKey, "is empty"},
		{"key_masked", model, NoKey, "masked"},
		{"key_multiline", model, NoKey, "odd form"},
		{"key_of_other_profile,old_no_plain", model, NoKey, "platform_cn-shanghai_other"},
		{"key_on_stderr", model, NoKey, "could not store key [redacted]"},
		{"key_on_stderr,key_uuid", model, NoKey, "could not store key [redacted]"},
		{"agreement_required", model, AgreementRequired, "agreement"},
		{"slow:20", model, "", ""},
		{"detached_child:2000", model, "", ""},
		{"banner", model, "", ""},
		{"bom", model, "", ""},
		{"garbage", model, BadOutput, "502 Bad Gateway, key [redacted]"},
		{"garbage,only:search", model, BadOutput, "models search"},
		{"truncated", model, BadOutput, "no JSON that could be read"},
		{"empty", model, BadOutput, "nothing on stdout"},
		{"huge", model, BadOutput, "more than 4 MiB"},
		{"list_of_lists", model, BadOutput, "no JSON that could be read"},
		{"partial", model, "", ""},
		{"confirm", model, NeedsPerson, "--yes"},
		{"confirm,only:search", model, NeedsPerson, "--yes"},
		{"plain_error,only:search", model, APIError, "Error code: 403"},
		{"network_down,only:search", model, NetworkError, "no such host"},
		{"bad_flag", model, CLITooOld, "unknown flag: --x"},
		{"no_node", model, CLIFailed, "node: No such file"},
		{"ve_handoff", model, "", ""},
		{"aksk", model, "", ""},
		{"apikey_login", model, "", ""},
		{"crash", model, BadOutput, "signal"},
		{"no_details", model, "", ""},
	} {
		t.Run(c.scenario+" "+c.query, func(t *testing.T) {
			t.Parallel()
			f := newProcess(t, c.scenario, Options{})
			_, a, r, err := outcome(t.Context(), f, c.query)
			if got := problemOf(t, err); got != c.want {
				t.Fatalf("got problem %q (%v), want %q", got, err, c.want)
			}
			if c.want != "" {
				if !strings.Contains(err.Error(), c.says) {
					t.Errorf("message %q lacks %q", err, c.says)
				}
				return
			}
			if a.Key.IsZero() || a.BaseURL == "" || !r.Resolved || r.Model() == "" {
				t.Errorf("got %+v and %+v, want key, address and model", a, r)
			}
		})
	}
}

func TestNoScenarioShowsAKeyOrRunsTwoAtOnce(t *testing.T) {
	for _, scenario := range []string{
		"logged_in", "key_uuid", "old_no_plain", "key_on_stderr", "garbage", "huge", "banner", "ok_envelope", "partial",
		"key_multiline", "truncated", "sts_lock:2", "detached_child:500", "key_data_envelope",
	} {
		f := newProcess(t, scenario, Options{})
		l, a, r, err := outcome(t.Context(), f, "doubao seed 2.0 mini")
		shown := printed(l, a, r, err)
		for _, secret := range []string{key, key[:12], base64.StdEncoding.EncodeToString([]byte(key)), "6f1c2d3e-4b5a", "ark-second"} {
			if strings.Contains(shown, secret) {
				t.Errorf("%s: %q can be seen in %s", scenario, secret, shown)
			}
		}
		for _, call := range f.calls(t) {
			if call.Overlap {
				t.Errorf("%s: %q overlaps another call", scenario, call.Command())
			}
			if strings.Contains(call.Command(), "ark-test") {
				t.Errorf("%s: the key is an argument of %q", scenario, call.Command())
			}
		}
	}
}

func TestParallelCallersTakeTurns(t *testing.T) {
	f := newProcess(t, "sts_race,slow:10", Options{})
	done := make(chan error)
	for range 4 {
		go func() {
			_, err := f.Access(t.Context(), "")
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for _, call := range f.calls(t) {
		if call.Overlap {
			t.Errorf("%q overlaps another call", call.Command())
		}
	}
}

func TestTheChildSeesOurEnvironmentAndNoOverride(t *testing.T) {
	f := newProcess(t, "logged_in", Options{},
		"ARK_API_KEY=ark-poison", "ARK_BASE_URL=http://127.0.0.1:1/v1", "ARK_PROFILE=coding-plan_cn-beijing",
		"ARK_REGION=mars", "ARK_PROJECT_NAME=other", "ARKCLI_CALLER_NAME=somebody")
	_, a, _, err := outcome(t.Context(), f, "doubao seed 2.0 mini")
	if err != nil {
		t.Fatal(err)
	}
	if a.Key.Reveal() != key || a.BaseURL != "https://ark.cn-beijing.volces.com/api/v3" || a.Profile != "platform_cn-beijing_default" {
		t.Errorf("the overrides came through: %s %s", a.Profile, a.BaseURL)
	}
	for _, call := range f.calls(t) {
		for name := range call.Env {
			if strings.HasPrefix(name, "ARK_") {
				t.Errorf("%q got %s", call.Command(), name)
			}
		}
		want := map[string]string{
			"ARKCLI_NO_UPDATE_NOTIFIER": "1", "ARKCLI_CALLER_TYPE": "ai_agent",
			"ARKCLI_CALLER_NAME": "llm-bench", "ARKCLI_SKILL_NAME": "llm-bench", "HOME": f.opts.Home,
		}
		for name, value := range want {
			if call.Env[name] != value {
				t.Errorf("%q got %s=%q, want %q", call.Command(), name, call.Env[name], value)
			}
		}
		if call.Dir != f.opts.Home {
			t.Errorf("%q ran in %s, want the home folder %s", call.Command(), call.Dir, f.opts.Home)
		}
		needsProfile := !strings.HasPrefix(call.Command(), "auth") && call.Command() != "--version" && !strings.HasPrefix(call.Command(), "profile list")
		if needsProfile && !strings.Contains(call.Command(), "--profile platform_cn-beijing_default") {
			t.Errorf("%q pins no profile", call.Command())
		}
	}
}

func TestAHangingProgramIsAskedToEndFirst(t *testing.T) {
	t.Parallel()
	f := newProcess(t, "hang", Options{CallTimeout: 3 * time.Second})
	_, err := f.Login(t.Context(), "")
	if problemOf(t, err) != Timeout || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "within 3s") {
		t.Errorf("got %v, want a timeout that says how long was waited", err)
	}
	f.endedInPeace(t)
}

func TestTheProgramBehindAnNpmShimIsAskedToEndToo(t *testing.T) {
	t.Parallel()
	f := newProcess(t, "shim,hang", Options{CallTimeout: 3 * time.Second})
	if _, err := f.Login(t.Context(), ""); problemOf(t, err) != Timeout {
		t.Errorf("got %v, want a timeout", err)
	}
	f.endedInPeace(t)
	well := newProcess(t, "shim", Options{})
	if _, _, _, err := outcome(t.Context(), well, "doubao seed 2.0 mini"); err != nil {
		t.Error(err)
	}
}

// endedInPeace checks that the one call ended by itself on SIGTERM and left no
// lock behind.
func (f fakeCLI) endedInPeace(t *testing.T) {
	t.Helper()
	calls := f.calls(t)
	if len(calls) != 1 || calls[0].Signal != "terminated" || calls[0].Exit != 143 {
		t.Errorf("got %+v, want one call that ended by itself on SIGTERM", calls)
	}
	if left, _ := filepath.Glob(filepath.Join(f.state, "running.*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestADeafProgramIsKilledAfterTheGrace(t *testing.T) {
	t.Parallel()
	f := newProcess(t, "hang:deaf", Options{CallTimeout: 3 * time.Second, Grace: time.Second})
	_, err := f.Login(t.Context(), "")
	if problemOf(t, err) != Timeout {
		t.Errorf("got %v, want a timeout", err)
	}
	if calls := f.calls(t); len(calls) != 1 || calls[0].Signal != "terminated" || calls[0].Exit != -1 {
		t.Errorf("got %+v, want one call that heard SIGTERM and went on", calls)
	}
}

func TestACallerThatGivesUpEndsTheProgram(t *testing.T) {
	f := newProcess(t, "hang", Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := f.Login(ctx, "")
	if problemOf(t, err) != Timeout || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the caller's deadline", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := f.Login(ctx, ""); problemOf(t, err) != Interrupted || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want interrupted", err)
	}
}

func TestAGrandchildThatHoldsThePipesDelaysNothing(t *testing.T) {
	t.Parallel()
	f := newProcess(t, "detached_child:30000", Options{})
	start := time.Now()
	if _, err := f.Access(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("three calls took %v, as long as the grandchild lives", took)
	}
}
