package bench

import (
	"fmt"
	"strings"
	"time"
)

// ComparisonSchema names the format of [Comparison].
const ComparisonSchema = "llm-bench/comparison/1"

// Factor is what the sides of a comparison may differ in because the user
// wants to know what it does.
type Factor string

// The factors. An endpoint comes with its dialect, its protocol and the
// service tier that it is asked for.
const (
	VaryModel    Factor = "model"
	VaryEndpoint Factor = "endpoint"
)

// ParseFactors reads "model,endpoint"; either may be left out.
func ParseFactors(text string) ([]Factor, error) {
	factors := []Factor{}
	for part := range strings.SplitSeq(text, ",") {
		switch f := Factor(strings.TrimSpace(part)); f {
		case VaryModel, VaryEndpoint:
			factors = append(factors, f)
		case "":
		default:
			return nil, &FieldError{"vary", fmt.Sprintf("%q", part), "model, endpoint or model,endpoint"}
		}
	}
	return factors, nil
}

// Comparison sets runs side by side: each with the first. No figure of a pair
// that can't be compared is in it.
type Comparison struct {
	Schema     string   `json:"schema"`
	Comparable bool     `json:"comparable"` // every pair is
	Vary       []Factor `json:"vary"`
	Sides      []Side   `json:"sides"`
	Pairs      []Pair   `json:"pairs"`
}

// Side is one target of one run.
type Side struct {
	Name        string    `json:"name"` // A, B, …
	RunID       string    `json:"run_id"`
	RunDir      string    `json:"run_dir"`
	Scenario    Scenario  `json:"scenario"`
	Label       string    `json:"label"`
	Model       string    `json:"model"` // asked for
	ServedModel string    `json:"served_model,omitempty"`
	BaseURL     string    `json:"base_url"`
	Simulated   bool      `json:"simulated"`
	State       State     `json:"state"`
	Began       time.Time `json:"began"`
	Requests    Requests  `json:"requests"`
	OutputRate  *float64  `json:"output_tokens_per_s,omitempty"` // over the whole run

	loads []load
}

// Pair is two sides at one load.
type Pair struct {
	A          string     `json:"a"` // names of the sides
	B          string     `json:"b"`
	Load       *Point     `json:"load,omitempty"` // of a sweep
	Comparable bool       `json:"comparable"`
	Mismatches []Mismatch `json:"mismatches"` // why not
	Remarks    []Mismatch `json:"remarks"`    // what else differs; the figures must be read with it in mind
	PairedBy   Unit       `json:"paired_by,omitempty"`
	Figures    []Contrast `json:"figures"`
}

// Mismatch is something that differs between two sides, or that one of them lacks.
type Mismatch struct {
	Field   string `json:"field"`
	A       string `json:"a"`
	B       string `json:"b"`
	Allowed string `json:"allowed,omitempty"` // where they needn't be equal
}

// Unit is what is taken to be independent of all else of its kind in a run.
type Unit string

// The units by which runs of the same inputs are paired.
const (
	ByRequest Unit = "request"
	BySession Unit = "session"
)

// Contrast is one figure of two sides.
type Contrast struct {
	Metric    string `json:"metric"`              // its name carries the unit
	Statistic string `json:"statistic,omitempty"` // avg, typical (geometric mean), p50, p99; "" where the metric is one number
	NA        int    `json:"n_a"`                 // requests
	NB        int    `json:"n_b"`

	A          float64   `json:"a"`
	B          float64   `json:"b"`
	Difference Estimate  `json:"difference"`      // b − a
	Ratio      *Estimate `json:"ratio,omitempty"` // b / a; absent where a may be 0
	// P is the p-value of this figure by itself, PAdjusted that among all
	// figures of the comparison.
	P         float64 `json:"p"`
	PAdjusted float64 `json:"p_adjusted"`
	Shown     bool    `json:"shown"`            // a difference: the interval does not hold zero
	Better    string  `json:"better,omitempty"` // name of the side; "" where no difference is shown
}

// Estimate is a value with its interval. The intervals of a comparison hold
// for all its figures together, in 95 % of comparisons.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// The metrics of a [Contrast] beside TTFT, TPOT and E2E.
const (
	MetricTTFT      = "ttft_ms"
	MetricTPOT      = "tpot_ms"
	MetricE2E       = "e2e_ms"
	MetricTTFTPer1K = "ttft_ms_per_1k_prompt_tokens"
	MetricHitRate   = "hit_rate"
	// MetricOutputRate is the throughput while the asked concurrency is filled:
	// concurrency × Σ output tokens / Σ time of the requests. The beginning and
	// the end of a run, when places are idle, are not in it, so that it depends
	// on the requests alone.
	MetricOutputRate = "output_tokens_per_s_at_full_concurrency"
)

// Sides are the targets of one run, from its record and the result computed
// from it.
func Sides(record *Record, result *Result) []Side {
	var sides []Side
	for i := range result.Targets {
		t := &result.Targets[i]
		sides = append(sides, Side{
			RunID: result.RunID, RunDir: result.RunDir, Scenario: result.Scenario, Label: t.Label, Model: t.Model, ServedModel: t.ServedModel,
			BaseURL: t.BaseURL, Simulated: t.Summary.Observed.Simulated || t.Source == SourceSim, State: result.State, Began: result.Began,
			Requests: t.Summary.Requests, OutputRate: t.Summary.OutputRate, loads: loadsOf(record, result, t),
		})
	}
	return sides
}

// Compare sets each side against the first. vary names what they may differ in.
func Compare(sides []Side, vary []Factor) Comparison {
	c := Comparison{Schema: ComparisonSchema, Comparable: true, Vary: append([]Factor{}, vary...), Sides: sides, Pairs: []Pair{}}
	for i := range sides {
		sides[i].Name = sideName(i)
	}
	var drafts []*draft
	for i := 1; i < len(sides); i++ {
		for _, d := range draftsOf(&sides[0], &sides[i], vary) {
			drafts = append(drafts, d)
			c.Comparable = c.Comparable && d.Comparable
		}
	}
	tested := 0
	for _, d := range drafts {
		if len(d.figures) > 0 {
			tested++
		}
	}
	for _, d := range drafts {
		d.settle(0.05 / float64(max(1, tested)))
		c.Pairs = append(c.Pairs, d.Pair)
	}
	return c
}

// sideName is A to Z, then S27 and so on.
func sideName(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return fmt.Sprintf("S%d", i+1)
}

// draft is a pair whose figures still lack their intervals.
type draft struct {
	Pair
	figures []figurePair
	seeds   [2]uint64
}

// draftsOf pairs two sides load by load.
func draftsOf(a, b *Side, vary []Factor) []*draft {
	if mismatch, differ := loadsDiffer(a, b); differ {
		return []*draft{{Pair: Pair{A: a.Name, B: b.Name, Mismatches: []Mismatch{mismatch}, Remarks: []Mismatch{}, Figures: []Contrast{}}}}
	}
	var drafts []*draft
	for i := range a.loads {
		x, y := &a.loads[i], &b.loads[i]
		d := &draft{Pair: Pair{A: a.Name, B: b.Name, Load: x.point, Figures: []Contrast{}}, seeds: [2]uint64{x.spec.Seed, y.spec.Seed}}
		d.Mismatches, d.Remarks = gate(x, y, vary)
		if d.Comparable = len(d.Mismatches) == 0; d.Comparable {
			d.PairedBy = pairedBy(x, y)
			d.figures = figurePairs(x, y, vary)
		}
		drafts = append(drafts, d)
	}
	return drafts
}

// settle gives the figures their intervals, at the given family-wise level.
func (d *draft) settle(level float64) {
	for _, contrast := range contrasts(d.figures, level, d.seeds) {
		if contrast.Shown {
			contrast.Better = d.better(&contrast)
		}
		d.Figures = append(d.Figures, contrast)
	}
}

// better is the side with more throughput or hits, or with less latency.
func (d *draft) better(c *Contrast) string {
	more := c.Metric == MetricHitRate || c.Metric == MetricOutputRate
	if more == (c.Difference.Value > 0) {
		return d.B
	}
	return d.A
}
