package server

import (
	"context"
	"errors"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
)

// runArgs are the arguments of the tools that start runs. A nil one was not given.
type runArgs struct {
	Model   string `json:"model"`
	BaseURL string `json:"base_url"`
	KeyEnv  string `json:"api_key_env"`
	Profile string `json:"profile"`
	Dialect string `json:"dialect"`
	Label   string `json:"label"`

	Preset          string   `json:"preset"`
	MaxConcurrency  *int     `json:"max_concurrency"`
	MaxOutputTokens *int     `json:"max_output_tokens"`
	Thinking        string   `json:"thinking"`
	ReasoningEffort string   `json:"reasoning_effort"`
	ServiceTier     string   `json:"service_tier"`
	Seed            *uint64  `json:"seed"`
	LengthUnit      string   `json:"length_unit"`
	SLO             string   `json:"slo"`
	MaxMinutes      *float64 `json:"max_minutes"`
	Lang            string   `json:"lang"`
	OutputDir       string   `json:"output_dir"`
	WaitSeconds     *int     `json:"wait_seconds"`
	DryRun          bool     `json:"dry_run"`

	PrefixLen   *int `json:"prefix_len"`
	SuffixLen   *int `json:"suffix_len"`
	NumPrefixes *int `json:"num_prefixes"`
	NumRequests *int `json:"num_requests"`
	InitialLen  *int `json:"initial_len"`
	QuestionLen *int `json:"question_len"`
	NumSessions *int `json:"num_sessions"`
	MaxTurns    *int `json:"max_turns"`
}

// spec is the scenario's parameters: the preset, then what was given.
func (a *runArgs) spec(scenario bench.Scenario) (bench.Spec, error) {
	preset := bench.Preset(a.Preset)
	if preset == "" {
		preset = bench.Standard
	}
	s := bench.NewSpec(scenario, preset)
	given(&s.MaxConcurrency, a.MaxConcurrency)
	given(&s.MaxOutputTokens, a.MaxOutputTokens)
	given(&s.Seed, a.Seed)
	given(&s.MaxMinutes, a.MaxMinutes)
	given(&s.PrefixLen, a.PrefixLen)
	given(&s.SuffixLen, a.SuffixLen)
	given(&s.NumPrefixes, a.NumPrefixes)
	given(&s.NumRequests, a.NumRequests)
	given(&s.InitialLen, a.InitialLen)
	given(&s.QuestionLen, a.QuestionLen)
	given(&s.NumSessions, a.NumSessions)
	given(&s.MaxTurns, a.MaxTurns)
	s.ReasoningEffort, s.ServiceTier = a.ReasoningEffort, a.ServiceTier
	if a.Thinking != "" {
		s.Thinking = bench.Thinking(a.Thinking)
	}
	if a.LengthUnit != "" {
		s.LengthUnit = bench.LengthUnit(a.LengthUnit)
	}
	if a.Lang != "" {
		s.Lang = a.Lang
	}
	if scenario == bench.Connectivity {
		limitConnectivity(&s)
	}
	var err error
	s.SLO, err = bench.ParseSLO(a.SLO)
	return s, errors.Join(err, s.Validate())
}

func given[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// The limits of a connectivity run, whose caller waits for its end.
const (
	connectivityWait  = 40 * time.Second
	connectivityLimit = 37 * time.Second
)

func limitConnectivity(s *bench.Spec) {
	s.Limits.FirstToken, s.Limits.Idle, s.Limits.Total = 30*time.Second, 30*time.Second, 35*time.Second
	s.MaxMinutes = connectivityLimit.Minutes()
}

// order finds the target and completes the order but for its place.
func (s *Server) order(ctx context.Context, a *runArgs, scenario bench.Scenario) (*job.Order, error) {
	spec, err := a.spec(scenario)
	if err != nil {
		return nil, err
	}
	want := job.Want{Model: a.Model, Label: a.Label, BaseURL: a.BaseURL, KeyEnv: a.KeyEnv, Profile: a.Profile, Dialect: a.Dialect}
	o := &job.Order{Spec: spec, Version: s.deps.Version}
	if s.simulating() && a.BaseURL == "" {
		o.Sim = &job.SimOptions{}
		if err := s.simulate(ctx, &want, o); err != nil {
			return nil, err
		}
	}
	o.Target, o.Warnings, err = job.Find(ctx, want, s.deps.Env, s.deps.Ark)
	if err != nil {
		return nil, err
	}
	if a.Lang == "" {
		o.Spec.Lang = job.Language(&o.Target, s.deps.Env)
	}
	return o, nil
}

// simulate turns to the stand-in endpoint.
func (s *Server) simulate(ctx context.Context, want *job.Want, o *job.Order) error {
	found, err := s.ark().Resolve(ctx, "", want.Model)
	if err != nil {
		return err
	}
	if !found.Resolved {
		return &argumentError{modelOf(found).Summary}
	}
	config := o.Sim.Config()
	want.Sim, want.Model, want.Profile = &config, found.Model(), ""
	return nil
}
