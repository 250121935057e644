package job

import (
	"slices"
	"sync"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// Progress is how a run stands while it goes on.
type Progress struct {
	Scenario bench.Scenario
	Phase    string // "prepare", "warm-up", "measuring", "report"
	Requests bench.Requests
	Failures map[bench.Outcome]int
	TTFTP50  *bench.Millis
	TPOTP50  *bench.Millis
	HitRate  *float64 // 0 to 1; nil: not reported so far
	Prompt   int      // tokens so far
	Cached   int      // of the prompt tokens so far
	Output   int      // tokens so far
	Elapsed  time.Duration
	Remain   *time.Duration // nil: unknown
}

// tracker keeps count of a run that goes on.
type tracker struct {
	mu       sync.Mutex
	progress Progress
	clock    bench.Clock
	began    time.Duration // of the measured window
	before   int           // requests that had ended by then, in a run that was taken up again
	turns    map[turnID]bench.Outcome
	ttft     []float64 // ms, ascending
	tpot     []float64
	reported bool
}

// turnID names one planned request.
type turnID struct {
	target               string
	point, session, turn int
}

func newTracker(scenario bench.Scenario, planned int, clock bench.Clock) *tracker {
	return &tracker{
		progress: Progress{Scenario: scenario, Phase: "prepare", Requests: bench.Requests{Planned: planned, NotRun: planned}, Failures: map[bench.Outcome]int{}},
		clock:    clock, turns: map[turnID]bench.Outcome{},
	}
}

func (t *tracker) phase(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.progress.Phase = name
	if name == "measuring" {
		t.began, t.before = t.clock.Now(), t.progress.Requests.Planned-t.progress.Requests.NotRun
	}
}

// add counts an attempt. One that follows upon another of its turn takes its place.
func (t *tracker) add(s *bench.Sample) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := turnID{s.Target, s.Point, s.Session, s.Turn}
	if before, again := t.turns[key]; again {
		t.count(before, -1)
		t.progress.Requests.Retries++
	}
	t.turns[key] = s.Outcome
	t.count(s.Outcome, 1)
	if s.Outcome != bench.Succeeded {
		return
	}
	if d, ok := s.TTFT(); ok {
		t.ttft = insert(t.ttft, bench.Milliseconds(d))
	}
	if d, ok := s.TPOT(); ok {
		t.tpot = insert(t.tpot, bench.Milliseconds(d))
	}
	t.tokens(s.Usage)
}

func (t *tracker) count(o bench.Outcome, change int) {
	r := &t.progress.Requests
	r.NotRun -= change
	switch {
	case o == bench.Succeeded:
		r.Succeeded += change
	case o == bench.Canceled:
		r.Canceled += change
	default:
		r.Failed += change
		t.progress.Failures[o] += change
	}
}

func (t *tracker) tokens(u *bench.Usage) {
	if u == nil {
		return
	}
	add := func(sum *int, n *int) {
		if n != nil {
			*sum += *n
		}
	}
	add(&t.progress.Prompt, u.Prompt)
	add(&t.progress.Output, u.Completion)
	add(&t.progress.Cached, u.Cached)
	t.reported = t.reported || u.Cached != nil
}

func insert(sorted []float64, v float64) []float64 {
	i, _ := slices.BinarySearch(sorted, v)
	return slices.Insert(sorted, i, v)
}

// now is the present progress.
func (t *tracker) now() Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.progress
	p.Failures = map[bench.Outcome]int{}
	for class, n := range t.progress.Failures {
		if n > 0 {
			p.Failures[class] = n
		}
	}
	p.TTFTP50, p.TPOTP50 = median(t.ttft), median(t.tpot)
	if t.reported && p.Prompt > 0 {
		rate := float64(p.Cached) / float64(p.Prompt)
		p.HitRate = &rate
	}
	p.Elapsed = t.clock.Now()
	if done := p.Requests.Planned - p.Requests.NotRun - t.before; p.Phase == "measuring" && done > 0 {
		remain := time.Duration(float64(t.clock.Now()-t.began) / float64(done) * float64(p.Requests.NotRun))
		p.Remain = &remain
	}
	return p
}

func median(sorted []float64) *bench.Millis {
	if len(sorted) == 0 {
		return nil
	}
	m := bench.Millis(bench.FromMilliseconds(bench.Percentile(sorted, 50)))
	return &m
}
