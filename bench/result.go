package bench

import (
	"slices"
	"time"
)

// ResultSchema names the format of [Result].
const ResultSchema = "llm-bench/result/1"

// Result is the document that a run leaves for machines.
type Result struct {
	Schema     string         `json:"schema"`
	Scenario   Scenario       `json:"scenario"`
	RunID      string         `json:"run_id"`
	RunDir     string         `json:"run_dir"`
	State      State          `json:"state"`
	End        *End           `json:"end,omitempty"` // nil: the run was killed, or goes on
	Simulated  bool           `json:"simulated"`
	Baseline   bool           `json:"within_failure_limit"` // ended, and no more failures than allowed
	Warnings   []string       `json:"warnings"`
	Tool       Tool           `json:"tool"`
	Host       Host           `json:"host"`
	Began      time.Time      `json:"began"`
	Ended      *time.Time     `json:"ended,omitempty"`
	Targets    []TargetResult `json:"targets"`
	Spec       Spec           `json:"spec"`
	Deviations []Deviation    `json:"deviations"`
	InputHash  string         `json:"input_sha256"`
	Journal    string         `json:"journal_sha256,omitempty"` // of the requests.jsonl that all figures are computed from
	MetricRule Rule           `json:"metric_rule"`
	Files      Files          `json:"files"`
}

// TargetResult is what was measured of one target.
type TargetResult struct {
	Target
	ServedModel string        `json:"served_model,omitempty"` // as most responses named it
	Summary     Summary       `json:"summary"`
	Points      []PointResult `json:"points,omitempty"` // of a sweep; Summary then mixes their loads, but Findings don't
	Measurement Measurement   `json:"measurement"`
	Findings    []Finding     `json:"findings"`
}

// Files are the absolute paths of what the run left; an absent one was not written.
type Files struct {
	ReportMD      string   `json:"report_md,omitempty"`
	ReportHTML    string   `json:"report_html,omitempty"`
	ResultJSON    string   `json:"result_json,omitempty"`
	RequestsJSONL string   `json:"requests_jsonl,omitempty"`
	RequestsCSV   string   `json:"requests_csv,omitempty"`
	RunLog        string   `json:"run_log,omitempty"`
	Charts        []string `json:"charts"`
}

// NewResult computes a run's result from its record. State of a record without
// a finish is what the caller knows: running or interrupted.
func NewResult(runID, dir string, r *Record, state State) Result {
	h := &r.Header
	result := Result{
		Schema: ResultSchema, Scenario: h.Spec.Scenario, RunID: runID, RunDir: dir, State: state,
		Tool: h.Tool, Host: h.Host, Began: h.Began, Spec: h.Spec, InputHash: h.InputHash, Journal: r.Journal,
		Deviations: append([]Deviation{}, h.Spec.Deviations()...), MetricRule: RuleOwn,
		Warnings: append([]string{}, h.Notes...), Files: Files{Charts: []string{}},
	}
	if r.Finish != nil {
		result.State, result.End, result.Ended = r.Finish.State, &r.Finish.End, &r.Finish.Ended
	}
	result.Baseline = result.State == StateSucceeded
	for i := range h.Targets {
		t := targetResult(r, &h.Targets[i])
		result.Simulated = result.Simulated || t.Summary.Observed.Simulated || t.Source == SourceSim
		result.Baseline = result.Baseline && t.Summary.Requests.Succeeded > 0 && t.Summary.Requests.FailureRate() <= h.Spec.MaxFailureRate
		result.Targets = append(result.Targets, t)
	}
	return result
}

func targetResult(r *Record, target *Target) TargetResult {
	samples := r.Of(target.Label)
	spec := r.Header.Spec
	target.Terms.Apply(&spec)
	t := TargetResult{Target: *target, Summary: Summarize(&spec, r.Header.Planned*max(1, len(r.Header.Points)), samples)}
	t.Summary.overGaps(&spec, r.gaps(), samples)
	t.ServedModel = mostFrequent(t.Summary.Observed.Models)
	t.Measurement = Judge(&t.Summary, samples, r.Ticks)
	t.Findings = append([]Finding{}, Findings(&spec, target, &t.Summary, &t.Measurement, samples, r)...)
	for n := range r.Header.Points {
		t.Points = append(t.Points, pointResult(r, target, n+1, samples))
	}
	if len(t.Points) > 0 {
		t.overPoints()
	}
	return t
}

// end is how the run ended; nil where nobody knows.
func (r *Record) end() *End {
	if r.Finish == nil {
		return nil
	}
	return &r.Finish.End
}

// cut is the length, in tokens, to which the target was seen to cut prompts
// before the first measured request; 0 where it wasn't, or nobody asked. The
// first target alone is asked how it counts.
func (r *Record) cut(target *Target) int {
	if target.Label != r.Header.Targets[0].Label {
		return 0
	}
	return r.Header.CutTokens
}

// Of returns the samples of the target with the given label.
func (r *Record) Of(label string) []*Sample {
	return slices.DeleteFunc(slices.Clone(r.Samples), func(s *Sample) bool { return s.Target != label })
}

func mostFrequent(counts map[string]int) string {
	best := ""
	for name, n := range counts {
		if best == "" || n > counts[best] || n == counts[best] && name < best {
			best = name
		}
	}
	return best
}
