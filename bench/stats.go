package bench

import (
	"encoding/json"
	"math"
	"slices"
	"time"
)

// Dist describes a set of values in the unit that the name of its field
// states. All figures but N are undefined when N is 0; JSON then shows n alone.
// Percentiles are interpolated linearly between the closest ranks (numpy's default).
type Dist struct {
	N                                           int
	Avg, P5, P50, P90, P95, P99, Min, Max, Sdev float64
	AvgCI, P50CI, P99CI                         *Interval // nil: not computed
	// P99Needs is the number of samples from which on P99 is bounded from above
	// by the data; 0 where there are enough.
	P99Needs int
}

// needed is the smallest n at which the upper bound of a 95 % interval for the
// quantile q is not simply the maximum: q^n ≤ 0.025.
func needed(q float64) int { return int(math.Ceil(math.Log(0.025) / math.Log(q))) }

// Describe computes a Dist. The values may be in any order and are not changed.
func Describe(values []float64) Dist {
	if len(values) == 0 {
		return Dist{}
	}
	sorted := slices.Sorted(slices.Values(values))
	d := Dist{
		N: len(sorted), Avg: mean(sorted), Sdev: deviation(sorted),
		P5: Percentile(sorted, 5), P50: Percentile(sorted, 50), P90: Percentile(sorted, 90),
		P95: Percentile(sorted, 95), P99: Percentile(sorted, 99),
		Min: sorted[0], Max: sorted[len(sorted)-1],
	}
	if n := needed(0.99); d.N < n {
		d.P99Needs = n
	}
	return d
}

// Percentile of values in ascending order, p from 0 to 100. It is NaN for no values.
func Percentile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	rank := p / 100 * float64(len(sorted)-1)
	low := int(math.Floor(rank))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (rank-float64(low))*(sorted[high]-sorted[low])
}

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// deviation is the sample standard deviation; 0 for one value.
func deviation(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	m := mean(values)
	var squares float64
	for _, v := range values {
		squares += (v - m) * (v - m)
	}
	return math.Sqrt(squares / float64(len(values)-1))
}

type distJSON struct {
	N        int       `json:"n"`
	Avg      *float64  `json:"avg,omitempty"`
	P5       *float64  `json:"p5,omitempty"`
	P50      *float64  `json:"p50,omitempty"`
	P90      *float64  `json:"p90,omitempty"`
	P95      *float64  `json:"p95,omitempty"`
	P99      *float64  `json:"p99,omitempty"`
	Min      *float64  `json:"min,omitempty"`
	Max      *float64  `json:"max,omitempty"`
	Sdev     *float64  `json:"stddev,omitempty"`
	AvgCI    *Interval `json:"avg_ci95,omitempty"`
	P50CI    *Interval `json:"p50_ci95,omitempty"`
	P99CI    *Interval `json:"p99_ci95,omitempty"`
	P99Needs int       `json:"p99_needs_n,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (d Dist) MarshalJSON() ([]byte, error) {
	if d.N == 0 {
		return []byte(`{"n":0}`), nil
	}
	return json.Marshal(distJSON{d.N, &d.Avg, &d.P5, &d.P50, &d.P90, &d.P95, &d.P99, &d.Min, &d.Max, &d.Sdev,
		d.AvgCI, d.P50CI, d.P99CI, d.P99Needs})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (d *Dist) UnmarshalJSON(data []byte) error {
	var j distJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	value := func(p *float64) float64 {
		if p == nil {
			return 0
		}
		return *p
	}
	*d = Dist{j.N, value(j.Avg), value(j.P5), value(j.P50), value(j.P90), value(j.P95), value(j.P99),
		value(j.Min), value(j.Max), value(j.Sdev), j.AvgCI, j.P50CI, j.P99CI, j.P99Needs}
	return nil
}

// Count describes token counts.
type Count struct {
	N   int     `json:"n"`
	Avg float64 `json:"avg"`
	Min int     `json:"min"`
	Max int     `json:"max"`
	Sum int     `json:"sum"`
}

// MarshalJSON implements [json.Marshaler].
func (c Count) MarshalJSON() ([]byte, error) {
	if c.N == 0 {
		return []byte(`{"n":0}`), nil
	}
	type plain Count
	return json.Marshal(plain(c))
}

// CountOf describes the given counts. All but N are undefined for none.
func CountOf(values []int) Count {
	if len(values) == 0 {
		return Count{}
	}
	c := Count{N: len(values), Min: slices.Min(values), Max: slices.Max(values)}
	for _, v := range values {
		c.Sum += v
	}
	c.Avg = float64(c.Sum) / float64(c.N)
	return c
}

// milliseconds collects a duration of every sample for which it is defined.
func milliseconds(samples []*Sample, figure func(*Sample) (time.Duration, bool)) []float64 {
	var values []float64
	for _, s := range samples {
		if d, defined := figure(s); defined {
			values = append(values, Milliseconds(d))
		}
	}
	return values
}
