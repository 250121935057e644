package server

import (
	"context"
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

// Resolve implements [Ark]: it takes the ID of a model or endpoint that the
// stand-in endpoint serves, or words for one of its models.
func (standIn) Resolve(_ context.Context, _, query string) (arkcli.Resolution, error) {
	server, err := sim.New((&job.SimOptions{}).Config())
	if err != nil {
		return arkcli.Resolution{}, err
	}
	var ids []string
	for _, m := range server.Config().Models {
		if slices.Contains(m.Endpoints, strings.TrimSpace(query)) {
			return simulated(arkcli.Resolution{Query: query, Resolved: true, EndpointID: strings.TrimSpace(query), ServedModel: m.ID, Why: "it is an endpoint ID of the stand-in endpoint"}), nil
		}
		ids = append(ids, m.ID)
	}
	found, err := arkcli.Among(query, ids)
	return simulated(found), err
}

func simulated(found arkcli.Resolution) arkcli.Resolution {
	found.Warnings = append(found.Warnings, "SIMULATED: the model is one of the built-in stand-in endpoint")
	return found
}

// Target implements [job.Ark]. The stand-in endpoint's address is known to the
// worker alone.
func (standIn) Target(context.Context, string, string) (bench.Target, []string, error) {
	return bench.Target{}, nil, &job.CredentialsError{Message: "the stand-in endpoint has no address outside its worker", Fix: "unset " + envSim}
}
