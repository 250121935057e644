package report

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
)

// small is a quick run with its result.
func small(scenario bench.Scenario) (*bench.Record, *bench.Result) {
	run := benchtest.New(scenario, bench.Quick, "en")
	record := run.Record()
	return record, run.Result(record)
}

// drawOne draws one chart and leaves one out.
func drawOne(_ context.Context, _ *bench.Result, _ *bench.Record, dir string) (drawn, skipped []string) {
	path := filepath.Join(dir, "timeline.png")
	if err := os.WriteFile(path, []byte("png"), 0o600); err != nil {
		return nil, []string{err.Error()}
	}
	return []string{path}, []string{"hits: left out | because"}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestARenderingLeavesItsFilesAndNamesThem(t *testing.T) {
	dir := t.TempDir()
	record, result := small(bench.Prefix)
	if err := os.WriteFile(filepath.Join(dir, journalFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := render(t.Context(), dir, record, result, drawOne); err != nil {
		t.Fatal(err)
	}
	var written bench.Result
	if err := json.Unmarshal([]byte(read(t, dir, ResultFile)), &written); err != nil {
		t.Fatal(err)
	}
	want := bench.Files{
		ReportMD: filepath.Join(dir, MarkdownFile), ReportHTML: filepath.Join(dir, HTMLFile), ResultJSON: filepath.Join(dir, ResultFile), RequestsCSV: filepath.Join(dir, CSVFile),
		RequestsJSONL: filepath.Join(dir, journalFile), Charts: []string{filepath.Join(dir, "timeline.png")},
	}
	got := written.Files
	if !slices.Equal(got.Charts, want.Charts) || got.ReportMD != want.ReportMD || got.RequestsJSONL != want.RequestsJSONL || got.RequestsCSV != want.RequestsCSV || got.RunLog != "" || got.ReportHTML != want.ReportHTML {
		t.Errorf("files are %+v, want %+v", got, want)
	}
	page := read(t, dir, MarkdownFile)
	for _, part := range []string{"![Timeline of the run](timeline.png)", `- hits: left out \| because`} {
		if !strings.Contains(page, part) {
			t.Errorf("report.md lacks %q", part)
		}
	}
	if names, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(names) > 0 {
		t.Errorf("left behind: %v %v", names, err)
	}
}

func TestASecondRenderingGivesTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	var before []string
	for range 2 {
		record, result := small(bench.Multiturn)
		if err := render(t.Context(), dir, record, result, drawOne); err != nil {
			t.Fatal(err)
		}
		now := []string{read(t, dir, ResultFile), read(t, dir, MarkdownFile), read(t, dir, CSVFile), read(t, dir, HTMLFile)}
		if before != nil && !slices.Equal(before, now) {
			t.Error("the second rendering differs from the first")
		}
		before = now
	}
}

func TestChartsThatPanicCostOnlyThemselves(t *testing.T) {
	dir := t.TempDir()
	record, result := small(bench.Prefix)
	broken := func(context.Context, *bench.Result, *bench.Record, string) ([]string, []string) { panic("NaN") }
	if err := render(t.Context(), dir, record, result, broken); err != nil {
		t.Fatal(err)
	}
	if page := read(t, dir, MarkdownFile); !strings.Contains(page, "No charts: drawing failed.") {
		t.Error("report.md doesn't say why there is no chart")
	}
}

func TestChartsThatHangAreLeftOutAfterTenSeconds(t *testing.T) {
	dir := t.TempDir()
	record, result := small(bench.Prefix)
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		began := time.Now()
		hanging := func(context.Context, *bench.Result, *bench.Record, string) ([]string, []string) {
			if read(t, dir, MarkdownFile) == "" || read(t, dir, ResultFile) == "" || read(t, dir, CSVFile) == "" || read(t, dir, HTMLFile) == "" {
				t.Error("a chart is drawn before the documents are written")
			}
			<-release
			return nil, nil
		}
		if err := render(t.Context(), dir, record, result, hanging); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != drawingTime {
			t.Errorf("took %v, want %v", took, drawingTime)
		}
	})
	if page := read(t, dir, MarkdownFile); !strings.Contains(page, "No charts: drawing took longer than 10.0 s.") {
		t.Error("report.md doesn't say why there is no chart")
	}
}

func TestAFolderThatCannotBeWrittenIsNamed(t *testing.T) {
	record, result := small(bench.Prefix)
	missing := filepath.Join(t.TempDir(), "gone")
	err := Render(t.Context(), missing, record, result)
	if err == nil || !strings.Contains(err.Error(), filepath.Join(missing, ResultFile)) {
		t.Errorf("error is %v, want one that names the file", err)
	}
}

func TestOneTokenAnswersGiveValidJSONWithoutTPOT(t *testing.T) {
	t.Parallel()
	run := benchtest.New(bench.Prefix, bench.Quick, "en")
	run.Touch = func(c *benchtest.Call) { c.Output = 1 }
	record := run.Record()
	result := run.Result(record)
	dir := t.TempDir()
	if err := Render(t.Context(), dir, record, result); err != nil {
		t.Fatal(err)
	}
	if document := read(t, dir, ResultFile); !json.Valid([]byte(document)) || !strings.Contains(document, "\"tpot_ms\": {\n          \"n\": 0\n        }") {
		t.Error("result.json isn't valid, or has a TPOT")
	}
	if page := read(t, dir, MarkdownFile); !strings.Contains(page, "| **TPOT** per output token (ms) | 0 | n/a | n/a | n/a |") {
		t.Error("report.md doesn't say that TPOT is unknown")
	}
}

func TestTheSpreadsheetListsEveryAttempt(t *testing.T) {
	run := benchtest.New(bench.Prefix, bench.Quick, "en")
	run.Touch = benchtest.Only([]int{2}, func(c *benchtest.Call) {
		c.Fail, c.Failure = bench.FailServerError, &bench.Failure{Status: 500, Code: "=HYPERLINK(1)", Message: "a \"quoted\",\nbroken line"}
	})
	data, err := requestsCSV(run.Record())
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(data), byteOrderMark))).ReadAll()
	if err != nil || len(rows) != 7 {
		t.Fatalf("%d rows, %v; want a head and 6", len(rows), err)
	}
	cell := func(row int, name string) string { return rows[row][slices.Index(rows[0], name)] }
	for _, c := range []struct {
		row        int
		name, want string
	}{
		{1, "outcome", "succeeded"}, {1, "cached_tokens", "0"}, {1, "output_tokens", "64"}, {1, "started", "2026-07-28T10:00:00.000+08:00"},
		{2, "outcome", "server_error"}, {2, "ttft_ms", ""}, {2, "output_tokens", ""}, {2, "http_status", "500"},
		{2, "error_code", "'=HYPERLINK(1)"}, {2, "error_message", `a "quoted", broken line`},
	} {
		if got := cell(c.row, c.name); got != c.want {
			t.Errorf("row %d, %s is %q, want %q", c.row, c.name, got, c.want)
		}
	}
}
