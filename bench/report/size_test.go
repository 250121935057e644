package report

import (
	"testing"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
)

// BenchmarkStandardRun is all that a standard prefix run leaves, from its
// record on: 200 requests with 512 tokens each, some 100,000 events.
func BenchmarkStandardRun(b *testing.B) {
	run := benchtest.New(bench.Prefix, bench.Standard, "zh")
	record := run.Record()
	dir := b.TempDir()
	for b.Loop() {
		result := run.Result(record)
		if err := Render(b.Context(), dir, record, result); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStandardPage is report.html alone.
func BenchmarkStandardPage(b *testing.B) {
	run := benchtest.New(bench.Prefix, bench.Standard, "zh")
	record := run.Record()
	result := run.Result(record)
	size := 0
	for b.Loop() {
		page, err := HTML(result, record)
		if err != nil {
			b.Fatal(err)
		}
		size = len(page)
	}
	b.ReportMetric(float64(size), "bytes/page")
}

func TestThePageOfAThousandRequestsIsUnderAMegabyte(t *testing.T) {
	if n := len(htmlOf(t, benchtest.New(bench.Prefix, bench.Thorough, "zh"), "zh")); n > 1<<20 {
		t.Errorf("the page has %d bytes", n)
	}
}

func TestAPageOfVeryManyRequestsSaysHowManyItLeavesOut(t *testing.T) {
	run := benchtest.New(bench.Prefix, bench.Standard, "en")
	run.Spec.NumRequests, run.Spec.MaxOutputTokens = 2*shownRequests+1, 2
	record := run.Record()
	result := bench.Result{Scenario: bench.Prefix, Spec: run.Spec, Targets: []bench.TargetResult{{Target: run.Target}}}
	l, err := languageOf("en")
	if err != nil {
		t.Fatal(err)
	}
	p := &page{l: l, result: &result, record: record}
	series := p.Blocks()[0].series()
	if shown := len(series[0].Rows.Key); shown > shownRequests || shown+series[0].Left != run.Spec.NumRequests {
		t.Errorf("%d requests are shown and %d left out of %d", shown, series[0].Left, run.Spec.NumRequests)
	}
}
