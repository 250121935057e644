package fake

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// EntryVar makes a test binary that calls [IfCalled] act as arkcli.
const EntryVar = "FAKE_ARKCLI_ENTRY"

// grandchildVar marks the process that scenario detached_child leaves behind:
// it only sleeps for so many milliseconds.
const grandchildVar = "FAKE_ARKCLI_GRANDCHILD"

// innerVar marks the program behind the shim of scenario shim.
const innerVar = "FAKE_ARKCLI_INNER"

// IfCalled acts as arkcli and ends the process, if it was started as such.
func IfCalled() {
	if os.Getenv(EntryVar) != "" {
		os.Exit(Main())
	}
}

// Main acts as arkcli with the arguments and environment of this process, and
// returns its exit code.
func Main() int {
	if ms, err := strconv.Atoi(os.Getenv(grandchildVar)); err == nil {
		time.Sleep(time.Duration(ms) * time.Millisecond)
		return 0
	}
	s := newSession(os.Args[1:], config(os.Environ(), besideProgram()))
	if s.scenario.has("shim") && os.Getenv(innerVar) == "" {
		return behindShim()
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	mark := s.begin()
	a := s.answerOrSignal(signals)
	_, _ = io.WriteString(os.Stderr, a.stderr)
	_, _ = io.WriteString(os.Stdout, a.stdout)
	s.end(mark, a)
	if a.crash {
		return s.crash()
	}
	return a.exit
}

// answer is what one call prints and how it ends.
type answer struct {
	stdout, stderr string
	exit           int
	signal         string // the signal that ended the call
	crash          bool   // ends by a signal of its own making
}

func (s *session) answerOrSignal(signals <-chan os.Signal) answer {
	ready := make(chan answer, 1)
	go func() { ready <- s.answer() }()
	for {
		select {
		case a := <-ready:
			return a
		case got := <-signals:
			s.signal = got.String()
			if s.scenario.arg("hang") != "deaf" {
				return answer{exit: 143, signal: got.String()}
			}
			s.end(s.mark, answer{exit: -1, signal: got.String()})
		}
	}
}

// behindShim runs the program as a child, as npm's shim does: a signal to this
// process ends it at once and does not reach the child.
func behindShim() int {
	self, err := os.Executable()
	if err != nil {
		return 1
	}
	inner := exec.Command(self, os.Args[1:]...)
	inner.Env = append(os.Environ(), innerVar+"=1")
	inner.Stdout, inner.Stderr = os.Stdout, os.Stderr
	if err := inner.Run(); err != nil && inner.ProcessState == nil {
		return 1
	}
	return inner.ProcessState.ExitCode()
}

// crash ends the process by a signal where that exists.
func (s *session) crash() int {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
		time.Sleep(time.Second)
	}
	return 134
}

func besideProgram() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(self), "arkcli-fake.env"))
	if err != nil {
		return ""
	}
	return string(text)
}

// config is the file's KEY=VALUE lines, overridden by the environment.
func config(environ []string, file string) map[string]string {
	env := map[string]string{}
	for line := range strings.Lines(file) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(key, "#") {
			env[key] = value
		}
	}
	for _, entry := range environ {
		if key, value, ok := strings.Cut(entry, "="); ok {
			env[key] = value
		}
	}
	return env
}

// leaveChild starts a process that keeps this one's pipes open.
func leaveChild(ms string) string {
	if ms == "" {
		ms = "30000"
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Sprintf("debug: no child: %v\n", err)
	}
	child := exec.Command(self)
	child.Env = append(os.Environ(), grandchildVar+"="+ms)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		return fmt.Sprintf("debug: no child: %v\n", err)
	}
	return ""
}
