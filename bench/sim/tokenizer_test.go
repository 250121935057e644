package sim

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func cutAll(t *tokenizer, text string) []string {
	var all []string
	for text != "" {
		n := t.next(text)
		all = append(all, text[:n])
		text = text[n:]
	}
	return all
}

func sample(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCharactersPerTokenAreThoseOfTheScript(t *testing.T) {
	want := map[string]map[string]float64{
		"standard": {"chinese": 1.6, "english": 4.2, "code": 2.9},
		"coarse":   {"chinese": 2.0, "english": 4.5, "code": 3.1},
		"fine":     {"chinese": 1.3, "english": 3.0, "code": 2.2},
		"english":  {"chinese": 1.3, "english": 4.5, "code": 3.1},
	}
	for _, name := range TokenizerNames() {
		for script, ratio := range want[name] {
			text := sample(t, script)
			got := float64(utf8.RuneCountInString(text)) / float64(CountTokens(name, text))
			if math.Abs(got/ratio-1) > 0.05 {
				t.Errorf("%s takes %.2f characters of %s per token, want %.1f", name, got, script, ratio)
			}
		}
	}
}

func TestTokensOfKnownTexts(t *testing.T) {
	tok := tokenizerNamed("fine")
	for text, want := range map[string][]string{
		"a b":        {"a", " b"},
		"12 x":       {"1", "2", " x"},
		"x   y":      {"x", "  ", " y"},
		"!?":         {"!", "?"},
		"aBc":        {"a", "Bc"},
		"a\n\n\tb":   {"a", "\n\n", "\tb"},
		"😀":          {"😀"},
		"\x00\xffok": {"\x00", "\xff", "ok"},
	} {
		if got := cutAll(&tok, text); !slices.Equal(got, want) {
			t.Errorf("%q: tokens %q, want %q", text, got, want)
		}
	}
}

// checkBoundaries checks the two properties of the package comment.
func checkBoundaries(t *testing.T, tok *tokenizer, a, b string) {
	t.Helper()
	head, whole := cutAll(tok, a), cutAll(tok, a+b)
	if strings.Join(head, "") != a {
		t.Fatalf("%s: tokens of %q don't make it up", tok.name, a)
	}
	if n := len(head) - 1; n > 0 && !slices.Equal(head[:n], whole[:min(n, len(whole))]) {
		t.Errorf("%s: %q + %q: tokens %q are not the first of %q", tok.name, a, b, head[:n], whole)
	}
	for n := range whole {
		if got := cutAll(tok, strings.Join(whole[:n], "")); !slices.Equal(got, whole[:n]) {
			t.Errorf("%s: the first %d tokens of %q are cut again as %q", tok.name, n, a+b, got)
		}
	}
}

func FuzzTokensOfAPrefixAreAPrefixOfTokens(f *testing.F) {
	for _, seed := range [][2]string{
		{"今天天气", "很好，我们"}, {"the quick br", "own fox"}, {"x :=", "  foo(1234567)"},
		{"a" + strings.Repeat(" ", 33), "b"}, {"", "x"}, {"éà", "ü"}, {"\n\n", " \n"}, {"A", "b"}, {"１２", "３"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 300 || !utf8.ValidString(a) || !utf8.ValidString(b) {
			return
		}
		for _, tok := range tokenizers() {
			checkBoundaries(t, &tok, a, b)
		}
	})
}

func TestSampleTextsKeepTheirBoundariesAtEveryCut(t *testing.T) {
	for _, script := range []string{"chinese", "english", "code"} {
		text := sample(t, script)[:600]
		for cut := range text {
			if !utf8.ValidString(text[:cut]) {
				continue
			}
			for _, tok := range tokenizers() {
				head := cutAll(&tok, text[:cut])
				if n := len(head) - 1; n > 0 && !slices.Equal(head[:n], cutAll(&tok, text)[:n]) {
					t.Fatalf("%s cuts %s otherwise before byte %d", tok.name, script, cut)
				}
			}
		}
	}
}

func TestToldTextIsCutIntoTheTokensThatWereTold(t *testing.T) {
	for _, tok := range tokenizers() {
		for _, lang := range []language{english, chinese, code} {
			teller := newTeller(&tok, lang, 1, 2)
			var told []string
			for range 500 {
				told = append(told, teller.next())
			}
			for _, n := range []int{1, 2, 17, 499, 500} {
				if got := cutAll(&tok, strings.Join(told[:n], "")); !slices.Equal(got, told[:n]) {
					t.Errorf("%s, language %d: %d tokens told are cut into %d others", tok.name, lang, n, len(got))
				}
			}
		}
	}
}

func TestTextFollowsTheSeedAndThePrompt(t *testing.T) {
	tok := tokenizerNamed("standard")
	tell := func(seed, hash uint64) string {
		teller := newTeller(&tok, english, seed, hash)
		text := ""
		for range 50 {
			text += teller.next()
		}
		return text
	}
	if tell(1, 2) != tell(1, 2) {
		t.Error("the same seed and prompt give different texts")
	}
	if tell(1, 2) == tell(1, 3) || tell(1, 2) == tell(2, 2) {
		t.Error("another seed or prompt gives the same text")
	}
}

func TestAnswersAreInTheLanguageOfTheLastMessage(t *testing.T) {
	for script, want := range map[string]language{"chinese": chinese, "english": english, "code": code} {
		msgs := []message{{Role: "user", text: "ignored 忽略"}, {Role: "user", text: sample(t, script)}}
		if got := languageOf(msgs); got != want {
			t.Errorf("%s text: language %d, want %d", script, got, want)
		}
	}
}
