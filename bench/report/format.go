package report

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// significant prints v with three significant digits, whole numbers above 100
// with all of theirs: 0.412, 1.32, 10.0, 412, 12,345.
func significant(v float64) string {
	if v == 0 {
		return "0"
	}
	return decimal(v, decimals(v))
}

// decimals is the number of decimals that gives v three significant digits, at
// most 4.
func decimals(v float64) int {
	a := math.Abs(v)
	for n, from := range []float64{99.95, 9.995, 0.9995, 0.09995} {
		if a >= from {
			return n
		}
	}
	return 4
}

// decimal prints v with n decimals.
func decimal(v float64, n int) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "n/a"
	case n == 0:
		return grouped(int64(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'f', n, 64)
}

// plain prints a count or a ratio: a whole number with all its digits.
func plain(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return grouped(int64(v))
	}
	return significant(v)
}

// exact prints a number that someone has set, with the digits it was given.
func exact(v float64) string { return thousands(strconv.FormatFloat(v, 'f', -1, 64)) }

// grouped prints a whole number with a comma between thousands.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var parts []string
	for len(digits) > 3 {
		parts = append([]string{digits[len(digits)-3:]}, parts...)
		digits = digits[:len(digits)-3]
	}
	return sign + strings.Join(append([]string{digits}, parts...), ",")
}

func count(n int) string { return grouped(int64(n)) }

// duration prints milliseconds with their unit: 10.0 ms, 412 ms, 1.32 s, 3 min 20 s.
func duration(ms float64) string {
	switch a := math.Abs(ms); {
	case math.IsNaN(ms) || math.IsInf(ms, 0):
		return "n/a"
	case a < 999.5:
		return significant(ms) + " ms"
	case a < 99_950:
		return significant(ms/1000) + " s"
	}
	s := int64(math.Round(ms / 1000))
	parts := []string{}
	for _, u := range []struct {
		seconds int64
		name    string
	}{{3600, " h"}, {60, " min"}, {1, " s"}} {
		if n := s / u.seconds; n > 0 {
			parts, s = append(parts, grouped(n)+u.name), s%u.seconds
		}
	}
	return strings.Join(parts, " ")
}

func durationOf(d time.Duration) string { return duration(bench.Milliseconds(d)) }

// percent prints a share from 0 to 1 with one decimal. Only 0 is "0.0 %", and
// only 1 is "100.0 %".
func percent(share float64) string {
	text := strconv.FormatFloat(100*share, 'f', 1, 64)
	switch {
	case math.IsNaN(share) || math.IsInf(share, 0):
		return "n/a"
	case text == "0.0" && share > 0:
		text = "< 0.1"
	case text == "100.0" && share < 1:
		text = "> 99.9"
	}
	return text + " %"
}

// figure prints a figure by what its name says of its unit: _ms, _share, _rate,
// and _points for a difference of shares; the rest are plain numbers.
func figure(name string, v float64) string {
	switch {
	case strings.HasSuffix(name, "_ms"):
		return duration(v)
	case strings.HasSuffix(name, "_points"):
		return decimal(100*v, 1)
	case strings.HasSuffix(name, "_share"), strings.HasSuffix(name, "_rate"):
		return percent(v)
	}
	return plain(v)
}

// scale is the unit in which a row of milliseconds is printed.
type scale struct {
	unit string
	per  float64 // milliseconds in one unit
}

// scaleOf chooses seconds for a distribution whose median is 1 s or more.
func scaleOf(d bench.Dist) scale {
	if d.P50 >= 1000 {
		return scale{"s", 1000}
	}
	return scale{"ms", 1}
}

func (s scale) of(ms float64) string { return significant(ms / s.per) }

// within prints an estimate with its 95 % interval, where there is one.
func (s scale) within(ms float64, ci *bench.Interval) string {
	if ci == nil {
		return s.of(ms)
	}
	n := max(decimals(ms/s.per), decimals(ci.Low/s.per), decimals(ci.High/s.per))
	n = min(n, decimals(ms/s.per)+1)
	at := func(v float64) string { return decimal(v/s.per, n) }
	return at(ms) + " (" + at(ci.Low) + "–" + at(ci.High) + ")"
}
