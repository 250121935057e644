package job

import (
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// Tokens are what a run will send and may receive at most, answers in the
// history included.
func Tokens(s *bench.Spec) (prompt, output int) {
	output = s.Planned() * s.MaxOutputTokens
	switch s.Scenario {
	case bench.Prefix:
		return s.NumRequests * (s.PrefixLen + s.SuffixLen), output
	case bench.Multiturn:
		perSession := 0
		for turn := range s.MaxTurns {
			perSession += s.InitialLen + turn*(s.QuestionLen+s.MaxOutputTokens)
		}
		return s.NumSessions * perSession, output
	}
	return 64, output
}

// Assumptions of the estimate: what fast and slow endpoints do.
const (
	fastTTFT, slowTTFT = 300 * time.Millisecond, 3 * time.Second
	fastTPOT, slowTPOT = 8 * time.Millisecond, 50 * time.Millisecond
)

// Estimate is the range of the run's duration, from assumptions about the
// endpoint alone.
func Estimate(s *bench.Spec) (low, high time.Duration) {
	rounds := (s.Planned() + s.MaxConcurrency - 1) / s.MaxConcurrency
	if s.Scenario == bench.Multiturn {
		rounds = (s.NumSessions + s.MaxConcurrency - 1) / s.MaxConcurrency * s.MaxTurns
	}
	each := func(ttft, tpot time.Duration) time.Duration {
		return time.Duration(rounds) * (ttft + time.Duration(s.MaxOutputTokens-1)*tpot)
	}
	return each(fastTTFT, fastTPOT), each(slowTTFT, slowTPOT)
}
