package bench

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// made is a figure of a and b whose values have the given variances.
func made(a, b, varA, varB, both, df float64, with ...float64) figurePair {
	return figurePair{a: figure{value: a, n: 50}, b: figure{value: b, n: 50}, moments: moments{varA, varB, both, with, df}}
}

func TestHolmsStepsAreThoseOfHisProcedure(t *testing.T) {
	// |t| of 4, 2.5 and 1 at 10 degrees of freedom: p = 0.00252, 0.0315, 0.341.
	figures := []figurePair{made(10, 10.5, 0.125, 0.125, 0, 10), made(10, 12, 0.125, 0.125, 0, 10), made(10, 11.25, 0.125, 0.125, 0, 10)}
	for j := range figures {
		figures[j].moments.with = []float64{0, 0, 0}
	}
	got := contrasts(figures, 0.05, [2]uint64{1, 2})
	for j, want := range []struct {
		p, adjusted, half float64
		shown             bool
	}{
		{0.3409, 0.3409, 2.6338 / 2, false},    // after the one that stopped: its limit
		{0.002519, 0.007557, 2.8701 / 2, true}, // 1 − 0.05/6
		{0.03145, 0.06290, 2.6338 / 2, false},  // 1 − 0.05/4
	} {
		c := got[j]
		if math.Abs(c.P-want.p) > 1e-4 || math.Abs(c.PAdjusted-want.adjusted) > 1e-4 || c.Shown != want.shown ||
			math.Abs(c.Difference.High-c.Difference.Value-want.half) > 1e-3 {
			t.Errorf("figure %d: %+v, want %+v", j, c, want)
		}
	}
}

func TestFiguresThatAreOneNeedNoCorrection(t *testing.T) {
	figures := []figurePair{made(10, 11, 0.5, 0.5, 0, 198, 1, 1), made(20, 21, 0.5, 0.5, 0, 198, 1, 1)}
	single := studentQuantile(0.975, 198)
	for _, c := range contrasts(figures, 0.05, [2]uint64{1, 2}) {
		if half := c.Difference.High - c.Difference.Value; math.Abs(half-single) > 0.06 || math.Abs(c.PAdjusted-c.P) > 0.015 {
			t.Errorf("limit %.3f, want %.3f; p %.3f, adjusted %.3f", half, single, c.P, c.PAdjusted)
		}
	}
}

func TestIndependentFiguresHaveTheLimitOfIndependentTests(t *testing.T) {
	var figures []figurePair
	for j := range 5 {
		with := make([]float64, 5)
		with[j] = 1
		figures = append(figures, made(10, 10.1, 0.5, 0.5, 0, 1e6, with...))
	}
	f := newJoint(figures, []int{0, 1, 2, 3, 4}, [2]uint64{3, 4})
	for k := range figures {
		want := studentQuantile(0.5+math.Pow(0.95, 1/float64(5-k))/2, 1e6)
		if got := f.limit(k, k, 0.05); math.Abs(got-want) > 0.06 {
			t.Errorf("%d figures left: limit %.3f, want %.3f", 5-k, got, want)
		}
	}
}

func TestTheRatioHoldsOneWhereTheDifferenceHoldsZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	shown := 0
	for range 5000 {
		a, b := 5+5*rng.Float64(), 5+5*rng.Float64()
		varA, varB := rng.Float64(), rng.Float64()
		both := (2*rng.Float64() - 1) * math.Sqrt(varA*varB) * 0.99
		f := made(a, b, varA, varB, both, 50)
		var c Contrast
		c.A, c.B = a, b
		c.bound(&f, 2)
		if c.Ratio == nil {
			t.Fatalf("no ratio of %+v", f)
		}
		if c.Shown {
			shown++
		}
		if holds := c.Ratio.Low <= 1 && 1 <= c.Ratio.High; holds == c.Shown {
			t.Errorf("difference %+v, ratio %+v", c.Difference, *c.Ratio)
		}
		if c.Ratio.Low > c.Ratio.Value || c.Ratio.Value > c.Ratio.High {
			t.Errorf("ratio %+v", *c.Ratio)
		}
	}
	if shown < 100 || shown > 4900 {
		t.Errorf("%d of 5000 are shown", shown)
	}
}

func TestAValueThatMayBeZeroHasNoRatio(t *testing.T) {
	f := made(0.5, 5, 1, 1, 0, 50)
	if r := f.fieller(2); r != nil {
		t.Errorf("ratio %+v", *r)
	}
}

func TestTheFaultOfAQuantileIsThatOfItsBootstrap(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for _, c := range []struct {
		n int
		q float64
	}{{50, 0.5}, {201, 0.5}, {500, 0.99}} {
		values := make([]float64, c.n)
		for i := range values {
			values[i] = lognormal(0.5)(rng)
		}
		slices.Sort(values)
		k := int(c.q*float64(c.n)+0.5) - 1
		drawn, ranks := make([]float64, c.n), make([]float64, 4000)
		for i := range ranks {
			for j := range drawn {
				drawn[j] = values[rng.IntN(c.n)]
			}
			slices.Sort(drawn)
			ranks[i] = drawn[k]
		}
		if got, want := quantileFault(values, c.q), deviation(ranks); math.Abs(got/want-1) > 0.06 {
			t.Errorf("n = %d, q = %v: %.5f, want %.5f", c.n, c.q, got, want)
		}
	}
}

// A sum of independent influences of n values has the variance of their mean.
func TestTheVarianceOfAnAverageIsThatOfItsRequests(t *testing.T) {
	tw := twins{kind: Prefix, noise: noises()[1], cold: 1, apart: true, spec: func(s *Spec) { s.NumPrefixes = 1 }}
	a, b := tw.loads(rand.New(rand.NewPCG(6, 6)))
	f := figurePairs(&a, &b, nil)[0]
	values, _ := a.values((*Sample).TTFT)
	want := deviation(values) * deviation(values) / float64(len(values))
	if math.Abs(f.moments.a/want-1) > 1e-9 || f.moments.both != 0 {
		t.Errorf("variance %v, covariance %v, want %v and 0", f.moments.a, f.moments.both, want)
	}
}

func TestPairingTakesOutWhatTheTextsDo(t *testing.T) {
	n := noise{"little", lognormal(0.01)}
	paired := twins{kind: Prefix, noise: n, effect: 0.3}
	a, b := paired.loads(rand.New(rand.NewPCG(6, 6)))
	f := figurePairs(&a, &b, nil)[0]
	b.header = &Header{MaterialHash: "other"}
	g := figurePairs(&a, &b, nil)[0]
	if f.fault()*10 > g.fault() {
		t.Errorf("standard errors: paired %.3f ms, apart %.3f ms", f.fault(), g.fault())
	}
}
