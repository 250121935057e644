package selftest

import (
	"math/bits"
	"time"
)

// histogram counts durations in a bounded space, each to within 1.6 %.
type histogram struct {
	counts [64 * steps]int
	n      int
	max    time.Duration
}

// steps is into how many sizes each power of two is split.
const (
	stepBits = 6
	steps    = 1 << stepBits
)

// add counts the size of a duration, whatever its sign.
func (h *histogram) add(d time.Duration) {
	d = d.Abs()
	h.counts[sizeOf(uint64(d))]++
	h.n++
	h.max = max(h.max, d)
}

// sizeOf maps values below steps to themselves, and above to their power of
// two and the bits that follow the first.
func sizeOf(v uint64) int {
	if v < steps {
		return int(v)
	}
	exponent := bits.Len64(v) - stepBits - 1
	return (exponent+1)*steps + int(v>>exponent) - steps
}

// lowest is the smallest value of a size.
func lowest(size int) uint64 {
	if size < steps {
		return uint64(size)
	}
	exponent := size/steps - 1
	return uint64(size%steps+steps) << exponent
}

// quantile is the value that a share q of all doesn't exceed; 0 for none.
func (h *histogram) quantile(q float64) time.Duration {
	rank := int(q*float64(h.n-1)) + 1
	for size, n := range h.counts {
		if rank -= n; rank <= 0 && n > 0 {
			return min(time.Duration(lowest(size)), h.max)
		}
	}
	return 0
}
