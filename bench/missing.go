package bench

import "slices"

// Missing are the sessions of a plan that a broken run still lacks, given the
// samples of one target and point, and the numbers of those among them that
// begin anew: a session can't be taken up in its middle, since nobody has its
// answers, and a request that was canceled was not measured. A session whose
// turn failed for good is not missing: that is a result.
func Missing(sessions []Session, samples []*Sample) (missing []Session, restarted []int) {
	of := map[int][]*Sample{}
	for _, s := range samples {
		of[s.Session] = append(of[s.Session], s)
	}
	for _, session := range sessions {
		switch measured := of[session.Number]; {
		case len(measured) == 0:
			missing = append(missing, session)
		case !session.ended(measured):
			missing = append(missing, session)
			restarted = append(restarted, session.Number)
		}
	}
	return missing, restarted
}

// ended reports whether the samples of a session, of which there are some, are
// all that its run would have left.
func (s *Session) ended(samples []*Sample) bool {
	if slices.ContainsFunc(samples, func(s *Sample) bool { return s.Outcome == Canceled }) {
		return false
	}
	last := lastAttempts(samples)
	for i, sample := range last {
		if sample.Turn != i+1 {
			return false // a line of the journal was damaged
		}
		if sample.Outcome != Succeeded {
			again := len(s.Turns) > 1 && sample.Outcome.Retriable() && sample.Attempt <= len(retryDelays)
			return i == len(last)-1 && !again
		}
	}
	return len(last) == len(s.Turns)
}

// Last is the latest moment that is known of the run.
func (r *Record) Last() Mark {
	last := MarkAt(0)
	later := func(m Mark) {
		if m.At() > last.At() {
			last = m
		}
	}
	for _, s := range r.Samples {
		later(s.Start)
		later(s.End)
	}
	for i := range r.Ticks {
		later(r.Ticks[i].At)
	}
	for i := range r.Resumes {
		later(r.Resumes[i].At)
	}
	if r.Finish != nil {
		later(r.Finish.At)
	}
	return last
}
