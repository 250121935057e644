package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/bench"
)

// name is the server's name in every client's settings.
const name = "llm-bench"

// Ark is what setup asks of Ark CLI.
type Ark interface {
	Login(ctx context.Context, profile string) (arkcli.Login, error)
}

// Options say what to register where. Zero values of the last group are those
// of this process and machine.
type Options struct {
	Client    string // claude, codex or trae; may be empty with Check
	Binary    string // absolute path of the program
	Print     bool   // change nothing, say what would stand where
	Uninstall bool
	Check     bool // start the server and try it, and look for Ark CLI
	Ark       Ark

	Home     string // of the user
	State    string // folder for what is needed to undo; default $LLM_BENCH_HOME/setup
	GOOS     string
	Env      func(name string) (string, bool)
	LookPath func(program string) (string, error)
	// Run runs a program of a client and gives what it printed.
	Run func(ctx context.Context, program string, args ...string) (string, error)
}

// Report says what was done.
type Report struct {
	Client  string   `json:"client,omitempty"`
	Outcome Outcome  `json:"outcome"`
	Did     []string `json:"did,omitempty"`   // each change, in words
	Text    string   `json:"text,omitempty"`  // what the user is to put in place
	Notes   []string `json:"notes,omitempty"` // what else to know or do
	Check   *Check   `json:"check,omitempty"`
}

// Outcome is how the settings of a client stand afterwards.
type Outcome string

// The outcomes.
const (
	Registered Outcome = "registered" // the settings were changed
	Unchanged  Outcome = "unchanged"  // they were as they should be
	Removed    Outcome = "removed"
	Absent     Outcome = "absent"  // there was nothing to remove
	Printed    Outcome = "printed" // the user has to do it: see Text
	Checked    Outcome = "checked"
)

// Clients are the names of the clients that setup knows.
func Clients() []string { return []string{"claude", "codex", "trae"} }

// commandTime bounds one command of a client.
const commandTime = 30 * time.Second

// Run carries out what the options ask for. An error names the client that it
// concerns; the report then holds what had been done before.
func Run(ctx context.Context, o Options) (Report, error) {
	s, err := newSession(o)
	if err != nil {
		return Report{}, err
	}
	if o.Client != "" {
		if err := s.client(ctx); err != nil {
			return s.report, fmt.Errorf("%s: %w", o.Client, err)
		}
	}
	if o.Check {
		check, err := s.check(ctx)
		s.report.Check = check
		if s.report.Outcome == "" {
			s.report.Outcome = Checked
		}
		return s.report, err
	}
	return s.report, nil
}

// session is one invocation.
type session struct {
	Options
	report Report
}

func newSession(o Options) (*session, error) {
	if !filepath.IsAbs(o.Binary) {
		return nil, &bench.FieldError{Field: "binary", Value: fmt.Sprintf("%q", o.Binary), Allowed: "the absolute path of the program"}
	}
	if o.Client == "" && !o.Check {
		return nil, &bench.FieldError{Field: "client", Value: `""`, Allowed: strings.Join(Clients(), ", ")}
	}
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	if o.GOOS == "" {
		o.GOOS = runtime.GOOS
	}
	if o.LookPath == nil {
		o.LookPath = exec.LookPath
	}
	if o.Run == nil {
		o.Run = runProgram
	}
	if o.Home == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Errorf("find the home folder: %w", err)
		}
		o.Home = home
	}
	if o.State == "" {
		root, _ := o.Env("LLM_BENCH_HOME")
		if root == "" {
			root = filepath.Join(o.Home, ".llm-bench")
		}
		o.State = filepath.Join(root, "setup")
	}
	return &session{Options: o, report: Report{Client: o.Client}}, nil
}

func (s *session) client(ctx context.Context) error {
	switch s.Client {
	case "claude":
		return s.claude(ctx)
	case "codex":
		return s.codex(ctx)
	case "trae":
		return s.trae(ctx)
	}
	return &bench.FieldError{Field: "client", Value: fmt.Sprintf("%q", s.Client), Allowed: strings.Join(Clients(), ", ")}
}

func (s *session) did(format string, args ...any) {
	s.report.Did = append(s.report.Did, fmt.Sprintf(format, args...))
}

func (s *session) note(format string, args ...any) {
	s.report.Notes = append(s.report.Notes, fmt.Sprintf(format, args...))
}

// command runs a command of a client and notes it.
func (s *session) command(ctx context.Context, program string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	line := strings.Join(append([]string{program}, args...), " ")
	out, err := s.Run(ctx, program, args...)
	if err != nil {
		return fmt.Errorf("%s: %w: %s", line, err, bench.Clean(bench.Redact(out), 300))
	}
	s.did("ran %s", line)
	return nil
}

func runProgram(ctx context.Context, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// has reports whether a client's program is on PATH.
func (s *session) has(program string) bool {
	_, err := s.LookPath(program)
	return err == nil
}

// Print writes a report for a person.
func (r Report) Print(w io.Writer) error {
	var errs []error
	line := func(format string, args ...any) {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		errs = append(errs, err)
	}
	if r.Client != "" {
		line("%s: %s", r.Client, r.Outcome)
	}
	for _, d := range r.Did {
		line("  %s", d)
	}
	if r.Text != "" {
		line("%s", r.Text)
	}
	for _, n := range r.Notes {
		line("  note: %s", n)
	}
	if r.Check != nil {
		r.Check.print(line)
	}
	return errors.Join(errs...)
}
