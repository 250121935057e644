package job

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// rounding is the relative difference that two processors may make in one sum.
const rounding = 1e-9

// result compares a result.json with the one that the journal gives, field by field.
func (v *verifier) result(path string, got, want []byte) {
	if bytes.Equal(got, want) {
		return
	}
	var says, gives any
	if err := decodeNumbers(got, &says); err != nil {
		v.note(Mismatch{File: path, Fault: "can't be read: " + bench.Clean(err.Error(), 200)})
		return
	}
	if err := decodeNumbers(want, &gives); err != nil {
		v.note(Mismatch{File: path, Fault: "can't be rendered: " + err.Error()})
		return
	}
	c := comparison{path: path, exact: v.Method == MethodRendered, numbers: v.Method == MethodRecomputed}
	c.walk("", says, gives)
	slices.SortStableFunc(c.found, func(a, b Mismatch) int { return cmp.Compare(weight(a.Place), weight(b.Place)) })
	for _, m := range c.found[:min(most, len(c.found))] {
		v.note(m)
	}
	if more := len(c.found) - most; more > 0 {
		v.note(Mismatch{File: path, Fault: fmt.Sprintf("differs in %d more fields", more)})
	}
	if c.unknown > 0 {
		v.remark("%s: %d fields are of another version and were not recomputed", path, c.unknown)
	}
	if len(c.found) == 0 && c.exact {
		v.note(Mismatch{File: path, Fault: "is written otherwise than the journal gives it, with equal values"})
	}
}

// weight puts what says most first: the run as a whole, then counts and the
// figures of the summary, then all that follows from them.
func weight(place string) int {
	_, field, summary := strings.Cut(place, "].summary.")
	switch {
	case !strings.Contains(place, "["):
		return 0
	case summary && strings.HasPrefix(field, "requests."):
		return 1
	case summary && !strings.Contains(field, "["):
		return 2
	}
	return 3
}

func decodeNumbers(text []byte, into *any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// comparison walks two documents side by side.
type comparison struct {
	path    string
	exact   bool // numbers must be equal to the last digit
	numbers bool // only numbers that both have, and states, are compared
	found   []Mismatch
	unknown int // fields that one of the two lacks
}

func (c *comparison) walk(place string, says, gives any) {
	switch want := gives.(type) {
	case map[string]any:
		if got, same := says.(map[string]any); same {
			c.objects(place, got, want)
			return
		}
	case []any:
		if got, same := says.([]any); same && len(got) == len(want) {
			for i := range want {
				c.walk(fmt.Sprintf("%s[%d]", place, i), got[i], want[i])
			}
			return
		}
	case json.Number:
		if got, same := says.(json.Number); same && c.equal(got, want) {
			return
		}
	default:
		if says == gives || c.numbers && place != "state" && place != "simulated" && place != "journal_sha256" {
			return
		}
	}
	c.found = append(c.found, Mismatch{File: c.path, Place: place, Fault: "differs", Says: brief(says), Gives: brief(gives)})
}

func (c *comparison) objects(place string, got, want map[string]any) {
	names := slices.Sorted(maps.Keys(got))
	names = append(names, slices.Sorted(maps.Keys(want))...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		field := name
		if place != "" {
			field = place + "." + name
		}
		says, has := got[name]
		gives, needs := want[name]
		if has && needs {
			c.walk(field, says, gives)
		} else if c.numbers {
			c.unknown++
		} else {
			c.found = append(c.found, Mismatch{File: c.path, Place: field, Fault: "is in one of the two alone", Says: brief(says), Gives: brief(gives)})
		}
	}
}

func (c *comparison) equal(a, b json.Number) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(a.String(), 64)
	y, errY := strconv.ParseFloat(b.String(), 64)
	return !c.exact && errX == nil && errY == nil && math.Abs(x-y) <= rounding*max(math.Abs(x), math.Abs(y))
}

// brief is a value as a line may show it.
func brief(value any) string {
	if value == nil {
		return "nothing"
	}
	if text, is := value.(string); is {
		return bench.Clean(text, 120)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "?"
	}
	return bench.Clean(string(text), 120)
}
