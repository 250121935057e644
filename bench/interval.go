package bench

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Interval is a 95 % confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// finite is the interval from low to high, or nil where the data bound nothing.
func finite(low, high float64) *Interval {
	if math.IsNaN(low-high) || math.IsInf(low-high, 0) {
		return nil
	}
	return &Interval{low, high}
}

// resamples is the number of bootstrap resamples behind an interval.
const resamples = 1000

// fewValues is the number of values below which the bootstrap isn't used: of
// so few it covers too little, and its t may be absurd. AVG then has a t
// interval, P50 that of its order statistics, and P99 none.
const fewValues = 30

// bootstrap adds the intervals of independent values. Every resample draws
// within each stratum, so that it holds as many cold requests as the run did.
//
//   - AVG: bootstrap-t (Efron and Tibshirani, An Introduction to the Bootstrap,
//     1993, section 12.5). It follows the skew of latencies, of which the
//     percentile bootstrap covers too little.
//   - P50 and P99: percentile bootstrap (section 13.3 there).
func (d *Dist) bootstrap(strata [][]float64, seed uint64) {
	if d.N < 2 {
		return
	}
	b := newResampler(strata, seed)
	ts, medians, tails := make([]float64, 0, resamples), make([]float64, resamples), make([]float64, resamples)
	for i := range resamples {
		average, fault := b.draw()
		if t := (average - b.mean) / fault; !math.IsNaN(t) {
			ts = append(ts, t)
		}
		medians[i], tails[i] = b.percentile(50), b.percentile(99)
	}
	if d.N < fewValues {
		d.AvgCI, d.P50CI = b.few(), signInterval(b.sorted)
		return
	}
	d.AvgCI, d.P50CI, d.P99CI = b.unskewed(ts), middle95(medians), middle95(tails)
}

// few is the t interval of the stratified mean of few values, with the degrees
// of freedom of Satterthwaite (Biometrics Bulletin 2, 1946) rounded down. It is nil where
// they are none.
func (b *resampler) few() *Interval {
	if b.fault == 0 {
		return &Interval{b.mean, b.mean}
	}
	var sum, squares float64
	for i := range b.strata {
		s := &b.strata[i]
		n := float64(len(s.places))
		if n < 2 {
			continue
		}
		var around float64
		for _, at := range s.places {
			around += (b.sorted[at] - s.mean) * (b.sorted[at] - s.mean)
		}
		part := n * around / (n - 1)
		sum, squares = sum+part, squares+part*part/(n-1)
	}
	if squares == 0 {
		return nil
	}
	return logInterval(b.mean, studentQuantile(0.975, max(1, math.Floor(sum*sum/squares)))*b.fault)
}

// unskewed is the interval of the mean from the t of the resamples. Where all
// values of a stratum are equal it has no width.
func (b *resampler) unskewed(ts []float64) *Interval {
	if b.fault == 0 {
		return &Interval{b.mean, b.mean}
	}
	slices.Sort(ts)
	return finite(b.mean-Percentile(ts, 97.5)*b.fault, b.mean-Percentile(ts, 2.5)*b.fault)
}

func middle95(values []float64) *Interval {
	slices.Sort(values)
	return &Interval{Percentile(values, 2.5), Percentile(values, 97.5)}
}

// signInterval is the interval of the median between two order statistics, the
// closest pair that covers 95 % or more whatever the distribution (Conover,
// Practical Nonparametric Statistics, 1999, section 3.2). It is nil for fewer
// than 6 values, which no pair of them covers so often.
func signInterval(sorted []float64) *Interval {
	n := len(sorted)
	below, at := 0.0, math.Exp2(-float64(n)) // P(Bin(n, ½) < k), P(Bin(n, ½) = k)
	k := 0
	for ; k < n/2 && below+at <= 0.025; k++ {
		below += at
		at *= float64(n-k) / float64(k+1)
	}
	if k == 0 {
		return nil
	}
	return &Interval{sorted[k-1], sorted[n-k]}
}

// resampler draws bootstrap resamples of values in strata.
type resampler struct {
	rng         *rand.Rand
	sorted      []float64 // all values
	strata      []stratum
	mean, fault float64 // of the values: their mean, and its standard error
	counts      []int   // of each value in the latest resample
}

// stratum is the values of one kind: their places among all, and their mean.
type stratum struct {
	places []int
	mean   float64
}

func newResampler(strata [][]float64, seed uint64) *resampler {
	b := &resampler{rng: rand.New(rand.NewPCG(seed, 0x6c6c6d62)), sorted: slices.Sorted(slices.Values(slices.Concat(strata...)))}
	b.mean, b.counts = mean(b.sorted), make([]int, len(b.sorted))
	taken := make([]bool, len(b.sorted))
	var squares float64
	for _, values := range strata {
		if len(values) == 0 {
			continue
		}
		s := stratum{mean: mean(values)}
		for _, v := range values {
			at, _ := slices.BinarySearch(b.sorted, v)
			for taken[at] {
				at++
			}
			taken[at] = true
			s.places = append(s.places, at)
		}
		squares += deviation(values) * deviation(values) * float64(len(values))
		b.strata = append(b.strata, s)
	}
	b.fault = math.Sqrt(squares) / float64(len(b.sorted))
	return b
}

// draw makes a resample and returns its mean with its standard error.
func (b *resampler) draw() (average, fault float64) {
	clear(b.counts)
	var total, squares float64
	for i := range b.strata {
		sum, around := b.drawStratum(&b.strata[i])
		total, squares = total+sum, squares+around
	}
	n := float64(len(b.sorted))
	return total / n, math.Sqrt(squares) / n
}

// drawStratum returns the sum of what it draws, and n/(n−1) times the squared
// distances from their mean.
func (b *resampler) drawStratum(s *stratum) (sum, squares float64) {
	n := len(s.places)
	var off float64 // distances from the stratum's mean
	for range n {
		at := s.places[b.rng.IntN(n)]
		b.counts[at]++
		away := b.sorted[at] - s.mean
		off, squares = off+away, squares+away*away
	}
	k := float64(n)
	if n > 1 {
		squares = max(0, squares-off*off/k) * k / (k - 1)
	}
	return off + k*s.mean, squares
}

// percentile of the latest resample; see [Percentile].
func (b *resampler) percentile(p float64) float64 {
	rank := p / 100 * float64(len(b.sorted)-1)
	low := int(rank)
	at, seen := 0, b.counts[0]
	for seen <= low {
		at++
		seen += b.counts[at]
	}
	value := b.sorted[at]
	for seen <= min(low+1, len(b.sorted)-1) {
		at++
		seen += b.counts[at]
	}
	return value + (rank-float64(low))*(b.sorted[at]-value)
}

// bySession adds t intervals over one value per session: the sessions, not the
// turns within them, are independent. AVG has that of the sessions' means, P50
// that of their medians, each moved to the figure of all turns. P99 has none.
func (d *Dist) bySession(sessions [][]float64) {
	var means, medians []float64
	for _, values := range sessions {
		if len(values) > 0 {
			means = append(means, mean(values))
			medians = append(medians, Percentile(slices.Sorted(slices.Values(values)), 50))
		}
	}
	d.AvgCI, d.P50CI = tInterval(means, d.Avg), tInterval(medians, d.P50)
}

// tInterval is a 95 % t interval of the mean of values, moved to the given
// centre. It is that of the logarithm (delta method: the standard error of ln x
// is that of x over x), since sessions differ by factors: it follows their
// skew, and no latency in it is negative. It is nil for fewer than two values.
func tInterval(values []float64, centre float64) *Interval {
	if len(values) < 2 {
		return nil
	}
	half := studentQuantile(0.975, float64(len(values)-1)) * deviation(values) / math.Sqrt(float64(len(values)))
	return logInterval(centre, half)
}

// logInterval is centre ± half on the scale of the logarithm; on that of the
// values where centre isn't positive.
func logInterval(centre, half float64) *Interval {
	if centre <= 0 {
		return finite(centre-half, centre+half)
	}
	return finite(centre*math.Exp(-half/centre), centre*math.Exp(half/centre))
}
