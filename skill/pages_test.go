package skill

import (
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

func TestReadmesAreShort(t *testing.T) {
	for _, page := range []string{"README.md", "README.zh.md"} {
		if n := strings.Count(read(t, page), "\n"); n > 150 {
			t.Errorf("%s has %d lines: allowed are 150", page, n)
		}
	}
}
