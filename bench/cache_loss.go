package bench

// largestBlock is the most tokens that a cache which keeps whole blocks may
// leave out of what it could keep. The usual blocks have 16 to 1,024 tokens.
const largestBlock = 1024

// CacheLoss says where later uses fell short of what could be reused. Tokens
// are prompt tokens that could have been cached and weren't.
type CacheLoss struct {
	Later  int `json:"later"`  // uses after the first
	Full   int `json:"full"`   // of them, those that hit all but what a block or the last answer makes up
	Missed int `json:"missed"` // of them, those that hit nothing though the workload gave no reason

	Overlap int `json:"overlap_tokens"` // started before any use of the prefix was answered
	Short   int `json:"short_tokens"`   // what could be reused is shorter than caches keep
	Block   int `json:"block_tokens"`   // a block at most, and the model's last answer
	None    int `json:"missed_tokens"`  // of those that missed
	Part    int `json:"part_tokens"`    // of those that hit, but more than a block less than they could
}

// reuse is a later use: what it could have reused, and how much of that is no
// part of an earlier prompt, but the model's answer to it.
type reuse struct {
	*Sample
	tokens, answer int
	early          bool
}

// lost is what the use could have hit and didn't.
func (r *reuse) lost() int { return max(0, r.tokens-cachedOf(r.Sample)) }

// missed reports whether next to nothing was hit.
func (r *reuse) missed() bool { return cachedOf(r.Sample)*10 < r.tokens }

// lossOf sorts the losses of later uses by their reason.
func lossOf(spec *Spec, counted []*Sample, early map[*Sample]bool) CacheLoss {
	later := reuses(spec, counted, early)
	l := CacheLoss{Later: len(later)}
	shortest := shortestHit(later)
	for i := range later {
		l.add(&later[i], shortest)
	}
	return l
}

// add counts one use; shortest is the least that any use hit.
func (l *CacheLoss) add(r *reuse, shortest int) {
	short := r.tokens < cacheMinimum || r.tokens < cacheMinimumMost && r.tokens < shortest
	switch {
	case r.missed() && r.early:
		l.Overlap += r.lost()
	case r.missed() && short:
		l.Short += r.lost()
	case r.missed():
		l.None, l.Missed = l.None+r.lost(), l.Missed+1
	case r.lost() <= largestBlock+r.answer:
		l.Block, l.Full = l.Block+r.lost(), l.Full+1
	case r.early:
		l.Overlap += r.lost()
	default:
		l.Part += r.lost()
	}
}

// shortestHit is the least reusable text, in tokens, of which any was hit;
// where none was hit, more than any cache asks for.
func shortestHit(later []reuse) int {
	least := cacheMinimumMost
	for i := range later {
		if r := &later[i]; !r.missed() {
			least = min(least, r.tokens)
		}
	}
	return least
}

// reuses lists the later uses of the scenarios that have any.
func reuses(spec *Spec, counted []*Sample, early map[*Sample]bool) []reuse {
	switch spec.Scenario {
	case Prefix:
		return prefixReuses(spec, counted, early)
	case Multiturn:
		return turnReuses(counted)
	}
	return nil
}

// prefixReuses takes the prefix's part of each prompt, as the server counts it.
func prefixReuses(spec *Spec, counted []*Sample, early map[*Sample]bool) []reuse {
	part := share(spec.PrefixLen, spec.PrefixLen+spec.SuffixLen)
	var later []reuse
	for _, s := range counted {
		if !firstUse(Prefix, s) {
			later = append(later, reuse{Sample: s, tokens: int(part * float64(*s.Usage.Prompt)), early: early[s]})
		}
	}
	return later
}

// turnReuses takes what the turn before had: its prompt and its answer.
func turnReuses(counted []*Sample) []reuse {
	var later []reuse
	var before *Sample
	for _, s := range counted {
		if before != nil && before.Session == s.Session && before.Point == s.Point && before.Turn == s.Turn-1 {
			visible := max(0, valueOr(before.Usage.Completion, 0)-valueOr(before.Usage.Reasoning, 0))
			tokens := min(*before.Usage.Prompt+visible, *s.Usage.Prompt)
			later = append(later, reuse{Sample: s, tokens: tokens, answer: visible})
		}
		before = s
	}
	return later
}

// uneven reports whether uses of the same kind either hit in full or not at
// all, for no reason that lies in the workload: one cache doesn't do that
// unless it drops entries.
func (c *Cache) uneven() bool {
	l := c.Loss
	return l.Missed >= 3 && l.Full >= 3 && share(l.Missed, l.Later) >= 0.05 && share(l.Full, l.Later) >= 0.1
}
