package bench

import (
	"reflect"
	"testing"
	"time"
)

// talk is a session of the given turns.
func talk(number, turns int) Session { return Session{Number: number, Turns: make([]Turn, turns)} }

func attemptAt(session, turn, attempt int, o Outcome) *Sample {
	return &Sample{Session: session, Turn: turn, Attempt: attempt, Outcome: o}
}

func TestMissingSessionsAreThoseThatHaveNotEndedByThemselves(t *testing.T) {
	for _, c := range []struct {
		name               string
		turns              int
		samples            []*Sample
		missing, restarted bool
	}{
		{"nothing was sent", 1, nil, true, false},
		{"it succeeded", 1, []*Sample{attemptAt(1, 1, 1, Succeeded)}, false, false},
		{"it failed: that is a result", 1, []*Sample{attemptAt(1, 1, 1, FailServerError)}, false, false},
		{"it was refused: a single request isn't tried again", 1, []*Sample{attemptAt(1, 1, 1, FailRateLimited)}, false, false},
		{"it was canceled", 1, []*Sample{attemptAt(1, 1, 1, Canceled)}, true, true},
		{"all turns succeeded", 2, []*Sample{attemptAt(1, 1, 1, Succeeded), attemptAt(1, 2, 1, Succeeded)}, false, false},
		{"broken between its turns", 2, []*Sample{attemptAt(1, 1, 1, Succeeded)}, true, true},
		{"canceled in its second turn", 2, []*Sample{attemptAt(1, 1, 1, Succeeded), attemptAt(1, 2, 1, Canceled)}, true, true},
		{"a turn failed for good", 3, []*Sample{attemptAt(1, 1, 1, Succeeded), attemptAt(1, 2, 1, FailServerError)}, false, false},
		{"a turn was to be tried again", 3, []*Sample{attemptAt(1, 1, 1, FailRateLimited)}, true, true},
		{"a turn was tried four times", 3, []*Sample{attemptAt(1, 1, 1, FailConnect), attemptAt(1, 1, 2, FailConnect), attemptAt(1, 1, 3, FailConnect), attemptAt(1, 1, 4, FailConnect)}, false, false},
		{"the line of its first turn is damaged", 2, []*Sample{attemptAt(1, 2, 1, Succeeded)}, true, true},
	} {
		missing, restarted := Missing([]Session{talk(1, c.turns)}, c.samples)
		if (len(missing) == 1) != c.missing || (len(restarted) == 1) != c.restarted {
			t.Errorf("%s: missing %v, restarted %v", c.name, missing, restarted)
		}
	}
}

func TestSessionsAreMissingInTheOrderOfThePlan(t *testing.T) {
	missing, restarted := Missing([]Session{talk(1, 1), talk(2, 1), talk(3, 1)}, []*Sample{attemptAt(3, 1, 1, Canceled), attemptAt(2, 1, 1, Succeeded)})
	if want := []Session{talk(1, 1), talk(3, 1)}; !reflect.DeepEqual(missing, want) || !reflect.DeepEqual(restarted, []int{3}) {
		t.Errorf("missing %v, restarted %v", missing, restarted)
	}
}

// paced are n requests of a second each, one after the other, from a time on.
func paced(first, n int, from time.Duration) []*Sample {
	var samples []*Sample
	for i := range n {
		start := from + time.Duration(i)*time.Second
		samples = append(samples, &Sample{
			Session: first + i, Turn: 1, Attempt: 1, Outcome: Succeeded,
			Start: MarkAt(start), FirstToken: MarkAt(start + time.Second/2), LastToken: MarkAt(start + time.Second), End: MarkAt(start + time.Second),
		})
	}
	return samples
}

func TestTheGapOfAResumedRunIsInNoRate(t *testing.T) {
	spec := NewSpec(Prefix, Quick)
	spec.SLO = SLO{E2E: 2 * time.Second}
	record := &Record{
		Header: Header{Spec: spec, Planned: 6, Targets: []Target{{}}},
		// Killed at 3.5 s, taken up after an hour, with 2 s of preparation.
		Samples: append(paced(1, 3, 0), paced(4, 3, time.Hour+2*time.Second)...),
		Resumes: []Resume{{Since: MarkAt(3500 * time.Millisecond), At: MarkAt(time.Hour)}},
	}
	s := &NewResult("", "", record, StateRunning).Targets[0].Summary
	if want := 6.5; *s.DurationS != want || *s.Rate != 6/want || *s.Goodput.Rate != 6/want {
		t.Errorf("%v s, %v requests/s, %v good ones, want %v s", *s.DurationS, *s.Rate, *s.Goodput.Rate, want)
	}
	if want := 5 / 5.5; *s.Concurrency.Mean != want || s.Concurrency.Peak != 1 {
		t.Errorf("concurrency %+v, want a mean of %v", s.Concurrency, want)
	}
	if s.E2E.Avg != 1000 || s.E2E.N != 6 {
		t.Errorf("E2E %+v", s.E2E)
	}
}

func TestTheLastMomentOfARunCountsAllThatIsKnownOfIt(t *testing.T) {
	record := &Record{Samples: paced(1, 2, 0)}
	for _, c := range []struct {
		more func()
		want time.Duration
	}{
		{func() {}, 2 * time.Second},
		{func() { record.Ticks = []Tick{{At: MarkAt(3 * time.Second)}} }, 3 * time.Second},
		{func() { record.Resumes = []Resume{{At: MarkAt(4 * time.Second)}} }, 4 * time.Second},
		{func() { record.Finish = &Finish{At: MarkAt(5 * time.Second)} }, 5 * time.Second},
	} {
		c.more()
		if got := record.Last(); got != MarkAt(c.want) {
			t.Errorf("%v, want %v", got.At(), c.want)
		}
	}
}
