package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
)

// runFlags are the flags of a command that measures.
type runFlags struct {
	scenarios      []bench.Scenario
	preset         string
	model          string
	label          string
	targets        []string
	baseURL        string
	keyEnv         string
	profile        string
	dialect        string
	lang           string
	outputDir      string
	concurrency    string
	rate           string
	corpus         string
	likeProduction bool
	reuse          bool
	dump           string
	caFile         string
	insecure       bool
	dryRun         bool
	json           bool
	sim            bool
	simOpts        simFlags
	set            *pflag.FlagSet
	points         []bench.Point // of a sweep, once the specs are made
}

func (f *runFlags) bind(c *cobra.Command, scenarios ...bench.Scenario) {
	f.scenarios, f.set = scenarios, c.Flags()
	fs := c.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.model, "model", "", "model name, model ID or endpoint ID (ep-…); required but for --sim and target files")
	fs.StringVar(&f.preset, "preset", "standard", "standard, quick or thorough; an explicit flag beats the preset")
	fs.BoolVar(&f.sim, "sim", false, "measure the built-in stand-in endpoint: no account, no network; its --sim-… settings are those of llm-bench sim")
	fs.StringArrayVar(&f.targets, "target", nil, "a built-in target ("+strings.Join(job.TargetNames(), ", ")+"), NAME=MODEL, or a target file (YAML without secrets); given again: compared in the same window")
	fs.StringVar(&f.baseURL, "base-url", "", "base URL of an OpenAI-compatible endpoint, such as https://host/v1")
	fs.StringVar(&f.keyEnv, "api-key-env", "", "NAME of the environment variable that holds the key (a name that ends in _API_KEY)")
	fs.StringVar(&f.profile, "profile", "", "Ark CLI profile (default: Ark CLI's own default)")
	fs.StringVar(&f.dialect, "dialect", "", "request dialect: "+strings.Join(bench.DialectNames(), ", ")+" (default: by host, else generic)")
	fs.StringVar(&f.label, "label", "", "name of the target in the report (default: the model)")
	fs.StringVar(&f.lang, "lang", "", "language of the report: zh or en (default: zh for Ark, else by locale)")
	for _, s := range slices.Backward(scenarios) { // the largest scenario's defaults are shown
		shown := bench.NewSpec(s, bench.Standard)
		bindSpec(fs, &shown, s, len(scenarios) > 1)
	}
	fs.StringVar(&f.outputDir, "output-dir", "./reports", "folder; runs go straight into it")
	if !slices.Equal(scenarios, []bench.Scenario{bench.Connectivity}) {
		fs.StringVar(&f.concurrency, "max-concurrency", "5", "sessions in flight side by side; a list such as 1,5,20 sweeps them")
		fs.StringVar(&f.rate, "request-rate", "", "open loop: sessions started each second, Poisson, or constant:R; a list sweeps (default: closed loop)")
		if slices.Contains(scenarios, bench.Prefix) {
			fs.BoolVar(&f.likeProduction, "like-production", false, "take prompt and output length from the last week's usage of this model on Ark (Ark CLI)")
		}
		fs.StringVar(&f.corpus, "corpus", "", "file of your own text: plain text, or OpenAI messages as JSONL (default: generated text)")
		fs.BoolVar(&f.reuse, "allow-corpus-reuse", false, "a corpus that is too small starts again from its beginning; the report says so")
		fs.StringVar(&f.dump, "dump-data", "", "write the exact inputs to this file as JSONL, at estimated lengths, and send nothing")
	}
	fs.StringVar(&f.caFile, "ca-file", "", "PEM file of certificates to trust besides the system's")
	fs.BoolVar(&f.insecure, "insecure", false, "don't check TLS certificates; the report says so")
	fs.BoolVar(&f.dryRun, "dry-run", false, "print the plan and send nothing")
	fs.BoolVar(&f.json, "json", false, "print one JSON document on stdout, all else on stderr")
	f.simOpts.bind(fs, true)
}

// bindSpec registers the flags of one scenario's parameters; those that an
// earlier scenario has registered are left alone.
func bindSpec(fs *pflag.FlagSet, s *bench.Spec, scenario bench.Scenario, several bool) {
	b := binder{fs}
	switch scenario {
	case bench.Prefix:
		b.int(&s.PrefixLen, "prefix-len", "length of each shared prefix, tokens")
		b.int(&s.SuffixLen, "suffix-len", "length of each request's own suffix, tokens")
		b.int(&s.NumPrefixes, "num-prefixes", "number of prefixes")
		b.int(&s.NumRequests, "num-requests", "number of requests")
	case bench.Multiturn:
		b.int(&s.InitialLen, "initial-len", "length of the first turn, tokens")
		b.int(&s.QuestionLen, "question-len", "length of each follow-up, tokens")
		b.int(&s.NumSessions, "num-sessions", "number of sessions")
		b.int(&s.MaxTurns, "max-turns", "turns of each session")
	}
	if scenario != bench.Connectivity {
		b.int(&s.Warmup, "warmup", "requests that are sent first and not measured")
		b.float(&s.MaxFailureRate, "max-failure-rate", "share of failures above which a run is no valid baseline, 0 to 1")
		b.float(&s.MaxMinutes, "max-minutes", "limit of the run (default: the larger of 60 and 3 × the estimate)")
		b.float(&s.MaxCost, "max-cost", "limit of cost, in the currency of the prices: nothing more is started then")
		b.int(&s.MaxTokensTotal, "max-tokens-total", "limit of prompt and output tokens: nothing more is started then")
		b.text(&sloValue{&s.SLO}, "slo", "what counts as good, such as ttft=1s,tpot=50ms,e2e=20s")
		b.bool(&s.ColdConnect, "cold-connect", "open connections inside the measured window")
	}
	usage := "cap of output tokens"
	if several {
		usage += " (prefix 512, multiturn 1024)"
	}
	b.int(&s.MaxOutputTokens, "max-output-tokens", usage)
	b.int(&s.MaxOutputTokens, "max-completion-tokens", "the same as --max-output-tokens")
	hide(fs, "max-completion-tokens")
	b.shared(s)
}

func (b binder) shared(s *bench.Spec) {
	b.text((*stringValue)(&s.Thinking), "thinking", "disabled, enabled or auto")
	b.text((*stringValue)(&s.ReasoningEffort), "reasoning-effort", "sent as given (default: not sent)")
	b.text((*stringValue)(&s.ServiceTier), "service-tier", "sent as given (default: not sent)")
	b.uint64(&s.Seed, "seed", "of the generated text (default: drawn and printed)")
	b.text((*stringValue)(&s.Nonce), "nonce", "heads every prompt, so that no earlier run's cache is hit (default: drawn and printed)")
	b.text((*stringValue)(&s.LengthUnit), "length-unit", "server: lengths are the server's own tokens, after at most 4 probes; local: estimated from characters")
	b.float(&s.Prices.In, "price-in", "price of a million input tokens")
	b.text(&priceValue{&s.Prices.Cached}, "price-cached", "price of a million cached input tokens (default: --price-in)")
	b.float(&s.Prices.Out, "price-out", "price of a million output tokens")
	b.text((*stringValue)(&s.Prices.Currency), "currency", "of the prices, for print")
	b.duration(&s.Limits.Connect, "connect-timeout", "limit of opening a connection")
	b.duration(&s.Limits.FirstToken, "first-token-timeout", "limit from start to the first token")
	b.duration(&s.Limits.Idle, "idle-timeout", "limit between events after the first token")
	b.duration(&s.Limits.Total, "timeout", "limit of one request")
	b.bool(&s.SaveText, "save-text", "keep prompts and answers in the journal")
}

// specs are the scenarios' parameters: the preset, then every flag that was given.
func (f *runFlags) specs(target *bench.Target) ([]bench.Spec, error) {
	var specs []bench.Spec
	var faults []error
	for _, scenario := range f.scenarios {
		spec := bench.NewSpec(scenario, bench.Preset(f.preset))
		if spec.Lang = f.lang; spec.Lang == "" {
			spec.Lang = job.Language(target, os.LookupEnv)
		}
		target.Terms.Apply(&spec)
		own := pflag.NewFlagSet("", pflag.ContinueOnError)
		bindSpec(own, &spec, scenario, false)
		f.set.Visit(func(flag *pflag.Flag) {
			if own.Lookup(flag.Name) != nil {
				faults = append(faults, own.Set(flag.Name, flag.Value.String()))
			}
		})
		faults = append(faults, f.loads(&spec), spec.Validate(), target.Dialect.Check(&spec), f.within(&target.Terms, &spec))
		specs = append(specs, spec)
	}
	return specs, errors.Join(distinct(faults)...)
}

// override drops those of a target's terms for which a flag was given.
func (f *runFlags) override(terms *bench.Terms) {
	for name, limit := range map[string]*time.Duration{
		"connect-timeout": &terms.Limits.Connect, "first-token-timeout": &terms.Limits.FirstToken,
		"idle-timeout": &terms.Limits.Idle, "timeout": &terms.Limits.Total,
	} {
		if f.set.Changed(name) {
			*limit = 0
		}
	}
	if f.set.Changed("price-in") || f.set.Changed("price-cached") || f.set.Changed("price-out") {
		terms.Prices = bench.Prices{}
	}
}

// within checks every load against the limits of a target.
func (f *runFlags) within(terms *bench.Terms, spec *bench.Spec) error {
	faults := []error{terms.Check(spec)}
	for _, p := range f.points {
		at := p.Apply(*spec)
		faults = append(faults, terms.Check(&at))
	}
	return errors.Join(faults...)
}

// loads applies --max-concurrency and --request-rate. Several values of one of
// them make a sweep: the first is the spec's own.
func (f *runFlags) loads(spec *bench.Spec) error {
	if spec.Scenario == bench.Connectivity {
		return nil
	}
	f.points = nil
	concurrencies, err := f.concurrencies(spec.MaxConcurrency)
	if err != nil {
		return err
	}
	rates, constant, err := f.rates()
	if err != nil {
		return err
	}
	if len(concurrencies) > 1 && len(rates) > 1 {
		return &bench.FieldError{Field: "request_rate", Value: f.rate, Allowed: "one value where max_concurrency is a list"}
	}
	for _, c := range concurrencies {
		for _, r := range rates {
			f.points = append(f.points, bench.Point{MaxConcurrency: c, RequestRate: r})
		}
	}
	spec.MaxConcurrency, spec.RequestRate, spec.ConstantRate = concurrencies[0], rates[0], constant
	if len(f.points) == 1 {
		f.points = nil
	}
	return nil
}

// unlimited is the concurrency of an open loop for which the user has set none.
const unlimited = 10_000

func (f *runFlags) concurrencies(preset int) ([]int, error) {
	switch {
	case f.set.Changed("max-concurrency"):
	case f.rate != "":
		return []int{unlimited}, nil
	default:
		return []int{preset}, nil
	}
	var values []int
	for part := range strings.SplitSeq(f.concurrency, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 || n > unlimited {
			return nil, &bench.FieldError{Field: "max_concurrency", Value: fmt.Sprintf("%q", f.concurrency), Allowed: "1 to 10000, or a list of them such as 1,5,20"}
		}
		values = append(values, n)
	}
	return values, nil
}

func (f *runFlags) rates() (values []float64, constant bool, err error) {
	if f.rate == "" {
		return []float64{0}, false, nil
	}
	list, constant := strings.CutPrefix(f.rate, "constant:")
	for part := range strings.SplitSeq(list, ",") {
		r, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(r > 0 && r <= 100_000) {
			return nil, false, &bench.FieldError{Field: "request_rate", Value: fmt.Sprintf("%q", f.rate), Allowed: "sessions a second above 0, such as 2.5, constant:2.5 or a list such as 1,2,4"}
		}
		values = append(values, r)
	}
	return values, constant, nil
}

// distinct drops errors that say what another has said.
func distinct(faults []error) []error {
	var kept []error
	seen := map[string]bool{}
	for _, fault := range faults {
		for _, e := range flatten(fault) {
			if e != nil && !seen[e.Error()] {
				seen[e.Error()] = true
				kept = append(kept, e)
			}
		}
	}
	return kept
}

// wants are what the flags say of each target.
func (f *runFlags) wants() []job.Want {
	w := job.Want{Model: f.model, Label: f.label, BaseURL: f.baseURL, KeyEnv: f.keyEnv, Profile: f.profile, Dialect: f.dialect}
	if f.sim {
		config := f.simOpts.options().Config()
		w.Sim = &config
	}
	if len(f.targets) == 0 {
		return []job.Want{w}
	}
	var wants []job.Want
	for _, text := range f.targets {
		own := w
		own.Target = text
		if name, model, ok := strings.Cut(text, "="); ok && slices.Contains(job.TargetNames(), name) {
			own.Target, own.Model = name, model
		}
		wants = append(wants, own)
	}
	return wants
}

// find resolves every target that the flags name, and tells them apart.
func (f *runFlags) find(ctx context.Context) (targets []bench.Target, warnings []string, err error) {
	ark := arkcli.New(arkcli.Options{})
	labels := map[string]int{}
	for _, want := range f.wants() {
		target, warned, err := job.Find(ctx, want, os.LookupEnv, ark)
		if err != nil {
			return nil, nil, err
		}
		if labels[target.Label]++; labels[target.Label] > 1 {
			target.Label = fmt.Sprintf("%s (%d)", target.Label, labels[target.Label])
		}
		f.override(&target.Terms)
		targets, warnings = append(targets, target), append(warnings, warned...)
	}
	return targets, warnings, nil
}

// binder registers flags, each once.
type binder struct{ fs *pflag.FlagSet }

func (b binder) new(name string) bool { return b.fs.Lookup(name) == nil }

func (b binder) int(p *int, name, usage string) {
	if b.new(name) {
		b.fs.IntVar(p, name, *p, usage)
	}
}

func (b binder) uint64(p *uint64, name, usage string) {
	if b.new(name) {
		b.fs.Uint64Var(p, name, *p, usage)
	}
}

func (b binder) float(p *float64, name, usage string) {
	if b.new(name) {
		b.fs.Float64Var(p, name, *p, usage)
	}
}

func (b binder) bool(p *bool, name, usage string) {
	if b.new(name) {
		b.fs.BoolVar(p, name, *p, usage)
	}
}

func (b binder) duration(p *time.Duration, name, usage string) {
	if b.new(name) {
		b.fs.DurationVar(p, name, *p, usage)
	}
}

func (b binder) text(v pflag.Value, name, usage string) {
	if b.new(name) {
		b.fs.Var(v, name, usage)
	}
}

func hide(fs *pflag.FlagSet, name string) { _ = fs.MarkHidden(name) }

// stringValue is a flag of any string type.
type stringValue string

func (v *stringValue) String() string        { return string(*v) }
func (v *stringValue) Set(text string) error { *v = stringValue(text); return nil }
func (v *stringValue) Type() string          { return "string" }

// sloValue is the flag --slo.
type sloValue struct{ slo *bench.SLO }

func (v *sloValue) String() string {
	if v.slo == nil {
		return ""
	}
	var parts []string
	for _, p := range []struct {
		name string
		d    time.Duration
	}{{"ttft", v.slo.TTFT}, {"tpot", v.slo.TPOT}, {"e2e", v.slo.E2E}} {
		if p.d > 0 {
			parts = append(parts, fmt.Sprintf("%s=%v", p.name, p.d))
		}
	}
	return strings.Join(parts, ",")
}

func (v *sloValue) Set(text string) (err error) {
	*v.slo, err = bench.ParseSLO(text)
	return err
}
func (v *sloValue) Type() string { return "slo" }

// priceValue is a price that may be left out.
type priceValue struct{ price **float64 }

func (v *priceValue) String() string {
	if v.price == nil || *v.price == nil {
		return ""
	}
	return fmt.Sprint(**v.price)
}

func (v *priceValue) Set(text string) error {
	price, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return &bench.FieldError{Field: "price_cached", Value: fmt.Sprintf("%q", text), Allowed: "a number"}
	}
	*v.price = &price
	return nil
}
func (v *priceValue) Type() string { return "float" }
