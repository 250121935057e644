package report

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// troubled fails in every way that a request can.
func troubled() imagined {
	m := doubao()
	m.failEvery, m.retryEvery = 23, 17
	return m
}

func TestTheDistributionShowsThePercentilesOfTheSummary(t *testing.T) {
	for _, scenario := range []bench.Scenario{bench.Prefix, bench.Multiturn} {
		result, record := madeRun(inEnglish(middling(scenario)), troubled())
		s := result.Targets[0].Summary
		for i, want := range []bench.Dist{s.TTFT, s.TPOT, s.E2E} {
			f := spreadFigures(wordsOf("en"), result, record)[i]
			per := 1.0
			if f.unit == "s" {
				per = 1000
			}
			got := f.spreads[0].dist
			if got.N != want.N || !near(got.P50*per, want.P50) || !near(got.P99*per, want.P99) {
				t.Errorf("%s, %s in %s: %+v, want %+v", scenario, f.name, f.unit, got, want)
			}
		}
	}
}

func TestAPercentileLiesOnItsCurve(t *testing.T) {
	p := &plot{x: axis{low: 0, high: 100, from: 0, to: 10_000}, y: axis{low: 0, high: 100, from: 0, to: 10_000}}
	s := spread{values: []float64{10, 20, 40, 80}}
	want := []spot{{1000, 0}, {2000, 3333}, {4000, 6667}, {8000, 10_000}}
	if got := s.spots(p); !slices.Equal(got, want) {
		t.Errorf("the curve is %v, want %v", got, want)
	}
	if one := (spread{values: []float64{7}}).spots(p); !slices.Equal(one, []spot{{700, 0}, {700, 10_000}}) {
		t.Errorf("the curve of one value is %v", one)
	}
}

func TestTheTimelineCountsWhatTheSummaryCounts(t *testing.T) {
	for _, scenario := range []bench.Scenario{bench.Prefix, bench.Multiturn} {
		_, record := madeRun(middling(scenario), troubled())
		record.Samples[3].Outcome = bench.Canceled
		result := bench.NewResult("run", "", record, bench.StateSucceeded)
		d := newTimeline(wordsOf("zh"), &result, record)
		track, want := d.tracks[0], result.Targets[0].Summary
		got := [4]int{track.troublesOf(eventSucceeded), track.troublesOf(eventFailed), track.troublesOf(eventRetried), track.troublesOf(eventCanceled)}
		if r := want.Requests; got != [4]int{r.Succeeded, r.Failed, r.Retries, r.Canceled} {
			t.Errorf("%s: %v, want %+v", scenario, got, r)
		}
		if d.peak != want.Concurrency.Peak {
			t.Errorf("%s: peak %d, want %d", scenario, d.peak, want.Concurrency.Peak)
		}
	}
}

func TestRequestsInFlightRiseAtTheStartAndFallAtTheEnd(t *testing.T) {
	during := func(start, end float64) *bench.Sample {
		return &bench.Sample{Start: markAt(start), End: markAt(end)}
	}
	samples := []*bench.Sample{during(0, 3000), during(1000, 2000), during(2000, 4000), {Start: markAt(5000)}}
	want := []level{{0, 1}, {1, 2}, {2, 2}, {3, 1}, {4, 0}}
	if got := flight(samples, 1000); !slices.Equal(got, want) {
		t.Errorf("levels %v, want %v", got, want)
	}
}

func TestAPixelColumnKeepsItsHighestAndItsLastLevel(t *testing.T) {
	p := &plot{x: axis{low: 0, high: 10, from: 0, to: 10}}
	got := columns(p, []level{{1, 1}, {1.1, 5}, {1.2, 2}, {4, 3}})
	if want := []level{{1.1, 5}, {1.2, 2}, {4, 3}}; !slices.Equal(got, want) {
		t.Errorf("kept %v, want %v", got, want)
	}
}

func TestTheCeilingByOrdinalIsNothingThenThePrefixsShare(t *testing.T) {
	result, record := prefixRun(middling(bench.Prefix), doubao())
	limits := hitFigure(wordsOf("zh"), result, record).limits
	if len(limits) != 1 || len(limits[0].readings) != 20 {
		t.Fatalf("limits %v", limits)
	}
	for _, r := range limits[0].readings {
		want := 100 * 12000.0 / 14000
		if r.key == 1 {
			want = 0
		}
		if r.mean != want {
			t.Errorf("ordinal %d: %v, want %v", r.key, r.mean, want)
		}
	}
}

func TestTheCeilingsByTurnAddUpToTheRunsCeiling(t *testing.T) {
	_, record := multiturnRun(middling(bench.Multiturn), troubled())
	for i, s := range record.Samples {
		if reasoning := i % 50; s.Usage != nil {
			s.Usage.Reasoning = &reasoning
		}
	}
	result := bench.NewResult("run", "", record, bench.StateSucceeded)
	summary := result.Targets[0].Summary
	reusable := 0.0
	limits := hitFigure(wordsOf("zh"), &result, record).limits[0]
	for i, g := range summary.Breakdown {
		reusable += limits.readings[i].mean / 100 * float64(g.Prompt.Sum)
	}
	if got := reusable / float64(summary.PromptTokens.Sum); math.Abs(got-*summary.Cache.Ceiling) > 1e-9 {
		t.Errorf("the turns add up to %v, the run's ceiling is %v", got, *summary.Cache.Ceiling)
	}
}

func TestACurveBreaksWhereAnOrdinalHasNoReading(t *testing.T) {
	c := curve{readings: []reading{{key: 1}, {key: 2}, {key: 5}, {key: 7}, {key: 8}}}
	var lengths []int
	for _, part := range c.unbroken([]int{1, 2, 3, 5, 6, 7, 8}) {
		lengths = append(lengths, len(part))
	}
	if !slices.Equal(lengths, []int{2, 1, 2}) {
		t.Errorf("parts of %v readings", lengths)
	}
}

func TestCountsStandOnOneLineWhereTargetsAgree(t *testing.T) {
	one := curve{look: lookOf(0), readings: []reading{{key: 1, n: 10}, {key: 2, n: 9}}}
	same, other := one, curve{look: lookOf(1), readings: []reading{{key: 1, n: 10}}}
	same.look = lookOf(1)
	if lines := (&groupFigure{curves: []curve{one, same}}).countLines(); len(lines) != 1 || lines[0].of[2] != 9 {
		t.Errorf("lines %v", lines)
	}
	if lines := (&groupFigure{curves: []curve{one, other}}).countLines(); len(lines) != 2 || lines[1].colour != lookOf(1).colour {
		t.Errorf("lines %v", lines)
	}
}

func TestTargetsLookDifferent(t *testing.T) {
	seen := map[look]bool{}
	for i := range 28 {
		if seen[lookOf(i)] {
			t.Errorf("target %d looks like an earlier one", i)
		}
		seen[lookOf(i)] = true
	}
}

func TestDashesGoOnOverTheCornersOfALine(t *testing.T) {
	var fine []spot
	for x := range 101 {
		fine = append(fine, spot{x, 0})
	}
	want := [][2]int{{0, 14}, {23, 37}, {46, 60}, {69, 83}, {92, 100}}
	for name, line := range map[string][]spot{"one part": {{0, 0}, {100, 0}}, "a hundred parts": fine} {
		var got [][2]int
		for _, piece := range dashes(line, []float64{14, 9}) {
			got = append(got, [2]int{piece[0].x, piece[len(piece)-1].x})
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: pieces %v, want %v", name, got, want)
		}
	}
}

func TestTimesUseTheUnitThatKeepsThemShort(t *testing.T) {
	w := wordsOf("en")
	for ms, want := range map[float64]string{0: "ms", 9999: "ms", 10_000: "s"} {
		if got := w.unitFor(ms).name; got != want {
			t.Errorf("%v ms are shown in %s", ms, got)
		}
	}
	for d, want := range map[time.Duration]string{time.Minute: "s", 11 * time.Minute: "min", 6 * time.Hour: "h"} {
		if got := w.clockFor(bench.Milliseconds(d)).name; got != want {
			t.Errorf("a run of %v is shown in %s", d, got)
		}
	}
}

func TestALongNameIsCutInTheMiddleAndLeavesRoomForTheOther(t *testing.T) {
	face, err := loadTypeface()
	if err != nil {
		t.Fatal(err)
	}
	long, short := "doubao-seed-2-0-mini-with-a-name-of-more-than-sixty-characters-260428", "ep-1"
	got := face.fitNames([]string{long, short}, 22, 500)
	if w := face.width(got, 22); w > 500 || w < 460 {
		t.Errorf("%q is %d wide", got, w)
	}
	if want := "doubao-"; got[:len(want)] != want || got[len(got)-len("260428 | ep-1"):] != "260428 | ep-1" {
		t.Errorf("the names became %q", got)
	}
}

func TestARunThatDidNotEndSaysSoInItsTitle(t *testing.T) {
	result, _ := prefixRun(inEnglish(quick(bench.Prefix)), doubao())
	for state, want := range map[bench.State]string{bench.StateSucceeded: "T", bench.StateInterrupted: "T (interrupted)", bench.StateCanceled: "T (canceled)"} {
		result.State = state
		if got := newFrame(wordsOf("en"), result, "T").title; got != want {
			t.Errorf("%s: %q", state, got)
		}
	}
}
