package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/report"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// runStatus is how a run stands, and what it has measured once it has ended.
// What is unknown is absent.
type runStatus struct {
	common
	RunID     string `json:"run_id,omitempty"`
	Scenario  string `json:"scenario,omitempty"`
	State     string `json:"state,omitempty"` // how the run stands or ended, and only that
	Phase     string `json:"phase,omitempty"` // while it goes on
	Attached  bool   `json:"attached,omitempty"`
	Simulated bool   `json:"simulated,omitempty"`

	Planned   *int     `json:"planned,omitempty"` // requests; the four that follow are parts of it
	Succeeded *int     `json:"succeeded,omitempty"`
	Failed    *int     `json:"failed,omitempty"`
	Canceled  *int     `json:"canceled,omitempty"`
	NotRun    *int     `json:"not_run,omitempty"`
	ElapsedS  *float64 `json:"elapsed_s,omitempty"`
	ETAS      *float64 `json:"eta_s,omitempty"`
	PollAfter *float64 `json:"poll_after_s,omitempty"`

	RunDir     string   `json:"run_dir,omitempty"`
	ReportMD   string   `json:"report_md,omitempty"`
	ReportHTML string   `json:"report_html,omitempty"`
	ResultJSON string   `json:"result_json,omitempty"`
	Charts     []string `json:"charts,omitempty"`

	Params   *params  `json:"params,omitempty"`
	Metrics  *metrics `json:"metrics,omitempty"`
	Verdict  string   `json:"measurement_verdict,omitempty"`
	Findings []string `json:"findings,omitempty"`
	Excerpt  string   `json:"report_excerpt,omitempty"` // Markdown

	Estimate *estimate `json:"estimate,omitempty"`
}

// shrink drops the last finding, then the charts, then shortens the excerpt.
func (r *runStatus) shrink() bool {
	switch {
	case len(r.Findings) > 1:
		r.Findings = r.Findings[:len(r.Findings)-1]
	case len(r.Warnings) > 1:
		r.Warnings = r.Warnings[:len(r.Warnings)-1]
	case len(r.Charts) > 0:
		r.Charts = nil
	case len([]rune(r.Excerpt)) > 300:
		r.Excerpt = cut(r.Excerpt, len([]rune(r.Excerpt))-200)
	default:
		return false
	}
	return true
}

// params are the parameters in force.
type params struct {
	Model           string `json:"model,omitempty"`
	BaseURL         string `json:"base_url,omitempty"`
	Dialect         string `json:"dialect,omitempty"`
	Preset          string `json:"preset"`
	PrefixLen       int    `json:"prefix_len,omitempty"`
	SuffixLen       int    `json:"suffix_len,omitempty"`
	NumPrefixes     int    `json:"num_prefixes,omitempty"`
	NumRequests     int    `json:"num_requests,omitempty"`
	InitialLen      int    `json:"initial_len,omitempty"`
	QuestionLen     int    `json:"question_len,omitempty"`
	NumSessions     int    `json:"num_sessions,omitempty"`
	MaxTurns        int    `json:"max_turns,omitempty"`
	MaxConcurrency  int    `json:"max_concurrency"`
	MaxOutputTokens int    `json:"max_output_tokens"`
	Thinking        string `json:"thinking"`
	ReasoningEffort string `json:"reasoning_effort,omitempty"`
	ServiceTier     string `json:"service_tier,omitempty"`
	Seed            uint64 `json:"seed,omitempty"`
	LengthUnit      string `json:"length_unit"`
}

func paramsOf(s *bench.Spec, t *bench.Target) *params {
	return &params{
		Model: clean(t.Model), BaseURL: clean(t.BaseURL), Dialect: t.Dialect.Name, Preset: string(s.Preset),
		PrefixLen: s.PrefixLen, SuffixLen: s.SuffixLen, NumPrefixes: s.NumPrefixes, NumRequests: s.NumRequests,
		InitialLen: s.InitialLen, QuestionLen: s.QuestionLen, NumSessions: s.NumSessions, MaxTurns: s.MaxTurns,
		MaxConcurrency: s.MaxConcurrency, MaxOutputTokens: s.MaxOutputTokens, Thinking: string(s.Thinking),
		ReasoningEffort: clean(s.ReasoningEffort), ServiceTier: clean(s.ServiceTier), Seed: s.Seed, LengthUnit: string(s.LengthUnit),
	}
}

// metrics are the figures of a run; shares are 0 to 1.
type metrics struct {
	TTFT         *spread  `json:"ttft_ms,omitempty"`
	TPOT         *spread  `json:"tpot_ms,omitempty"`
	E2E          *spread  `json:"e2e_ms,omitempty"`
	CacheHitRate *float64 `json:"cache_hit_rate,omitempty"`
	CacheCeiling *float64 `json:"cache_ceiling,omitempty"`
	PromptAvg    *float64 `json:"prompt_tokens_avg,omitempty"`
	OutputAvg    *float64 `json:"output_tokens_avg,omitempty"`
	SuccessRate  *float64 `json:"success_rate,omitempty"`
}

// spread is a distribution in short.
type spread struct {
	N   int     `json:"n"`
	Avg float64 `json:"avg"`
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
}

func metricsOf(s *bench.Summary) *metrics {
	m := &metrics{
		TTFT: spreadOf(s.TTFT), TPOT: spreadOf(s.TPOT), E2E: spreadOf(s.E2E),
		CacheHitRate: share(s.Cache.HitRate), CacheCeiling: share(s.Cache.Ceiling),
		PromptAvg: averageOf(s.PromptTokens), OutputAvg: averageOf(s.OutputTokens),
	}
	if ended := s.Requests.Succeeded + s.Requests.Failed; ended > 0 {
		m.SuccessRate = share(new(float64(s.Requests.Succeeded) / float64(ended)))
	}
	return m
}

func spreadOf(d bench.Dist) *spread {
	if d.N == 0 {
		return nil
	}
	return &spread{d.N, figure(d.Avg), figure(d.P50), figure(d.P99)}
}

// figure keeps three decimals: more is noise, and costs an agent tokens.
func figure(v float64) float64 { return math.Round(v*1000) / 1000 }

// share keeps four decimals of a share from 0 to 1.
func share(v *float64) *float64 {
	if v == nil {
		return nil
	}
	return new(math.Round(*v*10_000) / 10_000)
}

func averageOf(c bench.Count) *float64 {
	if c.N == 0 {
		return nil
	}
	return new(figure(c.Avg))
}

// statusOf is what the files of a run say of it.
func (s *Server) statusOf(dir string, state *rundir.State) *runStatus {
	r := &runStatus{
		RunID: state.RunID, Scenario: string(state.Scenario), State: string(state.State), RunDir: dir,
		Planned: &state.Planned, Succeeded: &state.Succeeded, Failed: &state.Failed, Canceled: &state.Canceled, NotRun: &state.NotRun,
	}
	end := s.deps.Now()
	if state.EndedAt != nil {
		end = *state.EndedAt
	}
	r.ElapsedS = new(tenth(end.Sub(state.StartedAt)))
	if !state.State.Ended() {
		r.going(state)
		return r
	}
	r.ended(dir, state)
	return r
}

func tenth(d time.Duration) float64 {
	return float64(d.Round(100*time.Millisecond)) / float64(time.Second)
}

// going describes a run that goes on.
func (r *runStatus) going(state *rundir.State) {
	r.OK, r.Phase = true, state.Phase
	if state.ETA != nil {
		r.ETAS = new(float64(int(*state.ETA*10)) / 10)
	}
	r.PollAfter = new(1.0)
	r.Summary = "The run goes on: " + progressLine(state) + "."
	if state.State == bench.StateQueued {
		r.Summary = fmt.Sprintf("The %s run of %d requests is being prepared.", state.Scenario, state.Planned)
	}
	r.NextStep = fmt.Sprintf(`Call get_run with run_id="%s" wait_seconds=45 until state is not running. Do not start the same run again.`, state.RunID)
}

// ended describes a run that has ended.
func (r *runStatus) ended(dir string, state *rundir.State) {
	if state.Error != nil {
		r.Error = &fault{Code: state.Error.Code, Message: clean(state.Error.Message), Hint: clean(state.Error.Hint)}
	}
	files := rundir.Files(dir)
	r.ReportMD, r.ReportHTML, r.ResultJSON, r.Charts = files.ReportMD, files.ReportHTML, files.ResultJSON, files.Charts
	result, err := readResult(dir)
	if err != nil {
		r.Summary = r.withoutResult(state)
		r.NextStep = r.advice(nil)
		return
	}
	r.measured(result)
	r.NextStep = r.advice(result)
}

func (r *runStatus) withoutResult(state *rundir.State) string {
	line := fmt.Sprintf("The run ended as %s before it had measured anything.", state.State)
	if r.Error != nil {
		line += " " + sentence(r.Error.Message)
	}
	return line
}

// links are the charts, for clients that show pictures.
func (r *runStatus) links() []mcp.ResourceLink {
	var links []mcp.ResourceLink
	for _, path := range r.Charts {
		name := filepath.Base(path)
		links = append(links, mcp.NewResourceLink(fileURI(path), name, "chart of "+r.RunID, "image/png"))
	}
	return links
}

// excerptSize is the greatest length of a report's excerpt in characters.
const excerptSize = 1500

// measured adds what a run has measured.
func (r *runStatus) measured(result *bench.Result) {
	r.OK, r.Simulated = result.Baseline, result.Simulated
	r.Summary = report.Summary(result)
	r.Excerpt = report.Excerpt(result, result.Spec.Lang, excerptSize)
	r.Warnings = append(r.Warnings, result.Warnings...)
	if len(result.Targets) == 0 {
		return
	}
	t := &result.Targets[0]
	r.Params, r.Metrics, r.Verdict = paramsOf(&result.Spec, &t.Target), metricsOf(&t.Summary), string(t.Measurement.Verdict)
	r.Findings = tidy(report.FindingTitles(result, result.Spec.Lang), 5, 300)
	if result.State == bench.StateSucceeded && !result.Baseline {
		r.Summary = "Not a valid baseline: " + r.Summary
	}
	if groups := t.Summary.Failures; len(groups) > 0 && !r.OK && r.Error == nil {
		g := groups[0]
		r.Error = &fault{Code: firstOf(g.Code, string(g.Class)), Message: clean(fmt.Sprintf("%d of %d failed (%s): %s", g.Count, t.Summary.Requests.Planned, g.Class, g.Sample)), Hint: adviceOn(g.Class)}
	}
	if result.End != nil && result.End.Class != "" && r.Error != nil && r.Error.Hint == "" {
		r.Error.Hint = adviceOn(result.End.Class)
	}
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return clean(t)
		}
	}
	return ""
}

// advice is what an agent does with a run that has ended.
func (r *runStatus) advice(result *bench.Result) string {
	switch {
	case r.OK:
		return "Show the user report_excerpt, the warnings and the path report_md; state params beside the numbers. Then go on with the next scenario that was asked for."
	case r.Error != nil && r.Error.Hint != "":
		return sentence(r.Error.Hint)
	case r.State == string(bench.StateCanceled) && result != nil:
		return "Tell the user that the run was canceled and that report_md holds what was measured until then."
	case r.State == string(bench.StateInterrupted) && result != nil:
		return "Tell the user that the run was ended by a signal or killed and that report_md holds what was measured until then; start it again if it is still wanted."
	case result != nil:
		return "Say first that this is not a valid baseline and why (error, findings), then show report_md."
	}
	return "Tell the user what happened and start the run again if it is still wanted."
}

// adviceOn is what helps against a class of failures.
func adviceOn(class bench.Outcome) string {
	switch class {
	case bench.FailAuth:
		return "The key was refused: call check_login, or check the variable named by api_key_env."
	case bench.FailNotFound:
		return "The endpoint doesn't know the model, or the account has not switched it on: call resolve_model, or have the user activate the model in the console."
	case bench.FailBadRequest:
		return "The endpoint refused the parameters: call run_connectivity and use its working_settings."
	case bench.FailRateLimited, bench.FailQuota:
		return "The account's limit was reached: use a smaller max_concurrency, or have the user raise the limit."
	case bench.FailConnect, bench.FailTLS:
		return "The endpoint can't be reached: check base_url, network and proxy."
	}
	return ""
}

// maxResultFile bounds what is read of a result.
const maxResultFile = 64 << 20

// readResult reads the result that a run has left.
func readResult(dir string) (*bench.Result, error) {
	file, err := os.Open(filepath.Join(dir, rundir.ResultFile))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var result bench.Result
	if err := json.NewDecoder(io.LimitReader(file, maxResultFile)).Decode(&result); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", rundir.ResultFile, err)
	}
	if !strings.HasPrefix(result.Schema, "llm-bench/result/") {
		return nil, errors.New(rundir.ResultFile + " is not one of this program")
	}
	return &result, nil
}
