package rundir

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// Files are the absolute paths of what a run has left so far.
func Files(dir string) bench.Files {
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	return bench.Files{
		ReportMD:      existing(dir, ReportMD),
		ReportHTML:    existing(dir, ReportHTML),
		ResultJSON:    existing(dir, ResultFile),
		RequestsJSONL: existing(dir, JournalFile),
		RequestsCSV:   existing(dir, CSVFile),
		RunLog:        existing(dir, LogFile),
		Charts:        charts(dir),
	}
}

// existing is the path of a regular file, or "" if there is none.
func existing(dir, name string) string {
	path := filepath.Join(dir, name)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// charts are the pictures in order of their names; never nil.
func charts(dir string) []string {
	paths := []string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return paths
	}
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".png") {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}

// readBounded reads a small file; one above limit bytes is an error.
func readBounded(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("%s is longer than %d bytes", path, limit)
	}
	return text, nil
}

// replaceFile puts text in the place of a file at once: a reader, or a crash
// of the machine, finds the old text or the new one and nothing between.
func replaceFile(path string, text []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	err = errors.Join(err, temp.Chmod(0o644), temp.Sync(), temp.Close())
	if err == nil {
		err = rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}
