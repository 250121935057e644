//go:build unix

package skill

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// standIn is a program in the place of llm-bench: it writes down its arguments,
// one line a call, and fails where they begin with $STAND_IN_FAILS.
const standIn = `#!/bin/sh
line=''
for argument in "$@"; do line="$line<$argument>"; done
printf '%s\n' "$line" >> "$STAND_IN_LOG"
case "$*" in
  version*) echo "llm-bench $STAND_IN_VERSION go1.26.8 linux/amd64" ;;
esac
if [ -n "${STAND_IN_FAILS:-}" ]; then
  case "$*" in "$STAND_IN_FAILS"*) exit 1 ;; esac
fi
exit 0
`

// place is a home folder of its own, with spaces and Chinese in its path, and
// a PATH that holds no more than the system's tools and what a test puts there.
type place struct {
	t    *testing.T
	home string
	bin  string // first on PATH
	log  string // of the stand-in
	env  []string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	folder := t.TempDir()
	p := &place{t: t, home: filepath.Join(folder, "用户 home"), bin: filepath.Join(folder, "bin"), log: filepath.Join(folder, "calls")}
	for _, dir := range []string{p.home, p.bin} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.env = []string{"HOME=" + p.home, "PATH=" + p.bin + ":/usr/bin:/bin", standInLog + "=" + p.log, "GORACE=atexit_sleep_ms=0", "GOROOT=/nonexistent", "LANG=C.UTF-8", "STAND_IN_VERSION=" + statedVersion(t)}
	return p
}

// put writes a file that can be run.
func (p *place) put(path, text string) string {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// sh runs a script of this repository through sh, from the root folder.
func (p *place) sh(script string, args ...string) (code int, stdout, stderr string) {
	p.t.Helper()
	path, err := filepath.Abs(script)
	if err != nil {
		p.t.Fatal(err)
	}
	command := exec.CommandContext(p.t.Context(), "/bin/sh", append([]string{path}, args...)...)
	command.Dir, command.Env = "/", p.env
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	if err := command.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			p.t.Fatal(err)
		}
		return exit.ExitCode(), out.String(), complaints.String()
	}
	return 0, out.String(), complaints.String()
}

// calls are the lines that the stand-in has written; what it was asked of its
// version is left out.
func (p *place) calls() []string {
	p.t.Helper()
	text, err := os.ReadFile(p.log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line != "<version>\n" {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

func TestEntryScriptsTurnTheGuidesVariablesIntoFlags(t *testing.T) {
	cases := []struct {
		script, variables, want string
	}{
		{"run_connectivity.sh", "MODEL=ep-1 OUTPUT=/tmp/r", "<connectivity><--model=ep-1><--output-dir=/tmp/r><--lang><zh>"},
		{"run_prefix.sh", "MODEL=ep-1 PREFIX_LEN=1 SUFFIX_LEN=2 NUM_PREFIXES=3 NUM_REQUESTS=4 MAX_CONCURRENCY=5 OUTPUT=/tmp/r",
			"<prefix><--model=ep-1><--prefix-len=1><--suffix-len=2><--num-prefixes=3><--num-requests=4><--max-concurrency=5><--output-dir=/tmp/r><--lang><zh>"},
		{"run_multiturn.sh", "MODEL=ep-1 INITIAL_LEN=1 QUESTION_LEN=2 NUM_SESSIONS=3 MAX_TURNS=4 MAX_CONCURRENCY=5 OUTPUT=/tmp/r",
			"<multiturn><--model=ep-1><--initial-len=1><--question-len=2><--num-sessions=3><--max-turns=4><--max-concurrency=5><--output-dir=/tmp/r><--lang><zh>"},
	}
	for _, c := range cases {
		p := newPlace(t)
		p.env = append(append(p.env, strings.Fields(c.variables)...), "LLM_BENCH_BIN="+p.put(filepath.Join(p.bin, "a program"), standIn))
		if code, _, stderr := p.sh(c.script, "--lang", "zh"); code != 0 {
			t.Errorf("%s ends with %d: %s", c.script, code, stderr)
		}
		if got := p.calls(); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s calls %v\nwant %s", c.script, got, c.want)
		}
	}
}

func TestEntryScriptsLeaveOutWhatIsNotSetAndKeepSpaces(t *testing.T) {
	p := newPlace(t)
	p.env = append(p.env, "MODEL=豆包 Seed 2.0 Mini", "PREFIX_LEN=", "LLM_BENCH_BIN="+p.put(filepath.Join(p.bin, "program"), standIn))
	p.sh("run_prefix.sh")
	if got := p.calls(); !slices.Equal(got, []string{"<prefix><--model=豆包 Seed 2.0 Mini>"}) {
		t.Errorf("calls %v", got)
	}
}

func TestEntryScriptsTakeNamesOfTargetsBeforeFlags(t *testing.T) {
	for _, script := range []string{"run_connectivity.sh", "run_prefix.sh", "run_multiturn.sh"} {
		p := newPlace(t)
		p.env = append(p.env, "LLM_BENCH_BIN="+p.put(filepath.Join(p.bin, "program"), standIn))
		p.sh(script, "ark=豆包 mini", "my targets/b.yaml", "--lang", "zh")
		command := strings.TrimSuffix(strings.TrimPrefix(script, "run_"), ".sh")
		if want := "<" + command + "><--lang><zh><--target=ark=豆包 mini><--target=my targets/b.yaml>"; !slices.Equal(p.calls(), []string{want}) {
			t.Errorf("%s calls %v, want %s", script, p.calls(), want)
		}
	}
}

func TestANumberInOutputIsTheCap(t *testing.T) {
	for _, script := range []string{"run_connectivity.sh", "run_prefix.sh", "run_multiturn.sh"} {
		p := newPlace(t)
		p.env = append(p.env, "OUTPUT=512", "LLM_BENCH_BIN="+p.put(filepath.Join(p.bin, "program"), standIn))
		p.sh(script)
		command := strings.TrimSuffix(strings.TrimPrefix(script, "run_"), ".sh")
		if want := "<" + command + "><--max-output-tokens=512>"; !slices.Equal(p.calls(), []string{want}) {
			t.Errorf("%s calls %v, want %s", script, p.calls(), want)
		}
	}
}

func TestEntryScriptsRunTheRealProgramWithoutARunBit(t *testing.T) {
	p := newPlace(t)
	folder := filepath.Join(p.home, "skill")
	for _, name := range []string{"run_prefix.sh", "llm-bench-mcp"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(p.put(filepath.Join(folder, name), string(text)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.env = append(p.env, "LLM_BENCH_BIN="+program, "NUM_REQUESTS=7")
	code, stdout, stderr := p.sh(filepath.Join(folder, "run_prefix.sh"), "--sim", "--dry-run", "--preset", "quick")
	if code != 0 || !strings.Contains(stdout, "7 requests") {
		t.Errorf("code %d, %q, %q", code, stdout, stderr)
	}
}

func TestTheLauncherTakesTheInstalledProgramBeforeOneOnPath(t *testing.T) {
	p := newPlace(t)
	installed := p.put(filepath.Join(p.home, ".llm-bench/bin/llm-bench"), standIn)
	p.put(filepath.Join(p.bin, "llm-bench"), "#!/bin/sh\necho another; exit 3\n")
	if code, stdout, stderr := p.sh("llm-bench-mcp"); code != 0 || !slices.Equal(p.calls(), []string{"<mcp>"}) {
		t.Errorf("code %d, %q, %q, calls %v", code, stdout, stderr, p.calls())
	}
	if err := os.Remove(installed); err != nil {
		t.Fatal(err)
	}
	p.put(filepath.Join(p.bin, "llm-bench"), standIn)
	if code, _, stderr := p.sh("llm-bench-mcp", "login"); code != 0 || !slices.Equal(p.calls(), []string{"<mcp>", "<login>"}) {
		t.Errorf("from PATH: code %d, %q, calls %v", code, stderr, p.calls())
	}
}

func TestTheLauncherSaysWhatToRunWhereTheProgramIsMissingOrOld(t *testing.T) {
	p := newPlace(t)
	install, err := filepath.Abs("../install.sh")
	if err != nil {
		t.Fatal(err)
	}
	check := func(why string) {
		t.Helper()
		code, stdout, stderr := p.sh("llm-bench-mcp")
		if code != 127 || stdout != "" || !strings.Contains(stderr, why) || !strings.Contains(stderr, "sh '"+install+"'") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("code %d, stdout %q, stderr %q, want %q", code, stdout, stderr, why)
		}
	}
	check("not installed")
	p.put(filepath.Join(p.home, ".llm-bench/bin/llm-bench"), standIn)
	p.env = append(p.env, "STAND_IN_VERSION=0.0.9")
	check("is version 0.0.9, the skill is " + statedVersion(t))
	p.env = append(p.env, "LLM_BENCH_BIN=/nonexistent/program")
	check("no program")
	if got := p.calls(); got != nil {
		t.Errorf("the program was started: %v", got)
	}
}
