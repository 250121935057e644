package report

import (
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// Swept reports whether the run is a sweep over loads.
func (p *page) Swept() bool {
	return len(p.result.Targets) > 0 && len(p.result.Targets[0].Points) > 0
}

// byRate reports whether the loads of a sweep are rates of an open loop.
func (p *page) byRate() bool {
	for _, point := range p.result.Targets[0].Points {
		if point.RequestRate > 0 {
			return true
		}
	}
	return false
}

// Points reports whether the target was measured at several loads.
func (b *block) Points() bool { return len(b.target.Points) > 0 }

// Loads are the parts of a target's page that belong to one load each.
func (b *block) Loads() []*block {
	loads := make([]*block, len(b.target.Points))
	for i := range b.target.Points {
		loads[i] = b.at(i)
	}
	return loads
}

// at is the block of the load with the given index, from 0: everything on it
// holds of this load alone.
func (b *block) at(i int) *block {
	point := &b.target.Points[i]
	result, target := *b.result, *b.target
	result.Spec = point.Apply(b.result.Spec)
	target.Summary, target.Measurement, target.Findings, target.Points = point.Summary, point.Measurement, point.Findings, nil
	result.Targets = []bench.TargetResult{target}
	return &block{page: &page{l: b.l, result: &result, record: b.record}, target: &target, load: b.l.load(point.Point)}
}

// load names one load of a sweep.
func (l *language) load(p bench.Point) md {
	if p.RequestRate > 0 {
		return l.say("load.rate", "rate", md(exact(p.RequestRate)))
	}
	return l.say("load.concurrency", "n", p.MaxConcurrency)
}

// Load is the name of the block's load; empty where the run is no sweep.
func (b *block) Load() md { return b.load }

// value of a load alone, for the column that is headed by its kind.
func (p *page) loadValue(point bench.Point) md {
	if point.RequestRate > 0 {
		return md(exact(point.RequestRate))
	}
	return md(count(point.MaxConcurrency))
}

func (p *page) loadHead() column {
	if p.byRate() {
		return number(p.l.say("loads.rate"))
	}
	return number(p.l.say("loads.concurrency"))
}

// loadColumns are the figures that the table of loads shows of each load.
func (p *page) loadColumns() []figureColumn {
	l, ms := p.l, scale{"ms", 1}
	columns := []figureColumn{
		{number(l.say("comparison.succeeded")), (*block).succeededOf},
		{number(l.say("loads.in_flight")), (*block).inFlight},
		{number("TTFT P50 (ms)"), func(b *block) md { return b.one(ms, b.target.Summary.TTFT, b.target.Summary.TTFT.P50) }},
		{number("TTFT P99 (ms)"), func(b *block) md { return b.p99(ms, b.target.Summary.TTFT) }},
	}
	if p.byRate() {
		columns = append(columns,
			figureColumn{number(l.say("loads.intended")), func(b *block) md { return b.ofOpen(func(o *bench.Open) bench.Dist { return o.TTFT }) }},
			figureColumn{number(l.say("loads.queue")), func(b *block) md { return b.ofOpen(func(o *bench.Open) bench.Dist { return o.Wait }) }})
	}
	columns = append(columns,
		figureColumn{number("TPOT P50 (ms)"), func(b *block) md { return b.one(ms, b.target.Summary.TPOT, b.target.Summary.TPOT.P50) }},
		figureColumn{number("E2E P50 (ms)"), func(b *block) md { return b.one(ms, b.target.Summary.E2E, b.target.Summary.E2E.P50) }},
		figureColumn{number(l.say("cache.hit_rate")), func(b *block) md { return b.hitRate(b.target.Summary.Cache.HitRate) }},
		figureColumn{number(l.say("loads.requests")), func(b *block) md { return b.optional(b.target.Summary.Rate) }},
		figureColumn{number(l.say("loads.output")), func(b *block) md { return b.optional(b.target.Summary.OutputRate) }})
	if p.result.Spec.SLO != (bench.SLO{}) {
		columns = append(columns, figureColumn{number(l.say("throughput.goodput")), (*block).goodputShare})
	}
	return columns
}

// figureColumn is a column of a table that shows one figure of each block.
type figureColumn struct {
	head column
	of   func(*block) md
}

// LoadTable sets the loads of one target side by side.
func (b *block) LoadTable() *table { return b.loadTable([]*block{b}) }

// loadTable lists each load of each of the given targets.
func (p *page) loadTable(of []*block) *table {
	columns := p.loadColumns()
	heads := []column{p.loadHead()}
	if len(of) > 1 {
		heads = append(heads, text(p.l.say("comparison.target")))
	}
	for _, c := range columns {
		heads = append(heads, c.head)
	}
	t := newTable(heads...)
	for i, point := range p.result.Targets[0].Points {
		for _, b := range of {
			cells := []md{p.loadValue(point.Point)}
			if len(of) > 1 {
				cells = append(cells, b.Label())
			}
			at := b.at(i)
			for _, c := range columns {
				cells = append(cells, c.of(at))
			}
			t.add(cells...)
		}
	}
	return t
}

func (b *block) succeededOf() md {
	r := b.target.Summary.Requests
	return b.l.say("comparison.of", "n", r.Succeeded, "planned", r.Planned)
}

func (b *block) inFlight() md { return b.optional(b.target.Summary.Concurrency.Mean) }

func (b *block) goodputShare() md {
	if g := b.target.Summary.Goodput; g != nil {
		return md(percent(g.Share))
	}
	return b.l.unknown()
}

func (b *block) optional(v *float64) md {
	if v == nil {
		return b.l.unknown()
	}
	return md(significant(*v))
}

// ofOpen prints P99 of a figure that only an open loop has.
func (b *block) ofOpen(pick func(*bench.Open) bench.Dist) md {
	if b.target.Summary.Open == nil {
		return b.l.unknown()
	}
	d := pick(b.target.Summary.Open)
	return b.p99(scale{"ms", 1}, d)
}

// sweepHeadline says what the lowest and the highest load gave.
func (b *block) sweepHeadline() md {
	var measured []*block
	for _, at := range b.Loads() {
		if at.target.Summary.Requests.Succeeded > 0 {
			measured = append(measured, at)
		}
	}
	if len(measured) == 1 {
		return measured[0].load + b.l.say("headline.colon") + measured[0].latencyHeadline()
	}
	first, last, best := measured[0], measured[len(measured)-1], measured[0]
	for _, at := range measured {
		if valueOf(at.target.Summary.OutputRate) > valueOf(best.target.Summary.OutputRate) {
			best = at
		}
	}
	line := b.l.say("headline.sweep", "from", first.load, "to", last.load,
		"ttft_from", first.median(first.target.Summary.TTFT), "ttft_to", last.median(last.target.Summary.TTFT),
		"tpot_from", first.median(first.target.Summary.TPOT), "tpot_to", last.median(last.target.Summary.TPOT))
	if b.byRate() && first.target.Summary.Open != nil && last.target.Summary.Open != nil {
		line += b.l.say("headline.join") + b.l.say("headline.sweep_open",
			"from", first.tail(first.target.Summary.Open.TTFT), "to", last.tail(last.target.Summary.Open.TTFT))
	}
	if best.target.Summary.OutputRate == nil {
		return line
	}
	return line + b.l.say("headline.join") + b.l.say("headline.sweep_best", "best", best.load,
		"rate", b.l.number("tokens_per_s", best.target.Summary.OutputRate), "ttft", best.median(best.target.Summary.TTFT))
}

func valueOf(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// loadNames names loads by their numbers, from 1.
func (b *block) loadNames(points []int) md {
	var names []string
	for _, n := range points {
		if n >= 1 && n <= len(b.target.Points) {
			names = append(names, string(b.l.load(b.target.Points[n-1].Point)))
		}
	}
	return md(strings.Join(names, string(b.l.say("list.join"))))
}

// loadThroughput is the table of rates by load.
func (b *block) loadThroughput() *table {
	l, spec := b.l, b.spec()
	columns := []figureColumn{
		{number(l.say("throughput.duration")), (*block).span},
		{number(l.say("loads.requests")), func(b *block) md { return b.optional(b.target.Summary.Rate) }},
		{number(l.say("loads.output")), func(b *block) md { return b.optional(b.target.Summary.OutputRate) }},
		{number(l.say("loads.total")), func(b *block) md { return b.optional(b.target.Summary.TotalRate) }},
		{number(l.say("loads.output_tokens")), func(b *block) md { return md(count(b.target.Summary.OutputTokens.Sum)) }},
	}
	if spec.Prices != (bench.Prices{}) {
		columns = append(columns, figureColumn{number(l.say("throughput.cost")), (*block).spent})
	}
	if spec.SLO != (bench.SLO{}) {
		columns = append(columns, figureColumn{number(l.say("throughput.goodput")), (*block).goodputShare})
	}
	return b.byLoad(columns)
}

// byLoad shows each column of each load.
func (b *block) byLoad(columns []figureColumn) *table {
	heads := []column{b.loadHead()}
	for _, c := range columns {
		heads = append(heads, c.head)
	}
	t := newTable(heads...)
	for i, at := range b.Loads() {
		cells := []md{b.loadValue(b.target.Points[i].Point)}
		for _, c := range columns {
			cells = append(cells, c.of(at))
		}
		t.add(cells...)
	}
	return t
}

// span is the time from the first start to the last end.
func (b *block) span() md {
	if s := b.target.Summary.DurationS; s != nil {
		return md(duration(*s * 1000))
	}
	return b.l.unknown()
}

// spent is the cost with its currency.
func (b *block) spent() md {
	if c := b.target.Summary.Cost; c != nil {
		return md(significant(c.Amount)) + " " + esc(c.Currency)
	}
	return b.l.unknown()
}

// askedLoads lists what the loads of a sweep ask for.
func (b *block) askedLoads(pick func(bench.Point) float64) md {
	var values []string
	for _, p := range b.target.Points {
		if text := exact(pick(p.Point)); len(values) == 0 || values[len(values)-1] != text {
			values = append(values, text)
		}
	}
	return md(strings.Join(values, ", "))
}

// reachedLoads lists the requests in flight that each load reached.
func (b *block) reachedLoads() md {
	var means []string
	peak := 0
	for _, at := range b.Loads() {
		c := at.target.Summary.Concurrency
		means, peak = append(means, string(at.inFlight())), max(peak, c.Peak)
	}
	return b.l.say("param.in_flight", "mean", md(strings.Join(means, ", ")), "peak", peak)
}

// loadSlowest are the slowest requests of each load.
func (b *block) loadSlowest() *table {
	t := b.slowTable(b.loadHead())
	for i, at := range b.Loads() {
		slow := at.target.Summary.Slowest
		for _, s := range slow[:min(2, len(slow))] {
			t.add(append([]md{b.loadValue(b.target.Points[i].Point)}, b.slowRow(s)...)...)
		}
	}
	return t
}
