package selftest

import (
	"testing"
	"time"
)

func TestAHistogramKnowsValuesToWithinTwoPercent(t *testing.T) {
	var h histogram
	for i := 1; i <= 100_000; i++ {
		h.add(time.Duration(i) * 37)
	}
	for _, q := range []float64{0, 0.1, 0.5, 0.99, 0.999, 1} {
		exact := time.Duration(int(q*99_999)+1) * 37
		if got := h.quantile(q); got > exact || float64(got) < 0.98*float64(exact) {
			t.Errorf("quantile %g is %v, exactly %v", q, got, exact)
		}
	}
	if h.max != 3_700_000 || h.n != 100_000 {
		t.Errorf("max %v of %d", h.max, h.n)
	}
	var none histogram
	if got := none.quantile(0.5); got != 0 {
		t.Errorf("a quantile of nothing is %v", got)
	}
}

func TestAHistogramTakesEveryDuration(t *testing.T) {
	var h histogram
	for _, d := range []time.Duration{0, 1, -1, 63, 64, 65, 127, 128, 1<<62 - 1, 1<<63 - 1, -1 << 63} {
		h.add(d)
		if got := time.Duration(lowest(sizeOf(uint64(d.Abs())))); got > d.Abs() || float64(got) < 0.98*float64(d.Abs()) {
			t.Errorf("%d counts as %d", d, got)
		}
	}
}

func TestTimesSurviveTheWire(t *testing.T) {
	piece, place := tokenChunk()
	b := []byte(piece)
	putTime(b[place:], 1_234_567_890_123)
	times, err := timesOf(string(b[place : place+width]))
	if err != nil || len(times) != 1 || times[0] != 1_234_567_890_123 {
		t.Errorf("times %v, %v", times, err)
	}
	for _, bad := range []string{"1", "abcdefghijklmnopqrs "} {
		if _, err := timesOf(bad); err == nil {
			t.Errorf("%q passes for a time", bad)
		}
	}
}
