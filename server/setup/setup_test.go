package setup

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/arkcli"
)

const binary = "/opt/llm-bench/bin/llm-bench"

// desk is a machine with a home of its own and programs that only write down
// how they were called.
type desk struct {
	t        *testing.T
	home     string
	programs []string
	calls    []string
	fails    string // a call that holds it fails
	does     func(call string)
	env      map[string]string
	goos     string
}

func newDesk(t *testing.T, programs ...string) *desk {
	return &desk{t: t, home: t.TempDir(), programs: programs, env: map[string]string{"PATH": "/usr/bin:/bin"}, goos: "darwin"}
}

type arkAt string

func (a arkAt) Login(context.Context, string) (arkcli.Login, error) {
	return arkcli.Login{Path: string(a)}, errors.New("not logged in")
}

func (d *desk) run(o Options) (Report, error) {
	d.t.Helper()
	if o.Binary == "" {
		o.Binary = binary
	}
	o.Home, o.GOOS = d.home, d.goos
	o.Env = func(name string) (string, bool) { v, ok := d.env[name]; return v, ok }
	o.LookPath = func(program string) (string, error) {
		if slices.Contains(d.programs, program) {
			return "/usr/bin/" + program, nil
		}
		return "", errors.New("not found")
	}
	o.Run = func(_ context.Context, program string, args ...string) (string, error) {
		call := strings.Join(append([]string{program}, args...), " ")
		d.calls = append(d.calls, call)
		if d.fails != "" && strings.Contains(call, d.fails) {
			return "it says no to sk-LEAKTEST-0123456789abcdef", errors.New("exit status 1")
		}
		if d.does != nil {
			d.does(call)
		}
		return "", nil
	}
	return Run(d.t.Context(), o)
}

// must runs without an error and gives the outcome.
func (d *desk) must(o Options, want Outcome) Report {
	d.t.Helper()
	r, err := d.run(o)
	if err != nil || r.Outcome != want {
		d.t.Fatalf("%+v gave %+v, %v; want %s", o, r, err, want)
	}
	return r
}

func (d *desk) write(path, text string) string {
	d.t.Helper()
	path = filepath.Join(d.home, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return path
}

func (d *desk) read(path string) string {
	d.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

func (d *desk) called(want ...string) {
	d.t.Helper()
	if !slices.Equal(d.calls, want) {
		d.t.Errorf("the calls were %q, want %q", d.calls, want)
	}
	d.calls = nil
}

const (
	claudeAdd    = "claude mcp add -s user llm-bench -- " + binary + " mcp"
	claudeRemove = "claude mcp remove -s user llm-bench"
)

func TestClaudeIsAskedToAddTheServerAtUserScope(t *testing.T) {
	d := newDesk(t, "claude")
	d.must(Options{Client: "claude"}, Registered)
	d.called(claudeAdd)
}

func TestClaudeKeepsAnEntryThatIsRightAndReplacesAnother(t *testing.T) {
	d := newDesk(t, "claude")
	d.write(".claude.json", `{"mcpServers":{"llm-bench":{"type":"stdio","command":"`+binary+`","args":["mcp"]}}}`)
	d.must(Options{Client: "claude"}, Unchanged)
	d.called()
	d.must(Options{Client: "claude", Binary: "/new/llm-bench"}, Registered)
	d.called(claudeRemove, "claude mcp add -s user llm-bench -- /new/llm-bench mcp")
	d.must(Options{Client: "claude", Uninstall: true}, Removed)
	d.called(claudeRemove)
}

func TestClaudesPluginIsNeverDoubledByARegistration(t *testing.T) {
	d := newDesk(t, "claude")
	d.write(".claude/skills/llm-bench/.claude-plugin/plugin.json", "{}")
	d.write(".claude/skills/llm-bench/.mcp.json", "{}")
	d.must(Options{Client: "claude"}, Unchanged)
	d.called()
	d.write(".claude.json", `{"mcpServers":{"llm-bench":{"command":"/old/llm-bench","args":["mcp"]}}}`)
	d.must(Options{Client: "claude"}, Unchanged)
	d.called(claudeRemove)
	marketplace := newDesk(t, "claude")
	marketplace.write(".claude/plugins/installed_plugins.json", `{"plugins":{"llm-bench@llm-bench":[{}]}}`)
	marketplace.must(Options{Client: "claude"}, Unchanged)
	marketplace.called()
}

func TestWithoutItsProgramAClientGetsWordsToPaste(t *testing.T) {
	d := newDesk(t)
	if r := d.must(Options{Client: "claude"}, Printed); r.Text != claudeAdd {
		t.Errorf("for claude it is %q", r.Text)
	}
	if r := d.must(Options{Client: "claude", Binary: "/a b/llm-bench"}, Printed); !strings.Contains(r.Text, "'/a b/llm-bench'") {
		t.Errorf("for a path with a space it is %q", r.Text)
	}
	if r := d.must(Options{Client: "codex"}, Printed); !strings.HasPrefix(r.Text, codexSection+"\ncommand = \""+binary+"\"\nargs = [\"mcp\"]\nstartup_timeout_sec = 30\n") {
		t.Errorf("for codex it is %q", r.Text)
	}
	if r := d.must(Options{Client: "trae", Ark: arkAt("/opt/arkcli")}, Printed); !strings.Contains(r.Text, "trae://trae.ai-ide/mcp-import?type=stdio&name=llm-bench&config=") || !strings.Contains(r.Text, `"LLM_BENCH_ARKCLI": "/opt/arkcli"`) {
		t.Errorf("for trae it is %q", r.Text)
	}
	d.called()
}

func TestPrintChangesNothing(t *testing.T) {
	d := newDesk(t, "claude", "codex")
	path := d.write("Library/Application Support/Trae/User/mcp.json", "{}")
	for _, client := range Clients() {
		if r := d.must(Options{Client: client, Print: true}, Printed); r.Text == "" {
			t.Errorf("nothing is printed for %s", client)
		}
	}
	d.called()
	if d.read(path) != "{}" {
		t.Error("the settings of Trae were changed")
	}
}

func TestAClientThatFailsIsNamedAndItsWordsAreCleaned(t *testing.T) {
	d := newDesk(t, "claude")
	d.fails = "mcp add"
	_, err := d.run(Options{Client: "claude"})
	if err == nil || !strings.HasPrefix(err.Error(), "claude: "+claudeAdd+": exit status 1: it says no") || strings.Contains(err.Error(), "LEAKTEST") {
		t.Errorf("the error is %v", err)
	}
}

func TestWrongOptionsAreRefused(t *testing.T) {
	d := newDesk(t)
	for _, o := range []Options{{Client: "emacs"}, {}, {Client: "claude", Binary: "relative"}} {
		if r, err := d.run(o); err == nil {
			t.Errorf("%+v gave %+v", o, r)
		}
	}
}

// codexAdds makes the desk's codex write its entry, as the real one does.
func (d *desk) codexAdds(path string) {
	d.does = func(call string) {
		if strings.HasPrefix(call, "codex mcp add") {
			before, _ := os.ReadFile(path)
			text := string(before)
			if text != "" && !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			d.write(".codex/config.toml", text+"\n"+codexSection+"\ncommand = \""+binary+"\"\nargs = [\"mcp\"]\n")
		}
	}
}

func TestCodexGetsItsLimitsBelowTheEntryAndNothingElseChanges(t *testing.T) {
	d := newDesk(t, "codex")
	const before = "model = \"gpt\" # mine\n\n[mcp_servers.other]\ncommand = \"x\""
	path := d.write(".codex/config.toml", before)
	d.codexAdds(path)
	d.must(Options{Client: "codex"}, Registered)
	d.called("codex mcp add llm-bench -- " + binary + " mcp")
	want := before + "\n\n" + codexSection + "\n" + strings.Join(codexLimits(), "\n") + "\ncommand = \"" + binary + "\"\nargs = [\"mcp\"]\n"
	if got := d.read(path); got != want {
		t.Errorf("the settings are\n%s\nwant\n%s", got, want)
	}
	d.must(Options{Client: "codex"}, Unchanged)
	d.called()
	d.must(Options{Client: "codex", Uninstall: true}, Removed)
	d.called()
	if got := d.read(path); got != before {
		t.Errorf("afterwards the settings are\n%s", got)
	}
	d.must(Options{Client: "codex", Uninstall: true}, Absent)
}

func TestCodexItselfRemovesAnEntryFromSettingsThatWereChangedSince(t *testing.T) {
	d := newDesk(t, "codex")
	path := filepath.Join(d.home, ".codex/config.toml")
	d.codexAdds(path)
	d.must(Options{Client: "codex"}, Registered)
	d.calls = nil
	d.write(".codex/config.toml", d.read(path)+"\n[mine]\n")
	d.must(Options{Client: "codex", Uninstall: true}, Removed)
	d.called("codex mcp remove llm-bench")
}

func TestSettingsThatCodexHasMadeAreGoneAgainAfterwards(t *testing.T) {
	d := newDesk(t, "codex")
	path := filepath.Join(d.home, ".codex/config.toml")
	d.codexAdds(path)
	d.must(Options{Client: "codex"}, Registered)
	d.must(Options{Client: "codex", Uninstall: true}, Removed)
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is there: %v", path, err)
	}
}

func traeSettings() []string {
	return []string{
		"{}", "{\n}\n", "", "{ \"theme\" : 1 }",
		"{\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\": \"x\"},\n\t\t\"b\": {}\n\t},\n\t\"z\": [1, 2]\n}\n",
		`{"mcpServers":{}}`, `{"mcpServers": {"llm-bench": {"command": "/old"}, "b": {"env": {"A": "}"}}}}`,
	}
}

func TestTraeIsGivenTheServerAndGetsEveryByteBack(t *testing.T) {
	for _, before := range traeSettings() {
		d := newDesk(t)
		path := d.write("Library/Application Support/Trae CN/User/mcp.json", before)
		d.must(Options{Client: "trae", Ark: arkAt("/opt/arkcli")}, Registered)
		var got struct {
			Servers map[string]traeServer `json:"mcpServers"`
		}
		if err := json.Unmarshal([]byte(d.read(path)), &got); err != nil {
			t.Fatalf("%q became %q: %v", before, d.read(path), err)
		}
		server := got.Servers["llm-bench"]
		if server.Command != binary || !slices.Equal(server.Args, []string{"mcp"}) || server.Env["RUN_MCP_TIMEOUT_MS"] != "600000" || server.Env["LLM_BENCH_ARKCLI"] != "/opt/arkcli" || server.Env["PATH"] == "" {
			t.Errorf("%q became %q", before, d.read(path))
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the mode is %v, %v", info.Mode(), err)
		}
		d.must(Options{Client: "trae", Ark: arkAt("/opt/arkcli")}, Unchanged)
		d.must(Options{Client: "trae", Ark: arkAt("/opt/another")}, Registered)
		d.must(Options{Client: "trae", Uninstall: true}, Removed)
		if got := d.read(path); got != before {
			t.Errorf("%q came back as %q", before, got)
		}
		d.must(Options{Client: "trae", Uninstall: true}, map[bool]Outcome{true: Removed, false: Absent}[strings.Contains(before, "llm-bench")])
	}
}

func TestTraesSettingsThatWereChangedSinceLoseTheServerAlone(t *testing.T) {
	for _, before := range []string{"{}", `{"mcpServers":{"b":{}}}`, "{\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}\n"} {
		d := newDesk(t)
		path := d.write("Library/Application Support/Trae/User/mcp.json", before)
		d.must(Options{Client: "trae"}, Registered)
		changed := strings.Replace(d.read(path), "{", "{ \"new\": true, ", 1)
		d.write("Library/Application Support/Trae/User/mcp.json", changed)
		d.must(Options{Client: "trae", Uninstall: true}, Removed)
		var got map[string]any
		if err := json.Unmarshal([]byte(d.read(path)), &got); err != nil {
			t.Fatalf("it became %q: %v", d.read(path), err)
		}
		servers, _ := got["mcpServers"].(map[string]any)
		if _, there := servers["llm-bench"]; there || got["new"] != true || strings.Contains(before, `"b"`) != (servers["b"] != nil) {
			t.Errorf("%q became %q", before, d.read(path))
		}
	}
}

func TestTraesSettingsThatCannotBeReadStayAsTheyAre(t *testing.T) {
	for _, before := range []string{"// mine\n{}", "[]", "{", `{"mcpServers": 5}`, `{} {}`} {
		d := newDesk(t)
		path := d.write("Library/Application Support/Trae/User/mcp.json", before)
		if r, err := d.run(Options{Client: "trae"}); err == nil || !strings.Contains(err.Error(), "add this by hand") {
			t.Errorf("%q gave %+v, %v", before, r, err)
		}
		if d.read(path) != before {
			t.Errorf("%q became %q", before, d.read(path))
		}
	}
}

func TestTraeTakesNoProgramWithASpaceInItsPath(t *testing.T) {
	if _, err := newDesk(t).run(Options{Client: "trae", Binary: "/a b/llm-bench"}); err == nil || !strings.Contains(err.Error(), "space") {
		t.Errorf("the error is %v", err)
	}
}

func TestTraesSettingsLieWhereEachSystemKeepsThem(t *testing.T) {
	for goos, want := range map[string]string{
		"darwin": "Library/Application Support/Trae CN/User/mcp.json", "linux": ".config/Trae CN/User/mcp.json", "windows": "AppData/Roaming/Trae CN/User/mcp.json",
	} {
		d := newDesk(t)
		d.goos = goos
		d.write(want, "{}")
		d.must(Options{Client: "trae"}, Registered)
	}
}

func FuzzServersAreTakenOutAsTheyWerePutIn(f *testing.F) {
	for _, text := range traeSettings() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		with, err := withServer([]byte(text), "llm-bench", traeServer{Command: "x"})
		if err != nil {
			return
		}
		if !json.Valid(with) {
			t.Fatalf("%q became %q", text, with)
		}
		without, removed, err := withoutServer(with, "llm-bench")
		if err != nil || !removed || !json.Valid(without) {
			t.Fatalf("%q became %q and then %q: %v %v", text, with, without, removed, err)
		}
	})
}
