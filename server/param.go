package server

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/llm-bench/llm-bench/bench"
)

// param is one argument of a tool: its schema and what is said when a value
// doesn't fit it. Some clients hide limits and defaults from their model, so
// the text states them too.
type param struct {
	name     string
	kind     string // JSON Schema's type
	text     string
	required bool
	enum     []string
	low      float64
	high     float64
	ranged   bool
	def      string // for the text; "" is none
	longest  int    // characters of a string, or of an item of a list
	least    int    // items of a list
	most     int
}

func text(name, words string) param {
	return param{name: name, kind: "string", text: words, longest: 1000}
}

func choice(name, words, def string, values ...string) param {
	return param{name: name, kind: "string", text: words, enum: values, def: def}
}

func whole(name, words, def string, low, high int) param {
	return param{name: name, kind: "integer", text: words, def: def, low: float64(low), high: float64(high), ranged: true}
}

func decimal(name, words, def string, low, high float64) param {
	return param{name: name, kind: "number", text: words, def: def, low: low, high: high, ranged: true}
}

func toggle(name, words string) param { return param{name: name, kind: "boolean", text: words} }

// names is a list of texts.
func names(name, words string, least, most int) param {
	return param{name: name, kind: "array", text: words, longest: 200, least: least, most: most}
}

func must(p param) param {
	p.required = true
	return p
}

// description is the parameter's text with its range and default.
func (p param) description() string {
	var parts []string
	if p.ranged {
		parts = append(parts, number(p.low)+"-"+number(p.high))
	}
	if p.def != "" {
		parts = append(parts, "default "+p.def)
	}
	if p.kind == "array" {
		parts = append(parts, fmt.Sprintf("%d-%d", p.least, p.most))
	}
	if len(parts) == 0 {
		return p.text
	}
	return strings.TrimSpace(p.text + " (" + strings.Join(parts, ", ") + ")")
}

// option adds the parameter to a tool's schema.
func (p param) option() mcp.ToolOption {
	options := []mcp.PropertyOption{mcp.Description(p.description())}
	if p.required {
		options = append(options, mcp.Required())
	}
	if p.ranged {
		options = append(options, mcp.Min(p.low), mcp.Max(p.high))
	}
	switch p.kind {
	case "integer":
		return mcp.WithInteger(p.name, options...)
	case "number":
		return mcp.WithNumber(p.name, options...)
	case "boolean":
		return mcp.WithBoolean(p.name, options...)
	case "array":
		return mcp.WithArray(p.name, append(options, mcp.WithStringItems(mcp.MaxLength(p.longest)), mcp.MinItems(p.least), mcp.MaxItems(p.most))...)
	}
	if len(p.enum) > 0 {
		return mcp.WithString(p.name, append(options, mcp.Enum(p.enum...))...)
	}
	return mcp.WithString(p.name, append(options, mcp.MaxLength(p.longest))...)
}

// allowed says in words what a value may be.
func (p param) allowed() string {
	switch {
	case len(p.enum) > 0:
		return "one of " + strings.Join(p.enum, ", ")
	case p.kind == "integer":
		return "a whole number, " + number(p.low) + " to " + number(p.high)
	case p.kind == "number":
		return "a number, " + number(p.low) + " to " + number(p.high)
	case p.kind == "boolean":
		return "true or false"
	case p.kind == "array":
		return fmt.Sprintf("a list of %d to %d texts", p.least, p.most)
	}
	return "a text of at most " + strconv.Itoa(p.longest) + " characters"
}

// check says what is wrong with a value, "" if nothing is.
func (p param) check(value any) string {
	if p.fits(value) {
		return ""
	}
	if n, ok := value.(float64); ok && p.ranged && (p.kind == "number" || n == math.Trunc(n)) {
		return fmt.Sprintf("%s must be %s to %s, got %s", p.name, number(p.low), number(p.high), number(n))
	}
	return fmt.Sprintf("%s must be %s, got %s", p.name, p.allowed(), shown(value))
}

func (p param) fits(value any) bool {
	switch v := value.(type) {
	case string:
		return p.kind == "string" && (len(p.enum) == 0 || slices.Contains(p.enum, v)) && (p.longest == 0 || len([]rune(v)) <= p.longest)
	case bool:
		return p.kind == "boolean"
	case []any:
		return p.kind == "array" && len(v) >= p.least && len(v) <= p.most && !slices.ContainsFunc(v, p.tooLong)
	case float64:
		whole := p.kind == "integer" && v == math.Trunc(v)
		return (whole || p.kind == "number") && v >= p.low && v <= p.high
	}
	return false
}

// tooLong reports whether an item of a list is no text of the allowed length.
func (p param) tooLong(item any) bool {
	text, ok := item.(string)
	return !ok || len([]rune(text)) > p.longest
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// shown prints a value that a client sent, cut short.
func shown(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return "something else"
	}
	return bench.Clean(bench.Redact(string(encoded)), 60)
}

// checkArguments says everything that is wrong with the arguments of a call.
func checkArguments(params []param, arguments map[string]any) []string {
	var faults []string
	known := map[string]bool{}
	for _, p := range params {
		known[p.name] = true
		value, given := arguments[p.name]
		switch {
		case !given && p.required:
			faults = append(faults, p.name+" is required: "+p.text)
		case given:
			if f := p.check(value); f != "" {
				faults = append(faults, f)
			}
		}
	}
	for name := range arguments {
		if !known[name] {
			faults = append(faults, fmt.Sprintf("%s is no parameter of this tool", shown(name)))
		}
	}
	slices.Sort(faults)
	return faults
}
