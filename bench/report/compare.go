package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// ComparisonText words a comparison for a person, as plain text with aligned
// tables. lang is zh or en.
func ComparisonText(c *bench.Comparison, lang string) string {
	t := comparisonText{w: compareWordsOf(lang)}
	t.sides(c.Sides)
	tested := false
	for i := range c.Pairs {
		t.line("")
		t.pair(&c.Pairs[i], c.Vary)
		tested = tested || len(c.Pairs[i].Figures) > 0
	}
	if tested {
		t.line("")
		t.line(t.w.foot)
	}
	return t.String()
}

// comparisonText is a text in the making.
type comparisonText struct {
	strings.Builder
	w *compareWords
}

func (t *comparisonText) line(format string, args ...any) {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	t.WriteString(format + "\n")
}

func (t *comparisonText) sides(sides []bench.Side) {
	rows := grid{left: 6}
	for i := range sides {
		s := &sides[i]
		model := s.Model
		if s.ServedModel != "" && s.ServedModel != s.Model {
			model += " → " + s.ServedModel
		}
		where := s.BaseURL
		if s.Simulated {
			where = t.w.simulated
		}
		cells := []string{s.Name, s.RunID, s.Label, model, where, fmt.Sprintf(t.w.succeeded, s.Requests.Succeeded, s.Requests.Planned)}
		if s.OutputRate != nil {
			cells = append(cells, fmt.Sprintf(t.w.throughput, significant(*s.OutputRate)))
		}
		rows.add(cells...)
	}
	t.WriteString(rows.String())
}

func (t *comparisonText) pair(p *bench.Pair, vary []bench.Factor) {
	if p.Load != nil {
		load := fmt.Sprintf(t.w.load, p.Load.MaxConcurrency)
		if p.Load.RequestRate > 0 {
			load = fmt.Sprintf(t.w.rate, plain(p.Load.RequestRate))
		}
		t.line("%s", load)
	}
	if !p.Comparable {
		t.line(t.w.refused, p.A, p.B)
		t.fields(p, p.Mismatches)
		t.line("%s", t.w.noFigures)
		if missing := factorsMissing(p, vary); missing != "" {
			t.line(t.w.varyHint, missing)
		}
		return
	}
	t.line(t.w.comparable, p.A, p.B, t.pairing(p.PairedBy))
	t.WriteString(t.figures(p))
	if len(p.Remarks) > 0 {
		t.line("%s", t.w.remarks)
		t.fields(p, p.Remarks)
	}
}

func (t *comparisonText) pairing(by bench.Unit) string {
	switch by {
	case bench.ByRequest:
		return t.w.byRequest
	case bench.BySession:
		return t.w.bySession
	}
	return t.w.unpaired
}

func (t *comparisonText) fields(p *bench.Pair, fields []bench.Mismatch) {
	for _, m := range fields {
		line := fmt.Sprintf(t.w.mismatch, named(t.w.fields, m.Field), p.A, m.A, p.B, m.B)
		if m.Allowed != "" {
			limit := m.Allowed
			if own := t.w.limits[m.Field]; own != "" {
				limit = own
			}
			line += fmt.Sprintf(t.w.allowed, limit)
		}
		t.line("  %s", line)
	}
}

// named is a name's wording, or the name itself.
func named(words map[string]string, name string) string {
	if word := words[name]; word != "" {
		return word
	}
	return name
}

// factorsMissing are the factors whose naming would make the pair comparable;
// "" where they would not.
func factorsMissing(p *bench.Pair, vary []bench.Factor) string {
	var missing []string
	for _, m := range p.Mismatches {
		factor := bench.VaryEndpoint
		switch m.Field {
		case "model":
			factor = bench.VaryModel
		case "endpoint", "dialect", "service_tier", "service_tier_served":
		default:
			return ""
		}
		if !slices.Contains(missing, string(factor)) {
			missing = append(missing, string(factor))
		}
	}
	for _, f := range vary {
		if !slices.Contains(missing, string(f)) {
			missing = append(missing, string(f))
		}
	}
	slices.SortFunc(missing, func(a, b string) int { return strings.Compare(b, a) }) // model,endpoint
	return strings.Join(missing, ",")
}

func (t *comparisonText) figures(p *bench.Pair) string {
	rows := grid{left: 1}
	rows.add(t.w.figure, "n", p.A, p.B, t.w.difference, t.w.ratio, t.w.result)
	for i := range p.Figures {
		rows.add(t.figure(&p.Figures[i])...)
	}
	return rows.String()
}

func (t *comparisonText) figure(c *bench.Contrast) []string {
	u := unitOf(c)
	n := strconv.Itoa(c.NA)
	if c.NB != c.NA {
		n += "/" + strconv.Itoa(c.NB)
	}
	result := t.w.none
	if c.Shown {
		result = fmt.Sprintf(t.w.better, c.Better)
	}
	ratio := "–"
	if r := c.Ratio; r != nil {
		ratio = fmt.Sprintf("%.3f (%.3f–%.3f)", r.Value, r.Low, r.High)
	}
	d := c.Difference
	difference := fmt.Sprintf("%s (%s … %s)", u.signed(d.Value), u.signed(d.Low), u.signed(d.High))
	return []string{t.name(c) + u.suffix, n, u.of(c.A), u.of(c.B), difference, ratio, result}
}

func (t *comparisonText) name(c *bench.Contrast) string {
	metrics := map[string]string{bench.MetricTTFT: "TTFT", bench.MetricTPOT: "TPOT", bench.MetricE2E: "E2E"}
	name := named(t.w.figures, c.Metric)
	if own := metrics[c.Metric]; own != "" {
		name = own
	}
	if c.Statistic != "" {
		name += " " + named(t.w.figures, c.Statistic)
	}
	return name
}

// unit is how the numbers of one row are printed.
type unit struct {
	suffix   string
	times    float64
	decimals int
}

// unitOf gives both sides and their difference the same decimals: three
// significant digits of the larger side, and one more.
func unitOf(c *bench.Contrast) unit {
	u := unit{"", 1, 0}
	largest := max(c.A, c.B)
	switch c.Metric {
	case bench.MetricHitRate:
		return unit{", %", 100, 2}
	case bench.MetricOutputRate:
	default:
		if u.suffix = ", ms"; largest >= 1000 {
			u.suffix, u.times = ", s", 0.001
		}
	}
	u.decimals = min(decimals(largest*u.times)+1, 4)
	return u
}

func (u unit) of(v float64) string { return decimal(v*u.times, u.decimals) }

func (u unit) signed(v float64) string {
	text := u.of(v)
	if v > 0 && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// grid is rows of cells in aligned columns: the first ones and the last to the
// left, the others to the right.
type grid struct {
	left int // columns to the left
	rows [][]string
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// String implements [fmt.Stringer].
func (g *grid) String() string {
	var b strings.Builder
	for _, row := range g.rows {
		line := ""
		for i, cell := range row {
			gap := strings.Repeat(" ", g.width(i)-cellWidth(cell))
			if i < g.left || i == len(row)-1 {
				line += cell + gap + "  "
			} else {
				line += gap + cell + "  "
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

func (g *grid) width(column int) int {
	width := 0
	for _, row := range g.rows {
		if column < len(row) {
			width = max(width, cellWidth(row[column]))
		}
	}
	return width
}

// cellWidth is the columns that a text takes on a terminal: two for each
// character of the East Asian wide blocks.
func cellWidth(text string) int {
	width := 0
	for _, r := range text {
		width++
		if r >= 0x1100 && r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0xffe0 && r <= 0xffe6 {
			width++
		}
	}
	return width
}

// RescoredText sets the figures of a run side by side with those under the
// rules of other tools, for a person.
func RescoredText(targets []bench.TargetResult) string {
	var b strings.Builder
	for i := range targets {
		t := &targets[i]
		if len(t.Points) == 0 {
			b.WriteString(t.Label + "\n" + rescoredGrid(&t.Summary))
		}
		for j := range t.Points {
			p := &t.Points[j]
			load := "max_concurrency " + strconv.Itoa(p.MaxConcurrency)
			if p.RequestRate > 0 {
				load = "request_rate " + plain(p.RequestRate)
			}
			b.WriteString(t.Label + ", " + load + "\n" + rescoredGrid(&p.Summary))
		}
	}
	return b.String()
}

func rescoredGrid(s *bench.Summary) string {
	rows := grid{left: 1}
	head := []string{"rule", "n"}
	for _, name := range []string{"TTFT", "TPOT", "E2E"} {
		head = append(head, name+" AVG, ms", "P50", "P99")
	}
	rows.add(append(head, "")...)
	row := func(rule bench.Rule, ttft, tpot, e2e bench.Dist) {
		cells := []string{string(rule), strconv.Itoa(ttft.N)}
		for _, d := range []bench.Dist{ttft, tpot, e2e} {
			for _, v := range []float64{d.Avg, d.P50, d.P99} {
				if d.N == 0 {
					v = math.NaN()
				}
				cells = append(cells, decimal(v, 1))
			}
		}
		rows.add(append(cells, "")...)
	}
	row(bench.RuleOwn, s.TTFT, s.TPOT, s.E2E)
	for _, r := range s.Rescored {
		row(r.Rule, r.TTFT, r.TPOT, r.E2E)
	}
	return rows.String()
}
