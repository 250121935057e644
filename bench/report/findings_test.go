package report

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
)

func languageFor(t *testing.T, name string) *language {
	t.Helper()
	l, err := languageOf(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestBothLanguagesHaveTheSamePhrasesWithTheSamePlaces(t *testing.T) {
	zh, en := languageFor(t, "zh"), languageFor(t, "en")
	places := func(phrase string) string {
		found := map[string]bool{}
		for _, p := range en.places.FindAllString(phrase, -1) {
			found[p] = true
		}
		sorted, err := json.Marshal(found)
		if err != nil {
			t.Fatal(err)
		}
		return string(sorted)
	}
	for key, phrase := range en.phrases {
		if other, known := zh.phrases[key]; !known || places(other) != places(phrase) {
			t.Errorf("%s: %q in English, %q in Chinese", key, phrase, other)
		}
	}
	for key := range zh.phrases {
		if !en.has(key) {
			t.Errorf("%s is in Chinese alone", key)
		}
	}
}

// unfinished finds a place that was not filled, and a phrase that is missing.
func unfinished() *regexp.Regexp {
	return regexp.MustCompile(`\{[a-z0-9_]+\}|\([a-z]+\\?(\.[a-z0-9\\_-]+)+\)`)
}

func TestEveryFindingIsWordedInFullInBothLanguages(t *testing.T) {
	for _, fault := range benchtest.Faults() {
		t.Run(fault.Name, func(t *testing.T) {
			t.Parallel()
			record := fault.Run.Record()
			result := fault.Run.Result(record)
			for _, lang := range Languages() {
				p := &page{languageFor(t, lang), result, record, nil}
				for _, b := range p.Blocks() {
					for i := range b.target.Findings {
						wording(t, b, &b.target.Findings[i])
					}
				}
			}
		})
	}
}

func wording(t *testing.T, b *block, f *bench.Finding) {
	text := string(b.finding(f))
	if left := unfinished().FindString(text); left != "" {
		t.Errorf("%s %s: %q is left in %q", b.l.name, f.Rule, left, text)
	}
	if b.l.has("finding."+f.Rule) != true || b.findingWhy(f) == "" {
		t.Errorf("%s %s has no wording", b.l.name, f.Rule)
	}
}

func TestAnUnknownFindingIsShownByItsName(t *testing.T) {
	run := benchtest.New(bench.Connectivity, bench.Standard, "en")
	record := run.Record()
	result := run.Result(record)
	result.Targets[0].Findings = []bench.Finding{{Rule: "of_a_later_version", Severity: bench.Notable}}
	text, err := Markdown(result, record, nil)
	if err != nil || !strings.Contains(string(text), "`of_a_later_version`") {
		t.Errorf("%v: the finding is missing", err)
	}
}
