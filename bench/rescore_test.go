package bench

import (
	"math"
	"testing"
	"time"
)

// thinkingStream is a stream with an empty role chunk, 250 reasoning and 201
// content tokens, an empty finish chunk and late usage.
func thinkingStream() *Sample {
	at := func(s float64) time.Duration { return time.Duration(s * 1e9) }
	tokens := 451
	return &Sample{
		Outcome: Succeeded, Start: MarkAt(0), FirstToken: MarkAt(at(1)), FirstAnswer: MarkAt(at(6)), LastToken: MarkAt(at(10)),
		Usage: &Usage{Completion: &tokens},
		Events: Events{
			{at(0.20), EventRole, 0}, {at(1), EventReasoning, 1}, {at(6), EventContent, 2}, {at(10), EventContent, 3},
			{at(10.05), EventFinish, 4}, {at(10.30), EventUsage, 5}, {at(10.32), EventDone, 6},
		},
	}
}

func TestOneStreamUnderTheRulesOfFiveTools(t *testing.T) {
	for _, c := range []struct {
		rule            Rule
		ttft, e2e, tpot float64 // ms
	}{
		{RuleOwn, 1000, 10000, 20.0},
		{RuleVLLM, 200, 10050, 21.9},
		{RuleSGLang, 1000, 10320, 20.7},
		{RuleGuideLLM, 1000, 10320, 22.2},
		{RuleEvalscope, 200, 10300, 22.4},
	} {
		score, defined := c.rule.Score(thinkingStream())
		if !defined || !score.HasTPOT {
			t.Fatalf("%s: no score", c.rule)
		}
		for _, f := range []struct {
			name      string
			got, want float64
		}{{"TTFT", Milliseconds(score.TTFT), c.ttft}, {"E2E", Milliseconds(score.E2E), c.e2e}, {"TPOT", Milliseconds(score.TPOT), c.tpot}} {
			if math.Abs(f.got-f.want) > 0.05 {
				t.Errorf("%s: %s = %.3f ms, want %.1f", c.rule, f.name, f.got, f.want)
			}
		}
	}
}

func TestOwnRuleAgreesWithTheSample(t *testing.T) {
	s := thinkingStream()
	score, _ := RuleOwn.Score(s)
	ttft, _ := s.TTFT()
	e2e, _ := s.E2E()
	tpot, _ := s.TPOT()
	if score.TTFT != ttft || score.E2E != e2e || score.TPOT != tpot {
		t.Errorf("rule gives %+v, sample gives %v %v %v", score, ttft, e2e, tpot)
	}
}
