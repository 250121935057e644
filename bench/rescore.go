package bench

import "time"

// Rule is the metric definition of a tool: which events count, and how TPOT
// is formed. The formulas are those of the named tool as of 2026.
type Rule string

// The rules that the journaled events can be scored under.
const (
	RuleOwn       Rule = "llm-bench"
	RuleVLLM      Rule = "vllm"      // vllm bench serve
	RuleSGLang    Rule = "sglang"    // sglang bench_serving
	RuleGuideLLM  Rule = "guidellm"  // GuideLLM
	RuleEvalscope Rule = "evalscope" // evalscope perf
)

// Rules lists the rules of other tools.
func Rules() []Rule { return []Rule{RuleVLLM, RuleSGLang, RuleGuideLLM, RuleEvalscope} }

// Score is one request under a rule.
type Score struct {
	TTFT, E2E, TPOT time.Duration
	HasTPOT         bool
}

// Score computes the request's figures under the rule. They are undefined
// (false) unless the request succeeded.
func (r Rule) Score(s *Sample) (Score, bool) {
	if s.Outcome != Succeeded {
		return Score{}, false
	}
	start := s.Start.At()
	tokens, known := s.OutputTokens()
	span := func(from, to time.Duration) Score {
		score := Score{TTFT: from - start, E2E: to - start, HasTPOT: known && tokens > 1 && to > from}
		if score.HasTPOT {
			score.TPOT = (to - from) / time.Duration(tokens-1)
		}
		return score
	}
	output, lastOutput := s.FirstToken.At(), s.LastToken.At()
	switch r {
	case RuleVLLM: // the first and the last message with choices, even an empty one
		return span(s.first(hasChoices), s.last(hasChoices)), true
	case RuleSGLang: // first output to the last message of any kind
		return span(output, s.last(isMessage)), true
	case RuleEvalscope: // first message with choices to the last chunk, usage included
		return span(s.first(hasChoices), s.last(isChunk)), true
	case RuleGuideLLM: // "TPOT" is the time to the last output, TTFT included, over all tokens
		score := span(output, s.last(isMessage))
		if score.HasTPOT = known && tokens > 0; score.HasTPOT {
			score.TPOT = (lastOutput - start) / time.Duration(tokens)
		}
		return score, true
	default:
		return span(output, lastOutput), true
	}
}

func hasChoices(k EventKind) bool { return k.Output() || k == EventRole || k == EventFinish }
func isChunk(k EventKind) bool    { return hasChoices(k) || k == EventUsage || k == EventOther }
func isMessage(k EventKind) bool  { return isChunk(k) || k == EventDone }

func (s *Sample) first(is func(EventKind) bool) time.Duration {
	for _, e := range s.Events {
		if is(e.Kind) {
			return e.At
		}
	}
	return s.FirstToken.At()
}

func (s *Sample) last(is func(EventKind) bool) time.Duration {
	for i := len(s.Events) - 1; i >= 0; i-- {
		if is(s.Events[i].Kind) {
			return s.Events[i].At
		}
	}
	return s.LastToken.At()
}
