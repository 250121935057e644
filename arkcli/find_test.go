package arkcli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/arkcli/fake"
)

// drawnDisk is a disk that holds nothing but the given files.
type drawnDisk map[string]string

func (d drawnDisk) program(path string) bool { _, ok := d[path]; return ok }

func (d drawnDisk) text(path string) string { return d[path] }

func (d drawnDisk) entries(folder string) []string {
	var out []string
	for path := range d {
		rest, ok := strings.CutPrefix(path, folder)
		if !ok || rest == "" || (rest[0] != '/' && rest[0] != '\\') {
			continue
		}
		name, _, _ := strings.Cut(strings.ReplaceAll(rest[1:], `\`, "/"), "/")
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func TestTheProgramIsFoundWhereNpmPutsIt(t *testing.T) {
	const short = "PATH=/usr/bin:/bin"
	for _, c := range []struct {
		goos, home string
		env        []string
		disk       []string
		npmrc      string
		want, how  string
	}{
		{"linux", "/home/a", []string{"PATH=/usr/bin:/opt/x/bin"}, []string{"/opt/x/bin/arkcli", "/usr/local/bin/arkcli"}, "", "/opt/x/bin/arkcli", "PATH"},
		{"linux", "/home/a", []string{short, "LLM_BENCH_ARKCLI=/opt/ark/arkcli"}, []string{"/opt/ark/arkcli", "/usr/bin/arkcli"}, "", "/opt/ark/arkcli", "LLM_BENCH_ARKCLI"},
		{"linux", "/home/a", []string{short}, []string{"/home/a/.nvm/versions/node/v9.11.2/bin/arkcli", "/home/a/.nvm/versions/node/v22.1.0/bin/arkcli"}, "", "/home/a/.nvm/versions/node/v22.1.0/bin/arkcli", "nvm"},
		{"linux", "/home/a", []string{short, "NVM_DIR=/opt/nvm"}, []string{"/opt/nvm/versions/node/v20.0.0/bin/arkcli"}, "", "/opt/nvm/versions/node/v20.0.0/bin/arkcli", "nvm"},
		{"linux", "/home/a", []string{short}, []string{"/home/a/.local/share/fnm/node-versions/v20.1.0/installation/bin/arkcli"}, "", "/home/a/.local/share/fnm/node-versions/v20.1.0/installation/bin/arkcli", "fnm"},
		{"linux", "/home/a", []string{short}, []string{"/home/a/.volta/bin/arkcli"}, "", "/home/a/.volta/bin/arkcli", "volta"},
		{"linux", "/home/a", []string{short}, []string{"/home/a/.npm-global/bin/arkcli"}, "", "/home/a/.npm-global/bin/arkcli", "home"},
		{"linux", "/home/a", []string{short}, []string{"/home/a/odd/bin/arkcli"}, "registry=x\nprefix = ${HOME}/odd\n", "/home/a/odd/bin/arkcli", "npm"},
		{"linux", "/home/a", []string{short, "NPM_CONFIG_PREFIX=/srv/npm"}, []string{"/srv/npm/bin/arkcli"}, "", "/srv/npm/bin/arkcli", "npm"},
		{"linux", "/home/a", []string{"PATH=.:bin:"}, []string{"./arkcli", "bin/arkcli", "/arkcli"}, "", "", ""},
		{"linux", "", nil, []string{"/usr/local/bin/arkcli"}, "", "/usr/local/bin/arkcli", "Homebrew"},
		{"darwin", "/Users/a", []string{short}, []string{"/opt/homebrew/bin/arkcli"}, "", "/opt/homebrew/bin/arkcli", "Homebrew"},
		{"darwin", "/Users/a", []string{short}, []string{"/Users/a/Library/Application Support/fnm/aliases/default/bin/arkcli"}, "", "/Users/a/Library/Application Support/fnm/aliases/default/bin/arkcli", "fnm"},
		{"darwin", "/Users/a", []string{short}, []string{"/Users/a/Library/pnpm/arkcli"}, "", "/Users/a/Library/pnpm/arkcli", "pnpm"},
		{"windows", `C:\Users\a`, []string{`Path=C:\Windows;D:\tools`}, []string{`D:\tools\arkcli.cmd`}, "", `D:\tools\arkcli.cmd`, "PATH"},
		{"windows", `C:\Users\a`, []string{`PATH=C:\Windows`, `APPDATA=C:\Users\a\AppData\Roaming`}, []string{`C:\Users\a\AppData\Roaming\npm\arkcli.cmd`, `C:\Users\a\AppData\Roaming\npm\arkcli`}, "", `C:\Users\a\AppData\Roaming\npm\arkcli.cmd`, "npm"},
		{"windows", `C:\Users\a`, []string{`PATH=C:\Windows`}, []string{`C:\Users\a\AppData\Roaming\npm\arkcli.cmd`}, "", `C:\Users\a\AppData\Roaming\npm\arkcli.cmd`, "npm"},
		{"windows", `C:\Users\a`, []string{`PATH="C:\Program Files\x";`}, []string{`C:\Program Files\x\arkcli.exe`}, "", `C:\Program Files\x\arkcli.exe`, "PATH"},
		{"windows", `C:\Users\a`, []string{`NVM_HOME=C:\nvm`}, []string{`C:\nvm\v20.11.0\arkcli.cmd`, `C:\nvm\v8.1.0\arkcli.cmd`}, "", `C:\nvm\v20.11.0\arkcli.cmd`, "nvm"},
		{"windows", `C:\Users\a`, []string{`LOCALAPPDATA=C:\Users\a\AppData\Local`}, []string{`C:\Users\a\AppData\Local\Volta\bin\arkcli.exe`}, "", `C:\Users\a\AppData\Local\Volta\bin\arkcli.exe`, "volta"},
		{"windows", `C:\Users\a`, []string{`PATH=arkcli;\arkcli`}, []string{`arkcli\arkcli.exe`}, "", "", ""},
	} {
		disk := drawnDisk{}
		for _, path := range c.disk {
			disk[path] = ""
		}
		if c.npmrc != "" {
			disk[c.home+"/.npmrc"] = c.npmrc
		}
		cli := New(Options{Environ: append(c.env, "NONE="), Home: c.home, GOOS: c.goos, files: disk})
		got, err := cli.find()
		if got.path != c.want || got.how != c.how || (err != nil) != (c.want == "") {
			t.Errorf("%s %v: found %+v (%v), want %s by %s", c.goos, c.env, got, err, c.want, c.how)
		}
	}
}

func TestAMissingProgramIsSaidWithItsInstallation(t *testing.T) {
	for _, env := range []string{"PATH=/usr/bin:/bin", "LLM_BENCH_ARKCLI=/nowhere/arkcli"} {
		cli := New(Options{Environ: []string{env}, Home: "/home/a", GOOS: "linux", files: drawnDisk{}})
		_, err := cli.Login(t.Context(), "")
		var e *Error
		if !errors.As(err, &e) || e.Problem != CLIMissing || !strings.Contains(e.Message, "arkcli is required") {
			t.Fatalf("%s: got %v", env, err)
		}
		if !slices.Equal(e.Fix, []string{"npm install -g @volcengine/ark-cli@latest", "arkcli auth login volc-sso"}) {
			t.Errorf("%s: fix is %q", env, e.Fix)
		}
		if e.Advice() != "run `npm install -g @volcengine/ark-cli@latest`, then `arkcli auth login volc-sso`" {
			t.Errorf("%s: advice is %q", env, e.Advice())
		}
	}
}

func TestTheChildFindsNodeBesideTheProgramAndInKnownPlaces(t *testing.T) {
	disk := drawnDisk{"/home/a/.npm-global/bin/arkcli": "", "/home/a/.nvm/versions/node/v22.1.0/bin/node": ""}
	s := search{environment{[]string{"PATH=/usr/bin:/bin"}, "linux"}, "/home/a", disk}
	want := "/home/a/.npm-global/bin:/usr/bin:/bin:/home/a/.nvm/versions/node/v22.1.0/bin"
	if got := s.childPath("/home/a/.npm-global/bin/arkcli"); got != want {
		t.Errorf("PATH is %s, want %s", got, want)
	}
	s = search{environment{[]string{`Path=C:\Windows`, `ProgramFiles=C:\Program Files`}, "windows"}, `C:\Users\a`, drawnDisk{`C:\Program Files\nodejs\node.exe`: ""}}
	want = `C:\Users\a\AppData\Roaming\npm;C:\Windows;C:\Program Files\nodejs`
	if got := s.childPath(`C:\Users\a\AppData\Roaming\npm\arkcli.cmd`); got != want {
		t.Errorf("PATH is %s, want %s", got, want)
	}
}

func TestWindowsNamesOfVariablesAreTheSameInAnyCase(t *testing.T) {
	e := environment{[]string{`=C:=C:\x`, "Ark_Api_Key=ark-poison", `Path=C:\Windows`, "arkcli_caller_name=x", "OTHER=1"}, "windows"}
	got := e.forChild(`C:\Users\a`, `C:\npm;C:\Windows`)
	want := []string{
		`=C:=C:\x`, "OTHER=1", "ARKCLI_NO_UPDATE_NOTIFIER=1", "ARKCLI_CALLER_TYPE=ai_agent", "ARKCLI_CALLER_NAME=llm-bench",
		"ARKCLI_SKILL_NAME=llm-bench", "NO_COLOR=1", `PATH=C:\npm;C:\Windows`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAProgramInNvmsFolderRunsWithAShortPath(t *testing.T) {
	home := t.TempDir()
	name := "arkcli"
	folder := filepath.Join(home, ".nvm", "versions", "node", "v22.1.0", "bin")
	env := []string{fake.EntryVar + "=1", "PATH=/usr/bin:/bin", "GORACE=atexit_sleep_ms=0"}
	if runtime.GOOS == "windows" {
		name, folder = "arkcli.exe", filepath.Join(home, "AppData", "Roaming", "npm")
		env = append(env, "APPDATA="+filepath.Join(home, "AppData", "Roaming"))
	}
	copySelf(t, filepath.Join(folder, name))
	state := t.TempDir()
	cli := New(Options{Environ: append(env, "FAKE_ARKCLI_STATE="+state), Home: home})
	l, err := cli.Login(t.Context(), "")
	if err != nil || l.Path != filepath.Join(folder, name) || !l.LoggedIn || l.Version != "1.0.23" {
		t.Fatalf("got %+v, %v", l, err)
	}
	calls, err := fake.ReadCalls(state)
	if err != nil || len(calls) == 0 || !strings.HasPrefix(calls[0].Env["PATH"], folder) {
		t.Errorf("the child's PATH does not begin with %s: %+v, %v", folder, calls, err)
	}
}

func copySelf(t *testing.T, to string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, from); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
