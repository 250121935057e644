package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// The exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNoWayIn     = 3
	exitRefused     = 4
	exitNoBaseline  = 5
	exitInterrupted = 130
)

// usageError is a mistake in how the program was called.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// outcomeError is a run that ended in a way that the exit code must tell. What
// there is to say has been said.
type outcomeError struct{ code int }

func (e *outcomeError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// exitCode prints an error in words a user can act on, and gives its code.
func exitCode(w io.Writer, err error) int {
	var outcome *outcomeError
	if errors.As(err, &outcome) {
		return outcome.code
	}
	if err == nil {
		return exitDone
	}
	message, advice, code := explain(err)
	fmt.Fprintf(w, "llm-bench: %s\n", message)
	for line := range strings.SplitSeq(advice, "\n") {
		if line != "" {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	return code
}

// explain turns an error into what happened, what to do, and the exit code.
func explain(err error) (message, advice string, code int) {
	var ark *arkcli.Error
	var credentials *job.CredentialsError
	var usage *usageError
	var field *bench.FieldError
	var inFile *job.TargetFileError
	var refused *job.RefusedError
	var stale *job.StaleError
	var leaks rundir.LeakError
	switch {
	case errors.As(err, &ark):
		return ark.Error(), strings.Join(slices.Concat(ark.Fix, candidateLines(ark.Suggestions), []string{ark.Note}), "\n"), arkCode(ark.Problem)
	case errors.As(err, &credentials):
		return credentials.Message, credentials.Fix, exitNoWayIn
	case errors.As(err, &inFile):
		return flagNames(err), "", exitUsage
	case errors.As(err, &field):
		return flagNames(err), "", exitUsage
	case errors.As(err, &usage):
		return usage.Error(), "", exitUsage
	case errors.As(err, &refused):
		return refused.Error(), "", codeOfRefusal(refused)
	case errors.As(err, &stale), errors.As(err, &leaks):
		return packingFault(err)
	case errors.Is(err, context.Canceled):
		return "interrupted", "", exitInterrupted
	case strings.HasPrefix(err.Error(), "unknown command"):
		return err.Error(), "see llm-bench --help", exitUsage
	}
	return err.Error(), "", exitFailed
}

func arkCode(p arkcli.Problem) int {
	switch p {
	case arkcli.ModelNotFound, arkcli.ModelShutdown, arkcli.EndpointStopped:
		return exitRefused
	case arkcli.ModelAmbiguous, arkcli.BadQuery, arkcli.WrongProfile:
		return exitUsage
	case arkcli.Interrupted:
		return exitInterrupted
	}
	return exitNoWayIn
}

func candidateLines(candidates []arkcli.Candidate) []string {
	var lines []string
	for _, c := range candidates {
		lines = append(lines, fmt.Sprintf("%s (%s)", c.ID, c.Name))
	}
	return lines
}

// flagNames shows the parameters in an error as flags, one fault a line.
func flagNames(err error) string {
	var lines []string
	for _, e := range flatten(err) {
		var field *bench.FieldError
		var inFile *job.TargetFileError
		if errors.As(e, &field) && !errors.As(e, &inFile) {
			lines = append(lines, fmt.Sprintf("--%s is %v: allowed is %s", strings.ReplaceAll(field.Field, "_", "-"), field.Value, field.Allowed))
			continue
		}
		lines = append(lines, e.Error())
	}
	return strings.Join(lines, "\n  ")
}

// flatten takes joined errors apart.
func flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flatten(e)...)
	}
	return all
}

// codeOf is the exit code of a run that has left a result.
func codeOf(r *bench.Result) int {
	switch r.State {
	case bench.StateCanceled, bench.StateInterrupted:
		return exitInterrupted
	case bench.StateFailed:
		if r.End != nil && refusedBy(r.End.Class) {
			return exitRefused
		}
		return exitFailed
	}
	for i := range r.Targets {
		if code := codeOfTarget(r, &r.Targets[i].Summary); code != exitDone {
			return code
		}
	}
	return exitDone
}

func codeOfTarget(r *bench.Result, s *bench.Summary) int {
	switch {
	case s.Requests.Succeeded == 0 && len(s.Failures) > 0 && refusedBy(s.Failures[0].Class):
		return exitRefused
	case s.Requests.Succeeded == 0:
		return exitFailed
	case s.Requests.FailureRate() > r.Spec.MaxFailureRate:
		return exitNoBaseline
	}
	return exitDone
}

func refusedBy(o bench.Outcome) bool {
	return o == bench.FailAuth || o == bench.FailNotFound || o == bench.FailQuota
}

// noArgs refuses arguments that a command doesn't take.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &usageError{fmt.Errorf("%s takes no argument, got %q; see %s --help", c.CommandPath(), args[0], c.CommandPath())}
	}
	return nil
}

// oneArg asks for exactly one argument, named in the message.
func oneArg(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return &usageError{fmt.Errorf("%s takes one %s, got %d arguments; see %s --help", c.CommandPath(), name, len(args), c.CommandPath())}
		}
		return nil
	}
}

// someArgs asks for at least one argument, named in the message.
func someArgs(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return &usageError{fmt.Errorf("%s takes at least one %s; see %s --help", c.CommandPath(), name, c.CommandPath())}
		}
		return nil
	}
}

// printJSON writes one JSON document.
func printJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
