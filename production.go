package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/bench"
)

// productionDays is the span of usage that lengths are taken from.
const productionDays = 7

// takeLengths sets the lengths to those that the account really sends to the
// model, and says so. A flag that the user gave stays.
func (f *runFlags) takeLengths(ctx context.Context, notes io.Writer, target *bench.Target) error {
	if target.Source != bench.SourceArkCLI {
		return &bench.FieldError{Field: "like_production", Value: "true", Allowed: "only with a target of Ark CLI's"}
	}
	usage, err := arkcli.New(arkcli.Options{}).Usage(ctx, target.Profile, target.Model, productionDays, time.Now())
	if err != nil {
		return err
	}
	lengths, err := lengthsOf(&usage)
	if err != nil {
		return err
	}
	fmt.Fprintf(notes, "lengths like production: %d requests in %d days, %d prompt tokens each, %.0f %% of them cached, %d output tokens each\n",
		usage.Requests, usage.Days, usage.InputTokens/usage.Requests, 100*float64(usage.CachedTokens)/float64(usage.InputTokens), usage.OutputTokens/usage.Requests)
	for _, l := range lengths {
		if f.set.Lookup(l.flag) != nil && !f.set.Changed(l.flag) {
			if err := f.set.Set(l.flag, strconv.Itoa(l.tokens)); err != nil {
				return err
			}
		}
	}
	return nil
}

// length is the value of one flag, in tokens.
type length struct {
	flag   string
	tokens int
}

// lengthsOf turns usage into lengths: the mean prompt, split as the share that
// was cached, which is what prefixes gave; the mean output as the cap.
func lengthsOf(u *arkcli.Usage) ([]length, error) {
	if u.Requests == 0 || u.InputTokens == 0 {
		return nil, fmt.Errorf("no usage of this model in the last %d days: leave out --like-production and give the lengths", u.Days)
	}
	const shortest = 128 // tokens of a part
	prompt := max(u.InputTokens/u.Requests, 2*shortest)
	share := float64(u.CachedTokens) / float64(u.InputTokens)
	prefix := int(math.Round(float64(prompt) * share))
	prefix = min(max(prefix, shortest), prompt-shortest)
	return []length{
		{"prefix-len", prefix}, {"suffix-len", prompt - prefix}, {"max-output-tokens", max(u.OutputTokens/u.Requests, 16)},
	}, nil
}
