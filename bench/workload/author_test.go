package workload

import (
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
)

func TestNoParagraphComesTwiceInThreeMillionTokens(t *testing.T) {
	c := newComposer(1, streamMaterial, localMeter())
	text, _ := c.mixed(3_000_000 * token)
	seen := map[string]bool{}
	for p := range strings.SplitSeq(string(text), "\n\n") {
		if seen[p] && Estimate(p) > 40 {
			t.Fatalf("a paragraph comes again: %s", p)
		}
		seen[p] = true
	}
	if len(seen) < 20_000 {
		t.Errorf("%d paragraphs", len(seen))
	}
}

func TestMixedTextKeepsItsSharesAtEveryLength(t *testing.T) {
	c := newComposer(1, streamMaterial, localMeter())
	for _, n := range []int{1000, 3000, 12000} {
		_, spent := c.mixed(tokens(n))
		for k, share := range shares() {
			if off := spent[k] - tokens(n)*share/10; off < -60*token || off > 120*token {
				t.Errorf("%d tokens: kind %d is off its share by %d tokens", n, k, off/token)
			}
		}
	}
}

func TestEverySentenceEndsAndEveryFunctionIsClosed(t *testing.T) {
	c := newComposer(2, streamMaterial, localMeter())
	text, _ := c.mixed(100_000 * token)
	for p := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n\n"), "\n\n") {
		switch {
		case strings.HasPrefix(p, "```"):
			if strings.Count(p, "{") != strings.Count(p, "}") || strings.Count(p, "(") != strings.Count(p, ")") || !strings.HasSuffix(p, "\n```") {
				t.Fatalf("code is not closed: %s", p)
			}
		case !strings.HasSuffix(p, "。") && !strings.HasSuffix(p, "."):
			t.Fatalf("a paragraph does not end: %s", p)
		case strings.ContainsAny(p, "#@~|"):
			t.Fatalf("a place was not filled: %s", p)
		}
	}
}

func TestDeckDealsEveryCardBeforeAnyAgain(t *testing.T) {
	s, d := newSource(1, 1), newDeck([]int{0, 1, 2, 3, 4})
	for range 10 {
		seen := map[int]bool{}
		for range 5 {
			seen[d.deal(s)] = true
		}
		if len(seen) != 5 {
			t.Fatalf("five cards of five were %v", seen)
		}
	}
}

func TestEstimateFollowsTheStatedConstants(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 1, "abcd": 1, "abcde": 2, "中文中文中文中文": 5, "12": 1, "123": 2, "    ": 1, "，。": 2, "é": 1, "\n\n": 1,
	} {
		if got := Estimate(text); got != want {
			t.Errorf("%q has %d tokens, want %d", text, got, want)
		}
	}
}

func BenchmarkText(b *testing.B) {
	for b.Loop() {
		c := newComposer(1, streamMaterial, localMeter())
		text, _ := c.mixed(200 * 14_000 * token)
		b.SetBytes(int64(len(text)))
	}
}

func BenchmarkBuildStandardPrefix(b *testing.B) {
	for b.Loop() {
		mustBuild(b, specOf(bench.Prefix, bench.Standard), Options{})
	}
}
