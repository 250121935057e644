package arkcli

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// expectation is what one line of a phrase table says.
type expectation struct {
	phrase string
	kind   string   // "=" one model, "?" candidates, "!" not found, "x" another error
	ids    []string // the model; candidates that must be among those given
}

func readPhrases(t *testing.T, name string) []expectation {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []expectation
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "|")
		if len(parts) < 2 {
			t.Fatalf("%s: %q: want phrase | kind | ids", name, line)
		}
		e := expectation{phrase: strings.TrimSpace(parts[0]), kind: strings.TrimSpace(parts[1])}
		if len(parts) > 2 {
			e.ids = strings.Fields(parts[2])
		}
		out = append(out, e)
	}
	return out
}

func TestEveryPhraseMeansWhatItSays(t *testing.T) {
	f := newFake(t, "logged_in")
	total := 0
	for _, name := range []string{"phrases.txt", "phrases_outside.txt"} {
		for _, e := range readPhrases(t, name) {
			total++
			r, err := f.Resolve(t.Context(), "", e.phrase)
			e.check(t, r, err)
		}
	}
	if total < 60 {
		t.Errorf("%d phrases in the tables, want at least 60", total)
	}
}

func (e expectation) check(t *testing.T, r Resolution, err error) {
	t.Helper()
	var problem *Error
	if err != nil && !errors.As(err, &problem) {
		t.Fatalf("%q: %v is no *Error", e.phrase, err)
	}
	switch e.kind {
	case "=":
		if err != nil || !r.Resolved || r.Model() != e.ids[0] {
			t.Errorf("%q: got %+v, %v; want the model %s", e.phrase, r, err, e.ids[0])
		}
	case "?":
		ids := candidateIDs(r.Candidates)
		missing := slices.ContainsFunc(e.ids, func(id string) bool { return !slices.Contains(ids, id) })
		if err != nil || r.Resolved || r.Model() != "" || missing || len(ids) == 0 || len(ids) > 5 {
			t.Errorf("%q: got %+v, %v; want candidates with %v among them", e.phrase, r, err, e.ids)
		}
	case "!":
		if problem == nil || problem.Problem != ModelNotFound {
			t.Errorf("%q: got %+v, %v; want not found", e.phrase, r, err)
		}
	default:
		if problem == nil || string(problem.Problem) != e.kind {
			t.Errorf("%q: got %+v, %v; want %s", e.phrase, r, err, e.kind)
		}
	}
}

func candidateIDs(list []Candidate) []string {
	var out []string
	for _, c := range list {
		out = append(out, c.ID)
	}
	return out
}
