package workload

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/llm-bench/llm-bench/bench"
)

// prose is a corpus of about n tokens.
func prose(t testing.TB, n int) *Corpus {
	t.Helper()
	text, _ := newComposer(9, 99, localMeter()).mixed(tokens(n))
	c, err := ReadCorpus("prose.txt", strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestACorpusIsCutToExactLocalLengths(t *testing.T) {
	for _, scenario := range []bench.Scenario{bench.Prefix, bench.Multiturn} {
		c := prose(t, 40_000)
		plan := mustBuild(t, specOf(scenario, bench.Quick), Options{Corpus: c})
		if plan.Reused {
			t.Error("reuse is reported")
		}
		for _, s := range plan.Sessions {
			sum := ""
			for i, turn := range s.Turns {
				sum += turn.Prefix + turn.Text
				if got := Estimate(sum); got != turn.PromptTokens {
					t.Errorf("%s session %d turn %d: %d tokens, planned %d", scenario, s.Number, i+1, got, turn.PromptTokens)
				}
				if !strings.HasSuffix(turn.Text, "\n"+instructionChinese) || turn.Prefix != "" && !strings.HasSuffix(turn.Prefix, "\n\n") {
					t.Errorf("%s session %d turn %d ends in %q", scenario, s.Number, i+1, turn.Text[len(turn.Text)-30:])
				}
			}
		}
	}
}

func TestNoPartOfACorpusIsUsedTwice(t *testing.T) {
	plan := mustBuild(t, specOf(bench.Prefix, bench.Quick), Options{Corpus: prose(t, 40_000)})
	seen := map[string]bool{}
	for _, s := range plan.Sessions {
		for p := range strings.SplitSeq(s.Turns[0].Text, "\n\n") {
			if Estimate(p) > 60 && seen[p] {
				t.Fatalf("session %d repeats %q", s.Number, p)
			}
			seen[p] = true
		}
	}
}

func TestACorpusTooSmallSaysByHowMuch(t *testing.T) {
	spec := specOf(bench.Prefix, bench.Quick) // 2 × 2000 + 6 × 256 = 5536 tokens
	_, err := Build(&spec, Options{Corpus: prose(t, 3000)})
	var small *CorpusTooSmall
	if !errors.As(err, &small) || small.Tokens < 2000 || small.Tokens > 2536 {
		t.Fatalf("error %v", err)
	}
	if !strings.Contains(err.Error(), "corpus prose.txt is too small for this run: about 2") {
		t.Error(err)
	}
	plan := mustBuild(t, spec, Options{Corpus: prose(t, 3000), AllowReuse: true})
	if !plan.Reused || len(plan.Sessions) != 6 {
		t.Errorf("%d sessions, reused: %v", len(plan.Sessions), plan.Reused)
	}
	mustBuild(t, spec, Options{Corpus: prose(t, 3100+small.Tokens)})
}

func TestACorpusOfOneCharacterServesWhereReuseIsAllowed(t *testing.T) {
	c, err := ReadCorpus("x.txt", strings.NewReader(" x\n"))
	if err != nil {
		t.Fatal(err)
	}
	spec := specOf(bench.Prefix, bench.Quick)
	if plan := mustBuild(t, spec, Options{Corpus: c, AllowReuse: true}); !plan.Reused || plan.Lang != "en" {
		t.Errorf("reused %v, language %s", plan.Reused, plan.Lang)
	}
}

func TestAnEnglishCorpusIsAskedAboutInEnglish(t *testing.T) {
	c, err := ReadCorpus("en.txt", strings.NewReader(strings.Repeat("The river rose twice in one week. ", 4000)))
	if err != nil {
		t.Fatal(err)
	}
	plan := mustBuild(t, specOf(bench.Prefix, bench.Quick), Options{Corpus: c})
	if plan.Lang != "en" || !strings.HasSuffix(plan.Sessions[0].Turns[0].Text, instructionEnglish) {
		t.Errorf("language %s", plan.Lang)
	}
}

func TestACorpusIsCalibratedInTheServersTokens(t *testing.T) {
	c := prose(t, 60_000)
	for _, tok := range tokenizers() {
		if tok.simNamed == "" {
			continue
		}
		for _, spec := range []bench.Spec{sized(bench.Prefix, 3000, 600), sized(bench.Multiturn, 3000, 256)} {
			spec.LengthUnit, spec.NumRequests, spec.NumSessions = bench.LengthServer, 30, 6
			opts := Options{Corpus: c}
			var probed [][]bench.Message
			cal, err := Calibrate(t.Context(), &spec, opts, tok.prober(&probed))
			if err != nil {
				t.Fatal(err)
			}
			if len(probed) > 4 {
				t.Errorf("%d probes", len(probed))
			}
			opts.Calibration = cal
			d := tok.run(mustBuild(t, spec, opts), spec.QuestionLen)
			t.Logf("%s %s: worst %.2f %%, mean %+.2f %%", tok.name, spec.Scenario, 100*d.worst, 100*d.mean)
			if d.mean > 0.015 || d.mean < -0.015 || d.worst > 0.03 {
				t.Errorf("%s %s: too far from what was asked for", tok.name, spec.Scenario)
			}
		}
	}
}

const conversations = `{"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"One"},{"role":"assistant","content":"I"},{"role":"user","content":"Two"}]}

{"messages":[{"role":"user","content":[{"type":"text","text":"Drei"}]},{"role":"user","content":"Vier"},{"role":"assistant","content":null},{"role":"user","content":"Fünf"},{"role":"user","content":"Sechs"}],"model":"m"}
`

func TestRecordedConversationsAreReplayed(t *testing.T) {
	c, err := ReadCorpus("chats.jsonl", strings.NewReader(conversations))
	if err != nil {
		t.Fatal(err)
	}
	spec := specOf(bench.Multiturn, bench.Quick)
	spec.LengthUnit = bench.LengthServer // needs no calibration here
	plan := mustBuild(t, spec, Options{Corpus: c})
	want := [][]string{{"7f3a9c21-1\n\nBe kind.\n\nOne", "Two"}, {"7f3a9c21-2\n\nDrei\n\nVier", "Fünf\n\nSechs"}}
	for i, s := range plan.Sessions {
		if len(s.Turns) != 2 || s.Turns[0].Text != want[i][0] || s.Turns[1].Text != want[i][1] || s.Turns[0].PromptTokens != 0 {
			t.Errorf("session %d is %+v", i, s.Turns)
		}
	}
	spec.MaxTurns = 1
	if plan := mustBuild(t, spec, Options{Corpus: c}); len(plan.Sessions[1].Turns) != 1 {
		t.Errorf("%d turns, though one is allowed", len(plan.Sessions[1].Turns))
	}
}

func TestTooFewConversationsSayHowManyAreMissing(t *testing.T) {
	c, err := ReadCorpus("chats.jsonl", strings.NewReader(conversations))
	if err != nil {
		t.Fatal(err)
	}
	spec := specOf(bench.Multiturn, bench.Standard)
	_, err = Build(&spec, Options{Corpus: c})
	if err == nil || !strings.Contains(err.Error(), "8 conversations are missing") {
		t.Errorf("error %v", err)
	}
	plan := mustBuild(t, spec, Options{Corpus: c, AllowReuse: true})
	if !plan.Reused || len(plan.Sessions) != 10 || plan.Sessions[2].Turns[0].Text == plan.Sessions[0].Turns[0].Text {
		t.Errorf("%d sessions, reused: %v", len(plan.Sessions), plan.Reused)
	}
}

func TestAFaultyCorpusIsNamedByFileLineAndField(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.txt", "", "corpus a.txt holds no text"},
		{"a.txt", " \n\ufeff\n", "corpus a.txt holds no text"},
		{"a.txt", "one\ntwo\x00", "corpus a.txt, line 2: it holds a NUL byte"},
		{"a.txt", "one\ntwo\nth\xffree", "corpus a.txt, line 3: it is not valid UTF-8"},
		{"a.jsonl", "\n\n", "corpus a.jsonl holds no text"},
		{"a.jsonl", "\nhello", "corpus a.jsonl, line 2: it is no JSON object with messages: "},
		{"a.jsonl", `{"messages":[]}`, "corpus a.jsonl, line 1: messages: none is of role user"},
		{"a.jsonl", `{"messages":[{"role":"tool","content":"x"}]}`, `corpus a.jsonl, line 1: messages[0].role is "tool": allowed is system, user, assistant`},
		{"a.jsonl", `{"messages":[{"role":"user","content":7}]}`, "corpus a.jsonl, line 1: messages[0].content: allowed is a string, or a list of text parts"},
		{"a.jsonl", `{"messages":[{"role":"user"}]}`, "corpus a.jsonl, line 1: messages[0].content: allowed is a string, or a list of text parts"},
		{"a.jsonl", `{"messages":[{"role":"user","content":[{"type":"image_url"}]}]}`, `corpus a.jsonl, line 1: messages[0].content: part 0 is of type "image_url": allowed is text`},
		{"a.jsonl", `{"messages":[{"role":"user","content":"a\u0000b"}]}`, "corpus a.jsonl, line 1: messages[0].content: it holds a NUL byte"},
		{"a.jsonl", "{\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}]}", "corpus a.jsonl, line 1: it is not valid UTF-8"},
	} {
		_, err := ReadCorpus(c.name, strings.NewReader(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %s", c.text, err, c.want)
		}
	}
}

func TestAByteOrderMarkAndCarriageReturnsAreNoText(t *testing.T) {
	c, err := ReadCorpus("a.txt", strings.NewReader("\ufeffone\r\ntwo"))
	if err != nil || c.text != "one\ntwo" {
		t.Errorf("%q, error %v", c.text, err)
	}
}

func TestOpenCorpusReadsFilesAlone(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenCorpus(dir); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := OpenCorpus(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	path := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := OpenCorpus(path); err != nil || c.text != "text" {
		t.Errorf("error %v", err)
	}
}

func FuzzReadCorpus(f *testing.F) {
	f.Add("a.jsonl", conversations)
	f.Add("a.txt", "text\r\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		c, err := ReadCorpus(name, strings.NewReader(text))
		if err != nil {
			return
		}
		if !utf8.ValidString(c.text) || strings.Contains(c.text, "\x00") {
			t.Fatalf("%q became %q", text, c.text)
		}
		spec := specOf(bench.Multiturn, bench.Quick)
		if _, err := Build(&spec, Options{Corpus: c, AllowReuse: true}); err != nil {
			t.Fatal(err)
		}
	})
}
