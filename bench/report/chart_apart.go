package report

import (
	"github.com/llm-bench/llm-bench/bench"
)

// apartLimit is how many targets and loads one picture shows apart.
const apartLimit = 8

// apart is a sweep in which each load of each target stands as a target of its
// own, so that no picture mixes loads. Of too many loads, evenly chosen ones
// are kept, the lowest and the highest among them. A run that is no sweep
// stays as it is.
func apart(result *bench.Result, record *bench.Record) (*bench.Result, *bench.Record) {
	if record == nil || len(result.Targets) == 0 || len(result.Targets[0].Points) == 0 {
		return result, record
	}
	l, err := languageOf(result.Spec.Lang)
	if err != nil {
		return result, record
	}
	split, own := *result, *record
	split.Targets, own.Samples = nil, nil
	split.Spec.MaxConcurrency = 0 // no one number was asked for
	for i := range result.Targets {
		t := &result.Targets[i]
		kept := keptLoads(len(t.Points), max(2, apartLimit/len(result.Targets)))
		for _, n := range kept {
			at := *t
			at.Label = bare(l.load(t.Points[n].Point))
			if len(result.Targets) > 1 {
				at.Label = t.Label + ", " + at.Label
			}
			at.Summary = t.Points[n].Summary
			split.Targets = append(split.Targets, at)
			own.Samples = append(own.Samples, relabelled(record, t.Label, n+1, at.Label)...)
		}
	}
	return &split, &own
}

// keptLoads are at most so many of n indexes, from the first to the last.
func keptLoads(n, most int) []int {
	var kept []int
	for i := range min(n, most) {
		at := i
		if n > most {
			at = i * (n - 1) / (most - 1)
		}
		kept = append(kept, at)
	}
	return kept
}

// relabelled are copies of the samples of one target and load under another label.
func relabelled(record *bench.Record, target string, point int, label string) []*bench.Sample {
	var of []*bench.Sample
	for _, s := range record.Samples {
		if s.Target == target && s.Point == point {
			twin := *s
			twin.Target = label
			of = append(of, &twin)
		}
	}
	return of
}
