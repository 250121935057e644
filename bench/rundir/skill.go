package rundir

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// skillName is the name in the frontmatter of this skill's SKILL.md.
const skillName = "llm-bench"

// refuseSkill is the error for a place inside an installed copy of this skill:
// installing the skill again deletes all that its folder holds.
func refuseSkill(place string) error {
	for _, path := range []string{place, resolved(place)} {
		if root := installedSkill(path); root != "" {
			return fmt.Errorf("output_dir %q lies in the installed skill folder %q, which is wiped when the skill is installed again: "+
				"name a folder outside it, such as %q", place, root, elsewhere())
		}
	}
	return nil
}

func elsewhere() string {
	home, err := os.UserHomeDir()
	if err != nil {
		home = os.TempDir()
	}
	return filepath.Join(home, "llm-bench", "reports")
}

// resolved is the path with the links of its existing part followed.
func resolved(path string) string {
	if followed, err := filepath.EvalSymlinks(path); err == nil {
		return followed
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(resolved(parent), filepath.Base(path))
}

// installedSkill is the folder, path itself or above it, that holds an
// installed copy of this skill; "" if there is none.
func installedSkill(path string) string {
	for {
		if isSkill(path) && !isCheckout(path) {
			return path
		}
		parent := filepath.Dir(path)
		if parent == path {
			return ""
		}
		path = parent
	}
}

// isCheckout tells a developer's git checkout from an installed copy, which
// has no .git or lies where agents keep their skills and plugins.
func isCheckout(root string) bool {
	if _, err := os.Lstat(filepath.Join(root, ".git")); err != nil {
		return false
	}
	above := strings.Split(filepath.ToSlash(filepath.Dir(root)), "/")
	return !slices.Contains(above, "skills") && !slices.Contains(above, "plugins")
}

// isSkill reports whether the folder holds this skill's SKILL.md.
func isSkill(folder string) bool {
	file, err := os.Open(filepath.Join(folder, "SKILL.md"))
	if err != nil {
		return false
	}
	defer file.Close()
	return frontmatterName(io.LimitReader(file, 64<<10)) == skillName
}

// frontmatterName is the name that the frontmatter of a Markdown page gives.
func frontmatterName(page io.Reader) string {
	lines := bufio.NewScanner(page)
	if !lines.Scan() || strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff")) != "---" {
		return ""
	}
	for lines.Scan() && strings.TrimSpace(lines.Text()) != "---" {
		if name, found := strings.CutPrefix(lines.Text(), "name:"); found {
			name, _, _ = strings.Cut(name, " #")
			return strings.Trim(strings.TrimSpace(name), `"'`)
		}
	}
	return ""
}
