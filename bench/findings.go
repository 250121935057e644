package bench

import (
	"cmp"
	"slices"
)

// Severity says how much a finding bears on the use of the figures.
type Severity string

// The severities.
const (
	Serious Severity = "serious" // the figures don't show what they were meant to show
	Notable Severity = "notable" // the figures hold, but must be read with this in mind
	Info    Severity = "info"    // explains a figure that is as it should be
)

// Finding is something that a reader of the report must know: what was seen,
// as figures. Its wording, cause and next step belong to the report. The name
// of a figure carries its unit: _ms, or _share and _rate from 0 to 1; the rest
// are counts and ratios.
type Finding struct {
	Rule       string             `json:"rule"`
	Severity   Severity           `json:"severity"`
	Figures    map[string]float64 `json:"figures,omitempty"`
	Texts      map[string]string  `json:"texts,omitempty"`
	RequestIDs []string           `json:"request_ids,omitempty"` // at most ten
	Points     []int              `json:"points,omitempty"`      // of a sweep, from 1: the loads at which it holds
}

// figures are the numbers of a finding.
type figures = map[string]float64

// evidence is what the rules look at: one target's run.
type evidence struct {
	spec        *Spec
	target      *Target
	summary     *Summary
	measurement *Measurement
	all         []*Sample // every attempt
	last        []*Sample // the attempt that counts of each turn
	ok          []*Sample // those of them that succeeded
	end         *End      // nil: unknown
	pulse       *pulse
	cut         int // tokens to which the server was seen to cut prompts beforehand; 0: it wasn't
}

// rule is one thing to look for; it reports whether it was found.
type rule func(*evidence) (Finding, bool)

// rules lists every rule, the most telling first: a rule that names a cause
// stands before the rules that name its effects.
func rules() []rule {
	return []rule{
		thinkingRefused, refusedAtStart, throttled, mainFailure, otherFailure, modelChanged, modelOther,
		streamBuffered, notStreamed, earlyToken, thinkingSeen, thinkingMissing, thinkingMixed, tierNotServed, tierNotEchoed,
		outputCapIgnored, outputCutEarly, answersEmpty,
		usageMissing, promptsCut, cacheWarm, admits, twoPaces, slowStarts, cacheLow, cacheClaimUnsupported, cacheNotReported, usageInconsistent,
		promptLengthOff, queued, newConnections, slowUpload, ttftDrift, cacheUneven, tpotDrift, twoStarts, streamStalls,
		clientSaturated, concurrencyShortfall, answersShort, clockStepped,
		thinkingOn, coldTail, fewSamples,
	}
}

// Findings applies every rule to one target's samples and lists what holds,
// the weightiest first. The record is that of the whole run.
func Findings(spec *Spec, target *Target, s *Summary, m *Measurement, samples []*Sample, r *Record) []Finding {
	last := lastAttempts(samples)
	e := &evidence{spec, target, s, m, samples, last, succeeded(last), r.end(), newPulse(r.Ticks), r.cut(target)}
	found := []Finding{}
	for _, look := range rules() {
		if f, holds := look(e); holds {
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Compare(a.Severity.rank(), b.Severity.rank()) })
	return found
}

func (s Severity) rank() int {
	return slices.Index([]Severity{Serious, Notable, Info}, s)
}

// none is the answer of a rule that doesn't hold.
func none() (Finding, bool) { return Finding{}, false }

// idsOf lists request ids of the samples, so that support can look them up.
func idsOf(samples []*Sample) []string {
	var ids []string
	for _, s := range samples {
		ids = appendID(ids, s.RequestID)
	}
	return ids
}

// where keeps the samples for which is holds.
func where(samples []*Sample, is func(*Sample) bool) []*Sample {
	var kept []*Sample
	for _, s := range samples {
		if is(s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// share is part/whole, 0 where there is no whole.
func share(part, whole int) float64 {
	if r := ratio(part, whole); r != nil {
		return *r
	}
	return 0
}

// grade is Serious from the limit on, Notable below.
func grade(value, limit float64) Severity {
	if value >= limit {
		return Serious
	}
	return Notable
}

// reason returns the weightiest of the measurement's reasons with one of the
// given codes, the last of equals.
func (e *evidence) reason(codes ...string) (Reason, bool) {
	var found Reason
	known := false
	for _, r := range e.measurement.Reasons {
		if slices.Contains(codes, r.Code) && (!known || found.Verdict != Invalid || r.Verdict == Invalid) {
			found, known = r, true
		}
	}
	return found, known
}

// worstReason is the gravest of the reasons with the given codes, the later of
// equal ones.
func (e *evidence) worstReason(codes ...string) (Reason, bool) {
	worst, found := e.reason(codes...)
	for _, r := range e.measurement.Reasons {
		if slices.Contains(codes, r.Code) && r.Verdict == Invalid && worst.Verdict != Invalid {
			worst = r
		}
	}
	return worst, found
}
