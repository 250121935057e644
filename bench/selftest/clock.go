package selftest

import (
	"math"

	"github.com/llm-bench/llm-bench/bench"
)

// zeroOf is the shared clock's time at a run clock's zero, from the closest of
// several readings of both.
func zeroOf(clock bench.Clock) int64 {
	closest, zero := int64(math.MaxInt64), int64(0)
	for range 64 {
		before := int64(clock.Now())
		shared := sharedNow()
		after := int64(clock.Now())
		if after-before < closest {
			closest, zero = after-before, shared-(before+after)/2
		}
	}
	return zero
}
