package workload

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/llm-bench/llm-bench/bench"
)

var update = flag.Bool("update", false, "write the golden files anew")

func specOf(s bench.Scenario, p bench.Preset) bench.Spec {
	spec := bench.NewSpec(s, p)
	spec.LengthUnit = bench.LengthLocal
	spec.Seed, spec.Nonce = 7, "7f3a9c21"
	return spec
}

func mustBuild(t testing.TB, spec bench.Spec, opts Options) *Plan {
	t.Helper()
	if err := spec.Validate(); err != nil {
		t.Fatal(err)
	}
	plan, err := Build(&spec, opts)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// texts are the first messages of sessions, whole.
func texts(sessions []bench.Session) []string {
	var all []string
	for _, s := range sessions {
		all = append(all, s.Turns[0].Prefix+s.Turns[0].Text)
	}
	return all
}

func beginning(text string) string {
	runes := []rune(text)
	return string(runes[:min(256, len(runes))])
}

// The golden files hold whole inputs, byte for byte; the digests, those of
// larger runs. A change of either makes runs of one seed incomparable.
func TestSameSeedGivesTheSameBytesForever(t *testing.T) {
	digests := ""
	for _, scenario := range []bench.Scenario{bench.Connectivity, bench.Prefix, bench.Multiturn} {
		for _, preset := range []bench.Preset{bench.Quick, bench.Standard} {
			plan := mustBuild(t, specOf(scenario, preset), Options{})
			digests += fmt.Sprintf("%s %s %s %s\n", scenario, preset, plan.InputHash, plan.MaterialHash)
		}
	}
	golden(t, "digests.txt", digests)
	spec := specOf(bench.Multiturn, bench.Quick)
	spec.NumSessions = 1
	var dump strings.Builder
	if err := mustBuild(t, spec, Options{}).Dump(&dump); err != nil {
		t.Fatal(err)
	}
	golden(t, "multiturn.jsonl", dump.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs from the golden file:\n%s", name, got)
	}
}

func TestLocalLengthsAreExact(t *testing.T) {
	for _, scenario := range []bench.Scenario{bench.Prefix, bench.Multiturn} {
		for _, preset := range []bench.Preset{bench.Quick, bench.Standard} {
			for _, nonce := range []string{"", "x", "运行-2026", "7f3a9c21"} {
				spec := specOf(scenario, preset)
				spec.NumRequests, spec.NumSessions = min(spec.NumRequests, 20), min(spec.NumSessions, 4)
				spec.Nonce = nonce
				for _, s := range mustBuild(t, spec, Options{}).Sessions {
					sum := ""
					for i, turn := range s.Turns {
						sum += turn.Prefix + turn.Text
						if got := Estimate(sum); got != turn.PromptTokens {
							t.Fatalf("%s %s session %d turn %d: %d tokens, planned %d", scenario, preset, s.Number, i+1, got, turn.PromptTokens)
						}
					}
				}
			}
		}
	}
}

func TestPlannedLengthsAreThoseOfTheSpec(t *testing.T) {
	for _, s := range mustBuild(t, specOf(bench.Prefix, bench.Standard), Options{}).Sessions {
		if got := s.Turns[0].PromptTokens; got != 14000 {
			t.Fatalf("request %d is planned with %d tokens", s.Number, got)
		}
	}
	turns := mustBuild(t, specOf(bench.Multiturn, bench.Standard), Options{}).Sessions[9].Turns
	if len(turns) != 20 || turns[0].PromptTokens != 3000 || turns[19].PromptTokens != 3000+19*256 {
		t.Fatalf("20 turns of 3000 + 19 × 256 tokens became %d turns, %d to %d tokens", len(turns), turns[0].PromptTokens, turns[19].PromptTokens)
	}
}

func TestRequestsOfOnePrefixShareItToTheByteUpToABlankLine(t *testing.T) {
	spec := specOf(bench.Prefix, bench.Standard)
	plan := mustBuild(t, spec, Options{})
	if len(plan.Sessions) != 200 {
		t.Fatalf("%d sessions", len(plan.Sessions))
	}
	prefixes, own := map[int]string{}, map[string]bool{}
	for i, s := range plan.Sessions {
		turn := s.Turns[0]
		if s.Number != i+1 || s.Prefix != i%10+1 || s.Ordinal != i/10+1 {
			t.Fatalf("request %d uses prefix %d for the %d. time as session %d", i, s.Prefix, s.Ordinal, s.Number)
		}
		if known, ok := prefixes[s.Prefix]; ok && known != turn.Prefix {
			t.Fatalf("prefix %d differs between requests", s.Prefix)
		}
		prefixes[s.Prefix] = turn.Prefix
		if !strings.HasSuffix(turn.Prefix, "\n\n") || strings.TrimSpace(turn.Text[:1]) == "" {
			t.Fatalf("prefix ends in %q, suffix begins with %q", turn.Prefix[len(turn.Prefix)-2:], turn.Text[:1])
		}
		if !strings.HasSuffix(turn.Text, instructionChinese) {
			t.Fatalf("request %d ends in no instruction", i)
		}
		if own[turn.Text[:100]] {
			t.Fatalf("suffix %d begins like another", i)
		}
		own[turn.Text[:100]] = true
	}
	for number, prefix := range prefixes {
		if want := fmt.Sprintf("7f3a9c21-%02d\n\n", number); !strings.HasPrefix(prefix, want) {
			t.Errorf("prefix %d begins with %q", number, prefix[:20])
		}
	}
}

func TestTextIsCleanAndTripsNoTokenizer(t *testing.T) {
	forbidden := []string{"<|", "|>", "<s>", "</s>", "[INST]", "<<SYS>>", "\x00", "\ufeff", "\ufffd", "\r", "64", "89"}
	for _, scenario := range []bench.Scenario{bench.Connectivity, bench.Prefix, bench.Multiturn} {
		spec := specOf(scenario, bench.Standard)
		spec.Warmup, spec.Nonce = 2, "abcdefg"
		plan := mustBuild(t, spec, Options{})
		for _, s := range append(plan.Sessions, plan.Warmup...) {
			for _, turn := range s.Turns {
				text := strings.TrimPrefix(turn.Prefix+turn.Text, "abcdefg")
				if !utf8.ValidString(text) {
					t.Fatalf("%s session %d is not UTF-8", scenario, s.Number)
				}
				for _, f := range forbidden {
					if at := strings.Index(text, f); at >= 0 {
						t.Fatalf("%s session %d holds %q in %q", scenario, s.Number, f, text[max(0, at-20):at+10])
					}
				}
			}
		}
	}
}

// blockCache is a server's prefix cache of blocks of 256 characters.
type blockCache map[string]bool

// share sends text and returns the cached share of it.
func (c blockCache) share(text string) float64 {
	runes := []rune(text)
	cached, hit := 0, true
	for end := 256; end <= len(runes); end += 256 {
		key := string(runes[:end])
		if hit = hit && c[key]; hit {
			cached = end
		}
		c[key] = true
	}
	return float64(cached) / float64(len(runes))
}

func TestASecondRunFindsAColdCache(t *testing.T) {
	cache := blockCache{}
	for _, nonce := range []string{"aaaa", "bbbb"} { // one seed
		spec := specOf(bench.Prefix, bench.Quick)
		spec.Nonce = nonce
		for _, s := range mustBuild(t, spec, Options{}).Sessions {
			share := cache.share(s.Turns[0].Prefix + s.Turns[0].Text)
			if s.Ordinal == 1 && share != 0 || s.Ordinal > 1 && share < 0.7 {
				t.Errorf("nonce %s, prefix %d, use %d: %.0f %% cached", nonce, s.Prefix, s.Ordinal, 100*share)
			}
		}
	}
}

func TestNoTwoSessionsAndNoUnmeasuredTextBeginAlike(t *testing.T) {
	tok := tokenizers()[1]
	for _, scenario := range []bench.Scenario{bench.Prefix, bench.Multiturn} {
		spec := specOf(scenario, bench.Quick)
		spec.LengthUnit, spec.Warmup, spec.NumPrefixes = bench.LengthServer, 3, min(spec.NumRequests, 6)
		var probed [][]bench.Message
		cal, err := Calibrate(t.Context(), &spec, Options{}, tok.prober(&probed))
		if err != nil {
			t.Fatal(err)
		}
		plan := mustBuild(t, spec, Options{Calibration: cal})
		all := append(texts(plan.Sessions), texts(plan.Warmup)...)
		all = append(all, texts(mustBuild(t, specOf(bench.Connectivity, bench.Quick), Options{}).Sessions)...)
		for _, messages := range probed {
			all = append(all, messages[0].Content())
		}
		seen := map[string]int{}
		for i, text := range all {
			if j, ok := seen[beginning(text)]; ok {
				t.Errorf("%s: texts %d and %d begin alike: %q", scenario, j, i, beginning(text)[:40])
			}
			seen[beginning(text)] = i
		}
	}
}

func TestNonceChangesTheHeadsAlone(t *testing.T) {
	spec := specOf(bench.Prefix, bench.Quick)
	spec.Nonce = "abcdefgh"
	a := mustBuild(t, spec, Options{})
	spec.Nonce = "hgfedcba"
	b := mustBuild(t, spec, Options{})
	if a.InputHash == b.InputHash || a.MaterialHash != b.MaterialHash {
		t.Errorf("input %s %s, material %s %s", a.InputHash, b.InputHash, a.MaterialHash, b.MaterialHash)
	}
	spec.Seed++
	if c := mustBuild(t, spec, Options{}); c.MaterialHash == b.MaterialHash {
		t.Error("another seed gives the same material")
	}
}

func TestWarmupIsLikeTheMeasuredRequests(t *testing.T) {
	spec := specOf(bench.Prefix, bench.Quick)
	spec.Warmup = 3
	plan := mustBuild(t, spec, Options{})
	if len(plan.Warmup) != 3 {
		t.Fatalf("%d warm-up sessions", len(plan.Warmup))
	}
	for _, text := range texts(plan.Warmup) {
		if Estimate(text) != 2256 {
			t.Errorf("a warm-up request has %d tokens", Estimate(text))
		}
	}
}

func TestConnectivityIsOneShortMessageHeadedByTheNonce(t *testing.T) {
	plan := mustBuild(t, specOf(bench.Connectivity, bench.Standard), Options{})
	if len(plan.Sessions) != 1 || len(plan.Sessions[0].Turns) != 1 {
		t.Fatalf("sessions: %+v", plan.Sessions)
	}
	text := plan.Sessions[0].Turns[0].Text
	if !strings.HasPrefix(text, "7f3a9c21-c\n\n") || Estimate(text) > 64 {
		t.Errorf("%q", text)
	}
}

func TestALengthTooSmallForTheInstructionIsAFieldError(t *testing.T) {
	spec := specOf(bench.Multiturn, bench.Quick)
	spec.QuestionLen, spec.LengthUnit = 128, bench.LengthServer
	cal := Calibration{Chinese: token, English: token, Code: token, Reading: 2 * token, Message: 60 * token, Exchange: 120 * token}
	_, err := Build(&spec, Options{Calibration: &cal})
	var field *bench.FieldError
	if !errors.As(err, &field) || field.Field != "question_len" || field.Value != 128 {
		t.Fatalf("error %v", err)
	}
	var least int
	if _, err := fmt.Sscanf(field.Allowed, "%d tokens or more", &least); err != nil {
		t.Fatal(err)
	}
	spec.QuestionLen = least
	mustBuild(t, spec, Options{Calibration: &cal})
	spec.QuestionLen = least - 2
	if _, err := Build(&spec, Options{Calibration: &cal}); err == nil {
		t.Errorf("%d tokens are allowed, though %d are said to be needed", least-2, least)
	}
}

func TestServerLengthsNeedACalibration(t *testing.T) {
	spec := specOf(bench.Prefix, bench.Quick)
	spec.LengthUnit = bench.LengthServer
	if _, err := Build(&spec, Options{}); !errors.Is(err, ErrNotCalibrated) {
		t.Errorf("error %v", err)
	}
}

func TestDumpHasOneLineForEachRequest(t *testing.T) {
	plan := mustBuild(t, specOf(bench.Multiturn, bench.Quick), Options{})
	var b strings.Builder
	if err := plan.Dump(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 6 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines {
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		turn := plan.Sessions[i/3].Turns[i%3]
		if got["session"] != float64(i/3+1) || got["turn"] != float64(i%3+1) || got["role"] != "user" || got["content"] != turn.Prefix+turn.Text {
			t.Errorf("line %d is %.80s", i, line)
		}
	}
}
