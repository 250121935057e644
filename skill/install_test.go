//go:build unix

package skill

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const installer = "../install.sh"

// snapshot maps every file below a folder to its mode and a hash of its bytes.
func snapshot(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil || info.IsDir() {
			files[path] = "folder"
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = fmt.Sprintf("%v %x", info.Mode(), sha256.Sum256(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// readyProgram puts a stand-in of the program where --binary finds it.
func (p *place) readyProgram() string {
	p.t.Helper()
	self, err := os.Executable()
	ready := filepath.Join(p.bin, "ready")
	if err == nil && !exists(ready) {
		err = os.Symlink(self, ready)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return ready
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// holdsReady reports whether the installed program is the ready one.
func (p *place) holdsReady() bool {
	p.t.Helper()
	installed, err := os.ReadFile(p.installed())
	ready, failed := os.ReadFile(p.readyProgram())
	return errors.Join(err, failed) == nil && bytes.Equal(installed, ready)
}

func (p *place) installed() string { return filepath.Join(p.home, ".llm-bench", "bin", "llm-bench") }

func TestInstallPlacesRegistersAndTriesTheProgram(t *testing.T) {
	p := newPlace(t)
	code, stdout, stderr := p.sh(installer, "--binary", p.readyProgram(), "--client", "claude", "--client", "codex")
	if code != 0 {
		t.Fatalf("code %d: %s%s", code, stdout, stderr)
	}
	if !p.holdsReady() {
		t.Error("the program is not in place")
	}
	if want := []string{"<setup><--client><claude>", "<setup><--client><codex>", "<setup><--check>"}; !slices.Equal(p.calls(), want) {
		t.Errorf("calls %v, want %v", p.calls(), want)
	}
	if !strings.Contains(stdout, "installed: "+p.installed()) {
		t.Errorf("it says %q", stdout)
	}
}

func TestInstallRegistersWithTheAgentsThatItFinds(t *testing.T) {
	p := newPlace(t)
	p.put(filepath.Join(p.bin, "codex"), "#!/bin/sh\nexit 0\n")
	if err := os.MkdirAll(filepath.Join(p.home, ".config", "Trae CN", "User"), 0o755); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := p.sh(installer, "--binary", p.readyProgram()); code != 0 {
		t.Fatalf("code %d: %s%s", code, stdout, stderr)
	}
	if want := []string{"<setup><--client><codex>", "<setup><--client><trae>", "<setup><--check>"}; !slices.Equal(p.calls(), want) {
		t.Errorf("calls %v, want %v", p.calls(), want)
	}
}

func TestInstallWithoutAnyAgentLeavesAWorkingCommand(t *testing.T) {
	for _, args := range [][]string{nil, {"--client", "none"}} {
		p := newPlace(t)
		code, stdout, stderr := p.sh(installer, append(args, "--binary", p.readyProgram())...)
		if code != 0 || !slices.Equal(p.calls(), []string{"<setup><--check>"}) || !strings.HasSuffix(stdout, "done. The command works now: "+p.installed()+"\n") || strings.Contains(stdout, "session") {
			t.Errorf("%v: code %d, calls %v: %s%s", args, code, p.calls(), stdout, stderr)
		}
		if strings.Contains(stdout, "no agent found") != (args == nil) {
			t.Errorf("%v: it says %s", args, stdout)
		}
	}
}

func TestASecondInstallChangesNothing(t *testing.T) {
	p := newPlace(t)
	args := []string{"--binary", p.readyProgram(), "--client", "none"}
	p.sh(installer, args...)
	before := snapshot(t, p.home)
	code, stdout, _ := p.sh(installer, args...)
	if code != 0 || !strings.Contains(stdout, "up to date: "+p.installed()) {
		t.Errorf("code %d: %s", code, stdout)
	}
	if after := snapshot(t, p.home); !maps.Equal(before, after) {
		t.Errorf("before %v\nafter %v", before, after)
	}
}

func TestInstallPutsANewProgramInTheOldOnesPlace(t *testing.T) {
	p := newPlace(t)
	p.put(p.installed(), "#!/bin/sh\nexit 9\n")
	if code, stdout, stderr := p.sh(installer, "--binary", p.readyProgram(), "--client", "none"); code != 0 {
		t.Fatalf("code %d: %s%s", code, stdout, stderr)
	}
	if !p.holdsReady() {
		t.Error("the old program is still there")
	}
}

func TestDryRunChangesAndCallsNothing(t *testing.T) {
	p := newPlace(t)
	p.put(filepath.Join(p.bin, "claude"), standIn)
	ready := p.readyProgram()
	before := snapshot(t, p.home)
	code, stdout, stderr := p.sh(installer, "--binary", ready, "--dry-run")
	if code != 0 || !strings.Contains(stdout, p.installed()) || !strings.Contains(stdout, "with claude") {
		t.Errorf("install: code %d: %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = p.sh(installer, "--uninstall", "--dry-run")
	if code != 0 || !strings.Contains(stdout, "would delete "+p.installed()) {
		t.Errorf("uninstall: code %d: %s%s", code, stdout, stderr)
	}
	if after := snapshot(t, p.home); !maps.Equal(before, after) || p.calls() != nil {
		t.Errorf("before %v\nafter %v\ncalls %v", before, after, p.calls())
	}
}

func TestUninstallLeavesNothing(t *testing.T) {
	p := newPlace(t)
	before := snapshot(t, p.home)
	p.sh(installer, "--binary", p.readyProgram(), "--client", "codex")
	code, stdout, stderr := p.sh(installer, "--uninstall", "--client", "codex")
	if code != 0 {
		t.Fatalf("code %d: %s%s", code, stdout, stderr)
	}
	if after := snapshot(t, p.home); !maps.Equal(before, after) {
		t.Errorf("before %v\nafter %v", before, after)
	}
	if got := p.calls(); got[len(got)-1] != "<setup><--client><codex><--uninstall>" {
		t.Errorf("calls %v", got)
	}
	if code, stdout, _ := p.sh(installer, "--uninstall"); code != 0 || !strings.Contains(stdout, "not installed") {
		t.Errorf("a second time: code %d: %s", code, stdout)
	}
}

func TestUninstallForgetsTheRunsAndNamesWhereTheirReportsStay(t *testing.T) {
	p := newPlace(t)
	p.sh(installer, "--binary", p.readyProgram(), "--client", "none")
	ours, reports := filepath.Join(p.home, ".llm-bench"), filepath.Join(p.home, "项目 1", "reports")
	for _, id := range []string{"prefix_20260701_120000", "multiturn_20260701_121000"} {
		p.put(filepath.Join(reports, id, "report.md"), "# figures\n")
		p.put(filepath.Join(ours, "runs", id), filepath.Join(reports, id)+"\n")
	}
	p.put(filepath.Join(ours, "runs", "prefix_20260101_120000"), "/gone\n")
	p.put(filepath.Join(ours, "locks", "0123456789abcdef01234567"), "{}")
	p.put(filepath.Join(ours, "locks", "0123456789abcdef01234567.lock"), "")
	if code, stdout, stderr := p.sh(installer, "--uninstall", "--dry-run", "--client", "none"); code != 0 || !exists(filepath.Join(ours, "runs", "prefix_20260101_120000")) {
		t.Errorf("a dry run: code %d: %s%s", code, stdout, stderr)
	}
	code, stdout, stderr := p.sh(installer, "--uninstall", "--client", "none")
	if code != 0 || strings.Count(stdout, "kept: ") != 1 || !strings.Contains(stdout, "kept: "+reports+" (reports of runs)\n") {
		t.Errorf("code %d: %s%s", code, stdout, stderr)
	}
	if exists(ours) || !exists(filepath.Join(reports, "prefix_20260701_120000", "report.md")) {
		t.Errorf("left are %v", slices.Sorted(maps.Keys(snapshot(t, p.home))))
	}
}

func TestUninstallKeepsAndNamesWhatTheUserHasPutBesideTheProgram(t *testing.T) {
	p := newPlace(t)
	p.sh(installer, "--binary", p.readyProgram(), "--client", "none")
	own := p.put(filepath.Join(p.home, ".llm-bench", "reports", "prefix_20260701_120000", "report.md"), "# figures\n")
	p.put(filepath.Join(p.home, ".llm-bench", "runs", "prefix_20260701_120000"), filepath.Dir(own)+"\n")
	code, stdout, _ := p.sh(installer, "--uninstall", "--client", "none")
	if code != 0 || !exists(own) || !strings.Contains(stdout, "kept: "+filepath.Join(p.home, ".llm-bench")+", which still holds: reports\n") {
		t.Errorf("code %d: %s", code, stdout)
	}
	if exists(p.installed()) {
		t.Error("the program is still there")
	}
}

func TestAFileThatIsNoProgramIsNeitherRunNorInstalled(t *testing.T) {
	for name, text := range map[string]string{"script": "#!/bin/sh\ntouch \"$HOME/was-run\"\n", "text": "touch \"$HOME/was-run\"\n", "empty": "", "archive": "\x1f\x8b\x08\x00more", "page": "<!doctype html>"} {
		p := newPlace(t)
		for _, more := range [][]string{nil, {"--dry-run"}} {
			code, stdout, stderr := p.sh(installer, append(more, "--binary", p.put(filepath.Join(p.bin, name), text), "--client", "none")...)
			if code != 11 || !strings.Contains(stderr, "no program") || exists(filepath.Join(p.home, "was-run")) || exists(p.installed()) {
				t.Errorf("%s: code %d: %s%s", name, code, stdout, stderr)
			}
		}
	}
}

func TestAPrefixTakesThePlaceOfTheHomeFolder(t *testing.T) {
	p := newPlace(t)
	folder := filepath.Join(p.home, "另 一个")
	if code, _, stderr := p.sh(installer, "--binary", p.readyProgram(), "--client", "none", "--prefix", folder); code != 0 {
		t.Fatalf("code %d: %s", code, stderr)
	}
	if _, err := os.Stat(filepath.Join(folder, "bin", "llm-bench")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(p.home, ".llm-bench")); err == nil {
		t.Error("the home folder was used")
	}
}

func TestEveryWayInstallFailsHasItsCodeAndItsWords(t *testing.T) {
	cases := []struct {
		name  string
		args  []string
		fails string // what the stand-in refuses
		code  int
		words string
	}{
		{"unknown argument", []string{"--what"}, "", 2, "--what"},
		{"unknown agent", []string{"--client", "emacs"}, "", 2, "claude, codex, trae or none"},
		{"missing value", []string{"--binary"}, "", 2, "--binary needs a value"},
		{"no Go", nil, "", 10, "--binary FILE"},
		{"no such program", []string{"--binary", "/nonexistent"}, "", 11, "/nonexistent"},
		{"program of another system", []string{"--binary", "READY"}, "version", 11, "doesn't run"},
		{"server doesn't work", []string{"--binary", "READY", "--client", "none"}, "setup --check", 12, "doesn't work"},
		{"registration fails", []string{"--binary", "READY", "--client", "claude", "--client", "codex"}, "setup --client codex", 20, "not registered with: codex."},
	}
	for _, c := range cases {
		p := newPlace(t)
		for i := range c.args {
			c.args[i] = strings.Replace(c.args[i], "READY", p.readyProgram(), 1)
		}
		p.env = append(p.env, "STAND_IN_FAILS="+c.fails)
		code, stdout, stderr := p.sh(installer, c.args...)
		if code != c.code || !strings.Contains(stderr, c.words) {
			t.Errorf("%s: code %d, want %d; %q lacks %q; %s", c.name, code, c.code, stderr, c.words, stdout)
		}
		if left, err := filepath.Glob(filepath.Join(p.home, ".llm-bench", "bin", ".llm-bench*")); err != nil || left != nil {
			t.Errorf("%s leaves %v (%v)", c.name, left, err)
		}
	}
}

// withGo lets the place build: Go, its caches, and no network.
func (p *place) withGo() {
	p.t.Helper()
	goProgram, err := exec.LookPath("go")
	if err != nil {
		p.t.Fatal(err)
	}
	p.env = append(p.env, "PATH="+p.bin+":"+filepath.Dir(goProgram)+":/usr/bin:/bin", "GOPROXY=off", "GOFLAGS=-mod=readonly")
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOROOT"} {
		value, err := exec.CommandContext(p.t.Context(), goProgram, "env", name).Output()
		if err != nil {
			p.t.Fatal(err)
		}
		p.env = append(p.env, name+"="+strings.TrimSpace(string(value)))
	}
}

// skillFolder copies what an installed skill holds: all of the tree but .git.
func (p *place) skillFolder() string {
	p.t.Helper()
	folder := filepath.Join(p.home, ".agents", "skills", "llm-bench")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains([]string{".git", "reports", "dist"}, relative) {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(folder, relative), 0o755)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, relative), text, 0o644)
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return folder
}

func TestInstallBuildsFromAnInstalledSkillAndLeavesItAlone(t *testing.T) {
	p := newPlace(t)
	p.withGo()
	folder := p.skillFolder()
	before := snapshot(t, folder)
	code, stdout, stderr := p.sh(filepath.Join(folder, "install.sh"), "--client", "none")
	if code != 0 {
		t.Fatalf("code %d: %s%s", code, stdout, stderr)
	}
	out, err := exec.CommandContext(t.Context(), p.installed(), "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "llm-bench "+statedVersion(t)+" ") {
		t.Errorf("%q, %v", out, err)
	}
	if after := snapshot(t, folder); !maps.Equal(before, after) {
		t.Error("the skill folder is changed")
	}
	code, stdout, stderr = p.sh(filepath.Join(folder, "install.sh"), "--client", "none")
	if code != 0 || !strings.Contains(stdout, "up to date") {
		t.Errorf("a second time: code %d: %s%s", code, stdout, stderr)
	}
	// The program answers under the launcher of the skill.
	if code, stdout, stderr := p.sh(filepath.Join(folder, "skill", "llm-bench-mcp"), "version"); code != 0 || stdout != string(out) {
		t.Errorf("launcher: code %d, %q, %q", code, stdout, stderr)
	}
}

// An agent in the place of Claude Code or Codex: it writes down its arguments
// and keeps its settings as the real one does.
const (
	standInClaude = `#!/bin/sh
echo "claude $*" >> "$AGENT_LOG"
case "$*" in
  "mcp add"*) printf '{"mcpServers":{"llm-bench":{"command":"%s","args":["mcp"]}}}' "$7" > "$HOME/.claude.json" ;;
  "mcp remove"*) rm "$HOME/.claude.json" ;;
esac
`
	standInCodex = `#!/bin/sh
echo "codex $*" >> "$AGENT_LOG"
case "$*" in
  "mcp add"*) printf '\n[mcp_servers.llm-bench]\ncommand = "%s"\nargs = ["mcp"]\n' "$5" >> "$HOME/.codex/config.toml" ;;
esac
`
)

func TestInstallRegistersOnceAndUninstallGivesEveryByteBack(t *testing.T) {
	p := newPlace(t)
	p.put(filepath.Join(p.bin, "claude"), standInClaude)
	p.put(filepath.Join(p.bin, "codex"), standInCodex)
	p.put(filepath.Join(p.home, ".codex", "config.toml"), "model = \"其他\"\n")
	agentLog := filepath.Join(filepath.Dir(p.bin), "agents")
	p.env = append(p.env, "AGENT_LOG="+agentLog)
	before := snapshot(t, p.home)
	for range 2 {
		if code, stdout, stderr := p.sh(installer, "--binary", program); code != 0 {
			t.Fatalf("code %d: %s%s", code, stdout, stderr)
		}
	}
	calls, err := os.ReadFile(agentLog)
	if want := fmt.Sprintf("claude mcp add -s user llm-bench -- %[1]s mcp\ncodex mcp add llm-bench -- %[1]s mcp\n", p.installed()); err != nil || string(calls) != want {
		t.Errorf("calls %q (%v), want %q", calls, err, want)
	}
	if code, stdout, stderr := p.sh(installer, "--uninstall"); code != 0 {
		t.Fatalf("uninstall: code %d: %s%s", code, stdout, stderr)
	}
	if after := snapshot(t, p.home); !maps.Equal(before, after) {
		t.Errorf("before %v\nafter %v", before, after)
	}
}

func TestABuildThatFailsHasItsOwnCode(t *testing.T) {
	p := newPlace(t)
	p.withGo()
	folder := filepath.Join(p.home, "skill")
	p.put(filepath.Join(folder, "install.sh"), read(t, "install.sh"))
	p.put(filepath.Join(folder, "go.mod"), "module broken\n\ngo 1.26.0\n")
	p.put(filepath.Join(folder, "main.go"), "package main\n\nfunc main() { nothing() }\n")
	code, _, stderr := p.sh(filepath.Join(folder, "install.sh"), "--client", "none")
	if code != 11 || !strings.Contains(stderr, "the build failed") || !strings.Contains(stderr, "GOPROXY") {
		t.Errorf("code %d: %s", code, stderr)
	}
}
