package skill

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// program is the path of llm-bench, built once, as install.sh builds it.
var program string

func TestMain(m *testing.M) {
	if log := os.Getenv(standInLog); log != "" {
		os.Exit(standingIn(log))
	}
	folder, err := os.MkdirTemp("", "llm-bench-skill")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program = filepath.Join(folder, "llm-bench")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", program, ".")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	code := 1
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
	} else {
		code = m.Run()
	}
	if err := os.RemoveAll(folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// standInLog names the variable under which this test's own program stands in
// for llm-bench, where only a real program will do: it does what standIn does.
const standInLog = "STAND_IN_LOG"

func standingIn(log string) (code int) {
	line := ""
	for _, argument := range os.Args[1:] {
		line += "<" + argument + ">"
	}
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = fmt.Fprintln(file, line)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	called := strings.Join(os.Args[1:], " ")
	if strings.HasPrefix(called, "version") {
		fmt.Printf("llm-bench %s go1.26.8 linux/amd64\n", os.Getenv("STAND_IN_VERSION"))
	}
	if fails := os.Getenv("STAND_IN_FAILS"); fails != "" && strings.HasPrefix(called, fails) {
		return 1
	}
	return 0
}

// help is what a command says of itself.
func help(t *testing.T, command ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, append(command, "--help")...).Output()
	if err != nil {
		t.Fatalf("%v --help: %v", command, err)
	}
	return string(out)
}

// flagLine is a flag in the text of --help: name, type, usage.
var flagLine = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([\w-]+)(?: (\S+))?  +(.*)$`)

// flagsOf maps each flag of a command to its default; "–" for none.
func flagsOf(t *testing.T, command string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, m := range flagLine.FindAllStringSubmatch(help(t, command), -1) {
		found[m[1]] = "–"
		if i := strings.LastIndex(m[3], "(default "); i >= 0 {
			found[m[1]] = strings.Trim(strings.TrimSuffix(m[3][i+len("(default "):], ")"), `"`)
		}
	}
	delete(found, "help")
	return found
}

func TestParameterTableEqualsTheFlags(t *testing.T) {
	flags := map[string]map[string]string{}
	for _, command := range []string{"connectivity", "prefix", "multiturn"} {
		flags[command] = flagsOf(t, command)
		if len(flags[command]) < 20 {
			t.Fatalf("%s --help shows %d flags", command, len(flags[command]))
		}
	}
	listed := map[string]bool{}
	for _, row := range table(t, "skill/parameters.md", "## All flags") {
		name := strings.Trim(row[0], "`-")
		listed[name] = true
		commands := strings.Split(row[1], ", ")
		if row[1] == "all" {
			commands = []string{"connectivity", "prefix", "multiturn"}
		}
		for command, has := range flags {
			if _, found := has[name]; found != slices.Contains(commands, command) {
				t.Errorf("--%s: the page says commands %v; %s has it: %v", name, commands, command, found)
			}
		}
		checkDefault(t, name, row[2], flags)
	}
	for command, has := range flags {
		for name := range has {
			if !listed[name] {
				t.Errorf("--%s of %s is not in skill/parameters.md", name, command)
			}
		}
	}
}

// checkDefault holds a default on the page to those of prefix and multiturn.
func checkDefault(t *testing.T, name, shown string, flags map[string]map[string]string) {
	t.Helper()
	prefix, multiturn, two := strings.Cut(shown, " / ")
	if !two {
		multiturn = prefix
	}
	for command, want := range map[string]string{"prefix": prefix, "multiturn": multiturn} {
		if got, found := flags[command][name]; found && got != want {
			t.Errorf("--%s: the page says default %s, %s has %s", name, want, command, got)
		}
	}
}

func TestEveryFlagThatAPageNamesExists(t *testing.T) {
	known := map[string]bool{"help": true}
	for _, command := range commands(t) {
		for name := range flagsOf(t, command) {
			known[name] = true
		}
	}
	for _, hidden := range []string{"max-completion-tokens", "sim-ttft-ms"} {
		if out, err := exec.CommandContext(t.Context(), program, "prefix", "--sim", "--dry-run", "--"+hidden, "64").CombinedOutput(); err != nil {
			t.Errorf("--%s: %v\n%s", hidden, err, out)
		}
		known[hidden] = true
	}
	for _, m := range regexp.MustCompile(`(?m)^ +--([\w-]+)`).FindAllStringSubmatch(read(t, "install.sh"), -1) {
		known[m[1]] = true
	}
	// of other programs that the pages name
	for _, other := range []string{"no-browser", "code", "marketplace"} {
		known[other] = true
	}
	flag := regexp.MustCompile("[ `(]--([a-z][\\w-]*)")
	for _, page := range pages() {
		for _, m := range flag.FindAllStringSubmatch(read(t, page), -1) {
			if !known[m[1]] {
				t.Errorf("%s names --%s, which nothing has", page, m[1])
			}
		}
	}
}

// commands are those that the program lists.
func commands(t *testing.T) []string {
	t.Helper()
	_, text, found := strings.Cut(help(t), "Available Commands:\n")
	if !found {
		t.Fatal("--help lists no commands")
	}
	text, _, _ = strings.Cut(text, "\n\n")
	var names []string
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); words[0] != "help" && words[0] != "completion" {
			names = append(names, words[0])
		}
	}
	return names
}

func TestCommandTableEqualsTheProgram(t *testing.T) {
	var listed []string
	for _, row := range table(t, "skill/cli.md", "# Command line") {
		name, _, _ := strings.Cut(strings.Trim(row[0], "`"), " ")
		listed = append(listed, name)
	}
	slices.Sort(listed)
	want := slices.Sorted(slices.Values(commands(t)))
	if !slices.Equal(listed, want) {
		t.Errorf("skill/cli.md lists %v\nthe program has %v", listed, want)
	}
}
