package bench_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

func TestLagsAreCountedByPowersOfTwo(t *testing.T) {
	var l bench.Lags
	for _, d := range []time.Duration{-time.Second, 0, 999, time.Microsecond, 2 * time.Microsecond, 3999, 4 * time.Microsecond, time.Millisecond} {
		l.Add(d)
	}
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(data), "[3,1,2,1,0,0,0,0,0,0,1]"; got != want || l.N() != 8 {
		t.Errorf("%s (n=%d), want %s", got, l.N(), want)
	}
	var other bench.Lags
	other.Add(time.Hour)
	other.Merge(l)
	if other.N() != 9 || other[0] != 3 {
		t.Errorf("merged %v", other)
	}
	var huge bench.Lags
	huge.Add(1 << 62)
	if len(huge) != 34 {
		t.Errorf("the largest delay makes %d sizes", len(huge))
	}
}

func TestAQuantileOfLagsIsWithinAFactorOfTwo(t *testing.T) {
	var l bench.Lags
	for i := 1; i <= 1000; i++ {
		l.Add(time.Duration(i) * 10 * time.Microsecond)
	}
	for _, q := range []float64{0.01, 0.1, 0.5, 0.9, 0.99, 1} {
		exact := time.Duration(q*1000) * 10 * time.Microsecond
		if got := l.Quantile(q); got < exact/2 || got > 2*exact {
			t.Errorf("quantile %g is %v, exactly %v", q, got, exact)
		}
	}
	if got := bench.Lags(nil).Quantile(0.99); got != 0 {
		t.Errorf("a quantile of nothing is %v", got)
	}
}
