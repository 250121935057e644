package bench

import (
	"maps"
	"slices"
)

// moments are the variances of a figure on two sides and of its difference,
// with what joins it to the other figures.
type moments struct {
	a, b, both float64   // variance of a, of b, and covariance of the two
	with       []float64 // covariance of the difference with that of each figure
	df         float64   // degrees of freedom
}

// row is what one unit contributes to every figure of both sides.
type row struct{ a, b []float64 }

// crossMoments computes the moments of all figures from their units. Paired
// units are one row, so that what the inputs do to both sides cancels out.
func crossMoments(figures []figurePair, a, b map[int]int, paired bool) {
	strata := strataOf(figures, a, b, paired)
	for j := range figures {
		m := moments{with: make([]float64, len(figures))}
		var welch float64
		for _, rows := range strata {
			m.a += spread(rows, func(r row) (float64, float64) { return r.a[j], r.a[j] })
			m.b += spread(rows, func(r row) (float64, float64) { return r.b[j], r.b[j] })
			m.both += spread(rows, func(r row) (float64, float64) { return r.a[j], r.b[j] })
			for i := range figures {
				m.with[i] += spread(rows, func(r row) (float64, float64) { return r.b[i] - r.a[i], r.b[j] - r.a[j] })
			}
			own := spread(rows, func(r row) (float64, float64) { return r.b[j] - r.a[j], r.b[j] - r.a[j] })
			welch += own * own / float64(max(1, len(rows)-1))
		}
		// Welch (1947) and Satterthwaite (1946): degrees of freedom of a sum of variances.
		m.df = m.with[j] * m.with[j] / welch
		figures[j].moments = m
	}
}

// strataOf lays the units out in strata that are drawn apart from each other:
// cold and later requests, and the sides where they are not paired. Strata of
// one unit, whose spread nobody knows, make all of their side one stratum.
func strataOf(figures []figurePair, a, b map[int]int, paired bool) [][]row {
	if paired {
		units := maps.Clone(a)
		maps.Copy(units, b)
		return stratify(figures, units, true, true)
	}
	return append(stratify(figures, a, true, false), stratify(figures, b, false, true)...)
}

func stratify(figures []figurePair, units map[int]int, ofA, ofB bool) [][]row {
	byStratum := map[int][]row{}
	for _, unit := range slices.Sorted(maps.Keys(units)) {
		r := row{make([]float64, len(figures)), make([]float64, len(figures))}
		for j := range figures {
			if ofA {
				r.a[j] = figures[j].a.influence[unit]
			}
			if ofB {
				r.b[j] = figures[j].b.influence[unit]
			}
		}
		byStratum[units[unit]] = append(byStratum[units[unit]], r)
	}
	var strata [][]row
	for _, key := range slices.Sorted(maps.Keys(byStratum)) {
		strata = append(strata, byStratum[key])
	}
	if slices.ContainsFunc(strata, func(rows []row) bool { return len(rows) < 2 }) {
		return [][]row{slices.Concat(strata...)}
	}
	return strata
}

// spread is the covariance of the sums of two contributions over a stratum:
// k/(k−1) Σ (x − x̄)(y − ȳ).
func spread(rows []row, of func(row) (x, y float64)) float64 {
	k := float64(len(rows))
	if k < 2 {
		return 0
	}
	var sumX, sumY, products float64
	for _, r := range rows {
		x, y := of(r)
		sumX, sumY, products = sumX+x, sumY+y, products+x*y
	}
	return (products - sumX*sumY/k) * k / (k - 1)
}
