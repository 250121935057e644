package bench

import "time"

// gap is a time in which a broken run stood still.
type gap struct{ from, to time.Duration }

// gaps are the times in which the run stood still: from the last that is known
// of it to the first request after it was taken up again.
func (r *Record) gaps() []gap {
	var all []gap
	for _, resume := range r.Resumes {
		g := gap{resume.Since.At(), resume.At.At()}
		var next Mark
		for _, s := range r.Samples {
			if s.Start.At() >= g.to && (!next.Taken() || s.Start.At() < next.At()) {
				next = s.Start
			}
		}
		if next.Taken() {
			g.to = next.At()
		}
		if resume.Since.Taken() && g.to > g.from {
			all = append(all, g)
		}
	}
	return all
}

// withoutGaps are copies of the samples whose starts and ends are on a clock
// that stood still in the gaps.
func withoutGaps(gaps []gap, samples []*Sample) []*Sample {
	shifted := func(m Mark) Mark {
		at := m.At()
		for _, g := range gaps {
			if m.At() >= g.to {
				at -= g.to - g.from
			}
		}
		return Mark{at, m.taken}
	}
	closed := make([]*Sample, len(samples))
	for i, s := range samples {
		moved := *s
		moved.Start, moved.End = shifted(s.Start), shifted(s.End)
		closed[i] = &moved
	}
	return closed
}

// overGaps computes what depends on the span of the run anew, without the
// gaps: durations, rates and the concurrency reached. What was under way when
// the run broke off is not on record and may have filled the cache, so that no
// later use is surely a first one.
func (s *Summary) overGaps(spec *Spec, gaps []gap, samples []*Sample) {
	if len(gaps) == 0 {
		return
	}
	closed := withoutGaps(gaps, samples)
	last := lastAttempts(closed)
	s.Concurrency = concurrency(spec.MaxConcurrency, closed)
	s.rates(last, succeeded(last))
	s.Goodput = goodput(spec.SLO, lastAttempts(samples), s.DurationS)
	s.Cache.FirstUse = cachedShare(provenFirst(spec.Scenario, where(samples, func(sample *Sample) bool { return sample.Start.At() < gaps[0].from })))
}
