package job

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// Verified is what checking a bundle came to.
type Verified struct {
	File       string     `json:"file"`
	OK         bool       `json:"ok"`
	Method     Method     `json:"method"`
	PackedWith bench.Tool `json:"packed_with"`
	Version    string     `json:"checked_with"`
	Runs       []string   `json:"runs"`  // names of those that were checked
	Files      int        `json:"files"` // in the bundle, but for the manifest
	Attempts   int        `json:"attempts"`
	Simulated  bool       `json:"simulated"`
	Mismatches []Mismatch `json:"mismatches"`
	Remarks    []string   `json:"remarks"` // differences that another version explains, and what can't be seen
}

// Method is how far a bundle could be checked.
type Method string

// The methods. Under another version the text of a report may be another.
const (
	MethodRendered   Method = "rendered_again" // every file of a report, byte for byte
	MethodTexts      Method = "texts_rendered" // the same version on another platform: all but the pixels of charts
	MethodRecomputed Method = "recomputed"     // another version: the numbers of result.json
	MethodNone       Method = "none"           // the zip was refused, or holds no manifest
)

// Mismatch is one thing in a bundle that is not as it must be.
type Mismatch struct {
	File  string `json:"file"`            // in the bundle; "" for the bundle as a whole
	Place string `json:"place,omitempty"` // line, or name of the field
	Fault string `json:"fault"`
	Says  string `json:"says,omitempty"`  // what stands there
	Gives string `json:"gives,omitempty"` // what requests.jsonl gives
}

// String is the mismatch in one line.
func (m Mismatch) String() string {
	text := strings.TrimSpace(m.File + " " + m.Place)
	if text != "" {
		text += ": "
	}
	text += m.Fault
	if m.Says != "" || m.Gives != "" {
		text += fmt.Sprintf(": it says %q, %s gives %q", m.Says, rundir.JournalFile, m.Gives)
	}
	return text
}

// beyond is what no check of a bundle can see.
const beyond = "A journal that was forged throughout, with every mark, event and count in agreement, can't be told from a true one: " +
	"the bundle shows that the report follows from the journal, not that the requests took place. Request ids let the provider look them up."

// Verify checks a bundle with this program, of the given version: hashes, and
// every figure against the journals. The error is that the bundle could not be
// looked at, such as [rundir.ErrNoBundle]; all else is in the mismatches.
func Verify(ctx context.Context, version, file string) (*Verified, error) {
	place, err := os.MkdirTemp("", "llm-bench-verify-*")
	if err != nil {
		return nil, fmt.Errorf("verify: %w", err)
	}
	defer func() { _ = os.RemoveAll(place) }()
	v := verifier{place: place, Verified: Verified{
		File: file, Version: version, Method: MethodNone, Runs: []string{}, Mismatches: []Mismatch{}, Remarks: []string{},
	}}
	bundle, err := rundir.Unpack(file, filepath.Join(place, "bundle"))
	var unsafe *rundir.BundleError
	switch {
	case errors.As(err, &unsafe):
		v.note(Mismatch{File: unsafe.Entry, Fault: "the zip was refused: " + unsafe.Fault})
		return &v.Verified, nil
	case err != nil:
		return nil, err
	}
	v.check(ctx, bundle)
	v.OK = len(v.Mismatches) == 0
	v.Remarks = append(v.Remarks, beyond)
	return &v.Verified, nil
}

// verifier checks one bundle, which is unpacked in place/bundle.
type verifier struct {
	Verified
	place    string
	manifest *rundir.Manifest
}

// most bounds what is told of one file.
const most = 20

func (v *verifier) note(m Mismatch) { v.Mismatches = append(v.Mismatches, m) }

func (v *verifier) remark(format string, args ...any) {
	v.Remarks = append(v.Remarks, fmt.Sprintf(format, args...))
}

func (v *verifier) check(ctx context.Context, bundle *rundir.Unpacked) {
	v.manifest, v.Files = bundle.Manifest, len(bundle.Files)
	if v.manifest == nil {
		v.note(Mismatch{File: rundir.ManifestFile, Fault: bundle.Fault})
		v.manifest = &rundir.Manifest{}
	} else {
		v.hashes(bundle.Files)
	}
	v.PackedWith = v.manifest.Tool
	v.Method = v.method()
	for _, name := range runsOf(bundle.Files, v.manifest) {
		v.run(ctx, name)
	}
	if len(v.Runs) == 0 {
		v.note(Mismatch{Fault: "there is no run in it"})
	}
	if v.manifest.Simulated != v.Simulated && bundle.Manifest != nil {
		v.note(Mismatch{File: rundir.ManifestFile, Place: "simulated", Fault: "is wrong", Says: fmt.Sprint(v.manifest.Simulated), Gives: fmt.Sprint(v.Simulated)})
	}
}

// method is how far the bundle can be checked.
func (v *verifier) method() Method {
	m := v.manifest
	switch {
	case m.Tool.Version != v.Version:
		return MethodRecomputed
	case m.Tool.Go != runtime.Version() || m.Platform != platform():
		return MethodTexts
	}
	return MethodRendered
}

// hashes holds what the zip contains against the manifest.
func (v *verifier) hashes(files []rundir.BundledFile) {
	there := map[string]rundir.BundledFile{}
	for _, f := range files {
		there[f.Path] = f
	}
	listed := map[string]bool{}
	for _, want := range v.manifest.Files {
		got, found := there[want.Path]
		path := bench.Clean(want.Path, 200)
		switch {
		case listed[want.Path]:
			v.note(Mismatch{File: rundir.ManifestFile, Place: path, Fault: "is listed twice"})
		case !found:
			v.note(Mismatch{File: path, Fault: "is missing from the zip"})
		case got.SHA256 != want.SHA256 || got.Bytes != want.Bytes:
			v.note(Mismatch{File: path, Fault: fmt.Sprintf("was changed after packing: its SHA-256 is %s, the manifest has %s", got.SHA256, bench.Clean(want.SHA256, 80))})
		}
		listed[want.Path] = true
	}
	for _, f := range files {
		if !listed[f.Path] {
			v.note(Mismatch{File: f.Path, Fault: "is not in the manifest"})
		}
	}
}

// runsOf are the runs that the zip or its manifest names, in order.
func runsOf(files []rundir.BundledFile, m *rundir.Manifest) []string {
	var names []string
	for _, f := range files {
		name, _, _ := strings.Cut(f.Path, "/")
		names = append(names, name)
	}
	for _, r := range m.Runs {
		if rundir.CheckRunID(r.RunID) == nil {
			names = append(names, r.RunID)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// run renders one run again and compares.
func (v *verifier) run(ctx context.Context, name string) {
	packed, rendered := filepath.Join(v.place, "bundle", name), filepath.Join(v.place, "rendered", name)
	journal := name + "/" + rundir.JournalFile
	record, err := rundir.Open(packed)
	if errors.Is(err, rundir.ErrNoRun) {
		v.note(Mismatch{File: journal, Fault: "is missing from the zip: nothing of this run can be checked"})
		return
	}
	if err != nil {
		v.note(Mismatch{File: journal, Fault: "can't be read: " + bench.Clean(unplaced(err, v.place), 300)})
		return
	}
	v.Runs, v.Attempts = append(v.Runs, name), v.Attempts+len(record.Samples)
	v.consistent(journal, record)
	result, err := v.render(ctx, packed, rendered)
	if err != nil {
		v.note(Mismatch{File: journal, Fault: "can't be rendered: " + bench.Clean(unplaced(err, v.place), 300)})
		return
	}
	v.Simulated = v.Simulated || result.Simulated
	v.listed(name, result)
	v.compare(name, packed, rendered)
}

func unplaced(err error, place string) string { return strings.ReplaceAll(err.Error(), place, "") }

// render renders the run from its journal alone.
func (v *verifier) render(ctx context.Context, packed, rendered string) (*bench.Result, error) {
	if err := os.MkdirAll(rendered, 0o755); err != nil {
		return nil, err
	}
	for _, name := range []string{rundir.JournalFile, rundir.LogFile} {
		if err := copyFile(filepath.Join(packed, name), filepath.Join(rendered, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return renderPortable(ctx, rendered)
}

// listed compares what the manifest says of a run with its journal.
func (v *verifier) listed(name string, result *bench.Result) {
	want := bundledRun(result)
	at := slices.IndexFunc(v.manifest.Runs, func(r rundir.BundledRun) bool { return r.RunID == name })
	if at < 0 {
		v.note(Mismatch{File: rundir.ManifestFile, Place: name, Fault: "the run is not listed"})
		return
	}
	got := v.manifest.Runs[at]
	if !slices.Equal(got.Verdicts, want.Verdicts) {
		v.differs(Mismatch{File: rundir.ManifestFile, Place: name + " verdicts", Fault: "are wrong", Says: bench.Clean(fmt.Sprint(got.Verdicts), 300), Gives: fmt.Sprint(want.Verdicts)})
	}
	if got.Scenario != want.Scenario || got.State != want.State || got.Simulated != want.Simulated ||
		!got.Began.Equal(want.Began) || !slices.Equal(got.Targets, want.Targets) {
		v.note(Mismatch{File: rundir.ManifestFile, Place: name, Fault: "is wrong", Says: bench.Clean(fmt.Sprintf("%+v", got), 300), Gives: bench.Clean(fmt.Sprintf("%+v", want), 300)})
	}
}

// consistent checks that the journal agrees with itself: the marks of a
// request with the times of its events, and the line that says how the run
// ended with what came before.
func (v *verifier) consistent(journal string, record *bench.Record) {
	found := 0
	for _, s := range record.Samples {
		fault := disagreement(s)
		if fault == "" {
			continue
		}
		if found++; found <= most {
			v.note(Mismatch{File: journal, Place: fmt.Sprintf("session %d turn %d attempt %d", s.Session, s.Turn, s.Attempt), Fault: fault})
		}
	}
}

// disagreement is where the marks of a request are not those of its events.
func disagreement(s *bench.Sample) string {
	var first, last bench.Mark
	outputs := 0
	for _, e := range s.Events {
		if !e.Kind.Output() {
			continue
		}
		if outputs++; outputs == 1 {
			first = bench.MarkAt(e.At)
		}
		last = bench.MarkAt(e.At)
	}
	switch {
	case len(s.Events) == 0:
		return ""
	case apart(s.FirstToken, first):
		return "first_token_ms is not the time of the first output event"
	case apart(s.LastToken, last):
		return "last_token_ms is not the time of the last output event"
	case s.OutputEvents != outputs:
		return "output_events is not the number of output events"
	case s.End.Taken() && (s.End.At() < last.At() || s.End.At() < s.Start.At()):
		return "end_ms is before the last event"
	}
	return ""
}

// apart reports whether two marks differ by more than JSON may round.
func apart(a, b bench.Mark) bool {
	return a.Taken() != b.Taken() || (a.At()-b.At()).Abs() > time.Microsecond
}

// compare holds the files of a run against what was rendered.
func (v *verifier) compare(name, packed, rendered string) {
	for _, file := range union(packed, rendered) {
		if file == rundir.JournalFile || file == rundir.LogFile {
			continue
		}
		got, errGot := os.ReadFile(filepath.Join(packed, file))
		want, errWant := os.ReadFile(filepath.Join(rendered, file))
		path := name + "/" + file
		switch {
		case errGot != nil:
			v.differs(Mismatch{File: path, Fault: "is missing: the journal gives one"})
		case errWant != nil:
			v.differs(Mismatch{File: path, Fault: "is no part of the report that the journal gives"})
		case file == rundir.ResultFile:
			v.result(path, got, want)
		case !bytes.Equal(got, want):
			v.text(path, got, want)
		}
	}
}

// union lists the names of files in two folders.
func union(a, b string) []string {
	var names []string
	for _, folder := range []string{a, b} {
		entries, _ := os.ReadDir(folder) // what isn't there is missing in the comparison
		for _, e := range entries {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// differs notes a difference in the report: a mismatch, unless another version
// explains it.
func (v *verifier) differs(m Mismatch) {
	if v.Method == MethodRecomputed {
		v.remark("not as version %s renders it, which version %s may explain: %s", v.Version, cmp.Or(v.PackedWith.Version, "(unknown)"), m)
		return
	}
	v.note(m)
}

// text names the first lines that differ of a text, or the chart as a whole.
func (v *verifier) text(path string, got, want []byte) {
	if strings.HasSuffix(path, ".png") {
		m := Mismatch{File: path, Fault: "is not the chart that the journal gives"}
		if v.Method == MethodTexts {
			v.remark("%s: drawn on %s with %s, so that its pixels may differ here; its hash was checked", path, bench.Clean(v.manifest.Platform, 40), bench.Clean(v.PackedWith.Go, 40))
			return
		}
		v.differs(m)
		return
	}
	for _, m := range differentLines(path, got, want) {
		v.differs(m)
	}
}

// differentLines names the lines that differ, the first few of them.
func differentLines(path string, got, want []byte) []Mismatch {
	var found []Mismatch
	a, b := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(a), len(b)) {
		says, gives := "", ""
		if i < len(a) {
			says = a[i]
		}
		if i < len(b) {
			gives = b[i]
		}
		if says == gives && i < len(a) && i < len(b) {
			continue
		}
		if len(found) == most || len(a) != len(b) && len(found) == 1 {
			return append(found, Mismatch{File: path, Fault: "differs in further lines"})
		}
		from := commonPrefix(says, gives)
		found = append(found, Mismatch{File: path, Place: fmt.Sprintf("line %d", i+1), Fault: "differs", Says: around(says, from), Gives: around(gives, from)})
	}
	return found
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// around is the part of a line near a place in it.
func around(line string, at int) string {
	const before, shown = 40, 120
	from := max(0, at-before)
	text := bench.Clean(line[from:min(len(line), from+2*shown)], shown)
	if from > 0 {
		text = "…" + text
	}
	return text
}
