package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// measured makes a quick run without charts and returns its folder.
func measured(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if c := call("connectivity", "--sim", "--sim-tpot-ms", "1", "--sim-ttft-ms", "2", "--lang", "en", "--label", "org/name:tag", "--output-dir", folder); c.code != exitDone {
		t.Fatalf("exit code %d\n%s", c.code, c.err)
	}
	return theRun(folder)
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = file.WriteString(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
}

func TestAZipIsNamedAfterItsRunsAndAlwaysTheSame(t *testing.T) {
	alone(t)
	dir := measured(t)
	place := t.TempDir()
	t.Chdir(place)
	var zips [][]byte
	for _, arg := range []string{dir, filepath.Dir(dir)} { // a run, and its folder
		c := call("package", arg)
		names, _ := filepath.Glob("*")
		if c.code != exitDone || len(names) != 1 || !strings.HasPrefix(names[0], "llm-bench_org-name-tag_") || !strings.Contains(c.out, filepath.Join(place, names[0])) {
			t.Fatalf("exit code %d, %v\n%s%s", c.code, names, c.out, c.err)
		}
		zips = append(zips, []byte(read(t, names[0])))
		if err := os.Remove(names[0]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(zips[0], zips[1]) {
		t.Error("the same run gives other bytes the second time")
	}
}

func TestTheZipHoldsTheRunAndNothingOfTheMachine(t *testing.T) {
	alone(t)
	dir := measured(t)
	appendTo(t, filepath.Join(dir, "notes.txt"), "mine")
	file := filepath.Join(t.TempDir(), "b.zip")
	c := call("package", dir, "-o", file, "--json")
	var p job.Packed
	if err := json.Unmarshal([]byte(c.out), &p); err != nil || c.code != exitDone || p.File != file || !slices.Equal(p.LeftOut, []string{filepath.Join(filepath.Base(dir), "notes.txt")}) {
		t.Fatalf("exit code %d, %v\n%s%s", c.code, err, c.out, c.err)
	}
	run, files := contents(t, file)
	want := []string{"manifest.json", "report.html", "report.md", "requests.csv", "requests.jsonl", "result.json", "run.log"}
	var names []string
	for name, text := range files {
		names = append(names, name)
		if strings.Contains(text, filepath.Dir(dir)) {
			t.Errorf("%s names the folder of this machine", name)
		}
	}
	slices.Sort(names)
	var result bench.Result
	if err := json.Unmarshal([]byte(files["result.json"]), &result); err != nil || run != filepath.Base(dir) || !slices.Equal(names, want) || result.RunDir != run || result.Files.ReportMD != "report.md" {
		t.Errorf("%v: run %s, files %v, run_dir %s, %+v", err, run, names, result.RunDir, result.Files)
	}
	for _, name := range []string{"report.md", "report.html", "requests.csv", "requests.jsonl", "run.log"} {
		if files[name] != read(t, filepath.Join(dir, name)) {
			t.Errorf("%s is another than in the folder", name)
		}
	}
	verdict := result.Targets[0].Measurement.Verdict
	if len(p.Runs) != 1 || !slices.Equal(p.Runs[0].Verdicts, []bench.Verdict{verdict}) || !strings.Contains(files["manifest.json"], `"verdicts": [`) {
		t.Errorf("the verdict %s is missing in %+v or in\n%s", verdict, p.Runs, files["manifest.json"])
	}
	if said := call("package", dir, "-o", file).out; !strings.Contains(said, run+": succeeded, measurement "+string(verdict)) {
		t.Errorf("state and verdict aren't said:\n%s", said)
	}
	if !strings.Contains(files["manifest.json"], `"simulated": true`) {
		t.Error("the manifest doesn't say that it is simulated")
	}
}

func TestASecretInAnyFileStopsTheZip(t *testing.T) {
	alone(t)
	t.Setenv("OTHER_API_KEY", "0f8c11d2a7-plain-key-of-a-vendor")
	for _, c := range []struct{ file, text, says string }{
		{"run.log", "a\nsaid 0f8c11d2a7-plain-key-of-a-vendor\n", "the key in OTHER_API_KEY"},
		{"requests.jsonl", `{"kind":"note","text":"sk-LEAKTEST-0123456789abcdef"}` + "\n", "API key"},
		{"report.md", "Authorization: Bearer abcdef0123456789\n", "Authorization header"},
		{"notes.txt", "AKLTNjA0ZTQ5ZTQ5ZTQ5\n", "access key"},
		{"state.json", "ark-4f6a2e18-77aa-4f6a-9c01-000000000001\n", "API key"},
	} {
		dir := measured(t)
		path := filepath.Join(dir, c.file)
		before, _ := os.ReadFile(path)
		appendTo(t, path, c.text)
		line := strings.Count(string(before), "\n") + strings.Count(c.text, "\n")
		file := filepath.Join(t.TempDir(), "b.zip")
		got := call("package", dir, "-o", file)
		where := filepath.Join(filepath.Base(dir), c.file) + " line " + itoa(line) + " holds"
		if got.code != exitFailed || !strings.Contains(got.err, where) || !strings.Contains(got.err, c.says) {
			t.Errorf("exit code %d: %q and %q aren't in\n%s", got.code, where, c.says, got.err)
		}
		if strings.Contains(got.out+got.err, strings.TrimSpace(c.text)) || strings.Contains(got.out+got.err, "0f8c11d2a7") {
			t.Errorf("the secret is shown:\n%s", got.err)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s: a zip was written", c.file)
		}
	}
}

func itoa(n int) string { text, _ := json.Marshal(n); return string(text) }

func TestAReportThatIsNotItsJournalsStopsTheZip(t *testing.T) {
	alone(t)
	for _, name := range []string{"report.md", "requests.csv", "result.json", "requests.jsonl"} {
		dir := measured(t)
		path := filepath.Join(dir, name)
		text := read(t, path)
		changed := strings.Replace(text, "succeeded", "succeedeD", 1)
		if name == "requests.jsonl" {
			changed = otherDigit(t, text, `"prompt_tokens":`, 0)
		}
		if changed == text {
			changed = strings.Replace(text, "1", "2", 1)
		}
		if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "b.zip")
		got := call("package", dir, "-o", file)
		if got.code != exitFailed || !strings.Contains(got.err, "llm-bench report "+dir) {
			t.Errorf("%s: exit code %d\n%s", name, got.code, got.err)
		}
		if name == "requests.jsonl" {
			continue // rendering it again would make the forgery the run's own report
		}
		call("report", dir)
		if got := call("package", dir, "-o", file); got.code != exitDone {
			t.Errorf("%s: after rendering: exit code %d\n%s", name, got.code, got.err)
		}
	}
}

func TestARunWithoutAReportIsRenderedIntoTheZip(t *testing.T) {
	alone(t)
	dir := measured(t)
	for _, name := range []string{"report.md", "result.json", "report.html", "state.json"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	renamed := filepath.Join(filepath.Dir(dir), "my run")
	if err := os.Rename(dir, renamed); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "b.zip")
	c := call("package", renamed, "-o", file)
	if c.code != exitDone || !strings.Contains(c.out, "is rendered again in the zip") {
		t.Fatalf("exit code %d\n%s%s", c.code, c.out, c.err)
	}
	if _, err := os.Stat(filepath.Join(renamed, "report.md")); err == nil {
		t.Error("the folder was written to")
	}
	if c := call("verify", file); c.code != exitDone {
		t.Errorf("exit code %d\n%s", c.code, c.out)
	}
}

func TestARunThatGoesOnIsNotPacked(t *testing.T) {
	alone(t)
	dir := measured(t)
	state, err := rundir.ReadState(dir)
	if err != nil {
		t.Fatal(err)
	}
	state.State, state.Process = bench.StateRunning, rundir.ThisProcess()
	if err := rundir.WriteState(dir, state); err != nil {
		t.Fatal(err)
	}
	if c := call("package", dir); c.code != exitFailed || !strings.Contains(c.err, "still goes on") {
		t.Errorf("exit code %d\n%s", c.code, c.err)
	}
	if c := call("resume", dir); c.code != exitFailed || !strings.Contains(c.err, "goes on in process") {
		t.Errorf("exit code %d\n%s", c.code, c.err)
	}
}

func TestPackagingNothingIsAWrongCall(t *testing.T) {
	alone(t)
	for _, args := range [][]string{{"package"}, {"package", t.TempDir()}, {"package", "nowhere"}, {"resume", t.TempDir()}, {"resume"}, {"resume", "a", "b"}} {
		if c := call(args...); c.code != exitUsage {
			t.Errorf("%v: exit code %d\n%s", args, c.code, c.err)
		}
	}
}
