package skill

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
)

// mcpTool is a tool as the server lists it.
type mcpTool struct {
	Name, Description         string
	InputSchema, OutputSchema struct {
		Properties map[string]json.RawMessage
	}
}

// tools are what the program's MCP server offers, asked over its standard streams.
func tools(t *testing.T) []mcpTool {
	t.Helper()
	server := exec.CommandContext(t.Context(), program, "mcp")
	server.Env = append(server.Environ(), "LLM_BENCH_HOME="+t.TempDir())
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	const requests = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`
	if _, err := io.WriteString(in, requests); err != nil {
		t.Fatal(err)
	}
	var list struct{ Tools []mcpTool }
	readAnswer(t, out, "2", &list)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Fatalf("the server ended with %v", err)
	}
	return list.Tools
}

// readAnswer reads lines up to the answer with the id, and decodes its result.
func readAnswer(t *testing.T, out io.Reader, id string, result any) {
	t.Helper()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var answer struct {
			ID     json.RawMessage
			Result json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
			t.Fatalf("stdout holds %q: %v", lines.Text(), err)
		}
		if string(answer.ID) != id {
			continue
		}
		if err := json.Unmarshal(answer.Result, result); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("no answer %s: %v", id, lines.Err())
}

func TestEveryToolThatAPageNamesExistsAndTheSkillNamesEveryTool(t *testing.T) {
	var offered []string
	for _, tool := range tools(t) {
		offered = append(offered, tool.Name)
		if !strings.Contains(read(t, "SKILL.md"), "`"+tool.Name+"`") {
			t.Errorf("SKILL.md does not name %s", tool.Name)
		}
	}
	name := regexp.MustCompile("`((?:check|resolve|run|get|list|cancel|compare|package)_[a-z_]+)`")
	for _, page := range pages() {
		for _, m := range name.FindAllStringSubmatch(read(t, page), -1) {
			if !slices.Contains([]string{"run_id", "run_ids", "run_dir"}, m[1]) && !slices.Contains(offered, m[1]) {
				t.Errorf("%s names the tool %s, which the server doesn't offer", page, m[1])
			}
		}
	}
}

func TestEveryFieldThatTheSkillNamesIsAToolsOwn(t *testing.T) {
	known := map[string]bool{}
	for _, tool := range tools(t) {
		known[tool.Name] = true
		for name := range tool.InputSchema.Properties {
			known[name] = true
		}
		for name := range tool.OutputSchema.Properties {
			known[name] = true
		}
	}
	for _, m := range regexp.MustCompile("`([a-z]+(?:_[a-z]+)+)(?:: [^`]*)?`").FindAllStringSubmatch(read(t, "SKILL.md"), -1) {
		if !known[m[1]] {
			t.Errorf("SKILL.md names %s, which no tool takes or gives", m[1])
		}
	}
}

func TestTheMinutesOfTheStandardPresetAreTheEstimatesEverywhere(t *testing.T) {
	page, sum := read(t, "SKILL.md"), [2]float64{}
	for _, scenario := range []bench.Scenario{bench.Prefix, bench.Multiturn} {
		spec := bench.NewSpec(scenario, bench.Standard)
		low, high := job.Estimate(&spec)
		sum[0], sum[1] = sum[0]+low.Minutes(), sum[1]+high.Minutes()
		row := regexp.MustCompile(`(?m)^\| ` + string(scenario) + ` \|.*\|$`).FindString(page)
		if want := fmt.Sprintf(", %.0f to %.0f min |", low.Minutes(), high.Minutes()); !strings.HasSuffix(row, want) {
			t.Errorf("SKILL.md has %q, want %q at its end", row, want)
		}
		described := false
		for _, tool := range tools(t) {
			described = described || tool.Name == "run_"+string(scenario) && strings.Contains(tool.Description, fmt.Sprintf(" %.0f-%.0f min;", low.Minutes(), high.Minutes()))
		}
		if !described {
			t.Errorf("the description of run_%s states other minutes than %v to %v", scenario, low, high)
		}
	}
	if want := fmt.Sprintf("The last one takes %.0f to %.0f minutes", sum[0], sum[1]); !strings.Contains(page, want) {
		t.Errorf("SKILL.md doesn't say: %s", want)
	}
}

func TestEveryToolParameterIsAFlag(t *testing.T) {
	flags := map[string]bool{}
	for _, command := range []string{"connectivity", "prefix", "multiturn"} {
		for name := range flagsOf(t, command) {
			flags[strings.ReplaceAll(name, "-", "_")] = true
		}
	}
	own := []string{"wait_seconds"}
	for _, tool := range tools(t) {
		if !strings.HasPrefix(tool.Name, "run_") {
			continue
		}
		for name := range tool.InputSchema.Properties {
			if !flags[name] && !slices.Contains(own, name) {
				t.Errorf("%s takes %s, which is no flag", tool.Name, name)
			}
		}
	}
}
