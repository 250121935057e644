package arkcli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestAFullIDTakesOneLookup(t *testing.T) {
	for _, id := range []string{
		"doubao-seed-2-0-mini-260428", "doubao-embergate-20260301", "doubao-seed-code-preview-251028", "deepseek-v4-pro-ga-260813", "kimi-k3-2507", "glm-5-3",
	} {
		f := newFake(t, "exact_full_id")
		r, err := f.Resolve(t.Context(), "", id)
		if err != nil || r.ModelID != id || r.Why != "it is the exact ID of a model in the catalogue" && id != "glm-5-3" {
			t.Errorf("%s: got %+v, %v", id, r, err)
		}
		if n := count(f.commands(t), "models "); n != 1 {
			t.Errorf("%s: %d lookups, want 1: %q", id, n, f.commands(t))
		}
	}
}

func TestNoPhraseCausesMoreThanAHandfulOfCalls(t *testing.T) {
	for _, phrase := range []string{"gpt-4o", "豆包", "doubao sed 2.0 mnii", "one two three four five six seven eight nine", "doubao seed 2.0 max"} {
		f := newFake(t, "logged_in")
		_, _ = f.Resolve(t.Context(), "", phrase)
		if n := len(f.commands(t)); n > 10 {
			t.Errorf("%q: %d calls: %q", phrase, n, f.commands(t))
		}
	}
}

func TestSeveralVersionsOfOneNameAreCandidatesWithTheirDetails(t *testing.T) {
	f := newFake(t, "two_versions")
	r, err := f.Resolve(t.Context(), "", "豆包 Seed 2.0 Mini")
	if err != nil || r.Resolved || r.Model() != "" {
		t.Fatalf("got %+v, %v, want no choice", r, err)
	}
	ids := candidateIDs(r.Candidates)
	if !slices.Equal(ids, []string{"doubao-seed-2-0-mini-260215", "doubao-seed-2-0-mini-260428"}) {
		t.Errorf("candidates are %q", ids)
	}
	last := r.Candidates[1]
	if last.ContextWindow != 262144 || last.Kind != "model" || last.Name != "Doubao-Seed-2.0-mini" || last.Score != 1 || !slices.Contains(last.Capabilities, "thinking") {
		t.Errorf("candidate is %+v", last)
	}
	if r, err := f.Resolve(t.Context(), "", "doubao-seed-2-0-mini-260215"); err != nil || r.ModelID != "doubao-seed-2-0-mini-260215" {
		t.Errorf("the full ID gives %+v, %v", r, err)
	}
}

func TestCandidatesAreFiveAtMostTheLikeliestFirst(t *testing.T) {
	f := newFake(t, "logged_in")
	r, err := f.Resolve(t.Context(), "", "doubao")
	if err != nil || len(r.Candidates) != 5 {
		t.Fatalf("got %+v, %v", r, err)
	}
	if !slices.IsSortedFunc(r.Candidates, func(a, b Candidate) int { return int(100*b.Score) - int(100*a.Score) }) {
		t.Errorf("candidates are not ranked: %+v", r.Candidates)
	}
}

func TestTheIDIsTheNameWithItsPrimaryVersion(t *testing.T) {
	for _, c := range []struct{ version, extra, want string }{
		{`"260215"`, "", "family-one-260215"},
		{`""`, "", "family-one"},
		{`null`, "", "family-one"},
		{`"latest-version"`, "", "family-one"},
		{`"\"251228\""`, "", "family-one-251228"},
		{`260215`, "", "family-one-260215"},
		{`"preview-260215"`, "", "family-one-preview-260215"},
		{`"modelhub"`, `,"callable_model_id":"own-id-1"`, "own-id-1"},
	} {
		body := fmt.Sprintf(`{"items":[{"name":"family-one","display_name":"Family One","primary_version":%s,"output_modalities":["text"]%s}]}`, c.version, c.extra)
		f := newFake(t, "logged_in", answerWith(t, map[string]string{"models_search.stdout": body}))
		if r, err := f.Resolve(t.Context(), "", "family one"); err != nil || r.ModelID != c.want {
			t.Errorf("version %s: got %+v, %v, want %s", c.version, r, err, c.want)
		}
	}
}

func TestWhatIsNoTextModelOrHiddenIsNeverPicked(t *testing.T) {
	for _, phrase := range []string{"doubao seedream 5.0", "seedance 2.0", "doubao-seedance-2-0-260310", "doubao embedding vision", "doubao seed 2.2"} {
		f := newFake(t, "logged_in")
		r, err := f.Resolve(t.Context(), "", phrase)
		var e *Error
		errors.As(err, &e)
		shown := candidateIDs(r.Candidates)
		if e != nil {
			shown = append(shown, candidateIDs(e.Suggestions)...)
		}
		bad := slices.ContainsFunc(shown, func(id string) bool {
			return strings.Contains(id, "seedream") || strings.Contains(id, "seedance") || strings.Contains(id, "embedding") || strings.Contains(id, "orion")
		})
		if r.Resolved || bad {
			t.Errorf("%q: got %+v, %v with %q", phrase, r, err, shown)
		}
	}
	f := newFake(t, "logged_in")
	if r, err := f.Resolve(t.Context(), "", "doubao-seed-2-2-orion-260901"); err != nil || !r.Resolved {
		t.Errorf("a hidden model named by its full ID gives %+v, %v", r, err)
	}
}

func TestARetiringModelWarnsAndAShutDownOneIsRefused(t *testing.T) {
	f := newFake(t, "retiring")
	r, err := f.Resolve(t.Context(), "", "deepseek r1")
	if err != nil || r.ModelID != "deepseek-r1-250528" || !strings.Contains(strings.Join(r.Warnings, " "), "being retired") {
		t.Errorf("got %+v, %v", r, err)
	}
	for _, phrase := range []string{"doubao 1.5 pro 32k", "doubao-1-5-pro-32k-250115"} {
		if _, err := f.Resolve(t.Context(), "", phrase); problemOf(t, err) != ModelShutdown {
			t.Errorf("%q: got %v, want it refused", phrase, err)
		}
	}
}

func TestModelsWithoutDetailsAreTakenWithAWarning(t *testing.T) {
	f := newFake(t, "no_details")
	r, err := f.Resolve(t.Context(), "", "doubao seed 2.0 mini")
	if err != nil || r.ModelID != "doubao-seed-2-0-mini-260428" || !strings.Contains(strings.Join(r.Warnings, " "), "answers in text") {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestAnotherVersionThanThePrimaryOneIsUsedAsGiven(t *testing.T) {
	f := newFake(t, "logged_in")
	r, err := f.Resolve(t.Context(), "", "doubao-seed-2-0-mini-260101")
	if err != nil || r.ModelID != "doubao-seed-2-0-mini-260101" || !strings.Contains(strings.Join(r.Warnings, " "), "not confirmed") {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestAFullIDIsUsedAsGivenWhenTheCatalogueCannotBeRead(t *testing.T) {
	f := newFake(t, "plain_error,only:search")
	r, err := f.Resolve(t.Context(), "", "doubao-seed-2-0-mini-260428")
	if err != nil || r.ModelID != "doubao-seed-2-0-mini-260428" || !strings.Contains(strings.Join(r.Warnings, " "), "Error code: 403") {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := f.Resolve(t.Context(), "", "doubao seed 2.0 mini"); problemOf(t, err) != APIError {
		t.Errorf("a name gives %v, want the failure", err)
	}
}

func TestNothingFoundSuggestsTheNearest(t *testing.T) {
	f := newFake(t, "logged_in")
	_, err := f.Resolve(t.Context(), "", "glm 4.6")
	var e *Error
	if !errors.As(err, &e) || e.Problem != ModelNotFound || !slices.Contains(candidateIDs(e.Suggestions), "glm-5-2-260617") {
		t.Errorf("got %v with %+v", err, e)
	}
}

func TestEndpointsPassThroughWithWhatIsKnown(t *testing.T) {
	const id = "ep-20260701120000-abcde"
	for _, c := range []struct {
		scenario, query, endpoint, served, warns string
		rpm                                      int
	}{
		{"logged_in", id, id, "doubao-seed-2-0-mini-260428", "", 30000},
		{"logged_in", " \"EP-20260701120000-ABCDE\" ", id, "doubao-seed-2-0-mini-260428", "", 30000},
		{"logged_in", "ｅｐ－20260701120000-abcde", id, "doubao-seed-2-0-mini-260428", "", 30000},
		{"paged_endpoints", id, id, "doubao-seed-2-0-mini-260428", "", 30000},
		{"endpoint_custom_model", id, id, "", "custom model", 30000},
		{"logged_in", "ep-m-20260702120000-fghij", "ep-m-20260702120000-fghij", "glm-5-2-260617", "Scheduling", 30000},
		{"logged_in", "ep-20250101-abc", "ep-20250101-abc", "", "is not known", 0},
		{"plain_error,only:endpoint", id, id, "", "Error code: 403", 0},
		{"logged_in", "bench", id, "doubao-seed-2-0-mini-260428", "", 30000},
	} {
		f := newFake(t, c.scenario)
		r, err := f.Resolve(t.Context(), "", c.query)
		if err != nil || !r.Resolved || r.Model() != c.endpoint || r.ModelID != "" || r.ServedModel != c.served || r.RateLimit.RPM != c.rpm {
			t.Errorf("%s %s: got %+v, %v", c.scenario, c.query, r, err)
		}
		if got := strings.Join(r.Warnings, " "); c.warns == "" && got != "" || !strings.Contains(got, c.warns) {
			t.Errorf("%s %s: warnings %q, want %q", c.scenario, c.query, got, c.warns)
		}
		if count(f.commands(t), "models search") > 0 && strings.HasPrefix(c.endpoint, "ep-") && c.query != "bench" {
			t.Errorf("%s: the catalogue was searched for an endpoint", c.query)
		}
	}
}

func TestAnEndpointOnTheThirdPageIsFoundInThreePages(t *testing.T) {
	f := newFake(t, "paged_endpoints")
	if _, err := f.Resolve(t.Context(), "", "ep-20260701120000-abcde"); err != nil {
		t.Fatal(err)
	}
	if n := count(f.commands(t), "endpoint list"); n != 3 {
		t.Errorf("%d pages read, want 3", n)
	}
}

func TestTheQueryNeverReachesAShellAsWritten(t *testing.T) {
	f := newFake(t, "logged_in")
	for _, query := range []string{"--profile x", "a & calc", "%PATH%", `x" | del *`, "$(reboot)", "doubao\x00seed\n2.0 mini"} {
		_, _ = f.Resolve(t.Context(), "", query)
	}
	for _, line := range f.commands(t) {
		if strings.ContainsAny(line, "&|%$\"'`()<>^!*\\\x00\n") {
			t.Errorf("arguments %q", line)
		}
	}
}
