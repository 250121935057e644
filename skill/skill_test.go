// Package skill holds the pages and scripts that an agent reads and runs. Its
// tests hold them together with the program: what a page names exists, and
// what it says of a flag, a preset or a tool is so.
package skill

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
)

// root is the skill's folder, seen from here.
const root = ".."

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// frontmatter splits SKILL.md into the lines between its two rules and the body.
func frontmatter(t *testing.T) (head []string, body string) {
	t.Helper()
	text := read(t, "SKILL.md")
	parts := strings.SplitN(text, "---\n", 3)
	if len(parts) != 3 || parts[0] != "" {
		t.Fatal("SKILL.md does not begin with a frontmatter between two lines of ---")
	}
	return strings.Split(strings.TrimSuffix(parts[1], "\n"), "\n"), parts[2]
}

// fields are the top-level fields of the frontmatter; folded and nested lines
// are joined with one space.
func fields(t *testing.T, head []string) map[string]string {
	t.Helper()
	found := map[string]string{}
	last := ""
	for _, line := range head {
		if strings.HasPrefix(line, "  ") {
			found[last] = strings.TrimSpace(found[last] + " " + strings.TrimSpace(line))
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || found[name] != "" {
			t.Fatalf("line %q of the frontmatter is no field of its own", line)
		}
		last = name
		found[last] = strings.TrimSuffix(strings.TrimSpace(value), ">-")
	}
	return found
}

func TestFrontmatterFollowsTheSpecification(t *testing.T) {
	head, body := frontmatter(t)
	f := fields(t, head)
	for name := range f {
		if !slices.Contains([]string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}, name) {
			t.Errorf("field %q is not in the specification", name)
		}
	}
	if !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(f["name"]) || f["name"] != "llm-bench" {
		t.Errorf("name is %q", f["name"])
	}
	if n := len(f["description"]); n < 1 || n > 1024 {
		t.Errorf("description has %d bytes: allowed are 1 to 1024", n)
	}
	if n := len(f["compatibility"]); n > 500 {
		t.Errorf("compatibility has %d bytes: allowed are 500", n)
	}
	if strings.TrimSpace(body) == "" {
		t.Error("the body is empty")
	}
}

func TestDescriptionHoldsTheWordsThatUsersSay(t *testing.T) {
	head, _ := frontmatter(t)
	description := fields(t, head)["description"]
	for _, word := range []string{"压测", "性能测试", "缓存命中率", "首 token", "方舟", "豆包", "benchmark", "load test", "TTFT", "TPOT", "latency", "Volcengine Ark"} {
		if !strings.Contains(description, word) {
			t.Errorf("description lacks %q", word)
		}
	}
}

func TestSkillPageIsShort(t *testing.T) {
	if n := strings.Count(read(t, "SKILL.md"), "\n"); n > 120 {
		t.Errorf("SKILL.md has %d lines: allowed are 120", n)
	}
}

func TestEveryFileThatAPageNamesExists(t *testing.T) {
	path := regexp.MustCompile(`(?:skill/[\w.-]+|[\w.-]+\.(?:sh|md))\b`)
	made := []string{"report.md"}
	for _, page := range pages() {
		for _, name := range path.FindAllString(read(t, page), -1) {
			if slices.Contains(made, name) {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Errorf("%s names %s: %v", page, name, err)
			}
		}
	}
}

func TestEveryPageOfTheFolderIsReachedFromTheSkillPage(t *testing.T) {
	found, err := filepath.Glob("*.md")
	if err != nil || len(found) < 4 {
		t.Fatalf("pages %v, %v", found, err)
	}
	for _, page := range found {
		if !strings.Contains(read(t, "SKILL.md"), "(skill/"+page+")") {
			t.Errorf("SKILL.md does not lead to skill/%s", page)
		}
	}
}

// statedVersion is the version that the program's source states.
func statedVersion(t *testing.T) string {
	t.Helper()
	match := regexp.MustCompile(`const version = "([^"]+)"`).FindStringSubmatch(read(t, "main.go"))
	if match == nil {
		t.Fatal("main.go states no version")
	}
	return match[1]
}

func TestTheVersionIsTheProgramsEverywhere(t *testing.T) {
	version := statedVersion(t)
	head, _ := frontmatter(t)
	if got := fields(t, head)["metadata"]; got != `version: "`+version+`"` {
		t.Errorf("SKILL.md has %s, the program %s", got, version)
	}
	var plugin struct{ Name, Version string }
	if err := json.Unmarshal([]byte(read(t, ".claude-plugin/plugin.json")), &plugin); err != nil || plugin.Version != version {
		t.Errorf("plugin.json has %q (%v), the program %s", plugin.Version, err, version)
	}
	if !strings.Contains(read(t, "CHANGELOG.md"), "## ["+version+"]") {
		t.Errorf("CHANGELOG.md has no entry for %s", version)
	}
}

func TestThePluginStartsTheLauncherOfThisFolder(t *testing.T) {
	var servers struct {
		MCPServers map[string]struct{ Command string } `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(read(t, ".mcp.json")), &servers); err != nil {
		t.Fatal(err)
	}
	command := servers.MCPServers["llm-bench"].Command
	path, found := strings.CutPrefix(command, "${CLAUDE_PLUGIN_ROOT}/")
	if _, err := os.Stat(filepath.Join(root, path)); !found || err != nil {
		t.Errorf("the command is %q: %v", command, err)
	}
	var market struct {
		Plugins []struct{ Name, Source string }
	}
	if err := json.Unmarshal([]byte(read(t, ".claude-plugin/marketplace.json")), &market); err != nil || len(market.Plugins) != 1 ||
		market.Plugins[0].Name != "llm-bench" || market.Plugins[0].Source != "./" {
		t.Errorf("marketplace.json: %+v, %v", market, err)
	}
}

// An installer copies the whole folder, and leaves files of this name behind.
func TestTheFolderIsSmallAndNoFileIsNamedMetadata(t *testing.T) {
	var sum int64
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && slices.Contains([]string{".git", "reports", "dist", "node_modules"}, name) {
			return filepath.SkipDir
		}
		if entry.Name() == "metadata.json" {
			t.Errorf("%s would not be installed", path)
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if sum += info.Size(); info.Size() > 1<<20 && filepath.Ext(path) != ".zip" {
			t.Errorf("%s has %d bytes: allowed are 1 MiB", path, info.Size())
		}
		return nil
	})
	if err != nil || sum > 8<<20 {
		t.Errorf("%d bytes, %v: allowed are 8 MiB", sum, err)
	}
}

func TestPresetTableIsThatOfTheProgram(t *testing.T) {
	rows := table(t, "skill/parameters.md", "## Presets")
	seen := 0
	for _, row := range rows {
		for column, preset := range []bench.Preset{bench.Quick, bench.Standard, bench.Thorough} {
			want := presetValue(t, row[0], preset)
			if got := row[column+1]; got != strconv.Itoa(want) {
				t.Errorf("%s of %s is %s on the page, %d in the program", row[0], preset, got, want)
			}
			seen++
		}
	}
	if seen != 33 {
		t.Errorf("the table holds %d values, want 33", seen)
	}
}

// presetValue is the value of the parameter that a row of the table names.
func presetValue(t *testing.T, row string, preset bench.Preset) int {
	t.Helper()
	prefix, multiturn := bench.NewSpec(bench.Prefix, preset), bench.NewSpec(bench.Multiturn, preset)
	values := map[string]int{
		"`prefix_len`": prefix.PrefixLen, "`suffix_len`": prefix.SuffixLen, "`num_prefixes`": prefix.NumPrefixes, "`num_requests`": prefix.NumRequests,
		"`initial_len`": multiturn.InitialLen, "`question_len`": multiturn.QuestionLen, "`num_sessions`": multiturn.NumSessions, "`max_turns`": multiturn.MaxTurns,
		"`max_concurrency`": prefix.MaxConcurrency, "`max_output_tokens` of prefix": prefix.MaxOutputTokens, "`max_output_tokens` of multiturn": multiturn.MaxOutputTokens,
	}
	value, found := values[row]
	if !found {
		t.Fatalf("row %s names no parameter", row)
	}
	return value
}

func TestEveryFailureClassIsExplained(t *testing.T) {
	page := read(t, "skill/troubleshoot.md")
	classes := regexp.MustCompile(`(?m)^\tFail\w+ +Outcome = "(\w+)"`).FindAllStringSubmatch(read(t, "bench/sample.go"), -1)
	if len(classes) < 15 {
		t.Fatalf("found %d classes", len(classes))
	}
	for _, class := range classes {
		if !strings.Contains(page, "`"+class[1]+"`") {
			t.Errorf("skill/troubleshoot.md does not explain %s", class[1])
		}
	}
}

// pages are what agents and people read of this skill.
func pages() []string {
	return []string{"SKILL.md", "README.md", "README.zh.md", "CONTRIBUTING.md", "skill/parameters.md", "skill/metrics.md", "skill/troubleshoot.md", "skill/cli.md"}
}

// table is the first table below a heading, without its head, cell by cell.
func table(t *testing.T, page, heading string) [][]string {
	t.Helper()
	_, text, found := strings.Cut(read(t, page), heading+"\n")
	if !found {
		t.Fatalf("%s has no %q", page, heading)
	}
	var rows [][]string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") || len(rows) > 0 && line == "" {
			break
		}
		if strings.HasPrefix(line, "|") {
			rows = append(rows, cells(line))
		}
	}
	if len(rows) < 3 {
		t.Fatalf("%s has no table below %q", page, heading)
	}
	return rows[2:]
}

func cells(line string) []string {
	parts := strings.Split(strings.Trim(line, "|"), " | ")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}
