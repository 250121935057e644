package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/bench/job"
)

// loginResult is the result of check_login.
type loginResult struct {
	common
	LoggedIn         *bool  `json:"logged_in,omitempty"`
	AuthMethod       string `json:"auth_method,omitempty"`
	Profile          string `json:"profile,omitempty"`
	BaseURL          string `json:"base_url,omitempty"`
	Version          string `json:"arkcli_version,omitempty"`
	Path             string `json:"arkcli_path,omitempty"`
	Problem          string `json:"problem,omitempty"`
	FixCommand       string `json:"fix_command,omitempty"`
	OtherCredentials *bool  `json:"other_credentials,omitempty"` // ARK_BASE_URL and ARK_API_KEY are set
	Simulated        bool   `json:"simulated,omitempty"`
}

func (*loginResult) shrink() bool { return false }

func (s *Server) checkLoginTool() tool {
	return tool{
		name: "check_login", title: "Check Ark login",
		description: "Returns whether a benchmark can reach Volcengine Ark: Ark CLI installed, logged in, profile, base URL; else the problem and the command that mends it. " +
			"检查登录. Call it first for a benchmark or load test (压测, 性能测试) of an Ark model; not needed with base_url. Never shows a key. Takes 1-10 s.",
		hints:  hints{readOnly: true, idempotent: true, openWorld: true},
		params: []param{text("profile", "Ark CLI profile; leave out for the default platform profile")},
		output: outputSchema[loginResult](), handle: s.checkLogin,
	}
}

func (s *Server) checkLogin(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args, err := arguments[struct {
		Profile string `json:"profile"`
	}](request)
	if err != nil {
		return failure(err)
	}
	if s.simulating() {
		return success(&loginResult{Simulated: true, common: common{OK: true,
			Summary: "SIMULATED: " + envSim + " is set, so every run measures the built-in stand-in endpoint. No login is needed.", NextStep: nextResolve}})
	}
	login, err := s.deps.Ark.Login(ctx, args.Profile)
	if ctx.Err() != nil {
		return failure(ctx.Err())
	}
	return success(s.loginOf(login, err))
}

const nextResolve = "Call resolve_model with the user's words for the model."

func (s *Server) loginOf(login arkcli.Login, err error) *loginResult {
	other := s.hasEnvironment()
	r := &loginResult{
		LoggedIn: &login.LoggedIn, AuthMethod: clean(login.AuthMethod), Profile: clean(login.Profile), BaseURL: clean(login.BaseURL),
		Version: clean(login.Version), Path: login.Path, OtherCredentials: &other,
	}
	r.Warnings = login.Warnings
	if err != nil {
		s.describeProblem(r, err)
		return r
	}
	r.OK = true
	r.Summary = fmt.Sprintf("Logged in to Ark CLI (%s), profile %s, base URL %s.", r.AuthMethod, r.Profile, r.BaseURL)
	r.NextStep = nextResolve
	if other {
		r.Warnings = append(r.Warnings, job.EnvBaseURL+" and "+job.EnvKey+" are set: runs use them, and not this profile, unless profile is given")
	}
	return r
}

func (s *Server) describeProblem(r *loginResult, err error) {
	r.Error = faultOf(err)
	r.Problem, r.FixCommand = r.Error.Code, r.Error.FixCommand
	r.Summary = sentence(r.Error.Message)
	r.NextStep = r.Error.Hint
	var ark *arkcli.Error
	if errors.As(err, &ark) && ark.Note != "" {
		r.NextStep += " " + sentence(clean(ark.Note))
	}
	if *r.OtherCredentials {
		r.OK = true
		r.Summary = "Ark CLI can't be used (" + r.Error.Message + "), but " + job.EnvBaseURL + " and " + job.EnvKey + " are set: runs use them."
		r.NextStep = "Call run_connectivity with the exact model ID or endpoint ID (ep-...)."
	}
}

// hasEnvironment reports whether address and key are in the environment.
func (s *Server) hasEnvironment() bool {
	base, _ := s.deps.Env(job.EnvBaseURL)
	key, _ := s.deps.Env(job.EnvKey)
	return base != "" && key != ""
}
