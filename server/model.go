package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/llm-bench/llm-bench/arkcli"
)

// modelResult is the result of resolve_model.
type modelResult struct {
	common
	Resolved    *bool       `json:"resolved,omitempty"`
	ModelID     string      `json:"model_id,omitempty"`
	EndpointID  string      `json:"endpoint_id,omitempty"`
	DisplayName string      `json:"display_name,omitempty"`
	ServedModel string      `json:"served_model,omitempty"`
	Why         string      `json:"why,omitempty"`
	Profile     string      `json:"profile,omitempty"`
	Candidates  []candidate `json:"candidates,omitempty"`
}

// candidate is a model that the words may have meant.
type candidate struct {
	ID            string  `json:"id"`
	Name          string  `json:"name"`
	Kind          string  `json:"kind"`
	ContextWindow int     `json:"context_window,omitempty"`
	Status        string  `json:"status,omitempty"`
	Score         float64 `json:"score"`
}

func (r *modelResult) shrink() bool {
	if len(r.Candidates) == 0 {
		return false
	}
	r.Candidates = r.Candidates[:len(r.Candidates)-1]
	return true
}

func (s *Server) resolveModelTool() tool {
	return tool{
		name: "resolve_model", title: "Find the model",
		description: "Returns the model ID or endpoint ID that the user's words for a model mean on Volcengine Ark, or the candidates when several fit. " +
			"模型名称解析. Call it after check_login and before any benchmark run; ask the user when resolved is false. Not needed with base_url. Takes 1-10 s.",
		hints:  hints{readOnly: true, idempotent: true, openWorld: true},
		params: []param{must(text("query", "what the user calls the model: a name such as doubao seed 2.0 mini, a model ID, or ep-...")), text("profile", "Ark CLI profile")},
		output: outputSchema[modelResult](), handle: s.resolveModel,
	}
}

func (s *Server) resolveModel(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args, err := arguments[struct {
		Query   string `json:"query"`
		Profile string `json:"profile"`
	}](request)
	if err != nil {
		return failure(err)
	}
	found, err := s.ark().Resolve(ctx, args.Profile, args.Query)
	if err != nil {
		return failure(err)
	}
	return success(modelOf(found))
}

func modelOf(found arkcli.Resolution) *modelResult {
	r := &modelResult{
		Resolved: &found.Resolved, ModelID: clean(found.ModelID), EndpointID: clean(found.EndpointID), DisplayName: clean(found.DisplayName),
		ServedModel: clean(found.ServedModel), Why: clean(found.Why), Profile: clean(found.Profile),
	}
	r.Warnings = found.Warnings
	var ids []string
	for _, c := range found.Candidates {
		r.Candidates = append(r.Candidates, candidate{clean(c.ID), clean(c.Name), c.Kind, c.ContextWindow, clean(c.Status), c.Score})
		ids = append(ids, clean(c.ID))
	}
	if !found.Resolved {
		r.Summary = fmt.Sprintf("It isn't clear which model %q means (%s). Candidates: %s.", clean(found.Query), firstOf(found.Why, "several fit"), strings.Join(ids, ", "))
		r.NextStep = "Ask the user which one is meant, then go on with its id."
		return r
	}
	r.OK = true
	r.Summary = fmt.Sprintf("%q is %s: %s.", clean(found.Query), clean(found.Model()), r.Why)
	r.NextStep = fmt.Sprintf("Call run_connectivity with model=%q.", clean(found.Model()))
	return r
}
