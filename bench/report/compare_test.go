package report

import (
	"strings"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
)

// comparedSide is one side of a comparison, from a made-up run.
func comparedSide(change func(*benchtest.Run)) []bench.Side {
	run := benchtest.New(bench.Prefix, bench.Standard, "en")
	run.Spec.NumRequests = 100
	if change != nil {
		change(run)
	}
	record := run.Record()
	return bench.Sides(record, run.Result(record))
}

func comparedSides() []bench.Side {
	late := func(r *benchtest.Run) {
		r.Touch = func(c *benchtest.Call) {
			c.TTFT = 140*time.Millisecond + time.Duration(c.Prompt-c.Cached)*40*time.Microsecond + time.Duration(c.N%20)*time.Millisecond
		}
	}
	other := func(r *benchtest.Run) { r.Target.Model, r.Target.BaseURL = "kimi-k2", "https://api.moonshot.cn/v1" }
	tight := func(r *benchtest.Run) { r.Spec.MaxOutputTokens, r.Spec.Thinking = 256, bench.ThinkingEnabled }
	sides := comparedSide(nil)
	for _, change := range []func(*benchtest.Run){late, other, tight} {
		sides = append(sides, comparedSide(change)...)
	}
	return sides
}

func TestTheTextOfAComparisonIsAsReviewed(t *testing.T) {
	c := bench.Compare(comparedSides(), nil)
	for _, lang := range Languages() {
		golden(t, "comparison."+lang+".txt", []byte(ComparisonText(&c, lang)))
	}
}

func TestTheColumnsOfAComparisonStandUnderEachOther(t *testing.T) {
	c := bench.Compare(comparedSides()[:2], nil)
	for _, lang := range Languages() {
		ends := map[int]int{}
		for line := range strings.Lines(ComparisonText(&c, lang)) {
			if ratio, _, found := strings.Cut(line, ")  "+compareWordsOf(lang).none); found {
				ends[cellWidth(ratio)]++
			}
		}
		if len(ends) != 1 {
			t.Errorf("%s: the ratios end at %v", lang, ends)
		}
	}
}

// Whatever would make the pair comparable is proposed, and nothing else.
func TestAFactorIsProposedWhereItAloneIsMissing(t *testing.T) {
	sides := comparedSides()
	for _, c := range []struct {
		other bench.Side
		vary  []bench.Factor
		want  string // "": no proposal
	}{{sides[2], nil, "--vary model,endpoint\n"}, {sides[2], []bench.Factor{bench.VaryModel}, "--vary model,endpoint\n"}, {sides[3], nil, ""}} {
		found := bench.Compare([]bench.Side{sides[0], c.other}, c.vary)
		text := ComparisonText(&found, "en")
		if !strings.Contains(text, "can NOT be compared") || strings.Contains(text, "--vary") != (c.want != "") || !strings.Contains(text, c.want) {
			t.Errorf("want %q in:\n%s", c.want, text)
		}
	}
}

func TestBothLanguagesWordTheSameComparison(t *testing.T) {
	english, chinese := englishCompareWords(), chineseCompareWords()
	for name := range english.fields {
		if chinese.fields[name] == "" {
			t.Errorf("no Chinese for the field %s", name)
		}
	}
	for name := range english.figures {
		if chinese.figures[name] == "" {
			t.Errorf("no Chinese for the figure %s", name)
		}
	}
}
