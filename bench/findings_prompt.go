package bench

// promptsCut: the server, or something before it, drops what is beyond its
// context. It shows where texts of different lengths count the same.
func promptsCut(e *evidence) (Finding, bool) {
	if e.spec.Scenario == Connectivity || e.summary.PromptTokens.N == 0 || e.summary.PlannedPrompt.N == 0 {
		return none()
	}
	to, cut := e.summary.PromptTokens.Max, e.cutTurns()
	if e.spec.Scenario == Prefix {
		cut = e.cutAlike()
	}
	if len(cut) == 0 && e.cut > 0 && e.summary.PlannedPrompt.Max*10 > e.cut*9 {
		cut = where(e.ok, func(s *Sample) bool { return s.PlannedPrompt*10 > e.cut*9 })
	}
	if len(cut) == 0 {
		return none()
	}
	return Finding{Rule: "prompts_cut", Severity: Serious,
		Figures:    figures{"tokens": float64(to), "asked": float64(e.summary.PlannedPrompt.Max), "cut": float64(len(cut)), "succeeded": float64(len(e.ok))},
		RequestIDs: idsOf(cut)}, true
}

// cutAlike are the requests of a prefix run, where all of them count alike and
// less than was asked for: texts of their own differ by some tokens, unless
// they are fitted to the length asked for.
func (e *evidence) cutAlike() []*Sample {
	const margin = 0.97
	to := e.summary.PromptTokens.Max
	alike := where(e.ok, func(s *Sample) bool { return s.Usage != nil && valueOr(s.Usage.Prompt, 0) == to })
	if len(alike) < 5 || share(len(alike), len(e.ok)) < 0.95 || float64(to) >= margin*float64(e.summary.PlannedPrompt.Min) {
		return nil
	}
	return alike
}

// cutTurns are turns that count no more than the turn before them, though they
// hold all that it held; none where it's but a few.
func (e *evidence) cutTurns() []*Sample {
	var cut []*Sample
	for i, s := range e.ok {
		if i == 0 || s.Turn < 2 || !sameTurn(e.ok[i-1], &Sample{Session: s.Session, Turn: s.Turn - 1, Target: s.Target, Point: s.Point}) {
			continue
		}
		before, now := e.ok[i-1].Usage, s.Usage
		if before != nil && now != nil && before.Prompt != nil && now.Prompt != nil && *now.Prompt <= *before.Prompt {
			cut = append(cut, s)
		}
	}
	if len(cut) < 3 {
		return nil
	}
	return cut
}

// promptLengthOff: the server counts other prompt lengths than were asked for.
// Later turns are left out, since answers make their length.
func promptLengthOff(e *evidence) (Finding, bool) {
	limit := 0.1
	if e.spec.LengthUnit == LengthServer {
		limit = 0.02
	}
	var asked, counted []int
	for _, s := range e.ok {
		if s.Turn == 1 && s.PlannedPrompt > 0 && s.Usage != nil && s.Usage.Prompt != nil {
			asked, counted = append(asked, s.PlannedPrompt), append(counted, *s.Usage.Prompt)
		}
	}
	if _, cut := promptsCut(e); cut || e.spec.Scenario == Connectivity || len(asked) == 0 {
		return none()
	}
	want, have := CountOf(asked), CountOf(counted)
	off := have.Avg/want.Avg - 1
	if off <= limit && off >= -limit {
		return none()
	}
	f := Finding{Rule: "prompts_longer", Severity: Notable, Figures: figures{"asked": want.Avg, "observed": have.Avg, "off_share": off, "n": float64(have.N)}}
	if off < 0 {
		f.Rule, f.Figures["off_share"] = "prompts_shorter", -off
	}
	return f, true
}
