package bench

// clientSaturated: the client was too busy to stamp what came in time.
func clientSaturated(e *evidence) (Finding, bool) {
	r, found := e.worstReason(ReasonCPU, ReasonLag, ReasonLagTPOT, ReasonGC)
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
	if of := r.OfMedian(); of > 0 {
		f.Figures["median_share"] = of
	}
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
