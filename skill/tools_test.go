package skill

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mcpTool is a tool as the server lists it.
type mcpTool struct {
	Name                      string
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
