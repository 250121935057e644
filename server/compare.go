package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/report"
)

// compareResult is the result of compare_runs. Figures are there only for
// pairs that can be compared.
type compareResult struct {
	common
	Comparable  *bool          `json:"comparable,omitempty"`
	Simulated   bool           `json:"simulated,omitempty"`
	Sides       []comparedSide `json:"sides,omitempty"`
	Mismatches  []mismatch     `json:"mismatches,omitempty"` // why the runs can't be compared
	Differences []difference   `json:"differences,omitempty"`
	Remarks     []mismatch     `json:"remarks,omitempty"`        // what else differs
	Excerpt     string         `json:"report_excerpt,omitempty"` // plain text with aligned tables
}

// comparedSide is one target of one run.
type comparedSide struct {
	Name      string `json:"name"` // A, B, …
	RunID     string `json:"run_id"`
	Label     string `json:"label"`
	Model     string `json:"model"` // as served, where responses name it
	Succeeded int    `json:"succeeded"`
	Planned   int    `json:"planned"`
}

// mismatch is something that differs between the two sides of a pair.
type mismatch struct {
	Pair    string `json:"pair"` // such as "B against A"
	Field   string `json:"field"`
	A       string `json:"a"` // of the first side
	B       string `json:"b"` // of the other
	Allowed string `json:"allowed,omitempty"`
}

// difference is one figure of a pair.
type difference struct {
	Pair    string  `json:"pair"`
	Metric  string  `json:"metric"` // with its statistic and unit
	A       float64 `json:"a"`
	B       float64 `json:"b"`
	Diff    float64 `json:"diff"` // b - a
	Low     float64 `json:"low"`  // 95 % interval, for all figures together
	High    float64 `json:"high"`
	Verdict string  `json:"verdict"`
}

// noDifference is the verdict on a figure whose interval holds zero.
const noDifference = "no difference shown"

// shrink drops the remarks, then the text, then differences from the end, then
// mismatches.
func (r *compareResult) shrink() bool {
	const note = "more was compared than fits into one answer; llm-bench compare shows all"
	switch {
	case len(r.Remarks) > 0:
		r.Remarks = r.Remarks[:len(r.Remarks)-1]
	case r.Excerpt != "":
		r.Excerpt = ""
	case len(r.Differences) > 1:
		r.Differences = r.Differences[:len(r.Differences)-1]
	case len(r.Mismatches) > 1:
		r.Mismatches = r.Mismatches[:len(r.Mismatches)-1]
	default:
		return false
	}
	r.Warnings = []string{note}
	return true
}

func (s *Server) compareTool() tool {
	return tool{
		name: "compare_runs", title: "Compare runs",
		description: "Returns whether benchmark runs can be compared, why not, or the difference of each figure with its 95 % interval (对比). " +
			"The first run is the base. Call it before saying that one model or endpoint is faster. Sends nothing.",
		hints: hints{readOnly: true, idempotent: true},
		params: []param{
			must(names("run_ids", "names of runs that have ended", 2, 8)),
			choice("vary", "what may differ as it is the question", "nothing", string(bench.VaryModel), string(bench.VaryEndpoint), "model,endpoint"),
		},
		output: outputSchema[compareResult](), handle: s.compareRuns,
	}
}

func (s *Server) compareRuns(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args, err := arguments[struct {
		RunIDs []string `json:"run_ids"`
		Vary   string   `json:"vary"`
	}](request)
	if err != nil {
		return failure(err)
	}
	vary, err := bench.ParseFactors(args.Vary)
	if err != nil {
		return failure(err)
	}
	dirs, err := s.findEnded(ctx, args.RunIDs)
	if err != nil {
		return failure(err)
	}
	comparison, err := job.Compare(ctx, dirs, vary)
	if err != nil {
		return failure(err)
	}
	r := compareOf(comparison)
	r.Excerpt = bench.Redact(report.ComparisonText(comparison, s.languageOf(dirs[0])))
	return success(r)
}

// languageOf is the language of a run's report.
func (s *Server) languageOf(dir string) string {
	if result, err := readResult(dir); err == nil {
		return result.Spec.Lang
	}
	return job.Language(&bench.Target{}, s.deps.Env)
}

// compareOf puts a comparison into words for an agent.
func compareOf(c *bench.Comparison) *compareResult {
	r := &compareResult{Comparable: &c.Comparable}
	for i := range c.Sides {
		r.addSide(&c.Sides[i])
	}
	for i := range c.Pairs {
		r.addPair(&c.Pairs[i])
	}
	r.OK = c.Comparable
	if !c.Comparable {
		r.Summary = "Not comparable: " + mismatchList(r.Mismatches) + "."
		r.NextStep = "Name no winner. Show report_excerpt in a code block, which says what differs, and offer to run the sides again with equal parameters; give vary only where model or endpoint is the question."
	} else {
		r.Summary = r.differenceList()
		r.NextStep = "Show report_excerpt in a code block, with its remarks. Claim a difference only where the verdict names a side."
	}
	if r.Simulated {
		r.Summary = "SIMULATED: " + r.Summary
	}
	return r
}

func (r *compareResult) addSide(s *bench.Side) {
	r.Simulated = r.Simulated || s.Simulated
	r.Sides = append(r.Sides, comparedSide{
		Name: s.Name, RunID: s.RunID, Label: clean(s.Label), Model: firstOf(s.ServedModel, s.Model), Succeeded: s.Requests.Succeeded, Planned: s.Requests.Planned,
	})
}

func (r *compareResult) addPair(p *bench.Pair) {
	name := p.B + " against " + p.A
	if p.Load != nil {
		name += ", " + loadName(p.Load)
	}
	for _, m := range p.Mismatches {
		r.Mismatches = append(r.Mismatches, mismatchOf(name, &m))
	}
	for _, m := range p.Remarks {
		r.Remarks = append(r.Remarks, mismatchOf(name, &m))
	}
	for i := range p.Figures {
		r.Differences = append(r.Differences, differenceOf(name, &p.Figures[i]))
	}
}

// loadName names one load of a sweep.
func loadName(p *bench.Point) string {
	if p.RequestRate > 0 {
		return fmt.Sprintf("%g requests/s", p.RequestRate)
	}
	return fmt.Sprintf("concurrency %d", p.MaxConcurrency)
}

func mismatchOf(pair string, m *bench.Mismatch) mismatch {
	return mismatch{pair, m.Field, bench.Clean(m.A, 120), bench.Clean(m.B, 120), bench.Clean(m.Allowed, 120)}
}

func differenceOf(pair string, c *bench.Contrast) difference {
	d := difference{Pair: pair, Metric: strings.TrimSpace(c.Metric + " " + c.Statistic), Verdict: noDifference,
		A: precise(c.Metric, c.A), B: precise(c.Metric, c.B),
		Diff: precise(c.Metric, c.Difference.Value), Low: precise(c.Metric, c.Difference.Low), High: precise(c.Metric, c.Difference.High)}
	if c.Better != "" {
		d.Verdict = c.Better + " is better"
	}
	return d
}

// precise keeps four decimals of a share and three of any other figure.
func precise(metric string, v float64) float64 {
	if metric == bench.MetricHitRate {
		return *share(&v)
	}
	return figure(v)
}

// mismatchList names the fields that differ, each once.
func mismatchList(mismatches []mismatch) string {
	var parts []string
	seen := map[string]bool{}
	for _, m := range mismatches {
		if !seen[m.Field] {
			seen[m.Field] = true
			parts = append(parts, fmt.Sprintf("%s (%s / %s)", m.Field, m.A, m.B))
		}
	}
	return strings.Join(parts, "; ")
}

// differenceList says in which figures a difference is shown, and which way.
func (r *compareResult) differenceList() string {
	var parts []string
	for _, d := range r.Differences {
		if d.Verdict != noDifference {
			parts = append(parts, fmt.Sprintf("%s: %s %g, difference %g (%g to %g), %s", d.Pair, d.Metric, d.B, d.Diff, d.Low, d.High, d.Verdict))
		}
	}
	if len(parts) == 0 {
		return fmt.Sprintf("Comparable. No difference is shown in any of %d figures.", len(r.Differences))
	}
	return fmt.Sprintf("Comparable. A difference is shown in %d of %d figures: %s.", len(parts), len(r.Differences), strings.Join(parts, "; "))
}
