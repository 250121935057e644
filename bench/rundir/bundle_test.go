package rundir

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// folders are the unpacked runs of a bundle.
func folders(t testing.TB) (from string, m *Manifest) {
	t.Helper()
	from = t.TempDir()
	m = &Manifest{Tool: bench.Tool{Version: "1.0.0", Go: "go1.26"}, Platform: "linux/amd64"}
	for _, id := range []string{"prefix_20260131_093000", "connectivity_20260131_092900"} {
		must(t, os.Mkdir(filepath.Join(from, id), 0o755))
		for _, name := range []string{JournalFile, ReportMD, "timeline.png"} {
			must(t, os.WriteFile(filepath.Join(from, id, name), []byte(id+" "+name), 0o644))
		}
		m.Runs = append(m.Runs, BundledRun{RunID: id, Scenario: bench.Prefix, State: bench.StateSucceeded, Began: began, Targets: []string{"豆包"}})
	}
	return from, m
}

func TestABundleComesBackAsItWasPacked(t *testing.T) {
	from, m := folders(t)
	path, to := filepath.Join(t.TempDir(), "new", "b.zip"), t.TempDir()
	must(t, WriteBundle(path, from, m))
	got, err := Unpack(path, to)
	must(t, err)
	if got.Fault != "" || !reflect.DeepEqual(got.Files, m.Files) || len(m.Files) != 6 {
		t.Errorf("fault %q, files\n%+v\nwant\n%+v", got.Fault, got.Files, m.Files)
	}
	if got.Manifest.Runs[0].RunID != "connectivity_20260131_092900" || !got.Manifest.Runs[0].Began.Equal(began) || got.Manifest.Tool != m.Tool {
		t.Errorf("manifest %+v", got.Manifest)
	}
	text, err := os.ReadFile(filepath.Join(to, "prefix_20260131_093000", ReportMD))
	if err != nil || string(text) != "prefix_20260131_093000 report.md" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestEqualRunsGiveEqualBytesWhateverTheirFilesTimes(t *testing.T) {
	var zips [2][]byte
	for i := range zips {
		from, m := folders(t)
		old := time.Date(2001+i, 1, 1, 0, 0, 0, 0, time.UTC)
		must(t, os.Chtimes(filepath.Join(from, m.Runs[0].RunID, ReportMD), old, old))
		path := filepath.Join(t.TempDir(), "b.zip")
		must(t, WriteBundle(path, from, m))
		text, err := os.ReadFile(path)
		must(t, err)
		zips[i] = text
	}
	if !bytes.Equal(zips[0], zips[1]) {
		t.Error("two bundles of equal runs differ")
	}
}

func TestABundleReplacesAZipAndNothingElse(t *testing.T) {
	from, m := folders(t)
	path := filepath.Join(t.TempDir(), "b.zip")
	must(t, os.WriteFile(path, []byte("my notes"), 0o644))
	wantError(t, WriteBundle(path, from, m), nil, path, "is no zip")
	if text, err := os.ReadFile(path); err != nil || string(text) != "my notes" {
		t.Errorf("%q, %v", text, err)
	}
	must(t, os.Remove(path))
	must(t, WriteBundle(path, from, m))
	must(t, WriteBundle(path, from, m))
}

func TestTheNameOfABundleIsPortable(t *testing.T) {
	run := func(labels ...string) BundledRun { return BundledRun{Targets: labels, Began: began} }
	for want, runs := range map[string][]BundledRun{
		"llm-bench_org-name-tag_20260131_093000.zip":                      {run("org/name:tag")},
		"llm-bench_豆包_20260131_093000.zip":                                {run("豆包"), {Targets: []string{"豆包"}, Began: began.Add(-time.Hour)}},
		"llm-bench_a-b_20260131_093000.zip":                               {run("a", "b"), run("a")},
		"llm-bench_runs_20260131_093000.zip":                              {run("../..")},
		"llm-bench_" + strings.Repeat("x", 80) + "_20260131_093000.zip":   {run(strings.Repeat("x", 300))},
		"llm-bench_" + strings.Repeat("豆", 80/3) + "_20260131_093000.zip": {run(strings.Repeat("豆", 300))},
	} {
		if got := BundleName(runs); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// entry is one entry of a made-up zip.
type entry struct {
	name string
	text string
	mode fs.FileMode
	raw  func(*zip.FileHeader)
}

func zipOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.mode != 0 {
			h.SetMode(e.mode)
		}
		if e.raw != nil {
			e.raw(h)
			f, err := w.CreateRaw(h)
			must(t, err)
			_, err = io.WriteString(f, e.text)
			must(t, err)
			continue
		}
		f, err := w.CreateHeader(h)
		must(t, err)
		_, err = io.WriteString(f, e.text)
		must(t, err)
	}
	must(t, w.Close())
	return b.Bytes()
}

// unpackTo unpacks a made-up zip into a folder, as a file on disk is.
func unpackTo(t testing.TB, dir string, zipped []byte) (*Unpacked, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "b.zip")
	must(t, os.WriteFile(path, zipped, 0o644))
	return Unpack(path, dir)
}

func TestAZipThatCouldDoHarmIsRefusedAndNothingIsWrittenOutside(t *testing.T) {
	const run = "prefix_20260131_093000/"
	stored := func(h *zip.FileHeader) { h.Method, h.UncompressedSize64, h.CompressedSize64 = zip.Store, 5, 5 }
	for name, c := range map[string]struct {
		entries []entry
		says    string
	}{
		"a way up":                  {[]entry{{name: "../evil.txt"}}, "lead out"},
		"a way up below a run":      {[]entry{{name: run + "../../evil.txt"}}, "lead out"},
		"an absolute path":          {[]entry{{name: "/tmp/evil.txt"}}, "lead out"},
		"a drive":                   {[]entry{{name: "C:/evil.txt"}}, "lead out"},
		"backslashes":               {[]entry{{name: `prefix_20260131_093000\..\evil.txt`}}, "lead out"},
		"a link":                    {[]entry{{name: run + "report.md", text: "/etc/passwd", mode: fs.ModeSymlink | 0o777}}, "not a plain file"},
		"a device":                  {[]entry{{name: run + "report.md", mode: fs.ModeDevice | 0o666}}, "not a plain file"},
		"a folder of a run's file":  {[]entry{{name: run + "report.md/"}}, "not one of a bundle"},
		"folders in a run":          {[]entry{{name: run + "a/b.txt"}}, "not one of a bundle"},
		"a file beside the runs":    {[]entry{{name: "setup.exe"}}, "not one of a bundle"},
		"a hidden file":             {[]entry{{name: run + ".bashrc"}}, "not one of a bundle"},
		"a device's name":           {[]entry{{name: run + "con.png"}}, "not one of a bundle"},
		"a name with a line break":  {[]entry{{name: run + "a\nb"}}, "not one of a bundle"},
		"a name twice":              {[]entry{{name: run + "report.md"}, {name: run + "report.md"}}, "occurs twice"},
		"a name twice but for case": {[]entry{{name: run + "report.md"}, {name: run + "Report.md"}}, "occurs twice"},
		"the manifest twice":        {[]entry{{name: ManifestFile, text: "{}"}, {name: ManifestFile, text: "{}"}}, "occurs twice"},
		"encryption":                {[]entry{{name: run + "report.md", text: "abcde", raw: func(h *zip.FileHeader) { stored(h); h.Flags |= 1 }}}, "encrypted"},
		"a strange compression":     {[]entry{{name: run + "report.md", text: "abcde", raw: func(h *zip.FileHeader) { stored(h); h.Method = 12 }}}, "compression"},
		"a wrong checksum":          {[]entry{{name: run + "report.md", text: "abcde", raw: func(h *zip.FileHeader) { stored(h); h.CRC32 = 1 }}}, "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			outer := t.TempDir()
			dir := filepath.Join(outer, "in", "side")
			_, err := unpackTo(t, dir, zipOf(t, c.entries...))
			var refused *BundleError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) || strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("error %q, want one that says %q", err, c.says)
			}
			_ = filepath.WalkDir(outer, func(path string, d fs.DirEntry, err error) error {
				if rel, _ := filepath.Rel(dir, path); err == nil && !d.IsDir() && strings.HasPrefix(rel, "..") {
					t.Errorf("%s was written", path)
				}
				return nil
			})
		})
	}
}

// small are limits that a test can exceed.
func small() bundleLimits {
	return bundleLimits{zip: 1 << 20, directory: 4 << 10, entries: 20, file: 1 << 20, total: 2 << 20, ratio: 1 << 20}
}

// nowhere takes what is unpacked.
func nowhere(string) (io.WriteCloser, error) { return plain{io.Discard}, nil }

func TestAZipWithoutMeasureIsRefusedBeforeItIsUnpacked(t *testing.T) {
	const run = "prefix_20260131_093000/"
	zeros := strings.Repeat("\x00", 1<<20)
	var many, three []entry
	for i := range 21 {
		many = append(many, entry{name: fmt.Sprintf("%sf%d", run, i)})
	}
	for i := range 3 {
		three = append(three, entry{name: fmt.Sprintf("%sf%d", run, i), text: zeros})
	}
	var names []entry
	for i := range 20 {
		names = append(names, entry{name: fmt.Sprintf("%s%s%d", run, strings.Repeat("n", 200), i)})
	}
	lying := zipOf(t, entry{name: run + "f", text: zeros + "1"})
	at := bytes.LastIndex(lying, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(lying[at+24:], 5) // the table says that it unpacks to 5 bytes
	for name, c := range map[string]struct {
		zipped []byte
		says   string
	}{
		"one file too large":            {zipOf(t, entry{name: run + "f", text: zeros + "1"}), "unpacks to"},
		"a file that lies of its size":  {lying, ""},
		"too much in all":               {zipOf(t, three...), "unpacks to"},
		"too many entries":              {zipOf(t, many...), "21 entries"},
		"a table of contents too large": {zipOf(t, names...), "table of contents"},
		"a file too large":              {make([]byte, 1<<20+1), "bytes: allowed"},
		"bytes before the zip":          {append([]byte("#!/bin/sh\n"), zipOf(t, many[:1]...)...), "more in the file"},
		"bytes after the zip":           {append(zipOf(t, many[:1]...), "more"...), "more in the file"},
	} {
		_, err := unpack(bytes.NewReader(c.zipped), int64(len(c.zipped)), small(), nowhere)
		var refused *BundleError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.says)
		}
	}
}

func TestABombIsRefusedByItsRatio(t *testing.T) {
	limits := small()
	limits.total, limits.file, limits.ratio = 1<<40, 1<<40, 100
	bomb := zipOf(t, entry{name: "prefix_20260131_093000/f", text: strings.Repeat("\x00", 65<<20)})
	_, err := unpack(bytes.NewReader(bomb), int64(len(bomb)), limits, nowhere)
	wantError(t, err, nil, "unpacks to")
}

func TestWhatIsNoZipIsToldFromADamagedOne(t *testing.T) {
	for name, text := range map[string][]byte{"nothing": nil, "a text": []byte("hello"), "half a zip": zipOf(t, entry{name: "manifest.json", text: "{}"})[:40]} {
		if _, err := unpackTo(t, t.TempDir(), text); !errors.Is(err, ErrNoBundle) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Unpack(t.TempDir(), t.TempDir()); !errors.Is(err, ErrNoBundle) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Unpack(filepath.Join(t.TempDir(), "x"), t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	broken := zipOf(t, entry{name: "manifest.json", text: "{}"})
	copy(broken[bytes.LastIndex(broken, []byte("PK\x01\x02")):], "PKxx")
	var refused *BundleError
	if _, err := unpackTo(t, t.TempDir(), broken); !errors.As(err, &refused) {
		t.Errorf("a damaged table: %v", err)
	}
}

func TestTheManifestsFaultsAreTold(t *testing.T) {
	for want, entries := range map[string][]entry{
		"missing":       {},
		"can't be read": {{name: ManifestFile, text: "{"}},
		"schema":        {{name: ManifestFile, text: `{"schema":"other/1"}`}},
	} {
		got, err := unpackTo(t, t.TempDir(), zipOf(t, entries...))
		must(t, err)
		if got.Manifest != nil || !strings.Contains(got.Fault, want) {
			t.Errorf("fault %q, want %q", got.Fault, want)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	from, m := folders(f)
	path := filepath.Join(f.TempDir(), "b.zip")
	must(f, WriteBundle(path, from, m))
	good, err := os.ReadFile(path)
	must(f, err)
	f.Add(good)
	f.Add(zipOf(f, entry{name: "../evil"}, entry{name: "prefix_1/a", mode: fs.ModeSymlink | 0o777}))
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, zipped []byte) {
		written := int64(0)
		got, err := unpack(bytes.NewReader(zipped), int64(len(zipped)), small(), func(name string) (io.WriteCloser, error) {
			folder, file, found := strings.Cut(name, "/")
			if !found || CheckRunID(folder) != nil || !filepath.IsLocal(name) || strings.ContainsAny(file, `/\:`) || strings.HasPrefix(file, ".") {
				t.Errorf("a place for %q", name)
			}
			return plain{counter{&written}}, nil
		})
		if written > small().total+1 {
			t.Errorf("%d bytes were unpacked", written)
		}
		if (err == nil) == (got == nil) {
			t.Errorf("%v, %v", got, err)
		}
		if err == nil && got.Manifest != nil {
			if _, err := json.Marshal(got.Manifest); err != nil {
				t.Error(err)
			}
		}
	})
}

// counter counts what is written.
type counter struct{ n *int64 }

func (c counter) Write(p []byte) (int, error) { *c.n += int64(len(p)); return len(p), nil }
