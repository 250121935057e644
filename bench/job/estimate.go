package job

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
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

// Pace is how fast an endpoint is taken to be: a range of TTFT and TPOT.
type Pace struct {
	FastTTFT, SlowTTFT time.Duration
	FastTPOT, SlowTPOT time.Duration
	From               string // the run that it was measured in; "" is an assumption
}

// anyPace covers what endpoints usually do.
func anyPace() Pace {
	return Pace{FastTTFT: 300 * time.Millisecond, SlowTTFT: 3 * time.Second, FastTPOT: 8 * time.Millisecond, SlowTPOT: 50 * time.Millisecond}
}

// Estimate is the range of the run's duration at a pace that nobody has
// measured.
func Estimate(s *bench.Spec) (low, high time.Duration) {
	pace := anyPace()
	return pace.Estimate(s)
}

// Estimate is the range of the run's duration at this pace.
func (p *Pace) Estimate(s *bench.Spec) (low, high time.Duration) {
	rounds := (s.Planned() + s.MaxConcurrency - 1) / s.MaxConcurrency
	if s.Scenario == bench.Multiturn {
		rounds = (s.NumSessions + s.MaxConcurrency - 1) / s.MaxConcurrency * s.MaxTurns
	}
	each := func(ttft, tpot time.Duration) time.Duration {
		return bounded(float64(rounds) * (ttft.Seconds() + float64(s.MaxOutputTokens-1)*tpot.Seconds()))
	}
	low, high = each(p.FastTTFT, p.FastTPOT), each(p.SlowTTFT, p.SlowTPOT)
	if s.RequestRate > 0 { // starts alone take this long
		starts := bounded(float64(s.Planned()) / s.RequestRate)
		low, high = max(low, starts), max(high, starts)
	}
	return low, high
}

// bounded is a number of seconds as a duration, of a hundred years at most.
func bounded(seconds float64) time.Duration {
	const longest = 100 * 365 * 24 * time.Hour
	if seconds >= longest.Seconds() {
		return longest
	}
	return time.Duration(math.Round(seconds * float64(time.Second)))
}

// recentRuns is how many of the latest runs are looked at for a pace.
const recentRuns = 50

// PaceOf is the pace that the newest run against the target has shown, of the
// scenario itself before any other; without one, an assumption. A TTFT of
// short prompts says little of long ones, so the slow end is left wide.
func PaceOf(index rundir.Index, target *bench.Target, scenario bench.Scenario) Pace {
	entries, err := index.List(recentRuns)
	if err != nil {
		return anyPace()
	}
	pace := anyPace()
	for _, entry := range entries {
		result, summary := measured(entry.Dir, target)
		if summary == nil || pace.From != "" && result.Scenario != scenario {
			continue
		}
		own := result.Scenario == scenario
		widen := 5.0
		if own {
			widen = 2
		}
		ttft, tpot := bench.FromMilliseconds(summary.TTFT.P50), bench.FromMilliseconds(summary.TPOT.P50)
		pace = Pace{FastTTFT: ttft, SlowTTFT: time.Duration(widen * float64(ttft)), FastTPOT: tpot * 4 / 5, SlowTPOT: tpot * 3 / 2, From: entry.RunID}
		if own {
			break
		}
	}
	return pace
}

// measured reads the summary of a finished run against the target; nil where
// the run was of another target or has no latencies.
func measured(dir string, target *bench.Target) (*bench.Result, *bench.Summary) {
	data, err := os.ReadFile(filepath.Join(dir, rundir.ResultFile))
	if err != nil {
		return nil, nil
	}
	var r bench.Result
	if json.Unmarshal(data, &r) != nil {
		return nil, nil
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		same := t.BaseURL == target.BaseURL && t.Model == target.Model || t.Source == bench.SourceSim && target.Source == bench.SourceSim
		if same && t.Summary.TTFT.N > 0 && t.Summary.TPOT.N > 0 {
			return &r, &t.Summary
		}
	}
	return nil, nil
}
