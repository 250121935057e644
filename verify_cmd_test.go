package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// packed makes a run against the stand-in endpoint and packs it.
func packed(t *testing.T, args ...string) (dir, file string) {
	t.Helper()
	folder := t.TempDir()
	c := call(append(args, "--sim", "--preset", "quick", "--sim-tpot-ms", "1", "--sim-ttft-ms", "2", "--lang", "en", "--output-dir", folder)...)
	if c.code != exitDone {
		t.Fatalf("exit code %d\n%s", c.code, c.err)
	}
	file = filepath.Join(folder, "b.zip")
	if c := call("package", theRun(folder), "-o", file); c.code != exitDone {
		t.Fatalf("exit code %d\n%s", c.code, c.err)
	}
	return theRun(folder), file
}

// contents are the files of a zip by their names below the run's folder; the
// manifest has its own.
func contents(t *testing.T, file string) (run string, files map[string]string) {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files = map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		folder, name, nested := strings.Cut(f.Name, "/")
		if !nested {
			name = folder
		} else {
			run = folder
		}
		files[name] = string(text)
	}
	return run, files
}

// rezipped writes files as a bundle, with the manifest as it stands or forged
// to match them.
func rezipped(t *testing.T, run string, files map[string]string, forged bool) string {
	t.Helper()
	if forged {
		files[rundir.ManifestFile] = forge(t, run, files)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		if name != rundir.ManifestFile {
			name = run + "/" + name
		}
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "forged.zip")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func forge(t *testing.T, run string, files map[string]string) string {
	t.Helper()
	var m rundir.Manifest
	if err := json.Unmarshal([]byte(files[rundir.ManifestFile]), &m); err != nil {
		t.Fatal(err)
	}
	m.Files = nil
	for name, text := range files {
		if name != rundir.ManifestFile {
			sum := sha256.Sum256([]byte(text))
			m.Files = append(m.Files, rundir.BundledFile{Path: run + "/" + name, Bytes: int64(len(text)), SHA256: hex.EncodeToString(sum[:])})
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// verified is what verify says of a zip.
func verified(t *testing.T, file string) (called, job.Verified) {
	t.Helper()
	c := call("verify", file, "--json")
	var v job.Verified
	if err := json.Unmarshal([]byte(c.out), &v); err != nil {
		t.Fatalf("%v\n%s%s", err, c.out, c.err)
	}
	return c, v
}

// otherDigit changes the n-th digit that follows a text, from 0.
func otherDigit(t *testing.T, text, after string, n int) string {
	t.Helper()
	from := strings.Index(text, after) + len(after)
	if from < len(after) {
		t.Fatalf("%q isn't there", after)
	}
	at := regexp.MustCompile(`\d`).FindAllStringIndex(text[from:], n+1)[n][0] + from
	return text[:at] + string('0'+(text[at]-'0'+1)%10) + text[at+1:]
}

// otherEvent changes the time of one event in the middle of a stream, and
// takes the change back in the next, so that only one event is another.
func otherEvent(t *testing.T, journal string) string {
	t.Helper()
	column := regexp.MustCompile(`"t":"([^"]*)"`).FindAllStringSubmatchIndex(journal, -1)[0]
	var events bench.Events
	from, to := column[0]-1, strings.Index(journal[column[0]:], "}")+column[0]+1
	if err := json.Unmarshal([]byte(journal[from:to]), &events); err != nil {
		t.Fatal(err)
	}
	events[len(events)/2].At += 1000 // ns
	text, err := json.Marshal(events)
	if err != nil {
		t.Fatal(err)
	}
	return journal[:from] + string(text) + journal[to:]
}

// without drops the n-th attempt, from 0.
func without(journal string, n int) string {
	lines := strings.SplitAfter(journal, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		if !strings.HasPrefix(line, `{"kind":"attempt"`) {
			return false
		}
		n--
		return n == -1
	}), "")
}

// tampering is one change of a bundle, and where it must be named.
type tampering struct {
	name   string
	file   string
	change func(t *testing.T, text string) string
	named  string // file in which a mismatch is named though the manifest is forged
	place  string // and where
}

func tamperings() []tampering {
	digit := func(after string, n int) func(*testing.T, string) string {
		return func(t *testing.T, text string) string { return otherDigit(t, text, after, n) }
	}
	return []tampering{
		{"a digit of the report", "report.md", digit("## 2.", 3), "report.md", "line "},
		{"a digit of the page", "report.html", digit("TTFT", 0), "report.html", "line "},
		{"a digit of the table", "requests.csv", digit("succeeded", 8), "requests.csv", "line 2"},
		{"a digit of the result", "result.json", digit(`"ttft_ms": {`, 1), "result.json", "targets[0].summary.ttft_ms"},
		{"another state", "result.json", func(_ *testing.T, text string) string {
			return strings.Replace(text, `"state": "succeeded"`, `"state": "canceled"`, 1)
		}, "result.json", "state"},
		{"no longer simulated", "result.json", func(_ *testing.T, text string) string {
			return strings.Replace(text, `"simulated": true`, `"simulated": false`, 1)
		}, "result.json", "simulated"},
		{"an event", "requests.jsonl", otherEvent, "result.json", "journal_sha256"},
		{"a mark", "requests.jsonl", digit(`"first_token_ms":`, 1), "requests.jsonl", "session 1 turn 1"},
		{"a token count", "requests.jsonl", digit(`"prompt_tokens":`, 0), "result.json", "targets[0].summary.prompt_tokens"},
		{"a missing line", "requests.jsonl", func(_ *testing.T, text string) string { return without(text, 0) }, "result.json", "targets[0].summary.requests"},
	}
}

func TestEveryTamperingIsNamedAlsoWhenTheManifestIsForged(t *testing.T) {
	alone(t)
	_, file := packed(t, "connectivity")
	run, files := contents(t, file)
	for _, c := range tamperings() {
		for _, forged := range []bool{false, true} {
			changed := copied(files)
			changed[c.file] = c.change(t, files[c.file])
			if changed[c.file] == files[c.file] {
				t.Fatalf("%s: nothing was changed", c.name)
			}
			got, v := verified(t, rezipped(t, run, changed, forged))
			if got.code != exitFailed || v.OK {
				t.Errorf("%s, forged %v: exit code %d, ok %v", c.name, forged, got.code, v.OK)
			}
			names := func(file, place, fault string) bool {
				return slices.ContainsFunc(v.Mismatches, func(m job.Mismatch) bool {
					return m.File == run+"/"+file && strings.HasPrefix(m.Place, place) && strings.Contains(m.Fault, fault)
				})
			}
			if !names(c.named, c.place, "") {
				t.Errorf("%s, forged %v: %s %s isn't named in %v", c.name, forged, c.named, c.place, v.Mismatches)
			}
			if hashed := names(c.file, "", "changed after packing"); hashed == forged {
				t.Errorf("%s, forged %v: the hash is named: %v", c.name, forged, hashed)
			}
		}
	}
}

func copied(files map[string]string) map[string]string {
	own := map[string]string{}
	for name, text := range files {
		own[name] = text
	}
	return own
}

func TestChangedMissingAndStrangeChartsAreNamed(t *testing.T) {
	alone(t)
	_, file := packed(t, "prefix")
	run, files := contents(t, file)
	chart := "timeline.png"
	pixels := []byte(files[chart])
	pixels[len(pixels)/2]++
	changed := copied(files)
	changed[chart], changed["extra.png"] = string(pixels), "x"
	changed["requests.jsonl"] = without(files["requests.jsonl"], 3)
	delete(changed, "latency_distribution.png")
	got, v := verified(t, rezipped(t, run, changed, true))
	var all []string
	for _, m := range v.Mismatches {
		all = append(all, m.String())
	}
	for _, want := range []string{"timeline.png: is not the chart", "extra.png: is no part of the report", "latency_distribution.png: is missing: the journal",
		"targets[0].summary.requests.succeeded: differs: it says \"6\", requests.jsonl gives \"5\"", "report.md line", "requests.csv line"} {
		if got.code != exitFailed || !strings.Contains(strings.Join(all, "\n"), want) {
			t.Errorf("exit code %d, %q isn't among\n%s", got.code, want, strings.Join(all, "\n"))
		}
	}
}

func TestFilesThatTheManifestDoesNotKnowAreNamed(t *testing.T) {
	alone(t)
	_, file := packed(t, "connectivity")
	run, files := contents(t, file)
	delete(files, "requests.csv")
	files["extra.png"] = "x"
	got, v := verified(t, rezipped(t, run, files, false))
	for _, want := range []string{"requests.csv: is missing from the zip", "extra.png: is not in the manifest"} {
		if got.code != exitFailed || !strings.Contains(fmt.Sprint(v.Mismatches), want) {
			t.Errorf("exit code %d, %q isn't in %v", got.code, want, v.Mismatches)
		}
	}
}

func TestAManifestThatLiesOfItsRunsIsNamed(t *testing.T) {
	alone(t)
	_, file := packed(t, "connectivity")
	run, files := contents(t, file)
	for what, change := range map[string][2]string{
		"simulated":              {`"simulated": true`, `"simulated": false`},
		run:                      {`"state": "succeeded"`, `"state": "failed"`},
		"can't be read":          {`{`, `[`},
		"the run is not listed":  {`"run_id": "`, `"run_id": "x`},
		"is missing from the":    {`/report.md"`, `/report2.md"`},
		"was changed after pack": {`"sha256": "`, `"sha256": "0`},
	} {
		changed := copied(files)
		changed[rundir.ManifestFile] = strings.Replace(files[rundir.ManifestFile], change[0], change[1], 1)
		got, v := verified(t, rezipped(t, run, changed, false))
		if got.code != exitFailed || !strings.Contains(fmt.Sprint(v.Mismatches), what) {
			t.Errorf("%s: exit code %d, %v", what, got.code, v.Mismatches)
		}
	}
}

func TestUnderAnotherVersionTheNumbersAreComputedAgain(t *testing.T) {
	alone(t)
	_, file := packed(t, "connectivity")
	run, files := contents(t, file)
	files[rundir.ManifestFile] = strings.Replace(files[rundir.ManifestFile], `"version": "`+version, `"version": "9.`+version, 1)
	files["report.md"] += "\nA line of that version.\n"
	files["result.json"] = strings.Replace(files["result.json"], `"schema":`, `"new_in_9": 1, "schema":`, 1)
	if got, v := verified(t, rezipped(t, run, files, true)); got.code != exitDone || v.Method != job.MethodRecomputed || !strings.Contains(fmt.Sprint(v.Remarks), "report.md") {
		t.Errorf("exit code %d, method %s, %v %v", got.code, v.Method, v.Mismatches, v.Remarks)
	}
	if c := call("verify", rezipped(t, run, files, true)); !strings.Contains(c.out, "9."+version+" and is checked with "+version) {
		t.Errorf("it doesn't say so:\n%s", c.out)
	}
	files["result.json"] = otherDigit(t, files["result.json"], `"e2e_ms": {`, 1)
	got, v := verified(t, rezipped(t, run, files, true))
	if got.code != exitFailed || len(v.Mismatches) == 0 || !strings.HasPrefix(v.Mismatches[0].Place, "targets[0].summary.e2e_ms") {
		t.Errorf("exit code %d, %v", got.code, v.Mismatches)
	}
}

func TestTheHonestLimitOfACheckIsSaid(t *testing.T) {
	alone(t)
	_, file := packed(t, "connectivity")
	c := call("verify", file)
	for _, says := range []string{"ok: every figure follows", "SIMULATED ENDPOINT", "forged throughout", "1 run, 1 attempt,"} {
		if c.code != exitDone || !strings.Contains(c.out, says) {
			t.Errorf("exit code %d, %q isn't in\n%s", c.code, says, c.out)
		}
	}
}

func TestVerifyTellsAWrongCallFromAMismatch(t *testing.T) {
	alone(t)
	text := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(text, []byte("no zip"), 0o644); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if _, err := z.Create("../../evil"); err != nil {
		t.Fatal(err)
	}
	_ = z.Close()
	evil := filepath.Join(t.TempDir(), "evil.zip")
	if err := os.WriteFile(evil, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{nil, exitUsage, "one ZIP"},
		{[]string{text}, exitUsage, "not a zip"},
		{[]string{text + "x"}, exitUsage, "no such file"},
		{[]string{t.TempDir()}, exitUsage, "not a zip"},
		{[]string{evil}, exitFailed, "../../evil"},
	} {
		if got := call(append([]string{"verify"}, c.args...)...); got.code != c.code || !strings.Contains(got.out+got.err, c.says) {
			t.Errorf("%v: exit code %d, want %d and %q\n%s%s", c.args, got.code, c.code, c.says, got.out, got.err)
		}
	}
}

func TestAForgedVerdictInTheManifestIsNamed(t *testing.T) {
	alone(t)
	_, file := packed(t, "connectivity")
	run, files := contents(t, file)
	var m rundir.Manifest
	if err := json.Unmarshal([]byte(files[rundir.ManifestFile]), &m); err != nil || len(m.Runs) != 1 || len(m.Runs[0].Verdicts) != 1 {
		t.Fatalf("%v: %+v", err, m.Runs)
	}
	honest, forged := string(m.Runs[0].Verdicts[0]), string(bench.Trusted)
	if honest == forged {
		forged = string(bench.Degraded)
	}
	files[rundir.ManifestFile] = strings.Replace(files[rundir.ManifestFile], `"`+honest+`"`, `"`+forged+`"`, 1)
	got, v := verified(t, rezipped(t, run, files, false))
	if got.code != exitFailed || len(v.Mismatches) != 1 || v.Mismatches[0].File != rundir.ManifestFile || v.Mismatches[0].Place != run+" verdicts" {
		t.Errorf("exit code %d, %v", got.code, v.Mismatches)
	}
}
