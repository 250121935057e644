package bench

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// family is the figures that are tested together, from the clearest difference
// on.
type family interface {
	// limit is the |t| that shows a difference of figure j at step k, when all
	// figures from the k-th on are left.
	limit(k, j int, level float64) float64
	// chance is the probability of a |t| like that of the k-th figure among all
	// figures from it on.
	chance(k int) float64
}

// enoughFreedom is the number of degrees of freedom from which on the figures'
// correlations are known well enough to be used.
const enoughFreedom = 30

// familyOf puts the figures of order in their order and tests them together.
func familyOf(figures []figurePair, order []int, seeds [2]uint64) family {
	if df := leastFreedom(figures, order); !(df >= enoughFreedom && df <= math.MaxFloat64) {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(figures[i].chance(), figures[j].chance()) })
		return holm{figures, order}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(figures[j].distance(), figures[i].distance()) })
	return newJoint(figures, order, seeds)
}

// holm is the family by Holm's own bound, which holds however figures hang together.
type holm struct {
	figures []figurePair
	order   []int
}

func (h holm) limit(k, j int, level float64) float64 {
	return studentQuantile(1-level/float64(2*(len(h.order)-k)), h.figures[j].moments.df)
}

func (h holm) chance(k int) float64 {
	return min(1, float64(len(h.order)-k)*h.figures[h.order[k]].chance())
}

// draws is the number of draws from the joint distribution of the figures.
const draws = 10_000

// lowLimit is the |t| below which no draw can be a limit: in 95 % of draws even
// a single figure stays below 1.96.
const lowLimit = 1.8

// joint is the distribution, where no figure differs, of the largest |t| of the
// figures from the k-th on: Holm's procedure in the form of Westfall and Young
// (Resampling-Based Multiple Testing, 1993, algorithm 2.8), which takes into
// account how figures hang together, where Holm's own bound supposes the worst.
// AVG and P50 of one metric are nearly one figure. The distribution is the
// multivariate t of Hothorn, Bretz and Westfall (Simultaneous inference in
// general parametric models, Biometrical Journal 50, 2008).
type joint struct {
	high     [][]float64 // of each k, the draws above lowLimit, the largest first
	reaching []int       // of each k, the draws that are as far from 0 as that figure
}

func newJoint(figures []figurePair, order []int, seeds [2]uint64) *joint {
	d := &joint{make([][]float64, len(order)), make([]int, len(order))}
	root, scale := correlationRoot(figures, order), newChi(leastFreedom(figures, order))
	rng := rand.New(rand.NewPCG(seeds[0], seeds[1]))
	normal, distance := make([]float64, len(order)), make([]float64, len(order))
	for k, j := range order {
		distance[k] = figures[j].distance()
	}
	for range draws {
		for k := range normal {
			normal[k] = rng.NormFloat64()
		}
		d.take(root, normal, scale.draw(rng), distance)
	}
	for k := range d.high {
		slices.SortFunc(d.high[k], func(x, y float64) int { return cmp.Compare(y, x) })
	}
	return d
}

// take adds one draw.
func (d *joint) take(root [][]float64, normal []float64, scale float64, distance []float64) {
	top := 0.0
	for k := len(root) - 1; k >= 0; k-- {
		if top = max(top, math.Abs(dot(root[k], normal))/scale); top > lowLimit {
			d.high[k] = append(d.high[k], top)
		}
		if top >= distance[k] {
			d.reaching[k]++
		}
	}
}

func (d *joint) limit(k, _ int, level float64) float64 {
	at := int(level * draws)
	if at >= len(d.high[k]) {
		return lowLimit
	}
	return d.high[k][at]
}

func (d *joint) chance(k int) float64 { return float64(d.reaching[k]) / draws }

func dot(x, y []float64) float64 {
	var sum float64
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// correlationRoot is the Cholesky root of the figures' correlations. Figures
// that follow from others have a row that ends early.
func correlationRoot(figures []figurePair, order []int) [][]float64 {
	root := make([][]float64, len(order))
	for k, j := range order {
		root[k] = make([]float64, 0, k+1)
		left := 1.0
		for i := range k {
			r := figures[j].moments.with[order[i]] / math.Sqrt(figures[j].moments.with[j]*figures[order[i]].moments.with[order[i]])
			v := 0.0
			if own := root[i][i]; own > 0 {
				v = (r - dot(root[i][:i], root[k])) / own
			}
			root[k], left = append(root[k], v), left-v*v
		}
		if left < 1e-9 {
			left = 0
		}
		root[k] = append(root[k], math.Sqrt(left))
	}
	return root
}

func leastFreedom(figures []figurePair, order []int) float64 {
	least := math.Inf(1)
	for _, j := range order {
		least = min(least, figures[j].moments.df)
	}
	return max(1, least)
}

// chi draws √(χ²/df), the scale of Student's t, for 2 degrees of freedom or more.
type chi struct{ df, d, c float64 }

func newChi(df float64) chi {
	d := df/2 - 1.0/3
	return chi{df, d, 1 / math.Sqrt(9*d)}
}

// draw takes χ² as twice a gamma variable of shape df/2, by the method of
// Marsaglia and Tsang (A simple method for generating gamma variables, ACM
// Transactions on Mathematical Software 26, 2000).
func (x chi) draw(rng *rand.Rand) float64 {
	for {
		n := rng.NormFloat64()
		v := 1 + x.c*n
		v = v * v * v
		if v > 0 && math.Log(rng.Float64()) < n*n/2+x.d-x.d*v+x.d*math.Log(v) {
			return math.Sqrt(2 * x.d * v / x.df)
		}
	}
}
