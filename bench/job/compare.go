package job

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/llm-bench/llm-bench/bench"
)

// ErrNoOther says that there is nothing to compare a run with.
var ErrNoOther = errors.New("one target is compared with nothing: name two runs or more, or one run of several targets")

// Compare reads runs from their directories and compares their targets, each
// with the first one. A directory of several targets alone is enough. vary
// names the factors in which they may differ. Nothing is written.
func Compare(ctx context.Context, dirs []string, vary []bench.Factor) (*bench.Comparison, error) {
	var sides []bench.Side
	for _, dir := range dirs {
		record, result, err := load(ctx, dir)
		if err != nil {
			return nil, err
		}
		sides = append(sides, bench.Sides(record, result)...)
	}
	if len(sides) < 2 {
		return nil, ErrNoOther
	}
	c := bench.Compare(sides, vary)
	return &c, nil
}

// Rescored is a run under its own rule and under those of other tools.
type Rescored struct {
	RunID   string               `json:"run_id"`
	RunDir  string               `json:"run_dir"`
	Targets []bench.TargetResult `json:"-"`
	Figures []RescoredTarget     `json:"targets"`
}

// RescoredTarget is one target, or one load of a sweep, of a [Rescored] run.
type RescoredTarget struct {
	Label string           `json:"label"`
	Load  *bench.Point     `json:"load,omitempty"`
	Rules []bench.Rescored `json:"rules"` // the run's own first
}

// Rescore computes a run's figures from its journal under the given rules of
// other tools; none means all of them. Nothing is written.
func Rescore(ctx context.Context, dir string, rules ...bench.Rule) (*Rescored, error) {
	for _, rule := range rules {
		if !slices.Contains(bench.Rules(), rule) {
			return nil, &bench.FieldError{Field: "rule", Value: fmt.Sprintf("%q", rule), Allowed: fmt.Sprint(bench.Rules())}
		}
	}
	_, result, err := load(ctx, dir)
	if err != nil {
		return nil, err
	}
	r := &Rescored{RunID: result.RunID, RunDir: result.RunDir, Targets: result.Targets}
	for i := range r.Targets {
		t := &r.Targets[i]
		if len(t.Points) == 0 {
			r.add(t.Label, nil, &t.Summary, rules)
		}
		for j := range t.Points {
			r.add(t.Label, &t.Points[j].Point, &t.Points[j].Summary, rules)
		}
	}
	return r, nil
}

// add keeps of the summary what the rules ask for.
func (r *Rescored) add(label string, point *bench.Point, s *bench.Summary, rules []bench.Rule) {
	s.Rescored = slices.DeleteFunc(s.Rescored, func(x bench.Rescored) bool { return len(rules) > 0 && !slices.Contains(rules, x.Rule) })
	own := bench.Rescored{Rule: bench.RuleOwn, TTFT: s.TTFT, TPOT: s.TPOT, E2E: s.E2E}
	r.Figures = append(r.Figures, RescoredTarget{label, point, append([]bench.Rescored{own}, s.Rescored...)})
}

// load reads a run and computes its result.
func load(ctx context.Context, dir string) (*bench.Record, *bench.Result, error) {
	var read *bench.Record
	result, err := render(ctx, dir, func(_ context.Context, _ string, record *bench.Record, _ *bench.Result) error {
		read = record
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return read, result, nil
}
