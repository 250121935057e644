package bench

import "math"

// betaShare is the regularized incomplete beta function I_x(a, b): the share
// of the beta distribution below x. It is computed by the continued fraction
// of the NIST Digital Library of Mathematical Functions, 8.17.22, with the
// modified Lentz method.
func betaShare(a, b, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2): // where the fraction of the other tail converges faster
		return 1 - betaShare(b, a, 1-x)
	}
	total, _ := math.Lgamma(a + b)
	first, _ := math.Lgamma(a)
	second, _ := math.Lgamma(b)
	front := math.Exp(total - first - second + a*math.Log(x) + b*math.Log1p(-x))
	return front / a * betaFraction(a, b, x)
}

func betaFraction(a, b, x float64) float64 {
	const tiny, enough, most = 1e-300, 1e-14, 1000
	away := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/away(1-(a+b)*x/(a+1))
	f := d
	step := func(k float64) float64 {
		d, c = 1/away(1+k*d), away(1+k/c)
		f *= c * d
		return c * d
	}
	for m := 1.0; m < most; m++ {
		step(m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m)))
		if math.Abs(step(-(a+m)*(a+b+m)*x/((a+2*m)*(a+2*m+1)))-1) < enough {
			break
		}
	}
	return f
}

// studentTails is the probability that Student's t of df degrees of freedom is
// at least as far from 0 as t: a two-sided p-value.
func studentTails(t, df float64) float64 {
	return betaShare(df/2, 0.5, df/(df+t*t))
}

// studentQuantile is the t that a share p, from ½ to 1, of Student's
// distribution of df degrees of freedom lies below.
func studentQuantile(p, df float64) float64 {
	low, high := 0.0, 1.0
	for studentTails(high, df) > 2*(1-p) {
		low, high = high, 2*high
	}
	for range 60 {
		middle := (low + high) / 2
		if studentTails(middle, df) > 2*(1-p) {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
