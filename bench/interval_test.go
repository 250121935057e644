package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// noise makes latencies of mean 1.
type noise struct {
	name string
	draw func(*rand.Rand) float64
}

// lognormal noise has the given coefficient of variation.
func lognormal(cv float64) func(*rand.Rand) float64 {
	s := math.Sqrt(math.Log1p(cv * cv))
	return func(r *rand.Rand) float64 { return math.Exp(s*r.NormFloat64() - s*s/2) }
}

func noises() []noise {
	return []noise{
		{"normal of CV 0.25", func(r *rand.Rand) float64 { return 1 + 0.25*r.NormFloat64() }},
		{"lognormal of CV 0.25", lognormal(0.25)},
		{"lognormal of CV 0.5", lognormal(0.5)},
		{"lognormal of CV 1", lognormal(1)},
		{"shifted exponential", func(r *rand.Rand) float64 { return 0.3 + 0.7*r.ExpFloat64() }},
		{"3 % of spikes", func(r *rand.Rand) float64 {
			x := lognormal(0.2)(r)
			if r.Float64() < 0.03 {
				x *= 6
			}
			return x / 1.15
		}},
	}
}

// coldTimes is how much slower the cold requests of a made-up prefix run are.
const coldTimes = 3.4

// prefixRun draws a prefix run: cold requests, and warm ones.
func prefixRun(r *rand.Rand, draw func(*rand.Rand) float64, cold, warm int) [][]float64 {
	strata := [][]float64{make([]float64, cold), make([]float64, warm)}
	for i := range strata[0] {
		strata[0][i] = coldTimes * draw(r)
	}
	for i := range strata[1] {
		strata[1][i] = draw(r)
	}
	return strata
}

// conversation is a multi-turn run in which a session has an effect on all its
// turns, and each turn is slower than the one before.
type conversation struct {
	effect, turn noise
	growth       float64 // of each turn, as a share of the first
}

func (c conversation) run(r *rand.Rand, sessions, turns int) [][]float64 {
	values := make([][]float64, sessions)
	for i := range values {
		effect := c.effect.draw(r)
		for turn := range turns {
			values[i] = append(values[i], effect*(1+c.growth*float64(turn))*c.turn.draw(r))
		}
	}
	return values
}

func conversations() []conversation {
	effect := func(cv float64) noise { return noise{fmt.Sprintf("sessions of CV %v", cv), lognormal(cv)} }
	n := noises()
	return []conversation{
		{effect(0), n[1], 0}, {effect(0.1), n[1], 0.05}, {effect(0.2), n[1], 0.05}, {effect(0.3), n[1], 0.05}, {effect(0.5), n[2], 0.05}, {effect(0.3), n[3], 0.1}, {effect(0.3), n[5], 0.05},
	}
}

// coverage is how many intervals of AVG and of P50 hold the true value.
type coverage struct{ avg, p50, of int }

func (c coverage) shares() (avg, p50 float64) {
	return float64(c.avg) / float64(c.of), float64(c.p50) / float64(c.of)
}

// cover counts over repeats of a run, half of them on each of two seeds.
func cover(repeats int, avg, p50 float64, describe func(*rand.Rand, uint64) Dist) coverage {
	var halves [2]coverage
	var both sync.WaitGroup
	for h := range halves {
		both.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(h), 4711))
			for i := range repeats / 2 {
				d := describe(rng, uint64(i))
				halves[h].of++
				if d.AvgCI.holds(avg) {
					halves[h].avg++
				}
				if d.P50CI.holds(p50) {
					halves[h].p50++
				}
			}
		})
	}
	both.Wait()
	return coverage{halves[0].avg + halves[1].avg, halves[0].p50 + halves[1].p50, halves[0].of + halves[1].of}
}

func (i *Interval) holds(v float64) bool { return i != nil && i.Low <= v && v <= i.High }

// truth are the figures of a run without end.
func truth(runs int, run func(*rand.Rand) [][]float64) (avg, p50 float64) {
	rng := rand.New(rand.NewPCG(3, 14))
	var all []float64
	for range runs {
		all = append(all, slices.Concat(run(rng)...)...)
	}
	d := Describe(all)
	return d.Avg, d.P50
}

func coverPrefix(repeats, cold, warm int, n noise) coverage {
	run := func(r *rand.Rand) [][]float64 { return prefixRun(r, n.draw, cold, warm) }
	_, p50 := truth(200_000/(cold+warm), run)
	avg := (coldTimes*float64(cold) + float64(warm)) / float64(cold+warm)
	return cover(repeats, avg, p50, func(r *rand.Rand, seed uint64) Dist {
		strata := run(r)
		d := Describe(slices.Concat(strata...))
		d.bootstrap(strata, seed)
		return d
	})
}

func coverMultiturn(repeats, sessions, turns int, c conversation) coverage {
	run := func(r *rand.Rand) [][]float64 { return c.run(r, sessions, turns) }
	_, p50 := truth(200_000/sessions/turns, run)
	avg := 1 + c.growth*float64(turns-1)/2
	return cover(repeats, avg, p50, func(r *rand.Rand, _ uint64) Dist {
		values := run(r)
		d := Describe(slices.Concat(values...))
		d.bySession(values)
		return d
	})
}

// The benchmark repeats this as often as it takes to tell 95 % from 93 and 97.
func TestIntervalsOfPrefixRunsHoldTheTruth(t *testing.T) {
	for _, n := range noises() {
		t.Run(n.name, func(t *testing.T) {
			t.Parallel()
			avg, p50 := coverPrefix(60, 10, 190, n).shares()
			if avg < 0.88 || p50 < 0.88 || avg == 1 || p50 == 1 {
				t.Errorf("95 %% intervals hold the truth in %.3f of AVG, %.3f of P50", avg, p50)
			}
		})
	}
}

func TestIntervalsOfSmallPrefixRunsHoldTheTruth(t *testing.T) {
	avg, p50 := coverPrefix(400, 2, 4, noises()[1]).shares()
	if avg < 0.91 || p50 < 0.93 {
		t.Errorf("95 %% intervals hold the truth in %.3f of AVG, %.3f of P50", avg, p50)
	}
}

func TestIntervalsOfMultiturnRunsHoldTheTruth(t *testing.T) {
	for _, c := range conversations() {
		t.Run(c.effect.name+", "+c.turn.name, func(t *testing.T) {
			t.Parallel()
			avg, p50 := coverMultiturn(500, 10, 20, c).shares()
			if avg < 0.92 || avg > 0.98 || p50 < 0.92 || p50 > 0.98 {
				t.Errorf("95 %% intervals hold the truth in %.3f of AVG, %.3f of P50", avg, p50)
			}
		})
	}
}

// BenchmarkCoverage is the share of 2,000 nominal 95 % intervals that hold the truth.
func BenchmarkCoverage(b *testing.B) {
	report := func(b *testing.B, c coverage) {
		avg, p50 := c.shares()
		b.ReportMetric(100*avg, "%AVG")
		b.ReportMetric(100*p50, "%P50")
	}
	for _, n := range noises() {
		b.Run("prefix 200, "+n.name, func(b *testing.B) {
			for b.Loop() {
				report(b, coverPrefix(2000, 10, 190, n))
			}
		})
	}
	for _, c := range conversations() {
		b.Run("multiturn 10x20, "+c.effect.name+", "+c.turn.name, func(b *testing.B) {
			for b.Loop() {
				report(b, coverMultiturn(2000, 10, 20, c))
			}
		})
	}
}

func TestTheSameRunHasTheSameIntervals(t *testing.T) {
	strata := prefixRun(rand.New(rand.NewPCG(1, 1)), lognormal(0.25), 10, 190)
	first, second, other := Describe(slices.Concat(strata...)), Describe(slices.Concat(strata...)), Describe(slices.Concat(strata...))
	first.bootstrap(strata, 7)
	second.bootstrap(strata, 7)
	other.bootstrap(strata, 8)
	if *first.AvgCI != *second.AvgCI || *first.P50CI != *second.P50CI || *first.P99CI != *second.P99CI {
		t.Errorf("one seed gives %v %v %v and %v %v %v", *first.AvgCI, *first.P50CI, *first.P99CI, *second.AvgCI, *second.P50CI, *second.P99CI)
	}
	if *first.AvgCI == *other.AvgCI {
		t.Error("two seeds give the same interval")
	}
}

func TestAResamplesPercentilesAreThoseOfItsValues(t *testing.T) {
	b := newResampler([][]float64{{5, 1, 1}, {}, {2, 9, 4, 4, 8}}, 3)
	for range 200 {
		average, _ := b.draw()
		var drawn []float64
		for at, n := range b.counts {
			for range n {
				drawn = append(drawn, b.sorted[at])
			}
		}
		if len(drawn) != 8 || math.Abs(mean(drawn)-average) > 1e-12 {
			t.Fatalf("drew %v with the mean %v", drawn, average)
		}
		for _, p := range []float64{0, 12.5, 50, 99, 100} {
			if got, want := b.percentile(p), Percentile(drawn, p); got != want {
				t.Fatalf("P%v of %v is %v, want %v", p, drawn, got, want)
			}
		}
	}
}

func TestTheMedianOfFewValuesLiesBetweenOrderStatistics(t *testing.T) {
	for _, c := range []struct {
		n         int
		low, high float64 // 0: none
	}{{5, 0, 0}, {6, 1, 6}, {8, 1, 8}, {9, 2, 8}, {20, 6, 15}, {29, 9, 21}} {
		var sorted []float64
		for i := range c.n {
			sorted = append(sorted, float64(i+1))
		}
		got := signInterval(sorted)
		if got == nil && c.low != 0 || got != nil && *got != (Interval{c.low, c.high}) {
			t.Errorf("n = %d: %v, want %v to %v", c.n, got, c.low, c.high)
		}
	}
}

func TestWhatDoesNotVaryHasAnIntervalWithoutWidth(t *testing.T) {
	strata := [][]float64{{9}, {2, 2, 2}}
	d := Describe(slices.Concat(strata...))
	d.bootstrap(strata, 1)
	if d.AvgCI == nil || *d.AvgCI != (Interval{3.75, 3.75}) {
		t.Errorf("AVG has %v", d.AvgCI)
	}
}

func TestOneSessionHasNoInterval(t *testing.T) {
	d := Describe([]float64{1, 2, 3})
	if d.bySession([][]float64{{1, 2, 3}, {}}); d.AvgCI != nil || d.P50CI != nil {
		t.Errorf("one session has %v and %v", d.AvgCI, d.P50CI)
	}
}

// BenchmarkBootstrap is what the intervals of one figure cost.
func BenchmarkBootstrap(b *testing.B) {
	for _, n := range []int{200, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			strata := prefixRun(rand.New(rand.NewPCG(1, 1)), lognormal(0.25), n/20, n-n/20)
			d := Describe(slices.Concat(strata...))
			for b.Loop() {
				d.bootstrap(strata, 7)
			}
		})
	}
}

func TestAFewLatenciesHaveNoAbsurdInterval(t *testing.T) {
	for seed := range uint64(200) {
		cold, warm := []float64{212, 215}, []float64{131, 131.2, 130.8, 171}
		d := Describe(append(append([]float64{}, cold...), warm...))
		d.bootstrap([][]float64{cold, warm}, seed)
		if d.AvgCI == nil || d.AvgCI.Low < 100 || d.AvgCI.High > 240 || d.AvgCI.Low > d.Avg || d.AvgCI.High < d.Avg {
			t.Fatalf("seed %d: AVG %v with %+v", seed, d.Avg, d.AvgCI)
		}
		if d.P99CI != nil {
			t.Fatalf("seed %d: P99 of 6 values has the interval %+v", seed, d.P99CI)
		}
	}
}
