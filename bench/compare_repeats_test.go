package bench

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

// twins makes up two runs of one kind.
type twins struct {
	name   string
	spec   func(*Spec)
	kind   Scenario
	noise  noise   // of each request's TTFT and TPOT
	effect float64 // CV of what a session's text does in both runs
	apart  bool    // the runs have other texts
	misses float64 // share of later uses that miss the cache
	cold   float64 // how much slower cold requests are; 0: as ever
	shift  float64 // the second run's TTFT is longer by this share
	all    bool    // and so is its TPOT
	large  bool    // so many requests that a few repeats must do
}

func (tw *twins) loads(rng *rand.Rand) (a, b load) {
	spec := NewSpec(tw.kind, Standard)
	if tw.spec != nil {
		tw.spec(&spec)
	}
	spec.Seed = rng.Uint64()
	effects := map[int]float64{}
	a, b = tw.load(rng, spec, 1, effects), tw.load(rng, spec, 1+tw.shift, effects)
	if tw.apart {
		b.header = &Header{MaterialHash: "other"}
	}
	return a, b
}

func (tw *twins) load(rng *rand.Rand, spec Spec, factor float64, effects map[int]float64) load {
	l := load{header: &Header{MaterialHash: "same"}, spec: spec}
	if tw.apart {
		clear(effects)
	}
	slower := 1.0
	if tw.all {
		slower = factor
	}
	sessions, turns := spec.NumRequests, 1
	if spec.Scenario == Multiturn {
		sessions, turns = spec.NumSessions, spec.MaxTurns
	}
	for n := range sessions {
		if effects[n] == 0 {
			effects[n] = lognormal(tw.effect)(rng)
		}
		for turn := range turns {
			s := &Sample{Outcome: Succeeded, Session: n + 1, Turn: turn + 1, Start: MarkAt(0)}
			first, prompt, cached := 200.0, 14000, 11968
			if spec.Scenario == Multiturn {
				first, prompt, cached = 200+8*float64(turn), 3000+1280*turn, 1280*turn
			} else {
				s.Prefix, s.Ordinal = n%spec.NumPrefixes+1, n/spec.NumPrefixes+1
			}
			if s.Ordinal == 1 || rng.Float64() < tw.misses {
				first, cached = first*cmp.Or(tw.cold, coldTimes), 0
			}
			output := 512
			ttft := first * factor * effects[n] * tw.noise.draw(rng)
			tpot := 10 * slower * effects[n] * tw.noise.draw(rng)
			s.FirstToken = MarkAt(FromMilliseconds(ttft))
			s.LastToken = MarkAt(FromMilliseconds(ttft + tpot*float64(output-1)))
			s.End = MarkAt(s.LastToken.At() + time.Millisecond)
			s.Usage = &Usage{Prompt: &prompt, Completion: &output, Cached: &cached}
			l.ok = append(l.ok, s)
		}
	}
	return l
}

// differing is in how many of the repeats any figure, and TTFT, is said to differ.
type differing struct{ any, ttft, of int }

func (tw *twins) differing(repeats int) differing {
	var halves [2]differing
	var both sync.WaitGroup
	for h := range halves {
		both.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(h), 815))
			for range repeats / 2 {
				a, b := tw.loads(rng)
				found := contrasts(figurePairs(&a, &b, nil), 0.05, [2]uint64{a.spec.Seed, b.spec.Seed})
				halves[h].add(found)
			}
		})
	}
	both.Wait()
	return differing{halves[0].any + halves[1].any, halves[0].ttft + halves[1].ttft, halves[0].of + halves[1].of}
}

func (d *differing) add(found []Contrast) {
	d.of++
	shown := func(c Contrast) bool { return c.Shown }
	if slices.ContainsFunc(found, shown) {
		d.any++
	}
	if slices.ContainsFunc(found, func(c Contrast) bool { return c.Shown && c.Metric == MetricTTFT }) {
		d.ttft++
	}
}

// alike are kinds of runs whose twins differ by chance alone.
func alike() []twins {
	n := noises()
	requests := func(requests, prefixes int) func(*Spec) {
		return func(s *Spec) { s.NumRequests, s.NumPrefixes = requests, prefixes }
	}
	short := func(s *Spec) { s.NumSessions, s.MaxTurns = 2, 3 }
	return []twins{
		{name: "prefix 200, CV 0.25", kind: Prefix, noise: n[1]},
		{name: "prefix 200, CV 0.25 and texts of CV 0.2", kind: Prefix, noise: n[1], effect: 0.2},
		{name: "prefix 200, CV 0.25, other texts", kind: Prefix, noise: n[1], apart: true},
		{name: "prefix 200, CV 1", kind: Prefix, noise: n[3]},
		{name: "prefix 200, CV 1, other texts", kind: Prefix, noise: n[3], apart: true},
		{name: "prefix 200, spikes and misses", kind: Prefix, noise: n[5], misses: 0.02},
		{name: "prefix 6", kind: Prefix, noise: n[1], spec: requests(6, 2)},
		{name: "prefix 20, one cold", kind: Prefix, noise: n[1], spec: requests(20, 1), apart: true},
		{name: "prefix 400", large: true, kind: Prefix, noise: n[1], spec: requests(400, 10)},
		{name: "prefix 1000, CV 0.5, other texts", large: true, kind: Prefix, noise: n[2], spec: requests(1000, 20), apart: true},
		{name: "multiturn 10x20, no effects", kind: Multiturn, noise: n[1]},
		{name: "multiturn 10x20, effects 0.3", kind: Multiturn, noise: n[1], effect: 0.3},
		{name: "multiturn 10x20, effects 0.3, other texts", kind: Multiturn, noise: n[1], effect: 0.3, apart: true},
		{name: "multiturn 10x20, CV 1 and misses", kind: Multiturn, noise: n[3], effect: 0.2, misses: 0.02},
		{name: "multiturn 2x3", kind: Multiturn, noise: n[1], effect: 0.2, spec: short},
	}
}

// slower are twins of which the second is slower, or faster, by a tenth.
func slower() []twins {
	n := noises()
	return []twins{
		{name: "TTFT alone, lognormal", kind: Prefix, noise: n[1], shift: 0.1},
		{name: "TTFT alone, lognormal, other texts", kind: Prefix, noise: n[1], shift: 0.1, apart: true},
		{name: "TTFT alone, lognormal, cold like warm", kind: Prefix, noise: n[1], shift: 0.1, cold: 1},
		{name: "TTFT alone, normal, cold like warm", kind: Prefix, noise: n[0], shift: 0.1, cold: 1},
		{name: "TTFT alone faster, lognormal", kind: Prefix, noise: n[1], shift: -0.1},
		{name: "all latencies, lognormal", kind: Prefix, noise: n[1], shift: 0.1, all: true},
		{name: "all latencies, normal", kind: Prefix, noise: n[0], shift: 0.1, all: true},
	}
}

// The benchmark repeats this as often as it takes to tell 5 % from 6.
func TestAlikeRunsAreRarelySaidToDiffer(t *testing.T) {
	for _, tw := range alike() {
		t.Run(tw.name, func(t *testing.T) {
			t.Parallel()
			repeats := 24
			if tw.large {
				repeats = 6
			}
			// Where the share is 5 %, one such test in 500 counts 6 of 24, or 3 of 6.
			if d := tw.differing(repeats); d.any > 1+repeats/6 {
				t.Errorf("%d of %d pairs are said to differ", d.any, d.of)
			}
		})
	}
}

func TestATenthMoreIsFound(t *testing.T) {
	for _, tw := range slower() {
		t.Run(tw.name, func(t *testing.T) {
			t.Parallel()
			if d := tw.differing(24); d.ttft < 17 {
				t.Errorf("in %d of %d pairs a TTFT that is longer by a tenth is found", d.ttft, d.of)
			}
		})
	}
}

// BenchmarkAlike is the share of 2,000 pairs of alike runs of which any figure,
// and TTFT, is said to differ.
func BenchmarkAlike(b *testing.B) {
	for _, tw := range alike() {
		b.Run(tw.name, func(b *testing.B) { tw.report(b) })
	}
}

// BenchmarkATenthMore is the share of 2,000 pairs in which a TTFT that is
// longer by a tenth is found.
func BenchmarkATenthMore(b *testing.B) {
	for _, tw := range slower() {
		b.Run(tw.name, func(b *testing.B) { tw.report(b) })
	}
}

func (tw *twins) report(b *testing.B) {
	for b.Loop() {
		d := tw.differing(2000)
		b.ReportMetric(100*float64(d.any)/float64(d.of), "%any")
		b.ReportMetric(100*float64(d.ttft)/float64(d.of), "%TTFT")
	}
}
