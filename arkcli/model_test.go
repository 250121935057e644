package arkcli

import (
	"strings"
	"testing"
)

func TestAModelIsOneOfTextByOutputsThenTasksThenName(t *testing.T) {
	for body, want := range map[string]modality{
		`{"name":"a","output_modalities":["text"]}`:                                                           textModality,
		`{"name":"a","output_modalities":["Text","image"]}`:                                                   textModality,
		`{"name":"a","output_modalities":["video"],"foundation_model_tag":{"task_types":["TextGeneration"]}}`: otherModality,
		`{"name":"a","output_modalities":null,"foundation_model_tag":{"task_types":["TextGeneration"]}}`:      textModality,
		`{"name":"a","foundation_model_tag":{"task_types":["VisualQuestionAnswering"]}}`:                      textModality,
		`{"name":"a","foundation_model_tag":{"task_types":["TextToImage"]}}`:                                  otherModality,
		`{"name":"doubao-seedream-5-0"}`:                                                                      otherModality,
		`{"name":"doubao-embedding"}`:                                                                         otherModality,
		`{"name":"doubao-seed-2-0-mini"}`:                                                                     unknownModality,
		`{"Name":"a","OutputModalities":["text"]}`:                                                            textModality,
	} {
		v, err := decode([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if got := readModel(v).modality; got != want {
			t.Errorf("%s: got %d, want %d", body, got, want)
		}
	}
}

func TestATargetHoldsWhatARequestNeedsOrTheCandidates(t *testing.T) {
	f := newFake(t, "logged_in")
	target, warnings, err := f.Target(t.Context(), "", "豆包 Seed 2.0 Mini")
	if err != nil || len(warnings) > 0 || target.Model != "doubao-seed-2-0-mini-260428" || target.Key.Reveal() != key ||
		target.BaseURL != "https://ark.cn-beijing.volces.com/api/v3" || target.Asked != "豆包 Seed 2.0 Mini" || target.Profile != "platform_cn-beijing_default" {
		t.Errorf("got %+v, %q, %v", target, warnings, err)
	}
	_, _, err = f.Target(t.Context(), "", "seed 2.0")
	if problemOf(t, err) != ModelAmbiguous || !strings.Contains(printed(err), "doubao-seed-2-0-lite-260428") {
		t.Errorf("got %v, want the candidates", err)
	}
}
