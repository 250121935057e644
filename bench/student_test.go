package bench

import (
	"math"
	"testing"
)

func TestStudentsDistributionIsThatOfTheTables(t *testing.T) {
	for _, c := range []struct{ p, df, want float64 }{
		{0.975, 1, 12.7062047362}, {0.975, 2, 4.3026527297}, {0.975, 9, 2.2621571628}, {0.975, 30, 2.0422724563},
		{0.975, 198, 1.9720174778}, {0.995, 9, 3.2498355416}, {0.95, 5, 2.0150483733}, {0.975, 1e6, 1.9599663},
	} {
		if got := studentQuantile(c.p, c.df); math.Abs(got-c.want) > 2e-7 {
			t.Errorf("quantile %v of %v degrees of freedom is %.10f, want %.10f", c.p, c.df, got, c.want)
		}
		if got := studentTails(c.want, c.df); math.Abs(got-2*(1-c.p)) > 1e-8 {
			t.Errorf("tails beyond %v of %v degrees of freedom are %.10f, want %v", c.want, c.df, got, 2*(1-c.p))
		}
	}
	if got := studentTails(0, 7); got != 1 {
		t.Errorf("tails beyond 0 are %v, want 1", got)
	}
}

// The beta distribution of whole a and b is a tail of the binomial one.
func TestBetaSharesAreBinomialTails(t *testing.T) {
	for _, n := range []int{5, 40, 200, 1000} {
		for _, x := range []float64{0.003, 0.2, 0.5, 0.97} {
			for _, k := range []int{1, n / 3, n/2 + 1, n} {
				want := binomialFrom(n, k, x)
				if got := betaShare(float64(k), float64(n-k+1), x); math.Abs(got-want) > 1e-10 {
					t.Errorf("I_%v(%d, %d) = %v, want %v", x, k, n-k+1, got, want)
				}
			}
		}
	}
}

// binomialFrom is the probability of k successes or more of n.
func binomialFrom(n, k int, p float64) float64 {
	var sum float64
	for i := k; i <= n; i++ {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(i + 1))
		c, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}
