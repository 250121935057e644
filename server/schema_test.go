package server

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// validate checks a document against a schema.
func validate(t *testing.T, schema json.RawMessage, document map[string]any) {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	check(t, err)
	compiler := jsonschema.NewCompiler()
	check(t, compiler.AddResource("mem:///schema.json", parsed))
	compiled, err := compiler.Compile("mem:///schema.json")
	check(t, err)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(mustJSON(t, document)))
	check(t, err)
	if err := compiled.Validate(value); err != nil {
		t.Errorf("the result doesn't fit its schema: %v\n%s", err, mustJSON(t, document))
	}
}

func listed(t *testing.T, o options) []mcp.Tool {
	t.Helper()
	b := newBed(t, o)
	result, err := b.client.ListTools(t.Context(), mcp.ListToolsRequest{})
	check(t, err)
	return result.Tools
}

func TestTheToolsAreThoseOfTheSnapshots(t *testing.T) {
	var names []string
	for _, tool := range listed(t, options{}) {
		names = append(names, tool.Name)
		var text bytes.Buffer
		check(t, json.Indent(&text, mustJSON(t, tool), "", "  "))
		text.WriteByte('\n')
		path := filepath.Join("testdata", "tools", tool.Name+".json")
		if update() {
			check(t, os.WriteFile(path, text.Bytes(), 0o644))
		}
		want, err := os.ReadFile(path)
		check(t, err)
		if !bytes.Equal(want, text.Bytes()) {
			t.Errorf("%s differs from %s; run the test with -update and look at the change", tool.Name, path)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "tools", "*.json"))
	check(t, err)
	if len(files) != len(names) {
		t.Errorf("there are %d snapshots for the tools %v", len(files), names)
	}
}

func TestReadOnlyServersOfferNoToolThatStartsOrStopsARun(t *testing.T) {
	var names []string
	for _, tool := range listed(t, options{readOnly: true}) {
		names = append(names, tool.Name)
		if !*tool.Annotations.ReadOnlyHint {
			t.Errorf("%s may write", tool.Name)
		}
	}
	if want := []string{"check_login", "compare_runs", "get_run", "list_runs", "resolve_model"}; !slices.Equal(names, want) {
		t.Errorf("the tools are %v, want %v", names, want)
	}
}

func TestEveryToolHasATitleAndStatesItsFourHints(t *testing.T) {
	want := map[string][4]bool{ // read-only, destructive, idempotent, open world
		"check_login": {true, false, true, true}, "resolve_model": {true, false, true, true},
		"run_connectivity": {false, false, false, true}, "run_prefix": {false, false, false, true}, "run_multiturn": {false, false, false, true},
		"get_run": {true, false, true, false}, "list_runs": {true, false, true, false}, "cancel_run": {false, false, true, false},
		"compare_runs": {true, false, true, false}, "package_reports": {false, false, true, false},
	}
	tools := listed(t, options{})
	if len(tools) != len(want) {
		t.Errorf("there are %d tools, want %d", len(tools), len(want))
	}
	for _, tool := range tools {
		var on struct {
			Title       string
			Annotations map[string]any
		}
		check(t, json.Unmarshal(mustJSON(t, tool), &on))
		got := [4]bool{}
		for i, name := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			value, stated := on.Annotations[name].(bool)
			if !stated {
				t.Errorf("%s doesn't state its %s", tool.Name, name)
			}
			got[i] = value
		}
		if on.Title == "" || got != want[tool.Name] {
			t.Errorf("%s: title %q, hints %v, want %v", tool.Name, on.Title, got, want[tool.Name])
		}
	}
}

func TestSchemasAreFlatClosedAndOfSingleTypes(t *testing.T) {
	for _, tool := range listed(t, options{}) {
		whole := string(mustJSON(t, tool))
		for _, word := range []string{"$ref", "anyOf", "oneOf", "allOf", `"null"`} {
			if strings.Contains(whole, word) {
				t.Errorf("%s: %s in its schemas", tool.Name, word)
			}
		}
		if tool.InputSchema.AdditionalProperties != false {
			t.Errorf("%s takes arguments that it doesn't name", tool.Name)
		}
		for name, property := range tool.InputSchema.Properties {
			p := property.(map[string]any)
			if items, _ := p["items"].(map[string]any); p["type"] == "array" && items["type"] == "string" {
				continue
			}
			if kind, _ := p["type"].(string); !slices.Contains([]string{"string", "integer", "number", "boolean"}, kind) {
				t.Errorf("%s: the type of %s is %v", tool.Name, name, p["type"])
			}
		}
		if !slices.Contains(tool.OutputSchema.Required, "summary") || !slices.Contains(tool.OutputSchema.Required, "next_step") || len(tool.OutputSchema.Required) != 3 {
			t.Errorf("%s: results must have %v", tool.Name, tool.OutputSchema.Required)
		}
	}
}

func TestEveryNumberStatesItsRangeAndDefaultInWords(t *testing.T) {
	for _, tool := range listed(t, options{}) {
		for name, property := range tool.InputSchema.Properties {
			p := property.(map[string]any)
			words, _ := p["description"].(string)
			if kind := p["type"]; kind != "integer" && kind != "number" {
				continue
			}
			low, high := number(p["minimum"].(float64)), number(p["maximum"].(float64))
			if !strings.Contains(words, low+"-"+high) || !strings.Contains(words, "default ") {
				t.Errorf("%s: %s is described as %q", tool.Name, name, words)
			}
		}
	}
}

func TestTextsFitTheRoomThatClientsGive(t *testing.T) {
	sum := 0
	for _, tool := range listed(t, options{}) {
		n := utf8.RuneCountInString(tool.Description)
		if n > 700 || len(tool.Description) > 2000 {
			t.Errorf("%s: its description has %d characters", tool.Name, n)
		}
		sum += n
		for _, property := range tool.InputSchema.Properties {
			words, _ := property.(map[string]any)["description"].(string)
			if words == "" {
				t.Errorf("%s: a parameter without a description", tool.Name)
			}
			sum += utf8.RuneCountInString(words)
		}
	}
	if sum > 6000 {
		t.Errorf("all descriptions together have %d characters, allowed are 6000", sum)
	}
	if n := utf8.RuneCountInString(instructions); n > 1500 {
		t.Errorf("the instructions have %d characters, allowed are 1500", n)
	}
}

func TestBothRunToolsAndTheInstructionsStateThePollingRule(t *testing.T) {
	for _, tool := range listed(t, options{}) {
		if tool.Name == "run_prefix" || tool.Name == "run_multiturn" {
			if !strings.Contains(tool.Description, pollingRule) {
				t.Errorf("%s doesn't", tool.Name)
			}
		}
	}
	if !strings.Contains(instructions, pollingRule) {
		t.Error("the instructions don't")
	}
}

func TestDescriptionsHoldTheWordsThatToolsAreSearchedBy(t *testing.T) {
	for _, tool := range listed(t, options{}) {
		if tool.Name != "run_prefix" && tool.Name != "run_multiturn" {
			continue
		}
		for _, word := range []string{"benchmark", "load test", "TTFT", "TPOT", "latency", "cache hit rate", "压测"} {
			if !strings.Contains(tool.Description, word) {
				t.Errorf("%s: %q is missing", tool.Name, word)
			}
		}
	}
}
