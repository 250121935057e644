package bench

// queued: in open loop, requests started later than intended, so that the load
// was not the one asked for, and latencies from the actual start are too kind.
// They waited for a free place, or, where there was always one, for the client.
func queued(e *evidence) (Finding, bool) {
	open := e.summary.Open
	if open == nil || open.Wait.N == 0 || e.summary.TTFT.N == 0 {
		return none()
	}
	wait, ttft := open.Wait, e.summary.TTFT
	if wait.P99 < 10 || wait.P99 < 0.1*ttft.P50 {
		return none()
	}
	f := Finding{Rule: "queued", Severity: grade(wait.P50, ttft.P50), Figures: figures{
		"wait_p50_ms": wait.P50, "wait_p99_ms": wait.P99, "ttft_p99_ms": ttft.P99, "intended_p99_ms": open.TTFT.P99,
		"asked": float64(e.summary.Concurrency.Asked),
	}, Texts: map[string]string{"cause": "bursts"}}
	if c := e.summary.Concurrency; c.Peak < c.Asked {
		f.Rule, f.Texts["cause"], f.Figures["peak"] = "started_late", "client", float64(c.Peak)
		return f, true
	}
	if waitsGrow(e.ok) {
		f.Severity, f.Texts["cause"] = Serious, "overload"
	}
	return f, true
}

// waitsGrow reports whether waits were at least twice as long in the last
// fifth of the run as in its first half: more came than was carried off.
func waitsGrow(ok []*Sample) bool {
	waits := milliseconds(byStart(ok), (*Sample).Wait)
	n := len(waits)
	if n < 20 {
		return false
	}
	return median(waits[n-n/5:]) > 2*median(waits[:n/2]) && trend(waits) > 0.5
}
