package bench

import "math"

// contrasts gives each figure its difference and ratio, with intervals that
// hold together at the given family-wise level. Holm's step-down procedure (A
// simple sequentially rejective multiple test procedure, Scandinavian Journal
// of Statistics 6, 1979) goes from the clearest difference to the least clear
// one, each held against as many as are left; the first that is not shown sets
// the limit of all after it.
//
// A figure that does not vary, such as a hit rate that is the same for every
// request, is certain: it is in no family.
func contrasts(figures []figurePair, level float64, seeds [2]uint64) []Contrast {
	list := make([]Contrast, len(figures))
	var varying []int
	for j := range figures {
		list[j] = figures[j].plain()
		if figures[j].varies() {
			varying = append(varying, j)
		}
	}
	f := familyOf(figures, varying, seeds)
	step, stopped, adjusted := 0, false, 0.0
	for k, j := range varying {
		if !stopped {
			step = k
		}
		list[j].bound(&figures[j], f.limit(step, j, level))
		stopped = stopped || !list[j].Shown
		adjusted = max(adjusted, f.chance(k))
		list[j].PAdjusted = adjusted
	}
	return list
}

// plain is a figure that does not vary, or is still without intervals.
func (f *figurePair) plain() Contrast {
	c := Contrast{Metric: f.metric, Statistic: f.statistic, NA: f.a.n, NB: f.b.n, A: f.a.value, B: f.b.value, P: 1, PAdjusted: 1}
	d := c.B - c.A
	if math.Abs(d) <= rounding*max(math.Abs(c.A), math.Abs(c.B)) {
		d = 0
	}
	c.Difference = Estimate{d, d, d}
	if c.A > 0 {
		c.Ratio = &Estimate{c.B / c.A, c.B / c.A, c.B / c.A}
	}
	if d != 0 {
		c.P, c.PAdjusted, c.Shown = 0, 0, true
	}
	return c
}

// rounding is the share of a figure below which a number is what rounding left.
const rounding = 1e-9

// varies reports whether the difference has a standard error.
func (f *figurePair) varies() bool {
	return f.fault() > rounding*max(math.Abs(f.a.value), math.Abs(f.b.value))
}

// fault is the standard error of the difference.
func (f *figurePair) fault() float64 {
	return math.Sqrt(max(0, f.moments.a+f.moments.b-2*f.moments.both))
}

// distance is |t|.
func (f *figurePair) distance() float64 { return math.Abs(f.b.value-f.a.value) / f.fault() }

// chance is the two-sided p-value of the figure by itself.
func (f *figurePair) chance() float64 { return studentTails(f.distance(), f.moments.df) }

// bound sets the intervals of difference and ratio at limit standard errors.
func (c *Contrast) bound(f *figurePair, limit float64) {
	d, half := c.B-c.A, limit*f.fault()
	c.Difference = Estimate{d, d - half, d + half}
	c.Ratio = f.fieller(limit)
	c.Shown = math.Abs(d) > half
	c.P = f.chance()
}

// fieller is the ratio b/a with its interval: the ratios ρ for which b − ρa is
// within limit standard errors of 0 (Fieller, Some problems in interval
// estimation, JRSS B 16, 1954). It holds 1 exactly where the interval of the
// difference holds 0. It is nil where a may be 0.
func (f *figurePair) fieller(limit float64) *Estimate {
	a, b, m := f.a.value, f.b.value, &f.moments
	x := a*a - limit*limit*m.a
	y := a*b - limit*limit*m.both
	z := b*b - limit*limit*m.b
	inside := y*y - x*z
	if x <= 0 || inside < 0 || a <= 0 {
		return nil
	}
	root := math.Sqrt(inside)
	return &Estimate{b / a, (y - root) / x, (y + root) / x}
}
