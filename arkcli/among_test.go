package arkcli

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// someIDs are those of a server that is known by them alone.
func someIDs() []string {
	return []string{
		"doubao-seed-2-0-mini-260428", "doubao-seed-2-0-lite-260428", "doubao-seed-2-0-pro-260215", "doubao-seed-1-8-251228",
		"deepseek-v4-pro-ga-260813", "glm-5-3", "Qwen3-235B",
	}
}

func TestWordsFindOneModelOfAList(t *testing.T) {
	for query, want := range map[string]string{
		"豆包 Seed 2.0 Mini": "doubao-seed-2-0-mini-260428",
		"帮我压测一下方舟上豆包 Seed 2.0 Mini 模型": "doubao-seed-2-0-mini-260428",
		"doubao seed 2.0 mnii":       "doubao-seed-2-0-mini-260428",
		"豆包种子二点零轻量版":                 "doubao-seed-2-0-lite-260428",
		"doubao seed 1.8":            "doubao-seed-1-8-251228",
		"DeepSeek V4 Pro":            "deepseek-v4-pro-ga-260813",
		"智谱 5.3":                     "glm-5-3",
		"DOUBAO-SEED-2-0-PRO-260215": "doubao-seed-2-0-pro-260215",
		"qwen3-235b":                 "Qwen3-235B",
	} {
		r, err := Among(query, someIDs())
		if err != nil || !r.Resolved || r.ModelID != want || r.Why == "" || r.Query != query {
			t.Errorf("%q gives %+v, %v; want %s", query, r, err, want)
		}
	}
}

func TestWordsForSeveralOfAListAreCandidates(t *testing.T) {
	r, err := Among("豆包 Seed 2.0", someIDs())
	want := []string{"doubao-seed-2-0-mini-260428", "doubao-seed-2-0-lite-260428", "doubao-seed-2-0-pro-260215"}
	got := candidateIDs(r.Candidates)
	slices.Sort(got)
	slices.Sort(want)
	if err != nil || r.Resolved || r.Model() != "" || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v, want the candidates %q", r, err, want)
	}
}

func TestTheVariantThatAListLacksIsNotTakenForAnother(t *testing.T) {
	r, err := Among("doubao seed 2.0 max", someIDs())
	if err != nil || r.Resolved || len(r.Candidates) == 0 {
		t.Errorf("got %+v, %v, want near ones to choose from", r, err)
	}
}

func TestWordsForNoneOfAListAreNotFound(t *testing.T) {
	for _, query := range []string{"gpt 9", "", "《》", "llama"} {
		r, err := Among(query, someIDs())
		var e *Error
		if !errors.As(err, &e) || e.Problem != ModelNotFound || r.Resolved || len(e.Suggestions) == 0 || !strings.Contains(e.Message, query) {
			t.Errorf("%q gives %+v, %v", query, r, err)
		}
	}
	if _, err := Among("doubao", nil); problemOf(t, err) != ModelNotFound {
		t.Errorf("an empty list gives %v", err)
	}
}
