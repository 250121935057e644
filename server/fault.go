package server

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// invalidArgument is the code of a call whose arguments aren't allowed.
const invalidArgument = "invalid_argument"

// failure is the result of a call that could not be carried out, for a reason
// that its caller can mend.
func failure(err error) (*mcp.CallToolResult, error) {
	f := faultOf(err)
	b := &bare{common{Summary: sentence(f.Message), NextStep: f.Hint, Error: f}}
	if f.Code == invalidArgument { // which begins with the name of a parameter
		b.Summary = f.Message + "."
	}
	if b.NextStep == "" {
		b.NextStep = "Tell the user what happened."
	}
	return deliver(b, true)
}

// faultOf words an error, once, for an agent.
func faultOf(err error) *fault {
	var ark *arkcli.Error
	var credentials *job.CredentialsError
	var busy *job.BusyError
	var field *bench.FieldError
	var argument *argumentError
	var place *placeError
	var unknown *unknownRunError
	if f := deliveryFault(err); f != nil {
		return f
	}
	switch {
	case errors.As(err, &argument):
		return &fault{Code: invalidArgument, Message: clean(argument.message), Hint: "Call again with a value that is allowed."}
	case errors.As(err, &place):
		return &fault{Code: invalidArgument, Message: clean(place.Error()), Hint: "Call again with a folder that can be written and lies outside the skill, or without one."}
	case errors.As(err, &ark):
		return arkFault(ark)
	case errors.As(err, &credentials):
		return &fault{Code: "no_credentials", Message: clean(credentials.Message), Hint: sentence(clean(credentials.Fix))}
	case errors.As(err, &busy):
		return &fault{Code: "endpoint_busy", Message: busy.Error(), Hint: fmt.Sprintf(
			`Call get_run with run_id="%s" wait_seconds=45 until it has ended, then call again; or end it with cancel_run if the user wants that.`, busy.RunID)}
	case errors.As(err, &field):
		return &fault{Code: invalidArgument, Message: fieldFaults(err), Hint: "Call again with a value that is allowed."}
	case errors.As(err, &unknown), errors.Is(err, rundir.ErrUnknownRun), errors.Is(err, rundir.ErrRunGone):
		return &fault{Code: "unknown_run", Message: clean(err.Error()), Hint: "Call list_runs to see the runs of this machine."}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &fault{Code: "wait_ended", Message: "the call was ended before it had an answer", Hint: "A run that was started goes on: call list_runs to find it."}
	}
	return &fault{Code: "failed", Message: clean(err.Error()), Hint: "Tell the user what happened; call again once it is mended."}
}

func arkFault(e *arkcli.Error) *fault {
	f := &fault{Code: string(e.Problem), Message: clean(e.Message), Hint: sentence(clean(e.Advice())), FixCommand: fixCommand(e)}
	var ids []string
	for _, c := range e.Suggestions {
		ids = append(ids, c.ID)
	}
	if len(ids) > 0 {
		f.Hint = "Ask the user which one is meant: " + clean(strings.Join(ids, ", ")) + "."
	}
	return f
}

// fixCommand is the command line that mends the problem; "" if none does.
func fixCommand(e *arkcli.Error) string {
	var commands []string
	for _, step := range e.Fix {
		for _, program := range []string{"npm ", "arkcli ", "llm-bench "} {
			if strings.HasPrefix(step, program) {
				commands = append(commands, clean(step))
			}
		}
	}
	return strings.Join(commands, " && ")
}

// fieldFaults says of each argument that isn't allowed what is.
func fieldFaults(err error) string {
	var sentences []string
	for _, e := range flatten(err) {
		var field *bench.FieldError
		if errors.As(e, &field) {
			sentences = append(sentences, fmt.Sprintf("%s must be %s, got %v", field.Field, field.Allowed, field.Value))
			continue
		}
		sentences = append(sentences, e.Error())
	}
	return clean(strings.Join(sentences, "; "))
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

// clean makes a text from anywhere fit for an agent: no control characters, no
// key, and of bounded length.
func clean(text string) string { return bench.Clean(bench.Redact(text), 500) }

// sentence gives a text a capital at its head, unless it begins with the name
// of a parameter or program, and a stop at its end.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	word, _, _ := strings.Cut(text, " ")
	if first := text[0]; first >= 'a' && first <= 'z' && !strings.ContainsAny(word, "_`/-.") && word != "arkcli" {
		text = string(first-'a'+'A') + text[1:]
	}
	for _, end := range []string{".", "!", "?", ")", "…", "。"} {
		if strings.HasSuffix(text, end) {
			return text
		}
	}
	return text + "."
}
