package rundir

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Index finds runs by their name: <Home>/runs/<run_id> holds the absolute path
// of the run's directory. The zero Index holds nothing and takes nothing.
type Index struct{ Home string }

// Entry is one run in the index.
type Entry struct {
	RunID string
	Dir   string    // absolute
	Added time.Time // when the run was created
}

// The errors of the index.
var (
	ErrUnknownRun = errors.New("not known on this machine")
	ErrRunGone    = errors.New("its directory is no longer there")

	errNoHome = errors.New("no home folder for the index of runs")
)

// maxIndexEntry bounds what is read of an entry: the longest path of any system.
const maxIndexEntry = 64 << 10

// DefaultIndex is the index in $LLM_BENCH_HOME, by default ~/.llm-bench.
func DefaultIndex() (Index, error) {
	if home := os.Getenv("LLM_BENCH_HOME"); home != "" {
		absolute, err := filepath.Abs(home)
		return Index{absolute}, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return Index{}, fmt.Errorf("home folder: %w; set LLM_BENCH_HOME", err)
	}
	return Index{filepath.Join(home, ".llm-bench")}, nil
}

func (x Index) folder() string { return filepath.Join(x.Home, "runs") }

// Add enters a run. The error is [fs.ErrExist] when the name is taken.
func (x Index) Add(runID, dir string) error {
	if x.Home == "" {
		return errNoHome
	}
	if err := CheckRunID(runID); err != nil {
		return err
	}
	if err := os.MkdirAll(x.folder(), 0o700); err != nil {
		return fmt.Errorf("index of runs: %w", err)
	}
	if err := writeNew(filepath.Join(x.folder(), runID), dir+"\n"); err != nil {
		return fmt.Errorf("index of runs: %w", err)
	}
	return nil
}

// writeNew writes a file that must not exist yet; what can't be written whole
// isn't left behind.
func writeNew(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// Find gives the directory of a run.
func (x Index) Find(runID string) (string, error) {
	if err := CheckRunID(runID); err != nil {
		return "", err
	}
	if x.Home == "" {
		return "", errNoHome
	}
	dir, err := x.read(runID)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("run %s is %w", runID, ErrUnknownRun)
	}
	if err != nil {
		return "", fmt.Errorf("index of runs: %w", err)
	}
	if !isDir(dir) {
		return "", fmt.Errorf("run %s in %q: %w", runID, dir, ErrRunGone)
	}
	return dir, nil
}

// read gives what stands in an entry, if that can be the run's directory.
func (x Index) read(runID string) (string, error) {
	text, err := readBounded(filepath.Join(x.folder(), runID), maxIndexEntry)
	if err != nil {
		return "", err
	}
	dir := strings.TrimSuffix(string(text), "\n")
	if !filepath.IsAbs(dir) || filepath.Base(dir) != runID {
		return "", fmt.Errorf("entry %s holds no path of that run", runID)
	}
	return dir, nil
}

// List gives the runs whose directories are still there, newest first; at most
// limit of them if limit is above 0.
func (x Index) List(limit int) ([]Entry, error) {
	if x.Home == "" {
		return nil, errNoHome
	}
	files, err := os.ReadDir(x.folder())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("index of runs: %w", err)
	}
	found := x.candidates(files)
	slices.SortFunc(found, func(a, b Entry) int {
		return cmp.Or(b.Added.Compare(a.Added), strings.Compare(b.RunID, a.RunID))
	})
	return x.present(found, limit), nil
}

// candidates are the files that can be entries, without their directories.
func (x Index) candidates(files []fs.DirEntry) []Entry {
	var found []Entry
	for _, f := range files {
		info, err := f.Info()
		if err == nil && info.Mode().IsRegular() && CheckRunID(f.Name()) == nil {
			found = append(found, Entry{RunID: f.Name(), Added: info.ModTime()})
		}
	}
	return found
}

func (x Index) present(found []Entry, limit int) []Entry {
	var entries []Entry
	for _, e := range found {
		if limit > 0 && len(entries) == limit {
			break
		}
		if dir, err := x.read(e.RunID); err == nil && isDir(dir) {
			e.Dir = dir
			entries = append(entries, e)
		}
	}
	return entries
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
