package bench

import (
	"slices"
	"time"
)

// shared is what uses have in common that a cache may keep: a prefix or, where
// there is none, a session's first turn.
type shared struct {
	point, prefix, session int
}

func (s *Sample) shared() shared {
	if s.Prefix > 0 {
		return shared{point: s.Point, prefix: s.Prefix}
	}
	return shared{point: s.Point, session: s.Session}
}

// usesOf groups attempts by what they share. Of a conversation only the first
// turn counts: the others are no first use.
func usesOf(scenario Scenario, attempts []*Sample) [][]*Sample {
	at := map[shared]int{}
	var groups [][]*Sample
	for _, s := range attempts {
		if scenario == Multiturn && s.Turn > 1 {
			continue
		}
		i, known := at[s.shared()]
		if !known {
			i = len(groups)
			at[s.shared()], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	return groups
}

// provenFirst keeps of each prefix or session the use that was served first,
// where one surely was.
func provenFirst(scenario Scenario, attempts []*Sample) []*Sample {
	var proven []*Sample
	for _, uses := range usesOf(scenario, attempts) {
		if s := servedFirst(uses); s != nil {
			proven = append(proven, s)
		}
	}
	return proven
}

// servedFirst finds the use that was served first. It is among those that
// started before any was answered, whatever their order: the one with the
// smallest cached share stands for it, since whoever was first had least to
// hit. It is nil where one of them has no count or is not on record, since that
// one may have filled the cache for the others.
func servedFirst(uses []*Sample) *Sample {
	if !slices.ContainsFunc(uses, func(s *Sample) bool { return s.Ordinal < 2 && s.Attempt < 2 }) {
		return nil
	}
	uses = where(uses, mayFill)
	ready, known := firstAnswer(uses)
	if !known {
		return nil
	}
	var first *Sample
	least := 0.0
	for _, s := range uses {
		if s.Start.At() > ready {
			continue
		}
		if s.Outcome != Succeeded || s.Usage == nil || s.Usage.Prompt == nil || cachedExceedsPrompt(s) {
			return nil
		}
		if part := share(cachedOf(s), *s.Usage.Prompt); first == nil || part < least {
			first, least = s, part
		}
	}
	return first
}

// mayFill reports whether an attempt may have put its prompt into the cache:
// one that was refused has not.
func mayFill(s *Sample) bool { return !s.Outcome.Retriable() && !s.Outcome.Fatal() }

// firstAnswer is when the first of the uses was answered or given up.
func firstAnswer(uses []*Sample) (ready time.Duration, known bool) {
	for _, s := range uses {
		at := s.FirstToken
		if !at.Taken() {
			at = s.End
		}
		if at.Taken() && (!known || at.At() < ready) {
			ready, known = at.At(), true
		}
	}
	return ready, known
}

// overlapped lists later uses of a prefix that started before any use of it
// had its first token.
func overlapped(ok []*Sample) map[*Sample]bool {
	ready := map[shared]time.Duration{}
	for _, s := range ok {
		at, seen := ready[s.shared()]
		if s.Prefix > 0 && s.FirstToken.Taken() && (!seen || s.FirstToken.At() < at) {
			ready[s.shared()] = s.FirstToken.At()
		}
	}
	early := map[*Sample]bool{}
	for _, s := range ok {
		if s.Prefix > 0 && s.Ordinal > 1 && s.Start.At() < ready[s.shared()] {
			early[s] = true
		}
	}
	return early
}
