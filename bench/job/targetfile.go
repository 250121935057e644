package job

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/llm-bench/llm-bench/bench"
)

// maxTargetFile bounds a target file, in bytes.
const maxTargetFile = 16 << 10

// TargetFileError is something wrong in a target file.
type TargetFileError struct {
	File string
	Line int   // from 1; 0 is the file as a whole
	Err  error // a [*bench.FieldError] where one field is wrong
}

// Error implements error.
func (e *TargetFileError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

// Unwrap serves [errors.As].
func (e *TargetFileError) Unwrap() error { return e.Err }

// ReadTarget reads a target file: YAML without secrets, as [TargetFileFields]
// lists. Everything that is wrong in it is said at once, as joined
// [*TargetFileError]s. The target has no key, and a model only where the file
// names one.
func ReadTarget(file string) (bench.Target, error) {
	name := bench.Clean(bench.Redact(file), 200)
	data, err := readBounded(file)
	if err != nil {
		return bench.Target{}, &TargetFileError{File: name, Err: err}
	}
	return parseTarget(name, data)
}

func readBounded(file string) ([]byte, error) {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("not a file") // not even opened: a pipe would wait for its writer
	}
	f, err := os.Open(file)
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return nil, fmt.Errorf("read the target file: %w", err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxTargetFile+1))
	if err != nil {
		return nil, fmt.Errorf("read the target file: %w", err)
	}
	return data, nil
}

// parseTarget reads the text of a target file of the given name.
func parseTarget(name string, data []byte) (bench.Target, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	fail := func(line int, err error) (bench.Target, error) {
		return bench.Target{}, &TargetFileError{name, line, err}
	}
	switch {
	case len(data) > maxTargetFile:
		return fail(0, fmt.Errorf("more than %d KiB: a target file is short", maxTargetFile>>10))
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return fail(0, errors.New("not text in UTF-8"))
	}
	root, line, err := readPage(data)
	if err != nil {
		return fail(line, err)
	}
	if root.kind != pageMap {
		return fail(root.line, fmt.Errorf("holds %s: allowed are the fields %s", root.kind, strings.Join(TargetFileFields(), ", ")))
	}
	f := targetFile{name: name, target: bench.Target{Source: bench.SourceTargetFile}}
	f.read(root)
	if len(f.faults) > 0 {
		return bench.Target{}, errors.Join(f.faults...)
	}
	return f.target, nil
}

// TargetFileFields lists the fields of a target file.
func TargetFileFields() []string {
	var f targetFile
	return f.names(f.fields())
}

// targetFile is a target file that is being read.
type targetFile struct {
	name    string
	target  bench.Target
	dialect *page // read last: it may build on that of the host
	faults  []error
}

// knownField is a field with what reads it.
type knownField struct {
	name string
	read func(path string, p *page)
}

func (f *targetFile) fields() []knownField {
	return []knownField{
		{"label", f.text(&f.target.Label, 100)},
		{"base_url", f.baseURL},
		{"model", f.text(&f.target.Model, 300)},
		{"api_key_env", f.keyEnv},
		{"dialect", func(_ string, p *page) { f.dialect = p }},
		{"limits", f.inner(f.limits)},
		{"prices", f.inner(f.prices)},
	}
}

func (f *targetFile) limits() []knownField {
	t := &f.target.Terms
	return []knownField{
		{"max_concurrency", f.concurrency},
		{"connect_timeout", f.duration(&t.Limits.Connect)},
		{"first_token_timeout", f.duration(&t.Limits.FirstToken)},
		{"idle_timeout", f.duration(&t.Limits.Idle)},
		{"timeout", f.duration(&t.Limits.Total)},
	}
}

func (f *targetFile) prices() []knownField {
	t := &f.target.Terms.Prices
	return []knownField{
		{"in", f.price(&t.In)},
		{"cached", func(path string, p *page) { t.Cached = new(float64); f.price(t.Cached)(path, p) }},
		{"out", f.price(&t.Out)},
		{"currency", f.text(&t.Currency, 10)},
	}
}

func (f *targetFile) names(known []knownField) []string {
	var names []string
	for _, k := range known {
		names = append(names, k.name)
	}
	return names
}

func (f *targetFile) read(root *page) {
	f.take("", root, f.fields())
	if f.target.BaseURL == "" && !f.said(root, "base_url") {
		f.refuse(0, "base_url", "not set", "an http or https URL, such as https://host/api/v3")
	}
	f.readDialect()
	host := hostOf(f.target.BaseURL)
	if vendor := bench.DialectOfHost(host).Name; vendor != bench.Generic().Name && !f.said(root, "api_key_env") {
		f.refuse(0, "api_key_env", "not set", "the NAME of the environment variable that holds the key of "+host)
	}
}

func (f *targetFile) said(p *page, name string) bool {
	return slices.ContainsFunc(p.fields, func(field pageField) bool { return field.name == name })
}

// take reads the fields of p, and refuses those that aren't known.
func (f *targetFile) take(path string, p *page, known []knownField) {
	for _, field := range p.fields {
		i := slices.IndexFunc(known, func(k knownField) bool { return k.name == field.name })
		switch {
		case i >= 0:
			known[i].read(path+field.name, field.value)
		case namesSecret(field.name):
			f.refuse(field.line, path+"field", shown(field.name), "no key in a target file: give api_key_env, the NAME of the environment variable that holds it")
		default:
			f.refuse(field.line, path+"field", shown(field.name), strings.Join(f.names(known), ", "))
		}
	}
}

// inner reads a field that has fields.
func (f *targetFile) inner(known func() []knownField) func(string, *page) {
	return func(path string, p *page) {
		if p.kind != pageMap {
			f.refuse(p.line, path, string(p.kind), "the fields "+strings.Join(f.names(known()), ", "))
			return
		}
		f.take(path+".", p, known())
	}
}

func (f *targetFile) refuse(line int, field, value, allowed string) {
	f.faults = append(f.faults, &TargetFileError{f.name, line, &bench.FieldError{Field: field, Value: value, Allowed: allowed}})
}

// words returns the text of a scalar, unless it is a placeholder, holds what
// may be a key, or is longer than limit bytes of visible text.
func (f *targetFile) words(path string, p *page, limit int) (string, bool) {
	switch {
	case p.kind != pageScalar:
		f.refuse(p.line, path, string(p.kind), "text")
	case bench.Redact(p.text) != p.text || credential.MatchString(p.text) || path != "model" && path != "base_url" && likeSecret(p.text):
		f.refuse(p.line, path, "hidden, for it looks like a key", "no key in a target file: give api_key_env, the NAME of the environment variable that holds it")
	case placeholder.MatchString(p.text):
		f.refuse(p.line, path, shown(p.text), "the value itself, in the place of the placeholder")
	case p.text == "" || len(p.text) > limit || bench.Clean(p.text, limit) != p.text:
		f.refuse(p.line, path, shown(p.text), fmt.Sprintf("1 to %d bytes of visible text", limit))
	default:
		return p.text, true
	}
	return "", false
}

func (f *targetFile) text(into *string, limit int) func(string, *page) {
	return func(path string, p *page) { *into, _ = f.words(path, p, limit) }
}

func (f *targetFile) baseURL(path string, p *page) {
	text, ok := f.words(path, p, 400)
	if !ok {
		return
	}
	base, err := baseURL(text)
	var field *bench.FieldError
	switch {
	case errors.As(err, &field):
		f.refuse(p.line, path, fmt.Sprint(field.Value), field.Allowed)
	case likeSecret(pathOf(base)):
		f.refuse(p.line, path, "one whose path holds what looks like a key", "a URL without secrets")
	default:
		f.target.BaseURL = base
	}
}

// variableName is what an environment variable may be called.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)

func (f *targetFile) keyEnv(path string, p *page) {
	name, ok := f.words(path, p, 100)
	if ok && !variableName.MatchString(name) {
		f.refuse(p.line, path, shown(name), "the NAME of an environment variable, such as ARK_API_KEY")
		return
	}
	f.target.KeyEnv = name
}
