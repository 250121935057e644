package fake

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// session is one call of the program.
type session struct {
	args     []string
	words    []string          // the command and its arguments, without flags
	flags    map[string]string // given flags; a switch has "true"
	env      map[string]string
	scenario scenario
	mark     mark
	signal   string
}

func newSession(args []string, env map[string]string) *session {
	return &session{args: args, env: env, scenario: parseScenario(env["FAKE_ARKCLI_SCENARIO"]), flags: map[string]string{}}
}

// scenario holds the names in force with their arguments.
type scenario map[string]string

func parseScenario(list string) scenario {
	out := scenario{}
	for name := range strings.SplitSeq(list, ",") {
		name, arg, _ := strings.Cut(strings.TrimSpace(name), ":")
		if name != "" {
			out[name] = arg
		}
	}
	return out
}

func (s scenario) has(name string) bool { _, ok := s[name]; return ok }

func (s scenario) arg(name string) string { return s[name] }

func (s scenario) any(names ...string) bool { return slices.ContainsFunc(names, s.has) }

// hit reports whether a scenario is in force for this command.
func (s *session) hit(name string) bool {
	word, confined := s.scenario["only"]
	return s.scenario.has(name) && (!confined || slices.Contains(s.args, word))
}

// answer runs the command: first what goes wrong before it, then the command
// itself, then what garbles its output.
func (s *session) answer() answer {
	s.sleep()
	if a, wrong := s.before(); wrong {
		return a
	}
	cmd, a, ok := s.parse()
	if !ok {
		return a
	}
	if a, replaced := s.fixture(cmd); replaced {
		return a
	}
	if a, refused := s.loginGate(cmd); refused {
		return a
	}
	return s.garble(cmd, cmd.run(s))
}

func (s *session) sleep() {
	ms, _ := strconv.Atoi(s.env["FAKE_ARKCLI_DELAY_MS"])
	if s.hit("slow") {
		slow, _ := strconv.Atoi(s.scenario.arg("slow"))
		ms += slow
	}
	time.Sleep(time.Duration(ms) * time.Millisecond)
	if s.hit("hang") || strings.Join(s.args, " ") == "auth login volc-sso" {
		time.Sleep(time.Hour)
	}
}

// fixture replaces an answer by files.
func (s *session) fixture(cmd command) (answer, bool) {
	folder := s.env["FAKE_ARKCLI_FIXTURE_DIR"]
	if folder == "" {
		return answer{}, false
	}
	base := filepath.Join(folder, strings.ReplaceAll(cmd.name, " ", "_"))
	stdout, errOut := os.ReadFile(base + ".stdout")
	stderr, errErr := os.ReadFile(base + ".stderr")
	exit, errExit := os.ReadFile(base + ".exit")
	if errOut != nil && errErr != nil && errExit != nil {
		return answer{}, false
	}
	code, _ := strconv.Atoi(strings.TrimSpace(string(exit)))
	return answer{stdout: string(stdout), stderr: string(stderr), exit: code}, true
}

func (s *session) key() string {
	if s.kept("refreshed") != "" && s.env["FAKE_ARKCLI_KEY2"] != "" {
		return s.env["FAKE_ARKCLI_KEY2"]
	}
	if key := s.env["FAKE_ARKCLI_KEY"]; key != "" {
		return key
	}
	if s.scenario.has("key_uuid") {
		return "6f1c2d3e-4b5a-4968-8776-655443322110"
	}
	return "ark-test-0000-1111"
}

func (s *session) baseURL() string {
	if poisoned := s.env["ARK_BASE_URL"]; poisoned != "" {
		return poisoned
	}
	if base := s.env["FAKE_ARKCLI_BASE_URL"]; base != "" {
		return base
	}
	return "https://ark.cn-beijing.volces.com/api/v3"
}

// Answer is what the program would print for a command line and its exit code,
// -1 for a crash, without being run: for tests of what is made of it, and for
// the seeds of fuzzing. Scenarios about processes need a process.
func Answer(args, environ []string) (stdout, stderr string, exit int) {
	a := newSession(args, config(environ, "")).answer()
	if a.crash {
		a.exit = -1
	}
	return a.stdout, a.stderr, a.exit
}
