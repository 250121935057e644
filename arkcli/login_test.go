package arkcli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// answerWith makes the fake answer a command with given text.
func answerWith(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return "FAKE_ARKCLI_FIXTURE_DIR=" + folder
}

func TestExitZeroIsNoLogin(t *testing.T) {
	for _, c := range []struct {
		body     string
		want     Problem
		loggedIn bool
		method   string
		warns    string
	}{
		{`{"logged_in":true,"auth_method":"sso","name":"alice","user_id":"31"}`, "", true, "sso", ""},
		{`{"logged_in":false,"auth_method":"none","sso_expired":true,"hint":"x"}`, LoginExpired, false, "none", ""},
		{`{"logged_in":true,"auth_method":"aksk","name":"alice"}`, "", true, "aksk", "access key pair"},
		{`{"logged_in":false,"auth_method":"none"}`, NotLoggedIn, false, "none", ""},
		{"npm notice New major version of npm available! 10.9.0 -> 11.0.0\n" + `{"logged_in":true,"auth_method":"sso"}`, "", true, "sso", ""},
		{`{"logged_in":true,"auth_method":"sso","new":{"deep":[1,{"x":null}]},"logged_out":false}`, "", true, "sso", ""},
		{"Logged in as alice", BadOutput, false, "", ""},
		{`{"ok":true,"data":{"logged_in":true,"auth_method":"sts"}}`, "", true, "sts", ""},
		{`{"auth_method":"none"}`, NotLoggedIn, false, "none", ""},
		{`{"logged_in":null,"auth_method":"none"}`, NotLoggedIn, false, "none", ""},
		{`{"logged_in":"yes"}`, BadOutput, false, "", ""},
		{`[]`, BadOutput, false, "", ""},
	} {
		f := newFake(t, "logged_in", answerWith(t, map[string]string{"auth_status.stdout": c.body}))
		l, err := f.Login(t.Context(), "")
		if got := problemOf(t, err); got != c.want || l.LoggedIn != c.loggedIn || l.AuthMethod != c.method {
			t.Errorf("%s: got %q, %+v, want %q", c.body, got, l, c.want)
		}
		if c.warns != "" && !strings.Contains(strings.Join(l.Warnings, " "), c.warns) {
			t.Errorf("%s: warnings %q lack %q", c.body, l.Warnings, c.warns)
		}
		if count(f.commands(t), "auth login") > 0 {
			t.Errorf("%s: a login was started", c.body)
		}
	}
}

func TestLoginSaysWhatABenchmarkWouldUse(t *testing.T) {
	f := newFake(t, "multi_platform", "FAKE_ARKCLI_BASE_URL=https://ark.cn-shanghai.volces.com/api/v3/")
	l, err := f.Login(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if l.Profile != "platform_cn-beijing_default" || l.ProfileType != "platform" || l.Region != "cn-beijing" || l.Project != "default" {
		t.Errorf("got %+v, want the default platform profile", l)
	}
	if l.BaseURL != "https://ark.cn-shanghai.volces.com/api/v3" || l.Version != "1.0.23" || l.Path != f.opts.Path || len(l.Profiles) != 3 {
		t.Errorf("got %+v, want the profile's own address, the version, the path and all profiles", l)
	}
}

func TestANamedProfileIsTakenOrRefused(t *testing.T) {
	f := newFake(t, "multi_platform")
	a, err := f.Access(t.Context(), "platform_cn-beijing_first")
	if err != nil || a.Profile != "platform_cn-beijing_first" {
		t.Errorf("got %+v, %v", a, err)
	}
	for name, says := range map[string]string{
		"coding-plan_cn-beijing": "only a platform profile can be measured",
		"nowhere":                "has no profile nowhere",
	} {
		if _, err := f.Access(t.Context(), name); problemOf(t, err) != WrongProfile || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want %q", name, err, says)
		}
	}
	for _, name := range []string{"--help", "a&calc", "a\nb", `a"b`, "%PATH%", strings.Repeat("x", 300)} {
		if _, err := f.Access(t.Context(), name); problemOf(t, err) != BadQuery {
			t.Errorf("%q: got %v, want it refused", name, err)
		}
	}
	if n := count(f.commands(t), "--help"); n > 0 {
		t.Error("a name that is a flag reached the program")
	}
}

func TestTheAddressFollowsTheProfileNeverAConstant(t *testing.T) {
	status := `{"logged_in":true,"auth_method":"sso","profiles_summary":[{"name":"platform_cn-guangzhou_x","type":"platform"}]}`
	f := newFake(t, "logged_in", answerWith(t, map[string]string{"auth_status.stdout": status, "profile_show.stdout": `{"name":"platform_cn-guangzhou_x"}`}))
	l, err := f.Login(t.Context(), "")
	if err != nil || l.BaseURL != "https://ark.cn-guangzhou.volces.com/api/v3" {
		t.Errorf("got %s, %v", l.BaseURL, err)
	}
	if !strings.Contains(strings.Join(l.Warnings, " "), "follows from its region") {
		t.Errorf("warnings %q do not say where the address came from", l.Warnings)
	}
}

func TestAPartialAnswerCountsWithAWarning(t *testing.T) {
	f := newFake(t, "partial,only:show")
	l, err := f.Login(t.Context(), "")
	if err != nil || !slices.ContainsFunc(l.Warnings, func(w string) bool {
		return strings.Contains(w, "exit code 5") && strings.Contains(w, "2 of 3 lookups failed")
	}) {
		t.Errorf("got %+v, %v", l, err)
	}
}

func TestALockedLoginIsRetriedTwiceTwoSecondsApart(t *testing.T) {
	for _, c := range []struct {
		scenario string
		calls    int
		pauses   time.Duration
		want     Problem
	}{
		{"logged_in", 1, 0, ""},
		{"sts_lock:2", 3, 4 * time.Second, ""},
		{"sts_lock:9", 3, 4 * time.Second, CLIBusy},
		{"sts_dead", 1, 0, ""},
		{"confirm", 1, 0, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t, c.scenario)
			f.opts.RetryPause = 2 * time.Second
			start := time.Now()
			_, err := f.call(t.Context(), "profile", "list")
			if got := typed(err); got != c.want {
				t.Errorf("%s: got %q, want %q", c.scenario, got, c.want)
			}
			if paused := time.Since(start); paused != c.pauses {
				t.Errorf("%s: paused %v, want %v", c.scenario, paused, c.pauses)
			}
			if n := len(f.commands(t)); n != c.calls {
				t.Errorf("%s: %d calls, want %d", c.scenario, n, c.calls)
			}
		})
	}
}

func typed(err *Error) Problem {
	if err == nil {
		return ""
	}
	return err.Problem
}

func TestAGoodLoginIsBelievedForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, "logged_in")
		for range 3 {
			if _, err := f.Access(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
		}
		if n := count(f.commands(t), "auth status"); n != 1 {
			t.Errorf("%d looks at the login for three accesses, want 1", n)
		}
		time.Sleep(loginAge)
		if _, err := f.Access(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		if n := count(f.commands(t), "auth status"); n != 2 {
			t.Errorf("%d looks at the login after %v, want 2", n, loginAge)
		}
	})
}
