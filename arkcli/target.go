package arkcli

import (
	"context"

	"github.com/llm-bench/llm-bench/bench"
)

// Target resolves the words for a model and gets address and key, so that the
// target can be measured. Several models that fit equally are an *Error with
// the candidates as suggestions.
func (c *CLI) Target(ctx context.Context, profile, model string) (bench.Target, []string, error) {
	found, err := c.Resolve(ctx, profile, model)
	if err != nil {
		return bench.Target{}, nil, err
	}
	if !found.Resolved {
		return bench.Target{}, nil, &Error{
			Problem: ModelAmbiguous, Message: "several models fit the words given for the model",
			Fix: []string{"name one of these by its ID"}, Suggestions: found.Candidates,
		}
	}
	access, err := c.Access(ctx, profile)
	if err != nil {
		return bench.Target{}, nil, err
	}
	return bench.Target{
		BaseURL: access.BaseURL, Model: found.Model(), Source: bench.SourceArkCLI, Profile: access.Profile,
		Asked: found.Query, Why: found.Why, Key: access.Key,
		Terms: bench.Terms{RPM: found.RateLimit.RPM, TPM: found.RateLimit.TPM},
	}, found.Warnings, nil
}
