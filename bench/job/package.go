package job

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/report"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// Packed is a bundle that was written.
type Packed struct {
	File  string              `json:"file"` // absolute path
	Bytes int64               `json:"bytes"`
	Runs  []rundir.BundledRun `json:"runs"`
	Files int                 `json:"files"`
	// Rendered are the runs whose reports were missing, unfinished or of another
	// version: the bundle holds what this version renders.
	Rendered []string `json:"rendered_again"`
	LeftOut  []string `json:"left_out"` // files of the folders that say nothing of the runs
}

// StaleError says that a report is not what its journal gives.
type StaleError struct{ File, Dir string }

// Error implements error.
func (e *StaleError) Error() string {
	return fmt.Sprintf("%s is not what %s gives: render it again with `llm-bench report %s`, then package", e.File, rundir.JournalFile, e.Dir)
}

// Package packs runs into one zip for somebody who was not there. Each of dirs
// is a run's directory or a folder of them; file is the zip, by default
// [rundir.BundleName] in the present folder, or a folder in which it gets that name. The reports are those that this
// program, of the given version, renders from the journals. Nothing is written
// if a file of a run holds a secret ([rundir.LeakError]), if a finished
// report of this version differs from its journal ([*StaleError]), or while a
// run goes on.
func Package(ctx context.Context, version string, dirs []string, file string) (*Packed, error) {
	runs, err := runDirs(dirs)
	if err != nil {
		return nil, err
	}
	place, err := os.MkdirTemp("", "llm-bench-package-*")
	if err != nil {
		return nil, fmt.Errorf("package: %w", err)
	}
	defer func() { _ = os.RemoveAll(place) }()
	p := packer{place: place, version: version, packed: &Packed{Rendered: []string{}, LeftOut: []string{}}}
	for _, dir := range runs {
		if err := p.add(ctx, dir); err != nil {
			return nil, err
		}
	}
	if len(p.leaks) > 0 {
		return nil, p.leaks
	}
	return p.write(file)
}

// runDirs finds the runs that the arguments name, each once.
func runDirs(dirs []string) ([]string, error) {
	var runs []string
	for _, dir := range dirs {
		absolute, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("find %q: %w", dir, err)
		}
		found := []string{absolute}
		if !isRun(absolute) {
			if found, err = runsIn(absolute); err != nil {
				return nil, err
			}
		}
		for _, run := range found {
			if !slices.Contains(runs, run) {
				runs = append(runs, run)
			}
		}
	}
	return runs, nil
}

func isRun(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, rundir.JournalFile))
	return err == nil && info.Mode().IsRegular()
}

// runsIn are the runs that lie in a folder.
func runsIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", rundir.ErrNoRun, err)
	}
	var runs []string
	for _, e := range entries {
		if dir := filepath.Join(folder, e.Name()); isRun(dir) {
			runs = append(runs, dir)
		}
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("%q is %w, and no folder of them", folder, rundir.ErrNoRun)
	}
	return runs, nil
}

// packer gathers runs in a place of its own.
type packer struct {
	place   string
	version string
	runs    []rundir.BundledRun
	leaks   rundir.LeakError
	packed  *Packed
}

// add renders one run in the place, and compares what its folder holds.
func (p *packer) add(ctx context.Context, dir string) error {
	if s, err := rundir.ReadState(dir); err == nil && !s.State.Ended() && s.Alive() {
		return fmt.Errorf("run %s still goes on: package it when it has ended, or cancel it first", s.RunID)
	}
	record, err := rundir.Open(dir)
	if err != nil {
		return err
	}
	if err := p.scan(dir, record); err != nil || len(p.leaks) > 0 {
		return err
	}
	id := folderName(dir, &record.Header)
	copied := filepath.Join(p.place, id)
	if err := os.Mkdir(copied, 0o755); err != nil {
		return fmt.Errorf("two of the runs are named %s: package them one by one", id)
	}
	for _, name := range []string{rundir.JournalFile, rundir.LogFile} {
		if err := copyFile(filepath.Join(dir, name), filepath.Join(copied, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("package %s: %w", name, err)
		}
	}
	result, err := renderPortable(ctx, copied)
	if err != nil {
		return err
	}
	p.runs = append(p.runs, bundledRun(result))
	if err := p.compare(dir, copied, result); err != nil {
		return err
	}
	return p.leftOut(dir, copied)
}

// scan looks for secrets in every file of a run, also in those that are left out.
func (p *packer) scan(dir string, record *bench.Record) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("package: %w", err)
	}
	known := knownKeys(os.Environ(), record)
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return fmt.Errorf("package: %w", err)
		}
		p.leaks = append(p.leaks, rundir.Leaks(filepath.Join(filepath.Base(dir), e.Name()), text, known)...)
	}
	return nil
}

// knownKeys are the keys in the environment: those whose names end in
// _API_KEY, and the one that the run was measured with.
func knownKeys(environ []string, record *bench.Record) []rundir.KnownKey {
	var names []string
	for _, t := range record.Header.Targets {
		names = append(names, t.KeyEnv)
	}
	var keys []rundir.KnownKey
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasSuffix(strings.ToUpper(name), "_API_KEY") || slices.Contains(names, name) {
			keys = append(keys, rundir.KnownKey{Name: name, Key: bench.NewSecret(strings.TrimSpace(value))})
		}
	}
	return keys
}

// folderName is the run's name in a bundle: that of its folder, or, where
// somebody has renamed that, the one it began with.
func folderName(dir string, h *bench.Header) string {
	if name := filepath.Base(dir); rundir.CheckRunID(name) == nil {
		return name
	}
	return string(h.Spec.Scenario) + "_" + h.Began.Format("20060102_150405")
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

// drawingLimit bounds the drawing of charts where the files must be the same
// whatever else the machine does.
const drawingLimit = 3 * time.Minute

// renderPortable renders a run from its journal alone, in a folder that holds
// nothing but that, and makes its result.json independent of the place.
func renderPortable(ctx context.Context, dir string) (*bench.Result, error) {
	result, err := render(ctx, dir, func(ctx context.Context, dir string, record *bench.Record, result *bench.Result) error {
		return report.RenderWithin(ctx, dir, record, result, drawingLimit)
	})
	if err != nil {
		return nil, err
	}
	text, err := report.Portable(result)
	if err != nil {
		return nil, fmt.Errorf("render the result: %w", err)
	}
	return result, os.WriteFile(filepath.Join(dir, rundir.ResultFile), text, 0o644)
}

func bundledRun(r *bench.Result) rundir.BundledRun {
	run := rundir.BundledRun{RunID: r.RunID, Scenario: r.Scenario, State: r.State, Began: r.Began, Targets: []string{}, Verdicts: []bench.Verdict{}, Simulated: r.Simulated}
	for _, t := range r.Targets {
		run.Targets, run.Verdicts = append(run.Targets, t.Label), append(run.Verdicts, t.Measurement.Verdict)
	}
	return run
}

// compare looks whether the report in a run's folder is the one that was
// rendered now.
func (p *packer) compare(dir, rendered string, result *bench.Result) error {
	if p.mayDiffer(dir, result) {
		p.packed.Rendered = append(p.packed.Rendered, result.RunID)
		return nil
	}
	entries, err := os.ReadDir(rendered)
	if err != nil {
		return fmt.Errorf("package: %w", err)
	}
	for _, e := range entries {
		if e.Name() == rundir.LogFile {
			continue // it is copied, not rendered
		}
		want, err := os.ReadFile(filepath.Join(rendered, e.Name()))
		if err != nil {
			return fmt.Errorf("package: %w", err)
		}
		got, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err == nil && e.Name() == rundir.ResultFile {
			got, err = portableResult(got, result.RunID)
		}
		if err != nil || !bytes.Equal(got, want) {
			return &StaleError{filepath.Join(filepath.Base(dir), e.Name()), dir}
		}
	}
	return nil
}

// mayDiffer reports whether the report in a folder has a good reason not to be
// what this version renders now: it is missing or lacks a chart, for which
// there was no time; another version measured; or the run has gone on since.
func (p *packer) mayDiffer(dir string, result *bench.Result) bool {
	text, err := os.ReadFile(filepath.Join(dir, rundir.ResultFile))
	if err != nil || result.Tool.Version != p.version {
		return true
	}
	var there bench.Result
	if err := json.Unmarshal(text, &there); err != nil {
		return false
	}
	if there.Journal == result.Journal {
		return !there.State.Ended() || len(there.Files.Charts) < len(result.Files.Charts)
	}
	journal, err := os.ReadFile(filepath.Join(dir, rundir.JournalFile))
	return err == nil && grownFrom(journal, there.Journal)
}

// grownFrom reports whether a journal is one of the given hash to which lines
// have been added since.
func grownFrom(journal []byte, before string) bool {
	sum := sha256.New()
	matches := func() bool { return hex.EncodeToString(sum.Sum(nil)) == before }
	for line := range bytes.Lines(journal) {
		text := bytes.TrimSuffix(line, []byte{'\n'})
		sum.Write(text) // the last line may have been torn then
		if matches() {
			return true
		}
		sum.Write(line[len(text):])
		if matches() {
			return true
		}
	}
	return false
}

// portableResult takes the place out of a result.json.
func portableResult(text []byte, runID string) ([]byte, error) {
	var r bench.Result
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	r.RunID = runID
	return report.Portable(&r)
}

// leftOut notes the files of a run's folder that are not in the bundle.
func (p *packer) leftOut(dir, copied string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("package: %w", err)
	}
	for _, e := range entries {
		if _, err := os.Lstat(filepath.Join(copied, e.Name())); err != nil && e.Name() != rundir.StateFile {
			p.packed.LeftOut = append(p.packed.LeftOut, filepath.Join(filepath.Base(dir), e.Name()))
		}
	}
	return nil
}

// write packs what was gathered.
func (p *packer) write(file string) (*Packed, error) {
	m := rundir.Manifest{Tool: thisTool(p.version), Platform: platform(), Runs: p.runs}
	for _, r := range p.runs {
		m.Simulated = m.Simulated || r.Simulated
	}
	if info, err := os.Stat(file); file == "" || err == nil && info.IsDir() {
		file = filepath.Join(file, rundir.BundleName(p.runs))
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("write the bundle: %w", err)
	}
	if err := rundir.WriteBundle(file, p.place, &m); err != nil {
		return nil, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("write the bundle: %w", err)
	}
	p.packed.File, p.packed.Bytes, p.packed.Runs, p.packed.Files = file, info.Size(), m.Runs, len(m.Files)
	return p.packed, nil
}

// platform is the system and processor that this program runs on.
func platform() string { return runtime.GOOS + "/" + runtime.GOARCH }
