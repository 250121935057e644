package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/report"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

func newConnectivity(std streams) *cobra.Command {
	return newMeasure(std, "connectivity", "Measure one streamed request and say which settings work",
		`  llm-bench connectivity --model "doubao seed 2.0 mini"
  llm-bench connectivity --target aliyun --model qwen-plus
  llm-bench connectivity --base-url https://host/v1 --api-key-env HOST_API_KEY --model m`, bench.Connectivity)
}

func newPrefix(std streams) *cobra.Command {
	return newMeasure(std, "prefix", "Measure requests that share long prefixes",
		`  llm-bench prefix --model "doubao seed 2.0 mini"
  llm-bench prefix --sim --preset quick
  llm-bench prefix --model ep-20260701120000-abcde --prefix-len 8000 --max-concurrency 10`, bench.Prefix)
}

func newMultiturn(std streams) *cobra.Command {
	return newMeasure(std, "multiturn", "Measure conversations over a growing context",
		`  llm-bench multiturn --model "doubao seed 2.0 mini"
  llm-bench multiturn --sim --preset quick`, bench.Multiturn)
}

func newAll(std streams) *cobra.Command {
	return newMeasure(std, "all", "Run connectivity, prefix and multiturn, one after the other",
		`  llm-bench all --model "doubao seed 2.0 mini"
  llm-bench all --sim --preset quick --output-dir ./reports`, bench.Connectivity, bench.Prefix, bench.Multiturn)
}

func newMeasure(std streams, name, short, example string, scenarios ...bench.Scenario) *cobra.Command {
	var flags runFlags
	c := &cobra.Command{
		Use: name, Short: short, Example: example, Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return measure(c.Context(), std, &flags) },
	}
	flags.bind(c, scenarios...)
	return c
}

// measure carries out the scenarios one after the other.
func measure(ctx context.Context, std streams, flags *runFlags) error {
	if err := flags.simOpts.check(); err != nil {
		return err
	}
	// Parameters are checked before anybody is asked for a target; a named one
	// has limits and prices that bear on them.
	if len(flags.targets) == 0 {
		if _, err := flags.specs(&bench.Target{}); err != nil {
			return err
		}
	}
	targets, warnings, err := flags.find(ctx)
	if err != nil {
		return err
	}
	notes := std.out
	if flags.json {
		notes = std.err
	}
	if flags.likeProduction {
		if err := flags.takeLengths(ctx, notes, &targets[0]); err != nil {
			return err
		}
	}
	specs, err := flags.specs(&targets[0])
	if err != nil {
		return err
	}
	for i := range targets {
		named := ""
		if len(flags.targets) > 0 {
			named = flags.targets[i]
		}
		fmt.Fprintln(notes, sourceLine(&targets[i], named))
	}
	for _, w := range warnings {
		fmt.Fprintln(notes, "warning: "+w)
	}
	s := session{ctx: ctx, std: std, notes: notes, flags: flags, targets: targets, warnings: warnings}
	if err := s.check(specs); err != nil {
		return err
	}
	if flags.dryRun || flags.dump != "" {
		return plan(std, notes, flags, &targets[0], len(targets), specs)
	}
	s.index, err = rundir.DefaultIndex()
	if err != nil {
		return err
	}
	return s.run(specs)
}

// sourceLine says where the target came from; named is what --target gave.
func sourceLine(t *bench.Target, named string) string {
	switch t.Source {
	case bench.SourceSim:
		return "target: SIMULATED ENDPOINT in this process, model " + t.Model
	case bench.SourceArkCLI:
		return fmt.Sprintf("target: %s at %s (Ark CLI profile %s; %s)", t.Model, t.BaseURL, t.Profile, t.Why)
	case bench.SourceEnv:
		return fmt.Sprintf("target: %s at %s (from %s and %s)", t.Model, t.BaseURL, job.EnvBaseURL, job.EnvKey)
	}
	key := "no key"
	if t.KeyEnv != "" {
		key = "key from " + t.KeyEnv
	}
	from := "--base-url"
	if t.Source == bench.SourceTargetFile {
		from = "--target " + bench.Clean(named, 200)
	}
	return fmt.Sprintf("target: %s at %s (%s, %s, dialect %s)", t.Model, t.BaseURL, from, key, t.Dialect.Name)
}

// session is the runs of one invocation.
type session struct {
	ctx      context.Context
	std      streams
	notes    io.Writer
	flags    *runFlags
	targets  []bench.Target // in one window
	warnings []string
	index    rundir.Index
	results  []*bench.Result
}

// run carries out the scenarios until one shows that the next is in vain.
func (s *session) run(specs []bench.Spec) error {
	worst := exitDone
	var fault error
	for i, spec := range specs {
		result, err := s.one(spec, i > 0)
		if err != nil {
			fault = err
			break
		}
		s.results = append(s.results, result)
		code := codeOf(result)
		worst = worse(worst, code)
		if code == exitInterrupted || code == exitRefused || spec.Scenario == bench.Connectivity && code != exitDone {
			break
		}
	}
	if s.flags.json {
		if err := printJSON(s.std.out, map[string]any{"runs": append([]*bench.Result{}, s.results...)}); err != nil {
			return err
		}
	}
	switch {
	case fault != nil:
		return fault
	case worst != exitDone:
		return &outcomeError{worst}
	}
	return nil
}

// worse picks the code that says more of what went wrong.
func worse(a, b int) int {
	order := []int{exitDone, exitNoBaseline, exitFailed, exitRefused, exitInterrupted}
	rank := func(code int) int {
		for i, c := range order {
			if c == code {
				return i
			}
		}
		return len(order)
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// check reports what is wrong with any of the scenarios, before the first starts.
func (s *session) check(specs []bench.Spec) error {
	for _, spec := range specs {
		order := s.order(spec, false)
		if err := order.Check(); err != nil {
			return wrongInput(err)
		}
	}
	return nil
}

// wrongInput is a fault of a file that the user named as a mistake in how the
// program was called. A parameter that is wrong is one by itself.
func wrongInput(err error) error {
	if field := (*bench.FieldError)(nil); errors.As(err, &field) {
		return err
	}
	return &usageError{err}
}

func (s *session) order(spec bench.Spec, checked bool) job.Order {
	order := job.Order{
		Spec: spec, Target: s.targets[0], Others: s.targets[1:], OutputDir: s.flags.outputDir, CAFile: s.flags.caFile, Insecure: s.flags.insecure,
		Corpus: s.flags.corpus, AllowCorpusReuse: s.flags.reuse, Warnings: s.warnings, Checked: checked, Version: version,
	}
	if spec.Scenario != bench.Connectivity {
		order.Points = s.flags.points
	}
	if s.flags.sim {
		order.Sim = s.flags.simOpts.options()
	}
	return order
}

// one carries out one scenario.
func (s *session) one(spec bench.Spec, checked bool) (*bench.Result, error) {
	order := s.order(spec, checked)
	j, err := job.New(order, s.index, nil)
	if err != nil {
		return nil, err
	}
	s.warnOccupied(&order)
	j.RefreshWith(arkcli.New(arkcli.Options{}))
	fmt.Fprintf(s.notes, "%s: %s\n", spec.Scenario, j.Dir().Path)
	live := newLive(s.std.err, spec.Planned()*len(s.targets)*max(1, len(order.Points)))
	result, err := j.Run(s.ctx, live.show)
	live.end()
	if err != nil {
		return result, unreported(s.notes, result, err)
	}
	s.say(result)
	return result, nil
}

// warnOccupied says that an agent's run loads the same endpoint and model now.
// A stand-in endpoint is the run's own.
func (s *session) warnOccupied(order *job.Order) {
	if order.Sim != nil {
		return
	}
	if id := job.Occupant(s.index, order); id != "" {
		fmt.Fprintf(s.std.err, "warning: run %s is going on against the same endpoint and model: each of the two distorts the other's figures\n", id)
	}
}

// say prints what a run came to.
func (s *session) say(r *bench.Result) {
	if r.End != nil && r.End.Ending != bench.EndComplete {
		message := fmt.Sprintf("llm-bench: the %s run ended early: %s", r.Scenario, r.End.Reason)
		if r.End.Ending == bench.EndRefused {
			message = fmt.Sprintf("llm-bench: the endpoint can't be measured: %s", r.End.Reason)
		}
		fmt.Fprintln(s.std.err, message)
		if advice := adviceFor(r.End.Class, &s.targets[0]); advice != "" {
			fmt.Fprintln(s.std.err, "  "+advice)
		}
	}
	if t := &r.Targets[0].Summary; t.Requests.Succeeded == 0 && len(t.Failures) > 0 && (r.End == nil || r.End.Ending == bench.EndComplete) {
		fmt.Fprintf(s.std.err, "llm-bench: %s: %s\n", t.Failures[0].Class, t.Failures[0].Sample)
		if advice := adviceFor(t.Failures[0].Class, &s.targets[0]); advice != "" {
			fmt.Fprintln(s.std.err, "  "+advice)
		}
	}
	s.sayProbes(r)
	fmt.Fprintln(s.notes, report.Summary(r))
	fmt.Fprintf(s.notes, "report: %s\n", r.Files.ReportMD)
}

// adviceFor is what to do about a class of failure.
func adviceFor(class bench.Outcome, t *bench.Target) string {
	switch class {
	case bench.FailAuth:
		if t.Source == bench.SourceArkCLI {
			return "run `llm-bench login` to see which profile and key are in use"
		}
		return "check the key in " + orElse(t.KeyEnv, "--api-key-env") + " and that it may use this model"
	case bench.FailNotFound:
		return fmt.Sprintf("check --model %s; `llm-bench models QUERY` finds the model IDs of Ark", t.Model)
	case bench.FailQuota:
		return "the account's quota is used up: waiting doesn't help, the console does"
	case bench.FailBadRequest:
		return "run `llm-bench connectivity` with the same flags: it looks for settings that the endpoint accepts"
	case bench.FailConnect, bench.FailTLS:
		return "check --base-url, the network and the proxy settings (HTTPS_PROXY, NO_PROXY)"
	}
	return ""
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
