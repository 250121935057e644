package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// Dir is the directory of one run.
type Dir struct {
	Path  string // absolute
	RunID string // the base name of Path: unique below its parent and in the index
	// Unlisted is why the index doesn't hold the run, so that it is found by
	// its path alone; nil when the index holds it.
	Unlisted error
}

// maxSameSecond bounds the runs that can start in one second at one place.
const maxSameSecond = 1000

var runIDPattern = regexp.MustCompile(`^(connectivity|prefix|multiturn)_[0-9A-Za-z_-]{1,100}$`)

// CheckRunID reports whether id has the form of a run's name. A name of that
// form is safe as a file name on every system and can't leave its folder.
func CheckRunID(id string) error {
	if runIDPattern.MatchString(id) {
		return nil
	}
	return fmt.Errorf("run_id is %q: allowed is the name of a run, such as prefix_20260131_093000", bench.Clean(id, 120))
}

// Create makes the directory of a run that begins at the given time:
// <outputDir>/<scenario>_<YYYYMMDD_HHMMSS>, in the time's own zone, with the
// suffix _2, _3, … when that name is taken there or in the index. No two
// processes get the same one. It refuses a place inside an installed copy of
// this skill. That the index can't be written is no error: see [Dir.Unlisted].
func Create(index Index, outputDir string, scenario bench.Scenario, began time.Time) (*Dir, error) {
	parent, err := prepare(outputDir)
	if err != nil {
		return nil, err
	}
	stem := string(scenario) + "_" + began.Format("20060102_150405")
	if err := CheckRunID(stem); err != nil {
		return nil, err
	}
	for n := 1; n <= maxSameSecond; n++ {
		dir, err := claim(index, parent, suffixed(stem, n))
		if !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
	return nil, fmt.Errorf("output_dir %q: %d runs named %s are there already", parent, maxSameSecond, stem)
}

// prepare makes the parent of run directories, unless it must not hold any.
func prepare(outputDir string) (string, error) {
	if outputDir == "" {
		return "", errors.New("output_dir is empty: allowed is a folder that can be written")
	}
	parent, err := filepath.Abs(outputDir)
	if err != nil {
		return "", fmt.Errorf("output_dir %q: %w", outputDir, err)
	}
	if err := refuseSkill(parent); err != nil {
		return "", err
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", unwritable(parent, err)
	}
	return parent, nil
}

func unwritable(parent string, err error) error {
	return fmt.Errorf("output_dir %q can't be written: %w; name a folder that can", parent, err)
}

func suffixed(stem string, n int) string {
	if n == 1 {
		return stem
	}
	return fmt.Sprintf("%s_%d", stem, n)
}

// claim makes one directory and enters it in the index. The error is
// [fs.ErrExist] when the name is taken in either.
func claim(index Index, parent, name string) (*Dir, error) {
	dir := &Dir{Path: filepath.Join(parent, name), RunID: name}
	if err := os.Mkdir(dir.Path, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, fs.ErrExist
		}
		return nil, unwritable(parent, err)
	}
	err := index.Add(name, dir.Path)
	if errors.Is(err, fs.ErrExist) {
		if err := os.Remove(dir.Path); err != nil {
			return nil, unwritable(parent, err)
		}
		return nil, fs.ErrExist
	}
	dir.Unlisted = err
	return dir, nil
}
