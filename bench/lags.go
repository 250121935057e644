package bench

import (
	"math"
	"math/bits"
	"time"
)

// Lags counts delays by size: element 0 those under 1 µs, element i those from
// 2^(i−1) to 2^i µs. It is as long as its largest delay needs.
type Lags []int

// lagSizes bounds the length: the last element holds all delays from 2¼ hours.
const lagSizes = 34

// Add counts one delay; a negative one counts as 0.
func (l *Lags) Add(d time.Duration) {
	i := min(bits.Len64(uint64(max(d, 0)/time.Microsecond)), lagSizes-1)
	for len(*l) <= i {
		*l = append(*l, 0)
	}
	(*l)[i]++
}

// Merge adds the counts of other.
func (l *Lags) Merge(other Lags) {
	for i, n := range other {
		if i == len(*l) {
			*l = append(*l, 0)
		}
		(*l)[i] += n
	}
}

// N is the number of delays counted.
func (l Lags) N() int {
	n := 0
	for _, count := range l {
		n += count
	}
	return n
}

// Quantile is the delay that a share q of all stays under, 0 to 1, to within a
// factor of two; delays of one size are taken to be spread evenly over its
// logarithm. It is 0 when none was counted.
func (l Lags) Quantile(q float64) time.Duration {
	rank := q * float64(l.N())
	for i, n := range l {
		if n > 0 && rank <= float64(n) {
			return lagAt(i, rank/float64(n))
		}
		rank -= float64(n)
	}
	return 0
}

// lagAt is the delay at a share of the way through one size.
func lagAt(size int, share float64) time.Duration {
	if size == 0 {
		return time.Duration(share * float64(time.Microsecond))
	}
	return time.Duration(math.Exp2(float64(size-1)+share) * float64(time.Microsecond))
}
