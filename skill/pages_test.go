package skill

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestThePollingRuleIsTheServersWordForWord(t *testing.T) {
	match := regexp.MustCompile(`const pollingRule = "([^"]+)"`).FindStringSubmatch(read(t, "server/instructions.go"))
	if match == nil {
		t.Fatal("the server states no rule for long runs")
	}
	if !strings.Contains(read(t, "SKILL.md"), match[1]) {
		t.Errorf("SKILL.md does not say: %s", match[1])
	}
}

// commandLines are the lines of a page's shell blocks without their comments.
func commandLines(t *testing.T, page string) []string {
	t.Helper()
	var lines []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(read(t, page), -1) {
		for line := range strings.Lines(block[1]) {
			command, _, _ := strings.Cut(line, " #")
			lines = append(lines, strings.TrimSpace(command))
		}
	}
	return lines
}

func TestBothReadmesGiveTheSameCommands(t *testing.T) {
	english, chinese := commandLines(t, "README.md"), commandLines(t, "README.zh.md")
	for i, line := range chinese {
		chinese[i] = strings.Replace(line, "豆包 Seed 2.0 Mini", "doubao seed 2.0 mini", 1)
	}
	if !slices.Equal(english, chinese) {
		t.Errorf("English %q\nChinese %q", english, chinese)
	}
	for _, want := range []string{"go run . all --sim --preset quick --output-dir reports", "go test -race ./..."} {
		if !slices.Contains(english, want) {
			t.Errorf("README.md lacks the command %q", want)
		}
	}
}

func TestBothReadmesShowTheSameFigures(t *testing.T) {
	figure := regexp.MustCompile(`\d[\d,.]* (?:ms|s|%)`)
	figures := func(page string) []string {
		_, table, _ := strings.Cut(read(t, page), "| AVG | P50 | P99 |")
		table, _, found := strings.Cut(table, "```")
		if !found {
			t.Fatalf("%s shows no table of a run", page)
		}
		return figure.FindAllString(table, -1)
	}
	if english, chinese := figures("README.md"), figures("README.zh.md"); len(english) < 20 || !slices.Equal(english, chinese) {
		t.Errorf("English %q\nChinese %q", english, chinese)
	}
}

// sources are the program's own Go files and scripts, without tests and stand-ins.
func sources(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || path == filepath.Join(root, "arkcli", "fake")) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, "_test.go") && slices.Contains([]string{".go", ".sh"}, filepath.Ext(name)) || name == "llm-bench-mcp" {
			found = append(found, strings.TrimPrefix(path, root+string(filepath.Separator)))
		}
		return nil
	})
	if err != nil || len(found) < 100 {
		t.Fatalf("%d files, %v", len(found), err)
	}
	return found
}

func TestEveryVariableThatTheProgramReadsIsInTheTableOfTheEnvironment(t *testing.T) {
	_, section, _ := strings.Cut(read(t, "skill/cli.md"), "\n## Environment\n")
	section, _, _ = strings.Cut(section, "\n## ")
	quoted := regexp.MustCompile(`"((?:LLM_BENCH|ARK|CLAUDE|CODEX)_[A-Z_]+)"|\$\{?(LLM_BENCH_[A-Z_]+)`)
	used := map[string]bool{}
	for _, file := range sources(t) {
		for _, m := range quoted.FindAllStringSubmatch(read(t, file), -1) {
			name := m[1] + m[2]
			if used[name] = true; !strings.Contains(section, "`"+name+"`") {
				t.Errorf("%s reads %s, which skill/cli.md doesn't explain", file, name)
			}
		}
	}
	for _, name := range regexp.MustCompile(`LLM_BENCH_[A-Z_]+`).FindAllString(section, -1) {
		if !used[name] {
			t.Errorf("skill/cli.md explains %s, which nothing reads", name)
		}
	}
	if len(used) < 9 {
		t.Errorf("only %v were found", used)
	}
}

func TestReadmesAreShort(t *testing.T) {
	for _, page := range []string{"README.md", "README.zh.md"} {
		if n := strings.Count(read(t, page), "\n"); n > 150 {
			t.Errorf("%s has %d lines: allowed are 150", page, n)
		}
	}
}
