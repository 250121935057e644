package arkcli

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// Patterns; never changed.
var (
	variableName   = regexp.MustCompile(`^[A-Z_]{1,60}$`)
	plainFieldName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,40}$`)
	threeDigits    = regexp.MustCompile(`\d{3}`)
)

// Diagnosis is a record of what this machine's Ark CLI can do and how its
// output is shaped, fit to be sent to others: it holds names and counts, and
// no value that Ark CLI printed but its version.
type Diagnosis struct {
	Schema   int             `json:"schema"` // 1
	OS       string          `json:"os"`
	Arch     string          `json:"arch"`
	Found    bool            `json:"found"`
	FoundBy  string          `json:"found_by,omitempty"` // "PATH", "nvm", …
	Program  string          `json:"program,omitempty"`  // file name without its folder
	Version  string          `json:"version,omitempty"`
	EnvNames []string        `json:"env_names"` // names of ARK and ARKCLI variables that are set
	Problem  Problem         `json:"problem,omitempty"`
	Commands []CommandRecord `json:"commands"`
}

// CommandRecord is how one command answered.
type CommandRecord struct {
	Command   string  `json:"command"` // with PROFILE and MODEL in place of names
	Exit      int     `json:"exit"`    // -1 when a signal ended it
	Signal    string  `json:"signal,omitempty"`
	Problem   Problem `json:"problem,omitempty"`
	ErrorType string  `json:"error_type,omitempty"` // Ark CLI's own word, when it is a known one
	Stdout    Shape   `json:"stdout"`
	Stderr    Shape   `json:"stderr"`
}

// Shape is the form of an output.
type Shape struct {
	Form   string   `json:"form"`             // empty, text, json object, json array
	Lines  int      `json:"lines"`            // of the whole output
	Before int      `json:"before,omitempty"` // lines before the JSON
	BOM    bool     `json:"bom,omitempty"`
	Fields []string `json:"fields,omitempty"` // "items[].name string"
}

// maxTimeouts ends a diagnosis of a program that does not answer.
const maxTimeouts = 2

// Diagnose runs the commands that a benchmark needs, and a few beside them
// that only read, and records how they answer. It logs nobody in and changes
// nothing. The error is that of ctx; a missing program is part of the record.
func (c *CLI) Diagnose(ctx context.Context) (Diagnosis, error) {
	d := Diagnosis{Schema: 1, OS: c.opts.GOOS, Arch: runtime.GOARCH, EnvNames: c.env().arkNames(), Commands: []CommandRecord{}}
	at, missing := c.find()
	if missing != nil {
		d.Problem = missing.Problem
		return d, nil
	}
	d.Found, d.FoundBy, d.Program = true, at.how, at.path[strings.LastIndexAny(at.path, `/\`)+1:]
	d.Program = c.say(d.Program, 40)
	d.Version, _ = c.version(ctx)
	l, err := c.inspect(ctx, "")
	if err != nil {
		d.Problem = err.Problem
	}
	timeouts := 0
	for _, probe := range c.probes(ctx, l) {
		record := c.record(ctx, probe)
		if ctx.Err() != nil {
			return d, c.gaveUp(ctx, probe.args)
		}
		d.Commands = append(d.Commands, record)
		if record.Problem == Timeout {
			timeouts++
		}
		if timeouts == maxTimeouts {
			break
		}
	}
	return d, nil
}

// arkNames are the names of variables that Ark CLI would read.
func (e environment) arkNames() []string {
	out := []string{}
	for _, entry := range e.list {
		key, _, ok := cutEntry(entry)
		upper := strings.ToUpper(key)
		known := strings.HasPrefix(upper, "ARK_") || strings.HasPrefix(upper, "ARKCLI_") || upper == "LLM_BENCH_ARKCLI"
		if ok && known && variableName.MatchString(upper) && !slices.Contains(out, upper) {
			out = append(out, upper)
		}
	}
	slices.Sort(out)
	return out
}

// probe is a command and how it is written down.
type probe struct {
	args  []string
	shown string
}

func (c *CLI) probes(ctx context.Context, l Login) []probe {
	with := func(words ...string) probe {
		return probe{append(words, "--format", "json"), strings.Join(words, " ")}
	}
	out := []probe{{[]string{"--version"}, "--version"}, with("auth", "status"), with("auth", "whoami"), with("profile", "list")}
	if l.Profile == "" {
		return out
	}
	pinned := func(words ...string) probe {
		p := with(append(words, "--profile", l.Profile)...)
		p.shown = strings.Join(words, " ") + " --profile PROFILE"
		return p
	}
	out = append(out,
		pinned("profile", "show"), pinned("profile", "keys", "list"), pinned("profile", "apikey", "get"),
		probe{[]string{"profile", "apikey", "get", "--profile", l.Profile, "--plain"}, "profile apikey get --profile PROFILE --plain"},
		pinned("models", "search", "seed", "--modality", "text", "--size", "3"), pinned("models", "list"),
		pinned("infer", "endpoint", "list", "--page-number", "1", "--page-size", "1"), pinned("resources", "list", "--modality", "text"))
	if name := c.anyModel(ctx, l.Profile); name != "" {
		get := pinned("models", "get", name)
		get.shown = "models get MODEL --profile PROFILE"
		out = append(out, get)
	}
	return out
}

func (c *CLI) anyModel(ctx context.Context, profile string) string {
	k := c.catalogue(profile, false)
	if _, err := k.search(ctx, "seed"); err != nil || len(k.models) == 0 {
		return ""
	}
	return safeKeyword(strings.ToLower(k.models[0].name))
}

func (c *CLI) record(ctx context.Context, p probe) CommandRecord {
	r, err := c.call(ctx, p.args...)
	if err != nil {
		return CommandRecord{Command: p.shown, Exit: -1, Problem: err.Problem, Stdout: Shape{Form: "empty"}, Stderr: Shape{Form: "empty"}}
	}
	out := CommandRecord{Command: p.shown, Exit: r.exit, Signal: r.signal, Stdout: c.shape(r.stdout), Stderr: c.shape(r.stderr)}
	told := r.told()
	if slices.Contains(errorTypes(), told.kind) {
		out.ErrorType = told.kind
	}
	if r.exit != 0 {
		out.Problem = c.failure(r).Problem
	}
	return out
}

// errorTypes are Ark CLI's own kinds of error.
func errorTypes() []string {
	return []string{
		"error", "validation", "cancelled", "requires_confirmation", "api", "auth", "rate_limit", "service_unavailable", "network",
		"not_found", "invalid_response", "payment_failed", "grant_seats_partial", "rotate_apikey_partial", "account_not_verified", "agreement_required",
	}
}

func (c *CLI) shape(output []byte) Shape {
	s := Shape{Form: "text", Lines: bytes.Count(output, []byte("\n")), BOM: bytes.HasPrefix(output, []byte("\xef\xbb\xbf"))}
	if len(bytes.TrimSpace(output)) == 0 {
		s.Form = "empty"
		return s
	}
	v, err := decode(output)
	if err != nil {
		return s
	}
	s.Form = "json array"
	if v.object() {
		s.Form = "json object"
	}
	s.Before = bytes.Count(output[:bytes.IndexAny(output, "{[")], []byte("\n"))
	fields := map[string]bool{}
	c.fields(v.v, "", 0, fields)
	s.Fields = slices.Sorted(maps.Keys(fields))
	return s
}

const (
	maxFields = 200
	maxDepth  = 6
)

// fields collects the names and types below v.
func (c *CLI) fields(v any, at string, depth int, out map[string]bool) {
	if depth > maxDepth || len(out) >= maxFields {
		return
	}
	switch x := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			c.fields(x[key], strings.TrimPrefix(at+"."+c.fieldName(key), "."), depth+1, out)
		}
	case []any:
		for _, item := range x[:min(len(x), 50)] {
			c.fields(item, at+"[]", depth+1, out)
		}
	default:
		out[at+" "+kindOf(x)] = true
	}
}

// fieldName hides names that look like data, such as a map's keys.
func (c *CLI) fieldName(name string) string {
	fits := plainFieldName.MatchString(name)
	if !fits || threeDigits.MatchString(name) || c.say(name, 50) != name {
		return "(other)"
	}
	return name
}

func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case json.Number:
		return "number"
	case bool:
		return "bool"
	}
	return "null"
}
