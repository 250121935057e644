package bench

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// figurePair is one figure of two sides, with what each independent unit
// contributes to it.
type figurePair struct {
	metric, statistic string
	a, b              figure
	moments           moments
}

// figure is an estimate and its influence values: what each unit adds to the
// estimate's distance from the truth, to first order. The variance of the
// estimate is that of their sum (Deville, Variance estimation for complex
// statistics and estimators, Survey Methodology 25, 1999).
type figure struct {
	value     float64
	n         int // requests
	influence map[int]float64
}

// statistic forms a figure of a load; it is undefined for too few requests.
type statistic struct {
	metric, name string
	of           func(*load) (figure, bool)
}

// statistics are the figures of a comparison in the order of its table.
func statistics(vary []Factor) []statistic {
	var list []statistic
	latency := func(metric string, of func(*Sample) (time.Duration, bool)) {
		list = append(list,
			statistic{metric, "avg", func(l *load) (figure, bool) { return l.average(of) }},
			statistic{metric, "typical", func(l *load) (figure, bool) { return l.typical(of) }},
			statistic{metric, "p50", func(l *load) (figure, bool) { return l.quantile(of, 0.5) }},
			statistic{metric, "p99", func(l *load) (figure, bool) { return l.quantile(of, 0.99) }})
	}
	latency(MetricTTFT, (*Sample).TTFT)
	if len(vary) > 0 {
		latency(MetricTTFTPer1K, (*Sample).TTFTPer1K)
	}
	latency(MetricTPOT, (*Sample).TPOT)
	latency(MetricE2E, (*Sample).E2E)
	return append(list, statistic{MetricHitRate, "", (*load).hitRate}, statistic{MetricOutputRate, "", (*load).outputRate})
}

// figurePairs are the figures that both loads have.
func figurePairs(a, b *load, vary []Factor) []figurePair {
	var pairs []figurePair
	for _, s := range statistics(vary) {
		x, hasX := s.of(a)
		y, hasY := s.of(b)
		if hasX && hasY {
			pairs = append(pairs, figurePair{metric: s.metric, statistic: s.name, a: x, b: y})
		}
	}
	crossMoments(pairs, unitsOf(a), unitsOf(b), sameInputs(a, b))
	return pairs
}

// pairedBy is the unit by which the loads are paired; "" where they are not.
func pairedBy(a, b *load) Unit {
	switch {
	case !sameInputs(a, b):
		return ""
	case a.spec.Scenario == Multiturn:
		return BySession
	}
	return ByRequest
}

// unitsOf maps each independent unit of a load, a request or a session by its
// number, to its stratum: 1 for cold requests, 2 for later ones. Sessions have
// one stratum.
func unitsOf(l *load) map[int]int {
	units := map[int]int{}
	for _, s := range l.ok {
		units[s.Session] = 0
		if l.spec.Scenario != Multiturn {
			units[s.Session] = min(s.Ordinal, 2)
		}
	}
	return units
}

// values are what the figure is of each request, and the requests' units.
func (l *load) values(of func(*Sample) (time.Duration, bool)) (values []float64, units []int) {
	for _, s := range l.ok {
		if d, defined := of(s); defined {
			values, units = append(values, Milliseconds(d)), append(units, s.Session)
		}
	}
	return values, units
}

func (l *load) average(of func(*Sample) (time.Duration, bool)) (figure, bool) {
	values, units := l.values(of)
	if len(values) < 2 {
		return figure{}, false
	}
	f := figure{mean(values), len(values), map[int]float64{}}
	for i, v := range values {
		f.influence[units[i]] += (v - f.value) / float64(f.n)
	}
	return f, true
}

// typical is the geometric mean: the ratio of two of them says how many times
// as long a typical request takes. Where latencies are skewed it is the
// steadiest of the figures, and shows a difference that AVG does not show yet.
func (l *load) typical(of func(*Sample) (time.Duration, bool)) (figure, bool) {
	values, units := l.values(of)
	if len(values) < 2 || slices.Min(values) <= 0 {
		return figure{}, false
	}
	for i, v := range values {
		values[i] = math.Log(v)
	}
	average := mean(values)
	f := figure{math.Exp(average), len(values), map[int]float64{}}
	for i, v := range values {
		f.influence[units[i]] += f.value * (v - average) / float64(f.n)
	}
	return f, true
}

// quantile is the figure below which a share q of the requests lies. It is left
// out where the data don't bound it. P99 is left out over sessions too: their
// turns say little of the tail of others.
func (l *load) quantile(of func(*Sample) (time.Duration, bool), q float64) (figure, bool) {
	values, units := l.values(of)
	n := len(values)
	if n < fewForMedian || q > 0.5 && (n < needed(q) || l.spec.Scenario == Multiturn) {
		return figure{}, false
	}
	sorted := slices.Sorted(slices.Values(values))
	f := figure{Percentile(sorted, 100*q), n, map[int]float64{}}
	// The standard error of independent values is √(q(1−q)/n) × sparsity.
	sparsity := quantileFault(sorted, q) / math.Sqrt(q*(1-q)*float64(n))
	for i, v := range values {
		below := float64(1-cmp.Compare(v, f.value)) / 2 // 1 below, ½ at, 0 above
		f.influence[units[i]] += (q - below) * sparsity
	}
	return f, true
}

// fewForMedian is the number of requests below which the spread of P50 is a guess.
const fewForMedian = 10

// quantileFault is the standard error of a quantile of independent values:
// what the bootstrap of an order statistic comes to with endless resamples
// (Maritz and Jarrett, A note on estimating the variance of the sample median,
// JASA 73, 1978).
func quantileFault(sorted []float64, q float64) float64 {
	n := len(sorted)
	k := min(max(1, math.Floor(q*float64(n)+0.5)), float64(n))
	// Beyond 8 standard errors of its rank no value has a weight.
	far := 8*math.Sqrt(q*(1-q)*float64(n)) + 1
	from, to := max(0, int(k-1-far)), min(n, int(k+far)+1)
	var first, second, before float64
	for i, v := range sorted[from:to] {
		upTo := betaShare(k, float64(n)-k+1, float64(from+i+1)/float64(n))
		first, second = first+(upTo-before)*v, second+(upTo-before)*v*v
		before = upTo
	}
	return math.Sqrt(max(0, second-first*first))
}

func (l *load) hitRate() (figure, bool) {
	var c Cache
	counted := c.countable(l.ok)
	reported := func(s *Sample) bool { return s.Usage.Cached != nil }
	if !slices.ContainsFunc(counted, reported) {
		return figure{}, false
	}
	return ratioOf(counted, func(s *Sample) (part, whole float64, known bool) {
		return float64(valueOr(s.Usage.Cached, 0)), float64(*s.Usage.Prompt), true
	})
}

// outputRate is undefined in open loop, where the rate asked for decides.
func (l *load) outputRate() (figure, bool) {
	if l.spec.RequestRate > 0 {
		return figure{}, false
	}
	places := float64(l.spec.MaxConcurrency)
	return ratioOf(l.ok, func(s *Sample) (part, whole float64, known bool) {
		tokens, counted := s.OutputTokens()
		time, ended := s.End.Since(s.Start)
		return places * float64(tokens), time.Seconds(), counted && ended
	})
}

// ratioOf is Σ part / Σ whole.
func ratioOf(samples []*Sample, of func(*Sample) (part, whole float64, known bool)) (figure, bool) {
	var parts, wholes float64
	f := figure{influence: map[int]float64{}}
	for _, s := range samples {
		if part, whole, known := of(s); known {
			parts, wholes, f.n = parts+part, wholes+whole, f.n+1
		}
	}
	if f.n < 2 || wholes <= 0 {
		return figure{}, false
	}
	f.value = parts / wholes
	for _, s := range samples {
		if part, whole, known := of(s); known {
			f.influence[s.Session] += (part - f.value*whole) / wholes
		}
	}
	return f, true
}
