package server

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

func TestReportsArePackedBesideTheRunsOrWhereTheUserSays(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{})
	prefix, connectivity := b.call("run_prefix", b.quick()), b.call("run_connectivity", b.args())
	ids := []string{prefix.str("run_id"), connectivity.str("run_id")}
	a := b.call("package_reports", map[string]any{"run_ids": ids})
	path := a.str("zip_path")
	info, err := os.Stat(path)
	check(t, err)
	if !a.yes("ok") || !a.yes("simulated") || filepath.Dir(path) != b.reports || a.num("bytes") != float64(info.Size()) || a.num("files") < 10 || !strings.HasPrefix(a.str("summary"), "SIMULATED") {
		t.Errorf("it gave %s", a.text)
	}
	refuseKey(t, path)
	named := filepath.Join(b.home, "给客户经理", "baseline.zip")
	a = b.call("package_reports", map[string]any{"run_ids": ids[:1], "output_file": filepath.Join("给客户经理", "baseline.zip")})
	if a.str("zip_path") != named {
		t.Errorf("a file that was named gave %s", a.text)
	}
	if _, err := os.Stat(named); err != nil {
		t.Error(err)
	}
}

// refuseKey finds fault with a zip of which a file holds the key.
func refuseKey(t *testing.T, path string) {
	t.Helper()
	zip, err := zip.OpenReader(path)
	check(t, err)
	defer func() { check(t, zip.Close()) }()
	for _, f := range zip.File {
		text, err := fs.ReadFile(zip, f.Name)
		check(t, err)
		if bytes.Contains(text, []byte(canary[:12])) || bytes.Contains(text, []byte(base64.StdEncoding.EncodeToString([]byte(canary)))) {
			t.Errorf("%s holds the key", f.Name)
		}
	}
	if len(zip.File) < 10 {
		t.Errorf("the zip has %d files", len(zip.File))
	}
}

func TestAPathIsOneWordForAShell(t *testing.T) {
	for path, want := range map[string]string{"/tmp/run": "/tmp/run", "/tmp/报告 1": "'/tmp/报告 1'", "/tmp/it's": `'/tmp/it'\''s'`, "/tmp/$(id)": "'/tmp/$(id)'"} {
		if got := shellWord(path); got != want {
			t.Errorf("%s became %s, want %s", path, got, want)
		}
	}
}

func TestNoZipIsWrittenOfWhatMustNotLeaveOrCanNot(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{})
	run := b.call("run_prefix", b.quick())
	ids := []string{run.str("run_id")}
	for _, c := range []struct {
		args map[string]any
		code string
		says string
	}{
		{map[string]any{"run_ids": []string{"prefix_20260131_093000"}}, "unknown_run", "list_runs"},
		{map[string]any{"run_ids": []string{}}, invalidArgument, "run_ids must be a list of 1 to 20 texts"},
		{map[string]any{"run_ids": []any{1}}, invalidArgument, "run_ids must be a list of 1 to 20 texts"},
		{map[string]any{"run_ids": ids, "output_file": "/etc/passwd"}, invalidArgument, "ends in .zip"},
	} {
		if a := b.call("package_reports", c.args); !a.isError || a.code() != c.code || !strings.Contains(a.text, c.says) {
			t.Errorf("%v gave %s", c.args, a.text)
		}
	}
	skill := filepath.Join(b.home, "skills", "llm-bench")
	check(t, os.MkdirAll(skill, 0o755))
	check(t, os.WriteFile(filepath.Join(skill, "SKILL.md"), []byte("---\nname: llm-bench\n---\n"), 0o644))
	check(t, os.WriteFile(filepath.Join(b.home, "file"), nil, 0o644))
	for _, file := range []string{filepath.Join(skill, "out", "a.zip"), filepath.Join(b.home, "file", "a.zip")} {
		if a := b.call("package_reports", map[string]any{"run_ids": ids, "output_file": file}); !a.isError || a.code() != invalidArgument || !strings.HasPrefix(a.str("summary"), "output_file: ") || !strings.Contains(a.str("next_step"), "a folder that can be written") {
			t.Errorf("%s gave %s", file, a.text)
		}
	}
	note := filepath.Join(run.str("run_dir"), "note.txt")
	check(t, os.WriteFile(note, []byte("Authorization: Bearer "+canary+"\n"), 0o644))
	if a := b.call("package_reports", map[string]any{"run_ids": ids}); !a.isError || a.code() != "secret_found" || !strings.Contains(a.text, "note.txt") || strings.Contains(a.text, canary) {
		t.Errorf("with a secret it gave %s", a.text)
	}
	check(t, os.Remove(note))
	check(t, os.WriteFile(run.str("report_md"), []byte("better figures\n"), 0o644))
	// A run of another version is rendered again; this one is of the same.
	b.deps.Version = programVersion(t, run.str("run_dir"))
	a := b.call("package_reports", map[string]any{"run_ids": ids})
	if e, _ := a.fields["error"].(map[string]any); !a.isError || a.code() != "report_changed" || e["fix_command"] != "llm-bench report '"+run.str("run_dir")+"'" {
		t.Errorf("with a changed report it gave %s", a.text)
	}
	if zips, _ := filepath.Glob(filepath.Join(b.reports, "*.zip")); len(zips) != 0 {
		t.Errorf("it left %v", zips)
	}
}

// programVersion is the version that a run was measured with.
func programVersion(t *testing.T, dir string) string {
	t.Helper()
	record, err := rundir.Open(dir)
	check(t, err)
	return record.Header.Tool.Version
}

func TestARunThatGoesOnIsNeitherPackedNorCompared(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{sim: slowSim()})
	ended := b.call("run_connectivity", b.args())
	going := b.call("run_prefix", b.slow("wait_seconds", 0))
	for _, name := range []string{"package_reports", "compare_runs"} {
		a := b.call(name, map[string]any{"run_ids": []string{ended.str("run_id"), going.str("run_id")}})
		if !a.isError || a.code() != "run_going_on" || !strings.Contains(a.str("next_step"), `get_run with run_id="`+going.str("run_id")+`"`) {
			t.Errorf("%s gave %s", name, a.text)
		}
	}
}

// made puts a run that never took place where the server finds it.
func (b *bed) made(run *benchtest.Run) (runID string) {
	b.t.Helper()
	record := run.Record()
	dir, err := rundir.Create(b.deps.Index, b.reports, run.Spec.Scenario, benchtest.Began())
	check(b.t, err)
	journal, err := rundir.Begin(dir.Path, &record.Header)
	check(b.t, err)
	for _, s := range record.Samples {
		check(b.t, journal.Attempt(s))
	}
	check(b.t, journal.End(record.Finish))
	check(b.t, journal.Close())
	check(b.t, rundir.WriteState(dir.Path, &rundir.State{RunID: dir.RunID, Scenario: run.Spec.Scenario, State: bench.StateSucceeded}))
	return dir.RunID
}

func TestRunsOfEqualParametersAreComparedFigureByFigure(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{})
	slower := benchtest.New(bench.Prefix, bench.Standard, "en")
	slower.Touch = func(c *benchtest.Call) { c.TTFT = 300 * time.Millisecond }
	ids := []string{b.made(benchtest.New(bench.Prefix, bench.Standard, "en")), b.made(slower)}
	a := b.call("compare_runs", map[string]any{"run_ids": ids})
	differences, _ := a.fields["differences"].([]any)
	if a.isError || !a.yes("comparable") || !a.yes("ok") || len(differences) < 8 || !strings.HasPrefix(a.str("summary"), "Comparable. A difference is shown in") {
		t.Fatalf("it gave %s", a.text)
	}
	if text := a.str("report_excerpt"); strings.Count(text, "\n") < len(differences) || !strings.Contains(text, ids[1]) {
		t.Errorf("the text is\n%s", text)
	}
	for _, entry := range differences {
		d := entry.(map[string]any)
		metric, low, high := d["metric"].(string), d["low"].(float64), d["high"].(float64)
		if none := low <= 0 && high >= 0; d["pair"] != "B against A" || low > high || none != (d["verdict"] == noDifference) {
			t.Errorf("a figure is %v", d)
		}
		if want := strings.HasPrefix(metric, "ttft_ms"); want != (d["verdict"] == "A is better") && !strings.HasPrefix(metric, "e2e_ms") && !strings.HasPrefix(metric, "output") {
			t.Errorf("a figure is %v", d)
		}
		if a, diff := d["a"].(float64), d["diff"].(float64); metric == "ttft_ms avg" && (d["b"] != 300.0 || diff < 300-a-0.001 || diff > 300-a+0.001 || low >= diff || high <= diff) {
			t.Errorf("300 ms instead of %v came to %v", a, d)
		}
	}
}

func TestRunsOfOtherParametersAreNotComparedAndNoWinnerIsNamed(t *testing.T) {
	t.Parallel()
	b := newBed(t, options{})
	one := b.call("run_prefix", b.quick("seed", 7))
	two := b.call("run_prefix", b.quick("seed", 7, "max_output_tokens", 8, "model", "doubao-seed-2-0-lite-260428"))
	ids := []string{one.str("run_id"), two.str("run_id")}
	a := b.call("compare_runs", map[string]any{"run_ids": ids})
	if a.isError || a.yes("ok") || a.yes("comparable") || a.fields["comparable"] == nil || a.fields["differences"] != nil ||
		!strings.Contains(a.str("summary"), "max_output_tokens (4 / 8)") || !strings.Contains(a.str("summary"), "model (") {
		t.Errorf("it gave %s", a.text)
	}
	a = b.call("compare_runs", map[string]any{"run_ids": ids, "vary": "model"})
	if a.yes("comparable") || strings.Contains(a.str("summary"), "model (") {
		t.Errorf("where the model is the question it gave %s", a.text)
	}
	if a := b.call("compare_runs", map[string]any{"run_ids": ids[:1]}); !a.isError || a.code() != invalidArgument {
		t.Errorf("one run gave %s", a.text)
	}
	if a := b.call("compare_runs", map[string]any{"run_ids": []string{ids[0], "prefix_20260131_093000"}}); !a.isError || a.code() != "unknown_run" || !strings.Contains(a.str("next_step"), "list_runs") {
		t.Errorf("an unknown run gave %s", a.text)
	}
	if a := b.call("compare_runs", map[string]any{"run_ids": ids, "vary": "weather"}); !a.isError || a.code() != invalidArgument {
		t.Errorf("an unknown factor gave %s", a.text)
	}
}

func TestAComparisonOfManyRunsStaysSmall(t *testing.T) {
	c := &bench.Comparison{Comparable: true}
	for _, name := range []string{"B", "C", "D", "E", "F", "G", "H"} {
		c.Sides = append(c.Sides, bench.Side{Name: name, RunID: "prefix_20260131_093000", Label: strings.Repeat("长", 100)})
		p := bench.Pair{A: "A", B: name, Comparable: true, Remarks: []bench.Mismatch{{Field: "inputs", A: strings.Repeat("a", 500), B: strings.Repeat("b", 500)}}}
		for range 14 {
			p.Figures = append(p.Figures, bench.Contrast{Metric: bench.MetricTTFTPer1K, Statistic: "p50", A: 123.4567, B: 234.5678, Shown: true, Better: name, Difference: bench.Estimate{Value: 1.23456, Low: 1.1, High: 2.22222}})
		}
		c.Pairs = append(c.Pairs, p)
	}
	r := compareOf(c)
	result, err := success(r)
	if err != nil || len(mustJSON(t, result.StructuredContent)) > maxResult || len(r.Differences) < 14 || len(r.Warnings) != 1 {
		t.Errorf("it has %d bytes with %d differences, warnings %v, %v", len(mustJSON(t, result.StructuredContent)), len(r.Differences), r.Warnings, err)
	}
}

func TestAFilesAddressIsOneOnEverySystem(t *testing.T) {
	for path, want := range map[string]string{
		"/home/u/报告 1/ttft.png": "file:///home/u/%E6%8A%A5%E5%91%8A%201/ttft.png", "C:/runs/ttft.png": "file:///C:/runs/ttft.png",
	} {
		if got := fileURI(path); got != want {
			t.Errorf("of %s it is %s, want %s", path, got, want)
		}
	}
}
