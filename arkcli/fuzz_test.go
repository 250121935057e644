package arkcli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/llm-bench/llm-bench/arkcli/fake"
)

// echo is a CLI whose program gives the same answer to every command.
func echo(stdout, stderr string, exit int) *CLI {
	c := New(Options{
		Environ: []string{"PATH=/usr/bin"}, Home: "/home/a", GOOS: "linux",
		files: drawnDisk{"/usr/bin/arkcli": ""}, RetryPause: 1,
	})
	c.once = func(_ context.Context, args []string) (reply, *Error) {
		return reply{args: args, stdout: []byte(stdout), stderr: []byte(stderr), exit: exit}, nil
	}
	return c
}

// canary is a key that is planted in answers.
const canary = "ark-CANARY-0123456789"

// FuzzNoAnswerCrashesHangsOrShowsAKey feeds any output to every question.
func FuzzNoAnswerCrashesHangsOrShowsAKey(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed, "", 0, "doubao seed 2.0 mini")
		f.Add("", seed, 1, "ep-20260701120000-abcde")
		f.Add(seed, `{"ok":false,"error":{"type":"api","message":"x `+canary+`"}}`, 5, "豆包")
	}
	f.Add("key "+canary, "error: "+canary, 1, canary)
	f.Add(`{"logged_in":true,"profiles_summary":[{"name":"`+canary+`","type":"platform"}],"base_url":"http://x"}`, "", 0, "x")
	f.Fuzz(func(t *testing.T, stdout, stderr string, exit int, query string) {
		c := echo(stdout, stderr, exit)
		ctx := t.Context()
		l, errLogin := c.Login(ctx, "")
		_, errAccess := c.Access(ctx, "")
		_, errRefresh := c.RefreshKey(ctx, "")
		r, errResolve := c.Resolve(ctx, "", query)
		d, errDiagnose := c.Diagnose(ctx)
		for _, err := range []error{errLogin, errAccess, errRefresh, errResolve, errDiagnose} {
			checkError(t, err)
		}
		record, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range append(append(l.Warnings, r.Warnings...), r.Why, string(record)) {
			if strings.Contains(text, canary) {
				t.Errorf("the key can be seen in %q", text)
			}
		}
		if len(r.Candidates) > maxCandidates || r.Resolved && r.Model() == "" {
			t.Errorf("got %+v", r)
		}
	})
}

func checkError(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no *Error", err)
	}
	whole := e.Message + e.Note + strings.Join(e.Fix, "")
	control := strings.ContainsFunc(whole, func(r rune) bool { return unicode.IsControl(r) })
	if e.Message == "" || len(e.Fix) == 0 || len([]rune(e.Message)) > maxMessage || control || strings.Contains(whole, canary) {
		t.Errorf("%s: message %q, fix %q, note %q", e.Problem, e.Message, e.Fix, e.Note)
	}
}

// seeds are the fake's own answers, whole and garbled.
func seeds(f *testing.F) []string {
	f.Helper()
	var out []string
	for _, args := range [][]string{
		{"auth", "status"}, {"auth", "whoami"}, {"profile", "list"}, {"profile", "show"}, {"profile", "apikey", "get"}, {"profile", "keys", "refresh"},
		{"models", "search", "seed"}, {"models", "list"}, {"infer", "endpoint", "list"}, {"infer", "endpoint", "get", "ep-20260701120000-abcde"}, {"nonsense"},
	} {
		for _, scenario := range []string{"logged_in", "ok_envelope", "logged_out", "banner", "truncated", "garbage"} {
			stdout, stderr, _ := fake.Answer(args, []string{"FAKE_ARKCLI_SCENARIO=" + scenario})
			out = append(out, stdout+stderr)
		}
	}
	return out
}

// FuzzDecode checks that whatever is decoded can be read without harm, and
// that what is JSON is found behind any text without brackets.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"", "\ufeff{}", `x {"a":[1,"2",null,true]} y`, "[[[[", `{"Items":[{"Id":"x"}],"TotalCount":"3"}`, `{"a":1e999}`, "{\"a\":\"\\u0000\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, output []byte) {
		v, err := decode(output)
		if err != nil {
			return
		}
		for _, x := range []value{v, v.payload(), v.field("items", "a"), v.path("a", "b")} {
			_, _, _, _, _ = x.text(), x.count(), x.items(), x.texts(), x.trueKeys()
			_, _ = x.truth()
			_, _, _ = readModels(x), readProfiles(x), readEndpoint(x)
		}
		if json.Valid(bytes.TrimSpace(output)) && (v.object() || v.array()) {
			again, err := decode(append([]byte("a notice\n"), output...))
			if err != nil || again.object() != v.object() {
				t.Errorf("%q is not found behind a line of text: %v", output, err)
			}
		}
	})
}

// FuzzPhrase checks that no words make the comparison fail.
func FuzzPhrase(f *testing.F) {
	for _, seed := range []string{"豆包 Seed 2.0 Mini", "", "ｅｐ－1", "v4", "2-0-2-0", "\xff\xfe", "é k 3", strings.Repeat("a1", 300)} {
		f.Add(seed)
	}
	catalogue, err := os.ReadFile(filepath.Join("fake", "catalogue.json"))
	if err != nil {
		f.Fatal(err)
	}
	v, err := decode(catalogue)
	if err != nil {
		f.Fatal(err)
	}
	models := readModels(v)
	f.Fuzz(func(t *testing.T, text string) {
		p := newPhrase(text)
		whole, words := p.keywords()
		for _, word := range append(slices.Concat(words...), whole) {
			if strings.HasPrefix(word, "-") || strings.ContainsAny(word, " &|%\"'$`\n") {
				t.Errorf("%q: keyword %q", text, word)
			}
		}
		for _, m := range models {
			if got := p.compare(m); got.score < 0 || got.score > 1 {
				t.Errorf("%q against %s: score %v", text, m.id, got.score)
			}
		}
	})
}
