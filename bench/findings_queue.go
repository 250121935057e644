package bench

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// admission is what a queue before the endpoint looks like that lets so many
// requests in at a time: a first token comes a constant time after a request
// has started or, if later, another answer has ended.
type admission struct {
	places int
	waits  []float64 // for a place, in ms, in order of first token
	rests  []float64 // from there to the first token, in ms
}

// admits: at one load, first tokens wait for answers to end.
func admits(e *evidence) (Finding, bool) {
	served := where(e.ok, func(s *Sample) bool { return s.FirstToken.Taken() && s.LastToken.Taken() })
	slices.SortStableFunc(served, func(a, b *Sample) int { return cmp.Compare(a.FirstToken.At(), b.FirstToken.At()) })
	if len(served) < 20 {
		return none()
	}
	best := admission{}
	spread := math.Inf(1)
	for places := 1; places < e.summary.Concurrency.Peak; places++ {
		a := admitted(served, places)
		if s := a.spread(); a.holds() && s < spread {
			best, spread = a, s
		}
	}
	if best.places == 0 {
		return none()
	}
	return Finding{Rule: "admission", Severity: Notable, Figures: figures{
		"places": float64(best.places), "peak": float64(e.summary.Concurrency.Peak),
		"ttft_ms": e.summary.TTFT.P50, "wait_ms": median(best.waits), "rest_ms": median(best.rests),
	}, Texts: map[string]string{"cause": "load"}}, true
}

// admitted takes each request's TTFT apart into a wait for one of so many
// places and a rest. A place is free again when its answer ends.
func admitted(served []*Sample, places int) admission {
	a := admission{places: places}
	var ends []time.Duration // the latest of those served before, ascending
	for _, s := range served {
		free := s.Start.At()
		if len(ends) == places {
			free = max(free, ends[0])
		}
		a.waits = append(a.waits, Milliseconds(free-s.Start.At()))
		a.rests = append(a.rests, Milliseconds(s.FirstToken.At()-free))
		at, _ := slices.BinarySearch(ends, s.LastToken.At())
		ends = slices.Insert(ends, at, s.LastToken.At())
		if len(ends) > places {
			ends = ends[1:]
		}
	}
	return a
}

// waited are the rests of the requests that had to wait, and the others'.
func (a *admission) waited() (waited, free []float64) {
	for i, w := range a.waits {
		if w > 0 {
			waited = append(waited, a.rests[i])
			continue
		}
		free = append(free, a.rests[i])
	}
	return waited, free
}

// spread is how much the rests vary, in ms.
func (a *admission) spread() float64 {
	sorted := slices.Sorted(slices.Values(a.rests))
	return Percentile(sorted, 90) - Percentile(sorted, 10)
}

// holds reports whether that many places explain TTFT: most requests waited,
// longer than all else took together; the rest hardly varies beside the waits;
// nobody came in while no place was free; and those that found a place free,
// the first ones at least, were as fast as the rests of the others say.
func (a *admission) holds() bool {
	waited, free := a.waited()
	if len(free) == 0 || len(waited)*2 < len(a.waits) {
		return false
	}
	wait, rest, usual := median(a.waits), median(waited), median(free)
	impossible := len(above(waited, 0)) < len(waited)
	return !impossible && wait >= usual && wait >= rest && a.spread() <= 0.3*wait && rest >= 0.2*usual && rest <= 1.5*usual
}

// queuesUp: in a sweep, more concurrency makes TTFT longer, while TPOT stays
// and no more comes out: the endpoint takes no more requests at a time.
func queuesUp(points []PointResult) (Finding, bool) {
	var best Finding
	var at []int
	for j := range points {
		for i := range points[:j] {
			f, holds := queuesBetween(&points[i], &points[j])
			if !holds {
				continue
			}
			if len(at) == 0 || at[len(at)-1] != j+1 {
				at = append(at, j+1)
			}
			best = f // the heaviest load against the nearest one that explains it
		}
	}
	best.Points = at
	return best, len(at) > 0
}

// queuesBetween compares two loads of a sweep.
func queuesBetween(low, high *PointResult) (Finding, bool) {
	a, b := &low.Summary, &high.Summary
	if low.RequestRate > 0 || high.RequestRate > 0 || a.TTFT.N < 10 || b.TTFT.N < 10 || a.TPOT.N < 10 || b.TPOT.N < 10 || a.Rate == nil || b.Rate == nil {
		return none()
	}
	more := float64(high.MaxConcurrency) / float64(low.MaxConcurrency)
	if more < 1.5 || b.TTFT.P50 < 2*a.TTFT.P50 || math.Abs(math.Log(b.TPOT.P50/a.TPOT.P50)) > math.Log(1.2) || *b.Rate > *a.Rate*(1+0.2*(more-1)) {
		return none()
	}
	return Finding{Rule: "admission", Severity: Notable, Figures: figures{
		"places": max(1, math.Round(*b.Rate*a.E2E.Avg/1000)), "peak": float64(b.Concurrency.Peak),
		"from": float64(low.MaxConcurrency), "to": float64(high.MaxConcurrency),
		"from_ms": a.TTFT.P50, "to_ms": b.TTFT.P50, "from_tpot_ms": a.TPOT.P50, "to_tpot_ms": b.TPOT.P50, "from_per_s": *a.Rate, "to_per_s": *b.Rate,
	}, Texts: map[string]string{"cause": "sweep"}}, true
}
