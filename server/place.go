package server

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/llm-bench/llm-bench/bench/rundir"
)

// envProject is where a client says which folder its user works in.
const envProject = "CLAUDE_PROJECT_DIR"

// place chooses the folder for a run: the one that the user named, or the
// first of the usual ones that takes reports.
func (s *Server) place(named string) (string, error) {
	if named != "" {
		return s.absolute(named), checkNamed(s.absolute(named))
	}
	var err error
	for _, folder := range s.places() {
		if err = rundir.CheckPlace(folder); err == nil {
			return folder, nil
		}
	}
	if err == nil {
		err = &argumentError{"no folder for reports was found: give output_dir"}
	}
	return "", err
}

// placeError says that a folder that was named can't be used.
type placeError struct{ cause error }

// Error implements error.
func (e *placeError) Error() string { return e.cause.Error() }

// checkNamed reports whether a folder that was named takes files.
func checkNamed(folder string) error {
	if err := rundir.CheckPlace(folder); err != nil {
		return &placeError{err}
	}
	return nil
}

// absolute reads a path as the user means it: from the project's folder, or
// from the home folder where it begins with a tilde.
func (s *Server) absolute(path string) string {
	if rest, found := strings.CutPrefix(filepath.ToSlash(path), "~/"); (found || path == "~") && s.home() != "" {
		return filepath.Join(s.home(), strings.TrimPrefix(rest, "~"))
	}
	if filepath.IsAbs(path) {
		return path
	}
	if project, _ := s.deps.Env(envProject); project != "" {
		return filepath.Join(project, path)
	}
	return filepath.Join(s.deps.WorkDir, path)
}

// places are the usual folders for reports, the likeliest first. Neither the
// root nor the home folder itself is a project.
func (s *Server) places() []string {
	home := s.home()
	var folders []string
	project, _ := s.deps.Env(envProject)
	for _, root := range []string{project, s.deps.WorkDir} {
		if filepath.IsAbs(root) && filepath.Dir(root) != filepath.Clean(root) && filepath.Clean(root) != home {
			folders = append(folders, filepath.Join(root, "reports"))
		}
	}
	if home != "" {
		folders = append(folders, filepath.Join(home, "llm-bench", "reports"))
	}
	return slices.Compact(folders)
}

func (s *Server) home() string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if home, _ := s.deps.Env(name); home != "" {
			return filepath.Clean(home)
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

// find is the directory of a run: from the index, or one that this server
// has started, or one in a usual place.
func (s *Server) find(runID string) (string, error) {
	dir, err := s.deps.Index.Find(runID)
	if err == nil {
		return dir, nil
	}
	if rundir.CheckRunID(runID) != nil {
		return "", err
	}
	if dir, known := s.runs.dir(runID); known {
		return dir, nil
	}
	for _, folder := range s.places() {
		dir := filepath.Join(folder, runID)
		if _, failed := rundir.ReadState(dir); failed == nil {
			return dir, nil
		}
	}
	return "", err
}
