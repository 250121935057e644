package report

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// checkTicks fails unless the ticks are those of a readable axis: 4 to most of
// them, at multiples of 1, 2 or 5 × 10^k, over the whole range and no further
// than a step beyond it, each labelled with its own value.
func checkTicks(t *testing.T, low, high float64, most int) {
	t.Helper()
	ticks := roundTicks(low, high, most)
	if len(ticks) < 4 || len(ticks) > most {
		t.Fatalf("%v to %v: %d ticks, want 4 to %d: %v", low, high, len(ticks), most, ticks)
	}
	if first, last := ticks[0].value, ticks[len(ticks)-1].value; first > low || last < high {
		t.Fatalf("%v to %v: ticks end at %v and %v", low, high, first, last)
	}
	size := ticks[1].value - ticks[0].value
	if m := size / math.Pow(10, math.Floor(math.Log10(size)+1e-9)); !near(m, 1) && !near(m, 2) && !near(m, 5) {
		t.Fatalf("%v to %v: steps of %v are not round", low, high, size)
	}
	labels := map[string]bool{}
	for i, tick := range ticks {
		if i > 0 && !near((tick.value-ticks[i-1].value)/size, 1) {
			t.Fatalf("%v to %v: uneven ticks %v", low, high, ticks)
		}
		if n := tick.value / size; math.Abs(n-math.Round(n)) > 1e-4 {
			t.Fatalf("%v to %v: %v is no multiple of %v", low, high, tick.value, size)
		}
		if v, err := strconv.ParseFloat(strings.ReplaceAll(tick.label, ",", ""), 64); err != nil || v != tick.value {
			t.Fatalf("%v to %v: tick %v has the label %q", low, high, tick.value, tick.label)
		}
		if labels[tick.label] {
			t.Fatalf("%v to %v: the label %q is there twice", low, high, tick.label)
		}
		labels[tick.label] = true
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-4*math.Abs(b) }

func TestTicksAreRoundCoverTheRangeAndNumberFourToTen(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		low := (rng.Float64() - 0.3) * math.Pow10(rng.IntN(16)-4)
		high := low + rng.Float64()*math.Pow10(rng.IntN(16)-4)
		checkTicks(t, low, high, 7+rng.IntN(4))
		checkTicks(t, 0, high-low, 7+rng.IntN(4))
	}
}

func TestTicksOfEqualValuesStillMakeAnAxis(t *testing.T) {
	for _, v := range []float64{0, 1, 18, 726, -3, 0.0004, 1e-12, 123456789, 1e15} {
		checkTicks(t, v, v, 7)
		checkTicks(t, 0, max(v, 0), 7)
	}
	checkTicks(t, 20.000001, 20.000002, 7)
	checkTicks(t, 2.4444444444444446, 3.4000000000000004, 10) // the quotient by 0.2 is 17 exactly
}

func TestNoTicksForWhatIsNoFiniteRange(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, r := range [][2]float64{{nan, 1}, {0, nan}, {0, inf}, {-inf, 0}, {2, 1}, {0, math.MaxFloat64}} {
		if ticks := roundTicks(r[0], r[1], 7); ticks != nil {
			t.Errorf("%v to %v: ticks %v", r[0], r[1], ticks)
		}
	}
}

func FuzzTicks(f *testing.F) {
	f.Add(0.0, 726.0, 7)
	f.Add(-1e-300, 1e-300, 10)
	f.Fuzz(func(t *testing.T, low, high float64, most int) {
		if !drawable(low) || !drawable(high) || low > high || most < 7 || most > 10 {
			return
		}
		checkTicks(t, low, high, most)
	})
}

func TestLabelledOrdinalsNeverTouchAndBeginWithTheFirst(t *testing.T) {
	for _, last := range []int{1, 2, 7, 20, 50, 200, 10_000} {
		for _, width := range []float64{12, 30, 57, 90} {
			room := 700 / float64(last)
			step := ordinalStep(room, width)
			if !hasLabel(1, step) {
				t.Errorf("1 to %d: the first has no label at steps of %d", last, step)
			}
			before := 1
			for k := 2; k <= last; k++ {
				if !hasLabel(k, step) {
					continue
				}
				if gap := float64(k-before) * room; gap < width {
					t.Errorf("1 to %d at %v px: %d and %d are %v px apart", last, width, before, k, gap)
				}
				before = k
			}
		}
	}
}

func TestNumbersHaveCommasAndAboutThreeDigits(t *testing.T) {
	for v, want := range map[float64]string{0: "0.00", 0.456: "0.46", 9.87: "9.87", 18.04: "18.0", 726: "726", 1234.6: "1,235", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := shortFigure(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 12345678: "12,345,678"} {
		if got := whole(n); got != want {
			t.Errorf("%d is written %q, want %q", n, got, want)
		}
	}
}
