package fake

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	IfCalled()
	os.Exit(m.Run())
}

// run is one call with a scenario and a state folder.
func run(state, scenario, line string) answer {
	env := map[string]string{"FAKE_ARKCLI_SCENARIO": scenario, "FAKE_ARKCLI_STATE": state}
	return newSession(strings.Fields(line), env).answer()
}

func TestUnknownWordsAreRefusedInCobrasWords(t *testing.T) {
	for line, want := range map[string]string{
		"foo bar":                      `unknown command "bar" for "arkcli foo"`,
		"auth status --x":              "unknown flag: --x",
		"auth login volc-sso --code c": "unknown flag: --code",
		"models search a --size":       "flag needs an argument: --size",
		"profile apikey put":           `unknown command`,
	} {
		if a := run(t.TempDir(), "logged_in", line); a.exit != 1 || a.stdout != "" || !strings.Contains(a.stderr, want) {
			t.Errorf("%s: got %+v, want %q", line, a, want)
		}
	}
}

func TestEveryCommandAnswersInJSON(t *testing.T) {
	for _, line := range []string{
		"auth status --format json", "auth whoami", "auth login --no-browser", "profile list", "profile show", "profile show --profile platform_cn-beijing_default",
		"profile apikey get", "profile keys list", "profile keys refresh", "models search mini", "models list", "models get glm-5-2", "infer endpoint list",
		"infer endpoint get ep-20260701120000-abcde", "resources list", "resources resolve ep-20260701120000-abcde", "usage plan", "usage stats --start 2026-01-01",
	} {
		a := run(t.TempDir(), "logged_in", line)
		if a.exit != 0 || !json.Valid([]byte(a.stdout)) {
			t.Errorf("%s: got %+v", line, a)
		}
	}
}

func TestTheLoginInTwoPhasesKeepsItsStateBetweenCalls(t *testing.T) {
	state := t.TempDir()
	for _, step := range []struct {
		line string
		exit int
		says string
	}{
		{"auth login --no-browser --code YWJj", 1, "过期"},
		{"auth login --code YWJj", 2, "--no-browser"},
		{"auth login", 1, "EOF"},
		{"auth login --no-browser", 0, "authorize_url"},
		{"auth login --no-browser --code %%%", 1, "base64"},
		{"auth login --no-browser --code YWJj", 0, "sso_no_browser"},
		{"auth login --no-browser --code YWJj", 1, "过期"},
	} {
		if a := run(state, "logged_out", step.line); a.exit != step.exit || !strings.Contains(a.stdout+a.stderr, step.says) {
			t.Errorf("%s: got %+v, want exit %d and %q", step.line, a, step.exit, step.says)
		}
	}
}

func names(t *testing.T, stdout string) string {
	t.Helper()
	var page struct {
		Items []struct {
			Name string `json:"name"`
		} `json:"items"`
	}
	if err := json.Unmarshal([]byte(stdout), &page); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, item := range page.Items {
		out = append(out, item.Name)
	}
	return strings.Join(out, " ")
}

func TestSearchIsASubstringInRankedOrder(t *testing.T) {
	for line, want := range map[string]string{
		"models search doubao-seed-2-0":                           "doubao-seed-2-0-lite doubao-seed-2-0-mini doubao-seed-2-0-pro",
		"models search MINI":                                      "doubao-seed-2-0-mini doubao-seed-2-0-lite",
		"models search seed-2 --size 2":                           "doubao-seed-2-1-pro doubao-seed-2-1-turbo",
		"models search 豆包":                                        "",
		"models search seedance --modality text":                  "",
		"models search seedream --modality text":                  "doubao-seedream-5-0",
		"models search seedream --modality text --strict-filter":  "",
		"models search 1-5-pro":                                   "",
		"models search 1-5-pro --include-deprecated":              "doubao-1-5-pro-32k",
		"models search orion":                                     "doubao-seed-2-2-orion",
		"models list --name glm":                                  "glm-5-2 glm-5-3",
		"models list --name doubao --page-number 2 --page-size 7": "doubao-embergate doubao-seed-2-2-orion doubao-seedream-5-0 doubao-seedance-2-0 doubao-embedding-vision",
	} {
		if got := names(t, run(t.TempDir(), "logged_in", line).stdout); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

func TestTheEnvironmentBeatsTheFileBesideTheProgram(t *testing.T) {
	env := config([]string{"FAKE_ARKCLI_KEY=from-env", "B=2"}, "# a note\nFAKE_ARKCLI_KEY=from-file\nFAKE_ARKCLI_SCENARIO=logged_out\n")
	if env["FAKE_ARKCLI_KEY"] != "from-env" || env["FAKE_ARKCLI_SCENARIO"] != "logged_out" || env["B"] != "2" {
		t.Errorf("got %v", env)
	}
}

func TestOverridesOfTheEnvironmentAreObeyed(t *testing.T) {
	env := map[string]string{"ARK_API_KEY": "ark-poison", "ARK_BASE_URL": "http://poison", "ARK_PROFILE": "coding-plan_cn-beijing"}
	key := newSession([]string{"profile", "apikey", "get", "--profile", "platform_cn-beijing_default"}, env).answer()
	show := newSession([]string{"profile", "show", "--profile", "platform_cn-beijing_default"}, env).answer()
	if !strings.Contains(key.stdout, "ark-poison") || !strings.Contains(show.stdout, "http://poison") || !strings.Contains(show.stdout, "coding-plan") {
		t.Errorf("got %s%s", key.stdout, show.stdout)
	}
}
