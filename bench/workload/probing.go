package workload

import (
	"context"
	"errors"
	"fmt"

	"github.com/llm-bench/llm-bench/bench"
)

// Prober sends messages as one streamed request whose output is capped at one
// token, and returns the server's count of its prompt.
type Prober func(ctx context.Context, messages []bench.Message) (promptTokens int, err error)

// ErrNoUsage says that a server does not count prompt tokens: lengths can only
// be estimated.
var ErrNoUsage = errors.New("the server reports no prompt tokens")

// ErrImplausible says that no way of cutting text into tokens explains what a
// server counted.
var ErrImplausible = errors.New("no tokenizer explains the prompt tokens that the server reports")

// ProbeThrough probes with a caller, which must cap the output at one token.
// An answer cut before its first token counts, as long as usage came.
func ProbeThrough(caller bench.Caller, target string) Prober {
	return func(ctx context.Context, messages []bench.Message) (int, error) {
		s := caller.Call(ctx, &bench.Request{Target: target, Session: 1, Turn: 1, Attempt: 1, Messages: messages})
		counted := s.Usage != nil && s.Usage.Prompt != nil
		switch {
		case s.Outcome == bench.Canceled:
			return 0, fmt.Errorf("%s: %w", s.Outcome, context.Cause(ctx))
		case counted && (s.Outcome == bench.Succeeded || s.Outcome == bench.FailEmptyOutput):
			return *s.Usage.Prompt, nil
		case s.Outcome == bench.Succeeded || s.Outcome == bench.FailEmptyOutput:
			return 0, ErrNoUsage
		case s.Failure == nil:
			return 0, errors.New(string(s.Outcome))
		}
		return 0, &ProbeError{Outcome: s.Outcome, Failure: *s.Failure}
	}
}

// ProbeError is a probe that the server did not answer.
type ProbeError struct {
	Outcome bench.Outcome
	Failure bench.Failure
}

// Error implements error.
func (e *ProbeError) Error() string { return fmt.Sprintf("%s: %s", e.Outcome, e.Failure.Message) }

// CutError says that a server drops what is beyond its context, so that its
// counts don't tell how it counts. It is an [ErrImplausible].
type CutError struct {
	Tokens int // of the probe that was cut
}

// Error implements error.
func (e *CutError) Error() string {
	return fmt.Sprintf("the server cuts prompts to %d tokens", e.Tokens)
}

// Unwrap gives ErrImplausible.
func (e *CutError) Unwrap() error { return ErrImplausible }
