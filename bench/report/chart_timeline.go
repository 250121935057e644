package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// event is one attempt on the timeline.
type event struct {
	at    float64 // its start
	ttft  float64 // of a success
	first bool    // use of a prefix, or turn
	kind  eventKind
}

type eventKind int

const (
	eventSucceeded eventKind = iota
	eventFailed
	eventRetried // it failed, and the request was tried again
	eventCanceled
)

// track is the attempts of one target in order of their start.
type track struct {
	look   look
	events []event
	flight []level
}

// level is the number of requests in flight from a moment on.
type level struct {
	at float64
	n  int
}

// timelineData is what the timeline shows, in the units of its axes.
type timelineData struct {
	tracks   []track
	unit     timeUnit // of TTFT
	clock    timeUnit // of the x axis
	end      float64  // of the last attempt
	slowest  float64  // TTFT
	peak     int      // in flight, of any target
	troubles int      // attempts that did not succeed
}

// newTimeline gathers all attempts that have started.
func newTimeline(w *chartWords, result *bench.Result, record *bench.Record) timelineData {
	d := timelineData{}
	var end, slowest float64
	for _, s := range record.Samples {
		if s.Start.Taken() {
			end = max(end, bench.Milliseconds(s.Start.At()), bench.Milliseconds(s.End.At()))
		}
		if ttft, defined := s.TTFT(); defined && s.Outcome == bench.Succeeded {
			slowest = max(slowest, bench.Milliseconds(ttft))
		}
	}
	d.clock, d.unit = w.clockFor(end), w.unitFor(slowest)
	d.end, d.slowest = end/d.clock.ms, slowest/d.unit.ms
	for i := range result.Targets {
		t := d.track(result.Scenario, record.Of(result.Targets[i].Label))
		t.look = lookOf(i)
		d.tracks = append(d.tracks, t)
	}
	return d
}

// clockFor is the unit of a run's time axis.
func (w *chartWords) clockFor(end float64) timeUnit {
	switch minute := 60_000.0; {
	case end > 300*minute:
		return timeUnit{w.hours, 60 * minute}
	case end > 10*minute:
		return timeUnit{w.minutes, minute}
	}
	return timeUnit{w.seconds, 1000}
}

func (d *timelineData) track(scenario bench.Scenario, samples []*bench.Sample) track {
	var t track
	sorted := slices.SortedFunc(slices.Values(samples), (*bench.Sample).Compare)
	for i, s := range sorted {
		if !s.Start.Taken() {
			continue
		}
		e := event{at: bench.Milliseconds(s.Start.At()) / d.clock.ms, first: s.Ordinal == 1}
		if scenario == bench.Multiturn {
			e.first = s.Turn == 1
		}
		again := i+1 < len(sorted) && sorted[i+1].Session == s.Session && sorted[i+1].Turn == s.Turn
		e.kind = kindOf(s, again)
		ttft, defined := s.TTFT()
		e.ttft = bench.Milliseconds(ttft) / d.unit.ms
		if e.kind != eventSucceeded {
			d.troubles++
		} else if !defined {
			continue
		}
		t.events = append(t.events, e)
	}
	slices.SortStableFunc(t.events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	t.flight = flight(samples, d.clock.ms)
	for _, l := range t.flight {
		d.peak = max(d.peak, l.n)
	}
	return t
}

func kindOf(s *bench.Sample, again bool) eventKind {
	switch {
	case s.Outcome == bench.Succeeded:
		return eventSucceeded
	case s.Outcome == bench.Canceled:
		return eventCanceled
	case again:
		return eventRetried
	}
	return eventFailed
}

// flight is the number of requests in flight over time, in units of so many milliseconds.
func flight(samples []*bench.Sample, unit float64) []level {
	type change struct {
		at time.Duration
		by int
	}
	var changes []change
	for _, s := range samples {
		if s.Start.Taken() && s.End.Taken() {
			changes = append(changes, change{s.Start.At(), 1}, change{s.End.At(), -1})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	var levels []level
	n := 0
	for i, c := range changes {
		n += c.by
		if i+1 == len(changes) || changes[i+1].at != c.at {
			levels = append(levels, level{bench.Milliseconds(c.at) / unit, n})
		}
	}
	return levels
}

// troublesOf is the attempts of a track that did not succeed, by kind.
func (t *track) troublesOf(kind eventKind) int {
	n := 0
	for _, e := range t.events {
		if e.kind == kind {
			n++
		}
	}
	return n
}
