package bench_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
)

// sides of a made-up run, whose record and result a test may have changed.
func sides(run *benchtest.Run, plant func(*bench.Record, *bench.Result)) []bench.Side {
	record := run.Record()
	result := run.Result(record)
	if plant != nil {
		plant(record, result)
		if changed := run.Result(record); result.MetricRule == bench.RuleOwn && result.Targets[0].Measurement.Verdict == bench.Trusted {
			result = changed
		}
	}
	return bench.Sides(record, result)
}

// half is a standard prefix run of half the length.
func half() *benchtest.Run {
	run := benchtest.New(bench.Prefix, bench.Standard, "en")
	run.Spec.NumRequests = 100
	return run
}

// mismatch is one thing that makes a second run unlike the first.
type mismatch struct {
	field string
	run   func(*benchtest.Run)
	plant func(*bench.Record, *bench.Result)
}

func mismatches() []mismatch {
	header := func(change func(*bench.Header)) func(*bench.Record, *bench.Result) {
		return func(r *bench.Record, _ *bench.Result) { change(&r.Header) }
	}
	touch := func(change func(*benchtest.Call)) func(*benchtest.Run) {
		return func(r *benchtest.Run) { r.Touch = change }
	}
	return []mismatch{
		{field: "inputs", plant: header(func(h *bench.Header) {
			h.InputHash, h.MaterialHash, h.Calibration, h.Spec.Seed = "4e1d", "77aa", nil, 99
		})},
		{field: "thinking", run: func(r *benchtest.Run) { r.Spec.Thinking = bench.ThinkingAuto }},
		{field: "reasoning_effort", run: func(r *benchtest.Run) { r.Spec.ReasoningEffort = "high" }},
		{field: "thinking_observed", run: touch(benchtest.Every(4, func(c *benchtest.Call) { c.Think = 100 }))},
		{field: "max_output_tokens", run: func(r *benchtest.Run) { r.Spec.MaxOutputTokens = 256 }},
		{field: "max_concurrency", run: func(r *benchtest.Run) { r.Spec.MaxConcurrency = 10 }},
		{field: "concurrency_reached", run: func(r *benchtest.Run) { r.Spec.MaxConcurrency = 4 }, plant: header(func(h *bench.Header) { h.Spec.MaxConcurrency = 5 })},
		{field: "preset", run: func(r *benchtest.Run) { r.Spec.Preset = bench.Quick }},
		{field: "prefix_len", run: func(r *benchtest.Run) { r.Spec.PrefixLen = 8000 }},
		{field: "num_prefixes", run: func(r *benchtest.Run) { r.Spec.NumPrefixes = 5 }},
		{field: "metric_rule", plant: func(_ *bench.Record, r *bench.Result) { r.MetricRule = bench.RuleVLLM }},
		{field: "client", plant: header(func(h *bench.Header) { h.Host.CPUs = 2 })},
		{field: "proxy", plant: header(func(h *bench.Header) { h.Proxy = "proxy.example:3128" })},
		{field: "measurement", plant: func(_ *bench.Record, r *bench.Result) { r.Targets[0].Measurement.Verdict = bench.Invalid }},
		{field: "requests", run: touch(benchtest.Every(10, func(c *benchtest.Call) { c.Fail, c.Failure = bench.FailServerError, &bench.Failure{Message: "no"} }))},
		{field: "simulated", run: touch(func(c *benchtest.Call) { c.Sample.Simulated = true })},
		{field: "model", run: touch(func(c *benchtest.Call) { c.Sample.Model = "another-model" })},
		{field: "endpoint", run: func(r *benchtest.Run) { r.Target.BaseURL = "https://ark.ap-southeast.bytepluses.com/api/v3" }},
		{field: "service_tier", run: func(r *benchtest.Run) { r.Spec.ServiceTier = "default" }},
		{field: "cold_connect", run: func(r *benchtest.Run) { r.Spec.ColdConnect = true }},
		{field: "warmup", run: func(r *benchtest.Run) { r.Spec.Warmup = 5 }},
		{field: "request_rate", run: func(r *benchtest.Run) { r.Spec.RequestRate = 2 }},
	}
}

func TestOnePlantedMismatchIsNamedAndNoFigureIsCompared(t *testing.T) {
	for _, m := range mismatches() {
		t.Run(m.field, func(t *testing.T) {
			t.Parallel()
			other := half()
			if m.run != nil {
				m.run(other)
			}
			plain := sides(half(), nil)
			c := bench.Compare(append(plain, sides(other, m.plant)...), nil)
			p := c.Pairs[0]
			if c.Comparable || p.Comparable || len(p.Figures) > 0 {
				t.Errorf("it is compared: %+v", p)
			}
			if len(p.Mismatches) == 0 || !slices.ContainsFunc(p.Mismatches, func(got bench.Mismatch) bool { return got.Field == m.field && got.A != got.B }) {
				t.Fatalf("mismatches %+v, want %s", p.Mismatches, m.field)
			}
			if len(p.Mismatches) > 1 {
				t.Errorf("more than the planted mismatch: %+v", p.Mismatches)
			}
		})
	}
}

func TestOtherScenariosAreNotComparable(t *testing.T) {
	c := bench.Compare(append(sides(half(), nil), sides(benchtest.New(bench.Multiturn, bench.Quick, "en"), nil)...), nil)
	if m := c.Pairs[0].Mismatches; len(m) == 0 || m[0] != (bench.Mismatch{Field: "scenario", A: "prefix", B: "multiturn"}) {
		t.Errorf("mismatches %+v", m)
	}
}

func TestASingleRequestIsNotCompared(t *testing.T) {
	run := benchtest.New(bench.Connectivity, bench.Standard, "en")
	c := bench.Compare(append(sides(run, nil), sides(run, nil)...), nil)
	if m := c.Pairs[0].Mismatches; len(m) != 1 || m[0].Field != "repeats" {
		t.Errorf("mismatches %+v", m)
	}
}

func TestBothSidesInvalidOrUnmeasuredAreNotCompared(t *testing.T) {
	for _, v := range []bench.Verdict{bench.Invalid, bench.Unknown} {
		plant := func(_ *bench.Record, r *bench.Result) { r.Targets[0].Measurement.Verdict = v }
		c := bench.Compare(append(sides(half(), plant), sides(half(), plant)...), nil)
		if m := c.Pairs[0].Mismatches; len(m) != 1 || m[0].Field != "measurement" {
			t.Errorf("%s: mismatches %+v", v, m)
		}
	}
}

func TestEqualRunsRaiseNothing(t *testing.T) {
	multiturn := benchtest.New(bench.Multiturn, bench.Standard, "en")
	quick := benchtest.New(bench.Prefix, bench.Quick, "en")
	open := half()
	open.Spec.RequestRate = 2
	seed := func(run benchtest.Run, seed uint64) *benchtest.Run { run.Spec.Seed = seed; return &run }
	corpus := func(r *bench.Record, _ *bench.Result) {
		r.Header.Spec.LengthUnit, r.Header.Calibration = bench.LengthLocal, nil
	}
	for name, pair := range map[string][2][]bench.Side{
		"the same run twice":       {sides(half(), nil), sides(half(), nil)},
		"two prefix runs":          {sides(half(), nil), sides(seed(*half(), 8), nil)},
		"two multi-turn runs":      {sides(multiturn, nil), sides(seed(*multiturn, 8), nil)},
		"two quick runs":           {sides(quick, nil), sides(seed(*quick, 8), nil)},
		"two open loops":           {sides(open, nil), sides(seed(*open, 8), nil)},
		"the same text in letters": {sides(half(), corpus), sides(seed(*half(), 8), corpus)},
	} {
		c := bench.Compare(append(pair[0], pair[1]...), nil)
		p := c.Pairs[0]
		if !c.Comparable || len(p.Mismatches)+len(p.Remarks) > 0 || len(p.Figures) < 6 {
			t.Errorf("%s: comparable %v, mismatches %v, remarks %v, %d figures", name, c.Comparable, p.Mismatches, p.Remarks, len(p.Figures))
		}
		for _, f := range p.Figures {
			if f.Shown || f.Better != "" {
				t.Errorf("%s: %s %s is said to differ: %+v", name, f.Metric, f.Statistic, f)
			}
		}
	}
}

func TestOtherTextsOfTheSameLengthAreComparedUnpaired(t *testing.T) {
	c := bench.Compare(append(sides(half(), nil), sides(half(), func(r *bench.Record, _ *bench.Result) {
		r.Header.InputHash, r.Header.MaterialHash = "4e1d", "77aa"
	})...), nil)
	if p := c.Pairs[0]; !p.Comparable || p.PairedBy != "" || len(p.Remarks) != 1 || p.Remarks[0].Field != "inputs" {
		t.Errorf("pair %+v", p)
	}
}

// figure of a pair.
func figure(t *testing.T, p *bench.Pair, metric, statistic string) bench.Contrast {
	t.Helper()
	for _, f := range p.Figures {
		if f.Metric == metric && f.Statistic == statistic {
			return f
		}
	}
	t.Fatalf("no %s %s in %+v", metric, statistic, p)
	return bench.Contrast{}
}

// later makes each TTFT of a run longer, whatever its noise was.
func later(by time.Duration) func(*bench.Record, *bench.Result) {
	return func(r *bench.Record, _ *bench.Result) {
		for _, s := range r.Samples {
			s.FirstToken, s.LastToken, s.End = bench.MarkAt(s.FirstToken.At()+by), bench.MarkAt(s.LastToken.At()+by), bench.MarkAt(s.End.At()+by)
		}
	}
}

func TestPairedRequestsShowWhatAllOfThemShare(t *testing.T) {
	c := bench.Compare(append(sides(half(), nil), sides(half(), later(5*time.Millisecond))...), nil)
	p := &c.Pairs[0]
	if p.PairedBy != bench.ByRequest || p.A != "A" || p.B != "B" {
		t.Errorf("pair %s, %s by %q", p.A, p.B, p.PairedBy)
	}
	f := figure(t, p, bench.MetricTTFT, "avg")
	if d := f.Difference; !f.Shown || f.Better != "A" || d.Low < 4.999999 || d.High > 5.000001 || f.NA != 100 || f.NB != 100 {
		t.Errorf("TTFT %+v", f)
	}
	if r := f.Ratio; r == nil || r.Value != f.B/f.A || r.Low > r.Value || r.High < r.Value {
		t.Errorf("ratio %+v", r)
	}
	if f := figure(t, p, bench.MetricTPOT, "avg"); f.Shown || f.Difference.Value != 0 {
		t.Errorf("TPOT %+v", f)
	}
	if f := figure(t, p, bench.MetricOutputRate, ""); !f.Shown || f.Better != "A" || f.Difference.High >= 0 {
		t.Errorf("throughput %+v", f)
	}
}

func TestMoreCacheHitsAreBetter(t *testing.T) {
	other := half()
	other.Touch = benchtest.Every(3, func(c *benchtest.Call) { c.Cached = 0 })
	c := bench.Compare(append(sides(other, nil), sides(half(), nil)...), nil)
	if f := figure(t, &c.Pairs[0], bench.MetricHitRate, ""); !f.Shown || f.Better != "B" || f.Difference.Low <= 0 {
		t.Errorf("hit rate %+v", f)
	}
}

func TestFiguresAreThoseOfTheReports(t *testing.T) {
	run := benchtest.New(bench.Prefix, bench.Standard, "en")
	run.Spec.NumRequests = 400
	record := run.Record()
	result := run.Result(record)
	s := &result.Targets[0].Summary
	c := bench.Compare(append(bench.Sides(record, result), sides(run, nil)...), nil)
	for _, want := range []struct {
		metric, statistic string
		value             float64
	}{
		{bench.MetricTTFT, "avg", s.TTFT.Avg}, {bench.MetricTTFT, "p50", s.TTFT.P50}, {bench.MetricTTFT, "p99", s.TTFT.P99},
		{bench.MetricTPOT, "avg", s.TPOT.Avg}, {bench.MetricE2E, "p50", s.E2E.P50}, {bench.MetricHitRate, "", *s.Cache.HitRate},
	} {
		if got := figure(t, &c.Pairs[0], want.metric, want.statistic).A; math.Abs(got/want.value-1) > 1e-9 {
			t.Errorf("%s %s is %v, the report's %v", want.metric, want.statistic, got, want.value)
		}
	}
	if rate := figure(t, &c.Pairs[0], bench.MetricOutputRate, "").A; rate < *s.OutputRate || rate > 1.05**s.OutputRate {
		t.Errorf("throughput at full concurrency is %v, that of the run %v", rate, *s.OutputRate)
	}
}

func TestATailThatTheDataDoNotBoundIsLeftOut(t *testing.T) {
	multiturn := benchtest.New(bench.Multiturn, bench.Standard, "en")
	multiturn.Spec.NumSessions = 20
	for name, run := range map[string]*benchtest.Run{"100 requests": half(), "400 turns of 20 sessions": multiturn} {
		c := bench.Compare(append(sides(run, nil), sides(run, nil)...), nil)
		if slices.ContainsFunc(c.Pairs[0].Figures, func(f bench.Contrast) bool { return f.Statistic == "p99" }) {
			t.Errorf("%s have a P99", name)
		}
	}
}

func TestWhatIsVariedMayDiffer(t *testing.T) {
	other := half()
	other.Target.BaseURL, other.Target.Dialect = "https://api.moonshot.cn/v1", bench.Generic()
	other.Touch = func(c *benchtest.Call) { c.Sample.Model = "kimi-k2" }
	for _, c := range []struct {
		vary   string
		fields string
	}{{"", "model endpoint dialect"}, {"model", "endpoint dialect"}, {"endpoint", "model"}, {"model,endpoint", ""}, {" endpoint, model", ""}} {
		vary, err := bench.ParseFactors(c.vary)
		if err != nil {
			t.Fatal(err)
		}
		p := bench.Compare(append(sides(half(), nil), sides(other, nil)...), vary).Pairs[0]
		var fields []string
		for _, m := range p.Mismatches {
			fields = append(fields, m.Field)
		}
		if got := strings.Join(fields, " "); got != c.fields {
			t.Errorf("--vary %q: mismatches %q, want %q", c.vary, got, c.fields)
		}
		per1K := slices.ContainsFunc(p.Figures, func(f bench.Contrast) bool { return f.Metric == bench.MetricTTFTPer1K })
		if per1K != (c.fields == "") {
			t.Errorf("--vary %q: TTFT per 1,000 prompt tokens is there: %v", c.vary, per1K)
		}
	}
}

func TestOtherFactorsCannotBeVaried(t *testing.T) {
	if _, err := bench.ParseFactors("model,moon"); err == nil || !strings.Contains(err.Error(), "moon") {
		t.Errorf("error %v", err)
	}
}

func TestSeveralRunsAreEachComparedWithTheFirst(t *testing.T) {
	runs := append(sides(half(), nil), sides(half(), later(5*time.Millisecond))...)
	runs = append(runs, sides(half(), func(r *bench.Record, _ *bench.Result) { r.Header.Host.CPUs = 1 })...)
	c := bench.Compare(runs, nil)
	if len(c.Pairs) != 2 || c.Comparable || !c.Pairs[0].Comparable || c.Pairs[1].Comparable || c.Pairs[1].A != "A" || c.Pairs[1].B != "C" {
		t.Errorf("pairs %+v", c.Pairs)
	}
}

// The more is compared, the wider the intervals.
func TestMorePairsHaveWiderIntervals(t *testing.T) {
	other := half()
	other.Spec.Seed = 8
	two := bench.Compare(append(sides(half(), nil), sides(other, nil)...), nil)
	three := bench.Compare(append(append(sides(half(), nil), sides(other, nil)...), sides(other, nil)...), nil)
	width := func(c bench.Comparison) float64 {
		d := figure(t, &c.Pairs[0], bench.MetricTTFT, "avg").Difference
		return d.High - d.Low
	}
	if narrow, wide := width(two), width(three); wide < 1.05*narrow {
		t.Errorf("one pair %.4f ms, two pairs %.4f ms", narrow, wide)
	}
}

func TestSweepsAreComparedLoadByLoad(t *testing.T) {
	sweep := func(loads ...int) []bench.Side {
		run := half()
		record := run.Record()
		base := record.Samples
		record.Samples = nil
		for i, concurrency := range loads {
			record.Header.Points = append(record.Header.Points, bench.Point{MaxConcurrency: concurrency})
			for _, s := range base {
				at := *s
				at.Point = i + 1
				record.Samples = append(record.Samples, &at)
			}
		}
		return bench.Sides(record, run.Result(record))
	}
	c := bench.Compare(append(sweep(5, 6), sweep(5, 6)...), nil)
	if len(c.Pairs) != 2 || c.Pairs[1].Load == nil || c.Pairs[1].Load.MaxConcurrency != 6 || figure(t, &c.Pairs[1], bench.MetricTTFT, "avg").NA != 100 {
		t.Errorf("pairs %+v", c.Pairs)
	}
	c = bench.Compare(append(sweep(5, 6), sweep(5, 8)...), nil)
	if len(c.Pairs) != 1 || c.Comparable || c.Pairs[0].Mismatches[0] != (bench.Mismatch{Field: "loads", A: "5, 6", B: "5, 8"}) {
		t.Errorf("pairs %+v", c.Pairs)
	}
}
