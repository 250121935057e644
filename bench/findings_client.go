package bench

import (
	"cmp"
	"math"
	"slices"
)

// clientSaturated: the client was too busy to stamp what came in time.
func clientSaturated(e *evidence) (Finding, bool) {
	r, found := e.reason(ReasonCPU, ReasonLag, ReasonLagTPOT, ReasonGC)
	if !found {
		return none()
	}
	severity := Notable
	if r.Verdict == Invalid {
		severity = Serious
	}
	name := map[string]string{ReasonCPU: "cpu_share", ReasonLag: "lag_ms", ReasonLagTPOT: "lag_ms", ReasonGC: "pause_ms"}[r.Code]
	f := Finding{Rule: "client_saturated", Severity: severity, Figures: figures{name: r.Value}, Texts: map[string]string{"cause": r.Code}}
	f.Figures["limit_"+name] = r.Limit
	return f, true
}

// newConnections: requests opened connections within their TTFT, though the
// pool was connected beforehand.
func newConnections(e *evidence) (Finding, bool) {
	fresh := where(e.ok, func(s *Sample) bool { return !s.Connection.Reused && s.Connection.Protocol != "" })
	if e.spec.ColdConnect || len(fresh) < 2 || share(len(fresh), len(e.ok)) <= 0.1 {
		return none()
	}
	f := Finding{Rule: "new_connections", Severity: Notable,
		Figures: figures{"fresh": float64(len(fresh)), "succeeded": float64(len(e.ok)), "fresh_share": share(len(fresh), len(e.ok))}, RequestIDs: idsOf(fresh)}
	f.Figures["handshake_ms"] = valueOrZero(e.measurement.HandshakeMS)
	return f, true
}

func valueOrZero(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// slowUpload: sending the request takes a good part of TTFT.
func slowUpload(e *evidence) (Finding, bool) {
	up, ttft := e.summary.Upload, e.summary.TTFT
	if up.N == 0 || up.P50 < 50 || up.P50 < 0.2*ttft.P50 {
		return none()
	}
	return Finding{Rule: "slow_upload", Severity: Notable,
		Figures: figures{"upload_ms": up.P50, "ttft_ms": ttft.P50, "upload_share": up.P50 / ttft.P50}}, true
}

// concurrencyShortfall: fewer requests were in flight than asked for.
func concurrencyShortfall(e *evidence) (Finding, bool) {
	c := e.summary.Concurrency
	if _, found := e.reason(ReasonConcurrency); !found || c.Mean == nil || len(e.ok) == 0 {
		return none()
	}
	return Finding{Rule: "concurrency_shortfall", Severity: Notable,
		Figures: figures{"asked": float64(c.Asked), "mean": *c.Mean, "peak": float64(c.Peak)}}, true
}

// clockStepped: the wall clock moved against the monotonic one, which alone
// makes the figures.
func clockStepped(e *evidence) (Finding, bool) {
	r, found := e.reason(ReasonDrift)
	if !found {
		return none()
	}
	return Finding{Rule: "clock_stepped", Severity: Info, Figures: figures{"drift_ms": r.Value}}, true
}

// ttftDrift: TTFT rises or falls while the run goes on, by a quarter or more
// and by more than chance. First uses are left out, and turns are compared
// with the same turn only.
func ttftDrift(e *evidence) (Finding, bool) {
	relative := e.relativeTTFT()
	n := len(relative)
	if n < 30 {
		return none()
	}
	third := n / 3
	early, late := median(relative[:third]), median(relative[n-third:])
	change := late/early - 1
	if math.Abs(change) < 0.25 || math.Abs(trend(relative))*math.Sqrt(float64(n-1)) < 3.3 {
		return none()
	}
	f := Finding{Rule: "ttft_rising", Severity: Notable, Figures: figures{"change_share": change, "n": float64(n)}}
	if change < 0 {
		f.Rule, f.Figures["change_share"] = "ttft_falling", -change
	}
	return f, true
}

// relativeTTFT is TTFT over the median of its like, in order of start.
func (e *evidence) relativeTTFT() []float64 {
	like := func(s *Sample) int { return min(s.Ordinal, 2) }
	if e.spec.Scenario == Multiturn {
		like = func(s *Sample) int { return s.Turn }
	}
	later := where(e.ok, func(s *Sample) bool {
		ttft, defined := s.TTFT()
		return defined && ttft > 0 && (e.spec.Scenario == Multiturn || !firstUse(e.spec.Scenario, s))
	})
	medians := map[int]float64{}
	for _, g := range groupBy(later, like) {
		medians[g.key] = median(milliseconds(g.samples, (*Sample).TTFT))
	}
	var relative []float64
	for _, s := range byStart(later) {
		ttft, _ := s.TTFT()
		relative = append(relative, Milliseconds(ttft)/medians[like(s)])
	}
	return relative
}

func median(values []float64) float64 {
	return Percentile(slices.Sorted(slices.Values(values)), 50)
}

// trend is Spearman's rank correlation of the values with their order, −1 to 1.
func trend(values []float64) float64 {
	n := len(values)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks := make([]float64, n)
	for i := 0; i < n; {
		j := i
		for j < n && values[order[j]] == values[order[i]] {
			j++
		}
		for k := i; k < j; k++ { // equal values share their mean rank
			ranks[order[k]] = float64(i+j-1) / 2
		}
		i = j
	}
	return correlation(ranks)
}

// correlation is Pearson's correlation of values with 0, 1, 2, …; 0 for constant values.
func correlation(values []float64) float64 {
	n := float64(len(values))
	centre, m := (n-1)/2, mean(values)
	var xy, xx, yy float64
	for i, v := range values {
		x, y := float64(i)-centre, v-m
		xy, xx, yy = xy+x*y, xx+x*x, yy+y*y
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}
