package bench

import "time"

// thinkingSeen: reasoning came though thinking was to be off.
func thinkingSeen(e *evidence) (Finding, bool) {
	seen := where(e.ok, func(s *Sample) bool { return s.Reasoned })
	if e.spec.Thinking != ThinkingDisabled || len(seen) == 0 {
		return none()
	}
	name := "thinking_seen"
	if _, sent := e.target.Dialect.Body(ThinkingDisabled); !sent {
		name = "thinking_not_sent"
	}
	return Finding{Rule: name, Severity: Serious,
		Figures: figures{"reasoned": float64(len(seen)), "succeeded": float64(len(e.ok))},
		Texts:   map[string]string{"dialect": e.target.Dialect.Name}, RequestIDs: idsOf(seen)}, true
}

// thinkingMissing: thinking was asked for, and none was seen.
func thinkingMissing(e *evidence) (Finding, bool) {
	if e.spec.Thinking != ThinkingEnabled || len(e.ok) == 0 || e.summary.Observed.Reasoned > 0 {
		return none()
	}
	return Finding{Rule: "thinking_missing", Severity: Serious, Figures: figures{"succeeded": float64(len(e.ok))},
		Texts: map[string]string{"dialect": e.target.Dialect.Name}, RequestIDs: idsOf(e.ok)}, true
}

// thinkingMixed: some requests thought and others didn't, so that the figures
// mix two populations.
func thinkingMixed(e *evidence) (Finding, bool) {
	n := e.summary.Observed.Reasoned
	if e.spec.Thinking == ThinkingDisabled || n == 0 || n == len(e.ok) {
		return none()
	}
	against := where(e.ok, func(s *Sample) bool { return !e.spec.Thinking.Met(s) })
	return Finding{Rule: "thinking_mixed", Severity: Notable,
		Figures: figures{"reasoned": float64(n), "succeeded": float64(len(e.ok))}, RequestIDs: idsOf(against)}, true
}

// thinkingOn: thinking was asked for and seen; TTFT is the first token of the reasoning.
func thinkingOn(e *evidence) (Finding, bool) {
	if e.spec.Thinking == ThinkingDisabled || len(e.ok) == 0 || e.summary.Observed.Reasoned < len(e.ok) || e.summary.ToAnswer.N == 0 {
		return none()
	}
	return Finding{Rule: "thinking_on", Severity: Info,
		Figures: figures{"ttft_ms": e.summary.TTFT.P50, "answer_ms": e.summary.ToAnswer.P50, "reasoning_tokens": e.summary.ReasoningTokens.Avg}}, true
}

// answersEmpty: the cap was reached before any answer.
func answersEmpty(e *evidence) (Finding, bool) {
	empty := where(e.ok, func(s *Sample) bool { return s.FinishReason == "length" && !s.FirstAnswer.Taken() && s.Reasoned })
	if len(empty) == 0 {
		return none()
	}
	return Finding{Rule: "answers_empty", Severity: grade(share(len(empty), len(e.ok)), 0.2),
		Figures:    figures{"empty": float64(len(empty)), "succeeded": float64(len(e.ok)), "cap": float64(e.spec.MaxOutputTokens)},
		RequestIDs: idsOf(empty)}, true
}

// outputCutEarly: the server cut outputs for length well below the cap asked
// for. Outputs that end at the cap itself are what the workload aims at.
func outputCutEarly(e *evidence) (Finding, bool) {
	longest := 0
	cut := where(e.ok, func(s *Sample) bool {
		n, known := s.OutputTokens()
		early := known && n > 0 && s.FinishReason == "length" && n*10 < e.spec.MaxOutputTokens*9
		if early {
			longest = max(longest, n)
		}
		return early
	})
	if len(cut) == 0 {
		return none()
	}
	return Finding{Rule: "output_cut_early", Severity: Notable,
		Figures:    figures{"cut": float64(len(cut)), "succeeded": float64(len(e.ok)), "longest": float64(longest), "cap": float64(e.spec.MaxOutputTokens)},
		RequestIDs: idsOf(cut)}, true
}

// outputCapIgnored: outputs are longer than the cap.
func outputCapIgnored(e *evidence) (Finding, bool) {
	over := where(e.ok, func(s *Sample) bool {
		n, known := s.OutputTokens()
		return known && n > e.spec.MaxOutputTokens+max(2, e.spec.MaxOutputTokens/50)
	})
	if len(over) == 0 {
		return none()
	}
	return Finding{Rule: "output_cap_ignored", Severity: grade(share(len(over), len(e.ok)), 0.2),
		Figures:    figures{"over": float64(len(over)), "succeeded": float64(len(e.ok)), "max_output": float64(e.summary.OutputTokens.Max), "cap": float64(e.spec.MaxOutputTokens)},
		RequestIDs: idsOf(over)}, true
}

// answersShort: outputs end long before the cap of their own accord.
func answersShort(e *evidence) (Finding, bool) {
	out := e.summary.OutputTokens
	if e.spec.Scenario == Connectivity || out.N < 5 || out.Avg >= 0.5*float64(e.spec.MaxOutputTokens) || e.summary.Finish["length"]*2 > len(e.ok) {
		return none()
	}
	return Finding{Rule: "answers_short", Severity: Notable,
		Figures: figures{"avg": out.Avg, "cap": float64(e.spec.MaxOutputTokens), "near_cap_share": *e.summary.NearCap, "n": float64(out.N)}}, true
}

// streamBuffered: output comes in bursts that no stall of the client explains,
// so that its times are those of a buffer on the way. It is serious from the
// share on that degrades the verdict.
func streamBuffered(e *evidence) (Finding, bool) {
	bursts := where(e.ok, func(s *Sample) bool {
		tight, gaps := burst(s, e.pulse)
		return hasWarning(s, WarnBuffered) && 2*tight >= gaps
	})
	_, judged := e.reason(ReasonBuffered)
	if !judged && share(len(bursts), len(e.ok)) <= 0.05 {
		return none()
	}
	f := Finding{Rule: "stream_buffered", Figures: figures{"buffered": float64(len(bursts)), "succeeded": float64(len(e.ok)), "burst_share": 1}, RequestIDs: idsOf(bursts)}
	if s := e.measurement.BufferedShare; s != nil { // else every output of a request came at one moment: there is no gap to count
		f.Figures["burst_share"] = *s
	}
	f.Severity = grade(f.Figures["burst_share"], bufferedLimit)
	return f, true
}

// notStreamed: outputs of many tokens come as one event, so that TTFT is the
// whole answer's time.
func notStreamed(e *evidence) (Finding, bool) {
	whole := where(e.ok, func(s *Sample) bool {
		n, known := s.OutputTokens()
		return known && n >= 8 && s.OutputEvents == 1
	})
	if share(len(whole), len(e.ok)) <= 0.05 {
		return none()
	}
	return Finding{Rule: "not_streamed", Severity: Serious,
		Figures: figures{"whole": float64(len(whole)), "succeeded": float64(len(e.ok)), "ttft_ms": e.summary.TTFT.P50}, RequestIDs: idsOf(whole)}, true
}

func hasWarning(s *Sample, w Warning) bool {
	for _, have := range s.Warnings {
		if have == w {
			return true
		}
	}
	return false
}

// stall is the silence within a stream from which on it counts as a stall,
// where 20 TPOT aren't longer.
const stall = time.Second

// streamStalls: streams fell silent in the middle.
func streamStalls(e *evidence) (Finding, bool) {
	limit := max(stall, FromMilliseconds(20*e.summary.TPOT.P50))
	var longest time.Duration
	stalled := where(e.ok, func(s *Sample) bool {
		found := false
		for _, gap := range s.ITL() {
			if gap > limit {
				longest, found = max(longest, gap), true
			}
		}
		return found
	})
	if len(stalled) == 0 {
		return none()
	}
	return Finding{Rule: "stream_stalls", Severity: Notable,
		Figures:    figures{"stalled": float64(len(stalled)), "succeeded": float64(len(e.ok)), "longest_ms": Milliseconds(longest), "limit_ms": Milliseconds(limit)},
		RequestIDs: idsOf(stalled)}, true
}

// earlyToken: the first token comes alone, long before the second, so that TTFT
// hides a part of the wait.
func earlyToken(e *evidence) (Finding, bool) {
	if _, buffered := streamBuffered(e); buffered {
		return none()
	}
	var gaps, rests, seconds []float64
	early := where(e.ok, func(s *Sample) bool {
		first, rest, found := firstGap(s)
		if found {
			ttft, _ := s.TTFT()
			gaps, rests, seconds = append(gaps, first), append(rests, rest), append(seconds, Milliseconds(ttft)+first)
		}
		return found
	})
	if len(early) < 5 || len(early)*2 <= len(e.ok) {
		return none()
	}
	return Finding{Rule: "early_token", Severity: Notable, Figures: figures{
		"early": float64(len(early)), "succeeded": float64(len(e.ok)), "gap_ms": median(gaps), "itl_ms": median(rests),
		"ttft_ms": e.summary.TTFT.P50, "second_ms": median(seconds),
	}, RequestIDs: idsOf(early)}, true
}

// firstGap is the time, in ms, between the first token and the second, and the
// usual one between later tokens, where the first is far longer.
func firstGap(s *Sample) (first, rest float64, found bool) {
	itl := s.ITL()
	if len(itl) < 8 {
		return 0, 0, false
	}
	var gaps []float64
	for _, gap := range itl {
		gaps = append(gaps, Milliseconds(gap))
	}
	first, rest = gaps[0], median(gaps[1:])
	return first, rest, first >= 100 && first >= 5*max(rest, mean(gaps[1:]))
}
