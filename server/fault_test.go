package server

import (
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
)

func TestWrongArgumentsGetASentenceEach(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{ark: &arkFake{}})
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"run_prefix", b.args("num_requests", 0), "num_requests must be 1 to 1000000, got 0"},
		{"run_prefix", b.args("num_requests", "many"), `num_requests must be a whole number, 1 to 1000000, got "many"`},
		{"run_prefix", b.args("num_requests", 2.5), "num_requests must be a whole number, 1 to 1000000, got 2.5"},
		{"run_prefix", b.args("wait_seconds", 241), "wait_seconds must be 0 to 240, got 241"},
		{"run_prefix", b.args("preset", "huge"), `preset must be one of standard, quick, thorough, got "huge"`},
		{"run_prefix", b.args("dry_run", "yes"), `dry_run must be true or false, got "yes"`},
		{"run_prefix", b.args("requests", 5), `"requests" is no parameter of this tool`},
		{"run_prefix", map[string]any{}, "model is required"},
		{"run_prefix", b.args("num_requests", 5, "num_prefixes", 6), "num_prefixes must be 1 to 5, got 6"},
		{"run_prefix", b.args("slo", "ttft=fast"), "slo must be parts such as ttft=1s,tpot=50ms,e2e=20s"},
		{"run_prefix", b.args("num_requests", 0, "max_concurrency", 0), "max_concurrency must be 1 to 10000, got 0; num_requests must be 1 to 1000000, got 0"},
		{"run_connectivity", b.args("base_url", "ftp://host"), "base_url must be an http or https URL"},
		{"run_connectivity", b.args("base_url", "https://example.invalid/v1", "api_key_env", "HOME"), "api_key_env must be"},
		{"run_connectivity", b.args("prefix_len", 100), `"prefix_len" is no parameter of this tool`},
		{"get_run", map[string]any{"run_id": "../../etc/passwd"}, "allowed is the name of a run"},
		{"get_run", nil, "run_id is required"},
		{"list_runs", map[string]any{"limit": 51}, "limit must be 1 to 50, got 51"},
		{"resolve_model", nil, "query is required"},
	} {
		a := b.call(c.tool, c.args)
		if !a.isError || a.yes("ok") || !strings.Contains(a.str("summary"), c.want) || strings.Contains(a.text, "schema validation") {
			t.Errorf("%s %v gave %s, want %q", c.tool, c.args, a.text, c.want)
		}
	}
	if n := b.endpoint.Stats().Requests; n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestAnUnknownRunIsAnErrorThatSaysWhereToLook(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{})
	for _, name := range []string{"get_run", "cancel_run"} {
		a := b.call(name, map[string]any{"run_id": "prefix_20260131_093000"})
		if !a.isError || a.code() != "unknown_run" || !strings.Contains(a.str("next_step"), "list_runs") {
			t.Errorf("%s gave %s", name, a.text)
		}
	}
}

func TestLoginProblemsAreNormalResultsWithTheCommandThatMends(t *testing.T) {
	t.Parallel()
	missing := &arkcli.Error{Problem: arkcli.CLIMissing, Message: "arkcli is required: it is not on PATH", Fix: []string{arkcli.InstallCommand, arkcli.LoginCommand}}
	b := newBed(t, options{ark: &arkFake{loginErr: missing}})
	a := b.call("check_login", nil)
	if a.isError || a.yes("ok") || a.yes("logged_in") || a.str("problem") != "cli_missing" || a.str("fix_command") != arkcli.InstallCommand+" && "+arkcli.LoginCommand ||
		!strings.HasPrefix(a.str("summary"), "arkcli is required") {
		t.Errorf("it gave %s", a.text)
	}
}

func TestRunsWithoutAWayInAreRefusedWithTheCommandThatMends(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{ark: &arkFake{targetErr: &arkcli.Error{Problem: arkcli.NotLoggedIn, Message: "nobody is logged in to Ark CLI", Fix: []string{arkcli.LoginCommand}}}})
	a := b.call("run_prefix", map[string]any{"model": "m", "output_dir": b.reports})
	if fix, _ := a.fields["error"].(map[string]any); !a.isError || a.code() != "not_logged_in" || fix["fix_command"] != arkcli.LoginCommand {
		t.Errorf("it gave %s", a.text)
	}
	a = b.call("run_prefix", b.args("api_key_env", "OTHER_API_KEY"))
	if !a.isError || a.code() != "no_credentials" || !strings.Contains(a.text, "OTHER_API_KEY") {
		t.Errorf("an unset variable gave %s", a.text)
	}
}

func TestOtherCredentialsAreNamedWithoutTheirValues(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{ark: &arkFake{loginErr: &arkcli.Error{Problem: arkcli.NotLoggedIn, Message: "nobody is logged in to Ark CLI", Fix: []string{arkcli.LoginCommand}}}})
	b.env[job.EnvBaseURL], b.env[job.EnvKey] = "https://example.invalid/api/v3", canary
	a := b.call("check_login", nil)
	if a.isError || !a.yes("ok") || !a.yes("other_credentials") || strings.Contains(a.text, canary) || !strings.Contains(a.str("summary"), job.EnvKey) {
		t.Errorf("it gave %s", a.text)
	}
}

func TestAGoodLoginLeadsToTheModel(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{ark: &arkFake{login: arkcli.Login{LoggedIn: true, AuthMethod: "sso", Profile: "p1", BaseURL: "https://ark.example/api/v3", Version: "1.2.3", Path: "/bin/arkcli"}}})
	a := b.call("check_login", nil)
	if !a.yes("ok") || !a.yes("logged_in") || a.str("profile") != "p1" || a.str("arkcli_path") != "/bin/arkcli" || !strings.Contains(a.str("next_step"), "resolve_model") {
		t.Errorf("it gave %s", a.text)
	}
}

func TestSeveralModelsThatFitAreLeftToTheUser(t *testing.T) {
	t.Parallel()
	candidates := []arkcli.Candidate{{ID: "m-1", Name: "M one", Kind: "model", Score: 0.9}, {ID: "ep-2", Name: "M two", Kind: "endpoint", Score: 0.9}}
	ambiguous := &arkcli.Error{Problem: arkcli.ModelAmbiguous, Message: "several models fit the words given for the model", Suggestions: candidates}
	b := newBed(t, options{ark: &arkFake{resolution: arkcli.Resolution{Query: "m", Why: "both fit", Candidates: candidates}, targetErr: ambiguous}})
	a := b.call("resolve_model", map[string]any{"query": "m"})
	if a.isError || a.yes("ok") || a.yes("resolved") || len(a.fields["candidates"].([]any)) != 2 || !strings.Contains(a.str("next_step"), "Ask the user") {
		t.Errorf("resolve_model gave %s", a.text)
	}
	run := b.call("run_prefix", map[string]any{"model": "m", "output_dir": b.reports})
	if !run.isError || run.code() != "model_ambiguous" || !strings.Contains(run.text, "m-1, ep-2") {
		t.Errorf("run_prefix gave %s", run.text)
	}
}

func TestAModelThatIsFoundIsNamedWithItsReason(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{ark: &arkFake{resolution: arkcli.Resolution{Query: "mini", Resolved: true, ModelID: "mini-260428", Why: "the only one that fits", Warnings: []string{"it is being\x1b retired"}}}})
	a := b.call("resolve_model", map[string]any{"query": "mini"})
	if !a.yes("ok") || a.str("model_id") != "mini-260428" || a.str("why") == "" || !strings.Contains(a.str("next_step"), `model="mini-260428"`) || strings.Contains(a.text, "u001b") {
		t.Errorf("it gave %s", a.text)
	}
}

func TestTheKeyOfARunGoesNowhereButToTheEndpoint(t *testing.T) {
	t.Parallel()
	target := func(url string) bench.Target {
		return bench.Target{BaseURL: url, Model: "doubao-seed-2-0-mini-260428", Source: bench.SourceArkCLI, Profile: "p1", Key: bench.NewSecret(canary)}
	}
	ark := &arkFake{}
	b := newBed(t, options{ark: ark})
	ark.target = target(b.url)
	args := b.quick("model", "mini")
	delete(args, "base_url")
	delete(args, "api_key_env")
	a := b.call("run_prefix", args)
	if a.num("succeeded") != 6 || strings.Contains(a.text, canary) || strings.Contains(a.text, canary[:12]) {
		t.Errorf("it gave %s", a.text)
	}
}

func TestSentencesBeginAndEndAsSuch(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "the key was refused": "The key was refused.", "num_requests must be 1": "num_requests must be 1.",
		"arkcli is required": "arkcli is required.", "多个模型": "多个模型.", "Done!": "Done!", "run `x`": "Run `x`.",
	} {
		if got := sentence(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
