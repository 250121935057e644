package report

import (
	"math"
	"strconv"
	"strings"
)

// tick is one labelled value of an axis.
type tick struct {
	value float64
	label string
}

// step is mantissa × 10^exponent, the distance between two ticks: mantissa is 1, 2 or 5.
type step struct {
	mantissa int
	exponent int
}

func (s step) size() float64 { return s.times(1) }

// times is n steps, exact to the last bit that a float64 has for its decimal form.
func (s step) times(n float64) float64 {
	if s.exponent < 0 {
		return n * float64(s.mantissa) / math.Pow10(-s.exponent)
	}
	return n * float64(s.mantissa) * math.Pow10(s.exponent)
}

func (s step) next() step {
	switch s.mantissa {
	case 1:
		return step{2, s.exponent}
	case 2:
		return step{5, s.exponent}
	}
	return step{1, s.exponent + 1}
}

// label writes n steps without the noise of binary fractions.
func (s step) label(n float64) string {
	return thousands(strconv.FormatFloat(s.times(n), 'f', max(0, -s.exponent), 64))
}

// The largest magnitude that an axis is drawn for, and the smallest spread.
const (
	largest  = 1e15
	smallest = 1e-9
)

// drawable reports whether a value may reach a chart.
func drawable(v float64) bool {
	return !math.IsNaN(v) && math.Abs(v) <= largest
}

// roundTicks covers low to high with ticks at multiples of 1, 2 or 5 × 10^k:
// at least 4 and at most the given number, which is 7 to 10. Equal bounds are
// widened. It returns nil for bounds that are no finite range.
func roundTicks(low, high float64, most int) []tick {
	if !drawable(low) || !drawable(high) || low > high {
		return nil
	}
	low, high = widened(low, high)
	s := step{1, int(math.Floor(math.Log10((high - low) / float64(most))))}
	first, last := s.around(low, high)
	for int(last-first)+1 > most {
		s = s.next()
		first, last = s.around(low, high)
	}
	var ticks []tick
	for n := first; n <= last; n++ {
		ticks = append(ticks, tick{s.times(n), s.label(n)})
	}
	return ticks
}

// around is the numbers of the steps just below low and just above high.
func (s step) around(low, high float64) (first, last float64) {
	first, last = math.Floor(low/s.size()), math.Ceil(high/s.size())
	switch { // a quotient may be rounded to the wrong side
	case s.times(first+1) <= low:
		first++
	case s.times(first) > low:
		first--
	}
	switch {
	case s.times(last-1) >= high:
		last--
	case s.times(last) < high:
		last++
	}
	return first, last
}

// widened makes room around values that are equal, or nearly so.
func widened(low, high float64) (float64, float64) {
	middle := math.Abs(low/2 + high/2)
	if least := max(middle/100, smallest); high-low < least {
		if low == 0 || middle < smallest {
			return low, low + 1
		}
		return low - least, high + least
	}
	return low, high
}

// thousands puts commas between the thousands of a decimal number.
func thousands(number string) string {
	sign := ""
	if strings.HasPrefix(number, "-") {
		sign, number = "-", number[1:]
	}
	whole, fraction, _ := strings.Cut(number, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return sign + whole
}

// ordinalStep is the smallest step among 1, 2, 5, 10, 20, … at which labels of
// the given width don't touch when each ordinal has room pixels.
func ordinalStep(room, width float64) int {
	for s := (step{1, 0}); ; s = s.next() {
		if n := s.size(); labelled(n)*room >= width || n > largest {
			return int(n)
		}
	}
}

// labelled is the least distance between two labels at a step: from 1 to the
// first multiple it is one ordinal less.
func labelled(n float64) float64 {
	if n >= 5 {
		return n - 1
	}
	return n
}

// hasLabel reports whether an ordinal is labelled at a step: 1, 2, 3, …; 1, 3,
// 5, …; and from 5 on 1 and the multiples.
func hasLabel(ordinal, step int) bool {
	if step == 2 {
		return ordinal%2 == 1
	}
	return ordinal == 1 || ordinal%step == 0
}

// shortFigure writes a value with about three significant digits.
func shortFigure(v float64) string {
	digits := 2
	switch a := math.Abs(v); {
	case a >= 100:
		digits = 0
	case a >= 10:
		digits = 1
	}
	return thousands(strconv.FormatFloat(v, 'f', digits, 64))
}
