package benchtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// BuildProgram builds llm-bench in the folder, from the source at root, with
// the flags of install.sh, and returns its path. It is the program as users
// have it: without the race detector, under which a report takes many times as
// long to draw.
func BuildProgram(folder, root string) (string, error) {
	path := filepath.Join(folder, "llm-bench.exe") // a name that every system runs
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", path, ".")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build llm-bench: %w\n%s", err, out)
	}
	return path, nil
}
