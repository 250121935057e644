package bench

import (
	"math/rand/v2"
	"time"
)

// Arrivals are the intended starts of n sessions in open loop, from the start
// of the load on: a Poisson process drawn from the spec's seed (the gaps are
// exponential), or one every 1/rate. It is nil in closed loop.
func (s *Spec) Arrivals(n int) []time.Duration {
	if s.RequestRate <= 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(s.Seed, 0x61727276))
	arrivals := make([]time.Duration, n)
	var at float64 // seconds
	for i := range arrivals {
		if s.ConstantRate {
			at = float64(i) / s.RequestRate
		} else if i > 0 {
			at += rng.ExpFloat64() / s.RequestRate
		}
		arrivals[i] = time.Duration(at * float64(time.Second))
	}
	return arrivals
}
