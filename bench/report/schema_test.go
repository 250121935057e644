package report

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
)

// schemaFile stands beside the code, where other programs find it.
const schemaFile = "result.schema.json"

// strictSchema describes bench.Result as it is encoded, and allows nothing else.
func strictSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.For[bench.Result](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[bench.Dist]():     ref("distribution"),
		reflect.TypeFor[bench.Count]():    ref("count"),
		reflect.TypeFor[bench.Limits]():   object(true, numbers("connect_timeout_ms", "first_token_timeout_ms", "idle_timeout_ms", "timeout_ms")),
		reflect.TypeFor[bench.SLO]():      object(false, numbers("ttft_ms", "tpot_ms", "e2e_ms")),
		reflect.TypeFor[bench.State]():    enumOf(bench.StateQueued, bench.StateRunning, bench.StateSucceeded, bench.StateFailed, bench.StateCanceled, bench.StateInterrupted),
		reflect.TypeFor[bench.Scenario](): enumOf(bench.Connectivity, bench.Prefix, bench.Multiturn),
		reflect.TypeFor[bench.Verdict]():  enumOf(bench.Trusted, bench.Degraded, bench.Invalid, bench.Unknown),
		reflect.TypeFor[bench.Severity](): enumOf(bench.Serious, bench.Notable, bench.Info),
		reflect.TypeFor[bench.Thinking](): enumOf(bench.ThinkingDisabled, bench.ThinkingEnabled, bench.ThinkingAuto),
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.Schema, s.ID, s.Title = "https://json-schema.org/draft/2020-12/schema", "urn:llm-bench:result:1", "llm-bench result"
	s.Description = "What one run of llm-bench measured. Durations are milliseconds where the name ends in _ms, seconds where it ends in _s; rates and shares are 0 to 1. What is unknown is absent or null, never 0."
	s.Defs = map[string]*jsonschema.Schema{
		"distribution": distributionSchema(), "interval": object(true, numbers("low", "high")), "count": countSchema(),
	}
	s.Properties["schema"] = enumOf(bench.ResultSchema)
	walk(s, bound)
	return s
}

func ref(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/" + name} }

func enumOf[T ~string](allowed ...T) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, a := range allowed {
		s.Enum = append(s.Enum, string(a))
	}
	return s
}

func numbers(names ...string) map[string]*jsonschema.Schema {
	properties := map[string]*jsonschema.Schema{}
	for _, n := range names {
		properties[n] = &jsonschema.Schema{Type: "number"}
	}
	return properties
}

func object(required bool, properties map[string]*jsonschema.Schema) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: properties, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	if required {
		for name := range properties {
			s.Required = append(s.Required, name)
		}
	}
	slices.Sort(s.Required)
	return s
}

func distributionSchema() *jsonschema.Schema {
	properties := numbers("avg", "p5", "p50", "p90", "p95", "p99", "min", "max", "stddev")
	for _, name := range []string{"avg_ci95", "p50_ci95", "p99_ci95"} {
		properties[name] = ref("interval")
	}
	properties["n"], properties["p99_needs_n"] = &jsonschema.Schema{Type: "integer"}, &jsonschema.Schema{Type: "integer"}
	s := object(false, properties)
	s.Required = []string{"n"}
	s.Description = "n values; all other figures are absent when n is 0. Percentiles interpolate linearly between ranks. A P99 with p99_needs_n rests on fewer samples than that and is little more than the maximum."
	return s
}

func countSchema() *jsonschema.Schema {
	properties := numbers("avg")
	for _, name := range []string{"n", "min", "max", "sum"} {
		properties[name] = &jsonschema.Schema{Type: "integer"}
	}
	s := object(false, properties)
	s.Required = []string{"n"}
	s.Description = "n counts of tokens or events; all other figures are absent when n is 0."
	return s
}

// walk visits every schema with the name of the property it describes.
func walk(s *jsonschema.Schema, visit func(name string, s *jsonschema.Schema)) {
	var step func(string, *jsonschema.Schema)
	step = func(name string, s *jsonschema.Schema) {
		if s == nil {
			return
		}
		visit(name, s)
		for name, p := range s.Properties {
			step(name, p)
		}
		for name, d := range s.Defs {
			step(name, d)
		}
		step("", s.Items)
		if s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil {
			step("", s.AdditionalProperties)
		}
	}
	step("", s)
}

// bound holds shares and rates to their range.
func bound(name string, s *jsonschema.Schema) {
	share := strings.HasSuffix(name, "_share") || name == "share" || name == "hit_rate" || name == "ceiling" || name == "coverage" || name == "max_failure_rate"
	if !share || s.Type != "number" && len(s.Types) == 0 {
		return
	}
	low, high := 0.0, 1.0
	s.Minimum, s.Maximum = &low, &high
}

func TestThePublishedSchemaIsThatOfTheResult(t *testing.T) {
	s := strictSchema(t)
	walk(s, func(_ string, s *jsonschema.Schema) {
		if s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil {
			s.AdditionalProperties = nil // later versions may add properties
		}
	})
	compact, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, compact, "", "  "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	if updating() {
		if err := os.WriteFile(schemaFile, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if ResultSchema() != b.String() {
		t.Errorf("%s is not the schema of bench.Result; run the tests with -update", schemaFile)
	}
}

func resolved(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	r, err := strictSchema(t).Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// instance is a result as another program sees it.
func instance(t *testing.T, result *bench.Result) map[string]any {
	t.Helper()
	document, err := resultJSON(result)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(document, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEveryResultKeepsItsSchema(t *testing.T) {
	t.Parallel()
	r := resolved(t)
	for name, run := range runs() {
		if err := r.Validate(instance(t, run.Result(run.Record()))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, fault := range benchtest.Faults() {
		if err := r.Validate(instance(t, fault.Run.Result(fault.Run.Record()))); err != nil {
			t.Errorf("%s: %v", fault.Name, err)
		}
	}
}

func TestTheSchemaRefusesWhatIsNoResult(t *testing.T) {
	r := resolved(t)
	_, result := small(bench.Prefix)
	for name, damage := range map[string]func(map[string]any){
		"no state":         func(v map[string]any) { delete(v, "state") },
		"an unknown state": func(v map[string]any) { v["state"] = "done" },
		"another schema":   func(v map[string]any) { v["schema"] = "llm-bench/result/9" },
		"more than all hit": func(v map[string]any) {
			v["targets"].([]any)[0].(map[string]any)["summary"].(map[string]any)["cache"].(map[string]any)["hit_rate"] = 1.5
		},
		"a figure without n": func(v map[string]any) {
			delete(v["targets"].([]any)[0].(map[string]any)["summary"].(map[string]any)["ttft_ms"].(map[string]any), "n")
		},
	} {
		v := instance(t, result)
		damage(v)
		if r.Validate(v) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
