package bench

import (
	"cmp"
	"slices"
)

// PointResult is one load of a sweep: all that holds of a run of that load alone.
type PointResult struct {
	Point
	Summary     Summary     `json:"summary"`
	Measurement Measurement `json:"measurement"`
	Findings    []Finding   `json:"findings"`
}

// pointResult is the n-th load of a sweep, from 1, on one target.
func pointResult(r *Record, target *Target, n int, samples []*Sample) PointResult {
	p := PointResult{Point: r.Header.Points[n-1], Findings: []Finding{}}
	spec := p.Apply(r.Header.Spec)
	target.Terms.Apply(&spec)
	of := where(samples, func(s *Sample) bool { return s.Point == n })
	p.Summary = Summarize(&spec, r.Header.Planned, of)
	p.Summary.overGaps(&spec, r.gaps(), of)
	p.Measurement = Judge(&p.Summary, of, r.during(of))
	if len(of) > 0 {
		p.Findings = append(p.Findings, Findings(&spec, target, &p.Summary, &p.Measurement, of, r)...)
	}
	return p
}

// during returns the ticks from the samples' first start to just after their last end.
func (r *Record) during(samples []*Sample) []Tick {
	var first, last Mark
	for _, s := range samples {
		if s.Start.Taken() && (!first.Taken() || s.Start.At() < first.At()) {
			first = s.Start
		}
		if s.End.Taken() && s.End.At() > last.At() {
			last = s.End
		}
	}
	return slices.DeleteFunc(slices.Clone(r.Ticks), func(t Tick) bool {
		return !first.Taken() || t.At.At() < first.At() || t.At.At() > last.At()+tickEvery
	})
}

// overPoints puts what was found at the loads of a sweep in place of what
// would be found where they are mixed.
func (t *TargetResult) overPoints() {
	if !slices.ContainsFunc(t.Points, func(p PointResult) bool { return len(p.Findings)+p.Summary.Requests.Succeeded > 0 }) {
		return
	}
	measured := t.Summary.TTFT.N > 0
	t.Measurement.Verdict, t.Measurement.Reasons, t.Findings = Trusted, []Reason{}, []Finding{}
	for i := range t.Points {
		t.Measurement.add(t.Points[i].Measurement.Reasons)
		t.addFindings(t.Points[i].Findings, i+1)
	}
	if !measured {
		t.Measurement.Verdict = Unknown
	}
	if f, holds := queuesUp(t.Points); holds {
		t.Findings = slices.DeleteFunc(t.Findings, func(known Finding) bool { return known.Rule == f.Rule })
		t.Findings = slices.Insert(t.Findings, 0, f)
	}
	slices.SortStableFunc(t.Findings, func(a, b Finding) int { return cmp.Compare(a.Severity.rank(), b.Severity.rank()) })
}

// add keeps of each kind of reason the weightiest.
func (m *Measurement) add(reasons []Reason) {
	for _, r := range reasons {
		at := slices.IndexFunc(m.Reasons, func(known Reason) bool { return known.Code == r.Code && known.Verdict == r.Verdict })
		switch {
		case at < 0:
			m.Reasons = append(m.Reasons, r)
		case r.Value > m.Reasons[at].Value:
			m.Reasons[at] = r
		}
		m.lower(r.Verdict)
	}
}

// addFindings keeps each rule's weightiest finding, the first of equals, and
// the loads at which the rule held.
func (t *TargetResult) addFindings(found []Finding, point int) {
	for _, f := range found {
		f.Points = []int{point}
		same := func(known Finding) bool {
			return known.Rule == f.Rule && known.Texts["class"] == f.Texts["class"] && known.Texts["cause"] == f.Texts["cause"]
		}
		at := slices.IndexFunc(t.Findings, same)
		if at < 0 {
			t.Findings = append(t.Findings, f)
			continue
		}
		points := append(t.Findings[at].Points, point)
		if f.Severity.rank() < t.Findings[at].Severity.rank() {
			t.Findings[at] = f
		}
		t.Findings[at].Points = points
	}
}
