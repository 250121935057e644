package rundir

import (
	"reflect"

	"github.com/llm-bench/llm-bench/bench"
)

// maxText bounds each text of a journal but those of kept prompts and answers.
const maxText = 4096

// scrub cleans every text of what was decoded, except what must stay as it is:
// the prompts and answers that a sample keeps, which their hashes cover, and
// the maps of a dialect, which are sent as they stand.
func scrub(value any) {
	if s, isSample := value.(*bench.Sample); isSample {
		prompt, answer := s.PromptText, s.AnswerText
		defer func() { s.PromptText, s.AnswerText = prompt, answer }()
		s.PromptText, s.AnswerText = "", ""
	}
	scrubValue(reflect.ValueOf(value))
}

func scrubValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString(bench.Clean(v.String(), maxText))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			scrubValue(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				scrubValue(v.Field(i))
			}
		}
	case reflect.Slice:
		if !holdsText(v.Type().Elem().Kind()) {
			return
		}
		for i := range v.Len() {
			scrubValue(v.Index(i))
		}
	}
}

func holdsText(k reflect.Kind) bool {
	return k == reflect.String || k == reflect.Struct || k == reflect.Pointer || k == reflect.Slice
}
