package rundir

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// BundleSchema names the format of a bundle's manifest.
const BundleSchema = "llm-bench/bundle/1"

// ManifestFile is the name of the manifest in a bundle. Beside it stand the
// folders of runs, each with files and nothing below them.
const ManifestFile = "manifest.json"

// Manifest says what a bundle holds and what made it.
type Manifest struct {
	Schema    string        `json:"schema"`
	Tool      bench.Tool    `json:"tool"`     // that rendered the reports and packed them
	Platform  string        `json:"platform"` // system and processor that it ran on, such as linux/amd64
	Simulated bool          `json:"simulated"`
	Runs      []BundledRun  `json:"runs"`
	Files     []BundledFile `json:"files"` // all but the manifest, in order of their paths
}

// BundledRun is one run of a bundle. Its folder has its name.
type BundledRun struct {
	RunID     string          `json:"run_id"`
	Scenario  bench.Scenario  `json:"scenario"`
	State     bench.State     `json:"state"`
	Began     time.Time       `json:"began"`
	Targets   []string        `json:"targets"`  // labels
	Verdicts  []bench.Verdict `json:"verdicts"` // on the measurement, one for each target
	Simulated bool            `json:"simulated"`
}

// BundledFile is one file of a bundle.
type BundledFile struct {
	Path   string `json:"path"` // with slashes
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // in hex
}

// BundleName is the default name of a bundle of runs: the labels of their
// targets and when the latest of them began.
func BundleName(runs []BundledRun) string {
	var labels []string
	var latest time.Time
	for _, r := range runs {
		for _, label := range r.Targets {
			if name := portable(label); name != "" && !slices.Contains(labels, name) {
				labels = append(labels, name)
			}
		}
		if r.Began.After(latest) {
			latest = r.Began
		}
	}
	name := cut(strings.Join(labels, "-"), 80)
	if name == "" {
		name = "runs"
	}
	return "llm-bench_" + name + "_" + latest.Format("20060102_150405") + ".zip"
}

// portable keeps of a label what every system allows in a file's name.
func portable(label string) string {
	kept := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= 0x2e80 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3, r == '.', r == '_':
			return r
		}
		return '-'
	}, label)
	return strings.Trim(kept, "-._")
}

// cut shortens a name to at most limit bytes, at a character.
func cut(name string, limit int) string {
	for len(name) > limit {
		runes := []rune(name)
		name = string(runes[:len(runes)-1])
	}
	return strings.TrimRight(name, "-._")
}

// WriteBundle packs the folders of m.Runs, which lie in from, into a zip, and
// fills m.Files. Equal folders give equal bytes. A file that is in the place of
// the zip already is replaced if it is one too.
func WriteBundle(path, from string, m *Manifest) error {
	m.Schema, m.Files = BundleSchema, []BundledFile{}
	var zipped bytes.Buffer
	if err := m.pack(&zipped, from); err != nil {
		return fmt.Errorf("pack the bundle: %w", err)
	}
	if err := replaceable(path); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	if err := replaceFile(path, zipped.Bytes()); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return nil
}

func replaceable(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	defer file.Close()
	head := make([]byte, 4)
	if _, err := io.ReadFull(file, head); err != nil || string(head) != "PK\x03\x04" {
		return fmt.Errorf("write the bundle: %q is there already and is no zip: name another file", path)
	}
	return nil
}

// pack writes the zip: the manifest first, then the files in order.
func (m *Manifest) pack(w io.Writer, from string) error {
	texts, err := m.gather(from)
	if err != nil {
		return err
	}
	manifest, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	packed := zip.NewWriter(w)
	if err := m.add(packed, ManifestFile, append(manifest, '\n')); err != nil {
		return err
	}
	for i, f := range m.Files {
		if err := m.add(packed, f.Path, texts[i]); err != nil {
			return err
		}
	}
	return packed.Close()
}

// gather reads the files of all runs and lists them.
func (m *Manifest) gather(from string) ([][]byte, error) {
	var texts [][]byte
	slices.SortFunc(m.Runs, func(a, b BundledRun) int { return strings.Compare(a.RunID, b.RunID) })
	for _, run := range m.Runs {
		entries, err := os.ReadDir(filepath.Join(from, run.RunID)) // in order of their names
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			text, err := os.ReadFile(filepath.Join(from, run.RunID, e.Name()))
			if err != nil {
				return nil, err
			}
			sum := sha256.Sum256(text)
			m.Files = append(m.Files, BundledFile{run.RunID + "/" + e.Name(), int64(len(text)), hex.EncodeToString(sum[:])})
			texts = append(texts, text)
		}
	}
	return texts, nil
}

// add writes one file, with the time at which the first run began.
func (m *Manifest) add(packed *zip.Writer, name string, text []byte) error {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate}
	if strings.HasSuffix(name, ".png") {
		header.Method = zip.Store // it is compressed already
	}
	if len(m.Runs) > 0 {
		header.Modified = m.Runs[0].Began.UTC().Truncate(2 * time.Second)
	}
	header.SetMode(0o644)
	file, err := packed.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return err
}
