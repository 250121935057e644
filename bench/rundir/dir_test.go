package rundir

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
)

func TestARunsNameIsItsScenarioAndLocalTime(t *testing.T) {
	out := filepath.Join(t.TempDir(), "报告 of today", "a")
	dir, err := Create(index(t), out, bench.Multiturn, began)
	must(t, err)
	if want := filepath.Join(out, "multiturn_20260131_093000"); dir.Path != want || dir.RunID != filepath.Base(want) {
		t.Errorf("created %+v, want %s", dir, want)
	}
}

func TestRunsOfTheSameSecondGetDistinctDirectories(t *testing.T) {
	x, out := index(t), t.TempDir()
	var mu sync.Mutex
	var racing sync.WaitGroup
	seen := map[string]bool{}
	for range 40 {
		racing.Go(func() {
			dir, err := Create(x, out, bench.Prefix, began)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || dir.Unlisted != nil || seen[dir.Path] {
				t.Errorf("created %+v, %v", dir, err)
				return
			}
			seen[dir.Path] = true
		})
	}
	racing.Wait()
	pattern := regexp.MustCompile(`^prefix_20260131_093000(_[0-9]+)?$`)
	for path := range seen {
		if found, err := x.Find(filepath.Base(path)); err != nil || found != path || !pattern.MatchString(filepath.Base(path)) {
			t.Errorf("%s is found as %s, %v", path, found, err)
		}
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) != 40 {
		t.Errorf("%d directories are there, %v", len(entries), err)
	}
}

func TestRunsOfTheSameSecondInTwoPlacesAreBothFound(t *testing.T) {
	x := index(t)
	a, err := Create(x, t.TempDir(), bench.Prefix, began)
	must(t, err)
	b, err := Create(x, t.TempDir(), bench.Prefix, began)
	must(t, err)
	if a.RunID != "prefix_20260131_093000" || b.RunID != "prefix_20260131_093000_2" {
		t.Errorf("named %s and %s", a.RunID, b.RunID)
	}
	for _, dir := range []*Dir{a, b} {
		if found, err := x.Find(dir.RunID); err != nil || found != dir.Path {
			t.Errorf("%s is found at %s, %v", dir.RunID, found, err)
		}
	}
}

func TestARelativePlaceBecomesAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	dir, err := Create(index(t), "reports", bench.Prefix, began)
	must(t, err)
	if !filepath.IsAbs(dir.Path) || filepath.Base(filepath.Dir(dir.Path)) != "reports" {
		t.Errorf("created %s", dir.Path)
	}
}

func TestAPlaceThatCannotBeWrittenIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o644))
	for _, place := range []string{file, filepath.Join(file, "below"), "/dev/null/x", "\x00", ""} {
		dir, err := Create(index(t), place, bench.Prefix, began)
		if dir != nil {
			t.Errorf("%q: created %+v", place, dir)
		}
		wantError(t, err, nil, "output_dir")
	}
}

func TestAnUnknownScenarioGetsNoDirectory(t *testing.T) {
	out := t.TempDir()
	_, err := Create(index(t), out, "../x", began)
	wantError(t, err, nil, "run_id")
	if entries, _ := os.ReadDir(out); len(entries) > 0 {
		t.Errorf("%v was made", entries)
	}
}

func TestAnIndexThatCannotBeWrittenStopsNoRun(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	must(t, os.WriteFile(home, nil, 0o644))
	dir, err := Create(Index{home}, t.TempDir(), bench.Prefix, began)
	must(t, err)
	wantError(t, dir.Unlisted, nil, "index of runs")
	if !isDir(dir.Path) {
		t.Error("no directory")
	}
}

// skillAt makes a copy of the skill's folder.
func skillAt(t *testing.T, frontmatter string, path ...string) string {
	t.Helper()
	root := filepath.Join(append([]string{t.TempDir()}, path...)...)
	must(t, os.MkdirAll(root, 0o755))
	must(t, os.WriteFile(filepath.Join(root, "SKILL.md"), []byte(frontmatter), 0o644))
	return root
}

const ours = "---\nname: llm-bench\ndescription: x\n---\n# llm-bench\n"

func TestNothingIsWrittenIntoAnInstalledSkill(t *testing.T) {
	installed := skillAt(t, ours, "skills", "llm-bench")
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(installed, link))
	cloned := skillAt(t, "\ufeff---\r\ndescription: x\r\nname: 'llm-bench' # ours\r\n---\r\n", ".claude", "skills", "llm-bench")
	must(t, os.Mkdir(filepath.Join(cloned, ".git"), 0o755))
	elsewhere := skillAt(t, ours, "copy")
	for _, place := range []string{
		installed, filepath.Join(installed, "reports"), filepath.Join(installed, "a", "b"), link, filepath.Join(link, "reports", "x"), cloned, elsewhere,
	} {
		_, err := Create(index(t), place, bench.Prefix, began)
		wantError(t, err, nil, "output_dir", "installed skill folder", "name a folder outside it, such as")
		if _, statErr := os.Stat(filepath.Join(installed, "reports")); statErr == nil {
			t.Fatal("a folder was made in the skill")
		}
	}
}

func TestACheckoutAndOtherSkillsTakeReports(t *testing.T) {
	checkout := skillAt(t, ours, "llm-bench")
	must(t, os.WriteFile(filepath.Join(checkout, ".git"), []byte("gitdir: elsewhere\n"), 0o644))
	for _, place := range []string{
		checkout,
		skillAt(t, "---\nname: other\n---\nname: llm-bench\n", "skills", "other"),
		skillAt(t, "name: llm-bench\n", "skills", "llm-bench"),
		skillAt(t, "", "skills", "empty"),
	} {
		if _, err := Create(index(t), filepath.Join(place, "reports"), bench.Prefix, began); err != nil {
			t.Error(err)
		}
	}
}

func TestRunIDsThatCouldLeaveTheirFolderAreRefused(t *testing.T) {
	for _, id := range []string{
		"", ".", "..", "prefix_", "prefix_..", "../prefix_1", "prefix_1/../../x", `prefix_1\x`, "prefix_1\n", "prefix_1:x", "/prefix_1", "other_1",
		"prefix_1\x00", "prefix_" + strings.Repeat("1", 101),
	} {
		wantError(t, CheckRunID(id), nil, "run_id")
	}
	for _, id := range []string{"prefix_20260131_093000", "multiturn_20260131_093000_2", "connectivity_a-b_C"} {
		must(t, CheckRunID(id))
	}
}
