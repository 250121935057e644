package server

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/sim"
)

// envSim set to 1 makes every run measure the stand-in endpoint, which the
// worker starts in its own process: a way to try everything without an account.
// Whatever comes of it is marked SIMULATED.
const envSim = "LLM_BENCH_SIM"

func (s *Server) simulating() bool {
	value, _ := s.deps.Env(envSim)
	return value == "1"
}

// ark is who knows models: Ark CLI, or the stand-in endpoint.
func (s *Server) ark() Ark {
	if s.simulating() {
		return standIn{}
	}
	return s.deps.Ark
}

// standIn answers for the stand-in endpoint.
type standIn struct{}

// Login implements [Ark].
func (standIn) Login(context.Context, string) (arkcli.Login, error) {
	return arkcli.Login{LoggedIn: true, AuthMethod: "none"}, nil
}

// Resolve implements [Ark]: it finds the models whose names hold all words of the query.
func (standIn) Resolve(_ context.Context, _, query string) (arkcli.Resolution, error) {
	found := arkcli.Resolution{Query: query, Warnings: []string{"SIMULATED: the model is one of the built-in stand-in endpoint"}}
	server, err := sim.New((&job.SimOptions{}).Config())
	if err != nil {
		return found, err
	}
	var all []arkcli.Candidate
	for _, m := range server.Config().Models {
		all = append(all, arkcli.Candidate{ID: m.ID, Name: m.ID, Kind: "model", Score: 1})
		if m.ID == query || slices.Contains(m.Endpoints, query) {
			found.Resolved, found.ModelID, found.Why = true, query, "served by the stand-in endpoint under this name"
			return found, nil
		}
		if holdsWords(m.ID, query) {
			found.Candidates = append(found.Candidates, all[len(all)-1])
		}
	}
	switch len(found.Candidates) {
	case 0:
		return found, &arkcli.Error{Problem: arkcli.ModelNotFound, Message: fmt.Sprintf("the stand-in endpoint serves no model like %q", clean(query)), Suggestions: all[:min(5, len(all))]}
	case 1:
		found.Resolved, found.ModelID, found.Why = true, found.Candidates[0].ID, "the only model of the stand-in endpoint that fits"
		found.Candidates = nil
	}
	return found, nil
}

// Target implements [job.Ark]. The stand-in endpoint's address is known to the
// worker alone.
func (standIn) Target(context.Context, string, string) (bench.Target, []string, error) {
	return bench.Target{}, nil, &job.CredentialsError{Message: "the stand-in endpoint has no address outside its worker", Fix: "unset " + envSim}
}

// holdsWords reports whether a name holds all words of a query.
func holdsWords(name, query string) bool {
	parts := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune("-_. /:", r) })
	}
	have := parts(name)
	for _, word := range parts(query) {
		if !slices.Contains(have, word) {
			return false
		}
	}
	return true
}
