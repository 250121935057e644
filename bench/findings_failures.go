package bench

import "strings"

// thinkingRefused: the model doesn't accept the state of thinking asked for.
func thinkingRefused(e *evidence) (Finding, bool) {
	if e.refused() && e.end.Class == FailBadRequest && namesThinking(e.end.Reason) {
		return Finding{Rule: "thinking_refused", Severity: Serious, Figures: figures{"refused": 1, "ended": 1},
			Texts: map[string]string{"asked": string(e.spec.Thinking), "message": e.end.Reason}}, true
	}
	refused := where(e.last, refusesThinking)
	if len(refused) == 0 {
		return none()
	}
	return Finding{Rule: "thinking_refused", Severity: Serious,
		Figures: figures{"refused": float64(len(refused)), "ended": float64(len(e.last))},
		Texts:   map[string]string{"asked": string(e.spec.Thinking), "message": refused[0].Failure.Message}, RequestIDs: idsOf(refused)}, true
}

func refusesThinking(s *Sample) bool {
	if s.Outcome != FailBadRequest || s.Failure == nil {
		return false
	}
	return namesThinking(s.Failure.Message + " " + s.Failure.Code)
}

func namesThinking(message string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "thinking") || strings.Contains(message, "reasoning")
}

// refused reports whether the run ended before any measured request, since the
// endpoint refused what came before.
func (e *evidence) refused() bool {
	return len(e.all) == 0 && e.end != nil && e.end.Class != ""
}

// refusedAtStart: the endpoint refused before anything was measured.
func refusedAtStart(e *evidence) (Finding, bool) {
	if !e.refused() || e.end.Class == FailBadRequest && namesThinking(e.end.Reason) {
		return none()
	}
	return Finding{Rule: "refused_at_start", Severity: Serious,
		Texts: map[string]string{"class": string(e.end.Class), "code": "", "message": e.end.Reason}}, true
}

// throttled: a rate limit was met, so the figures describe the quota.
func throttled(e *evidence) (Finding, bool) {
	hit := where(e.all, func(s *Sample) bool { return s.Outcome == FailRateLimited })
	if len(hit) == 0 {
		return none()
	}
	failed := where(e.last, func(s *Sample) bool { return s.Outcome == FailRateLimited })
	f := Finding{Rule: "throttled", Severity: grade(share(len(failed), len(e.last)), max(e.spec.MaxFailureRate, 1e-9)),
		Figures:    figures{"attempts": float64(len(hit)), "failed": float64(len(failed)), "ended": float64(len(e.last)), "not_run": float64(e.summary.Requests.NotRun)},
		Texts:      map[string]string{"code": "", "message": ""},
		RequestIDs: idsOf(hit)}
	if hit[0].Failure != nil {
		f.Texts["code"], f.Texts["message"] = hit[0].Failure.Code, hit[0].Failure.Message
	}
	return f, true
}

// mainFailure is the most frequent class of failure, rate limits apart.
func mainFailure(e *evidence) (Finding, bool) { return e.failure(0) }

// otherFailure is the second most frequent class.
func otherFailure(e *evidence) (Finding, bool) { return e.failure(1) }

func (e *evidence) failure(rank int) (Finding, bool) {
	for _, g := range e.summary.Failures {
		if g.Class == FailRateLimited || g.Class == FailBadRequest && len(where(e.last, refusesThinking)) == g.Count {
			continue
		}
		if rank--; rank >= 0 {
			continue
		}
		r := e.summary.Requests
		ended := r.Succeeded + r.Failed
		return Finding{Rule: "failures", Severity: grade(share(g.Count, ended), max(e.spec.MaxFailureRate, 1e-9)),
			Figures:    figures{"count": float64(g.Count), "ended": float64(ended), "count_share": share(g.Count, ended), "not_run": float64(r.NotRun)},
			Texts:      map[string]string{"class": string(g.Class), "code": g.Code, "message": g.Sample},
			RequestIDs: g.RequestIDs}, true
	}
	return none()
}

// modelChanged: responses named more than one model.
func modelChanged(e *evidence) (Finding, bool) {
	models := e.summary.Observed.Models
	if len(models) < 2 {
		return none()
	}
	main := mostFrequent(models)
	others := where(e.ok, func(s *Sample) bool { return s.Model != "" && s.Model != main })
	return Finding{Rule: "model_changed", Severity: Serious,
		Figures: figures{"models": float64(len(models)), "others": float64(len(others)), "succeeded": float64(len(e.ok))},
		Texts:   map[string]string{"main": main, "other": others[0].Model}, RequestIDs: idsOf(others)}, true
}

// modelOther: another model answers than the one asked for. An endpoint's ID
// says nothing of its model, and a version may be added to a name.
func modelOther(e *evidence) (Finding, bool) {
	asked, served := e.target.Model, mostFrequent(e.summary.Observed.Models)
	if served == "" || len(e.summary.Observed.Models) > 1 || strings.HasPrefix(asked, "ep-") || sameModel(asked, served) {
		return none()
	}
	return Finding{Rule: "model_other", Severity: Notable, Figures: figures{"succeeded": float64(len(e.ok))},
		Texts: map[string]string{"asked": asked, "served": served}}, true
}

// sameModel compares names without regard to case, to an owner before a slash,
// and to what follows the shorter one.
func sameModel(a, b string) bool {
	name := func(s string) string { return strings.ToLower(s[strings.LastIndex(s, "/")+1:]) }
	a, b = name(a), name(b)
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// tierNotServed: a service tier was asked for, and some requests got another.
func tierNotServed(e *evidence) (Finding, bool) {
	reported := where(e.ok, func(s *Sample) bool { return s.ServiceTier != "" })
	others := where(reported, func(s *Sample) bool { return s.ServiceTier != e.spec.ServiceTier })
	if e.spec.ServiceTier == "" || e.spec.ServiceTier == "auto" || len(others) == 0 {
		return none()
	}
	return Finding{Rule: "tier_not_served", Severity: grade(share(len(others), len(reported)), 0.5),
		Figures: figures{"others": float64(len(others)), "reported": float64(len(reported)), "served_share": 1 - share(len(others), len(reported))},
		Texts:   map[string]string{"asked": e.spec.ServiceTier, "served": others[0].ServiceTier}, RequestIDs: idsOf(others)}, true
}

// tierNotEchoed: a service tier was asked for, and no response says which one served it.
func tierNotEchoed(e *evidence) (Finding, bool) {
	if e.spec.ServiceTier == "" || len(e.ok) == 0 || len(e.summary.Observed.ServiceTiers) > 0 {
		return none()
	}
	return Finding{Rule: "tier_not_echoed", Severity: Notable,
		Figures: figures{"succeeded": float64(len(e.ok))}, Texts: map[string]string{"asked": e.spec.ServiceTier}}, true
}
