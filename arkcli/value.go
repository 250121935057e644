package arkcli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// value is decoded JSON on whose shape nothing relies: a field that is absent
// or of another type reads as empty.
type value struct{ v any }

// errNoJSON says that an output holds no JSON document.
var errNoJSON = errors.New("no JSON in the output")

// starts is how many brackets are tried as the begin of the document when
// text stands before it.
const starts = 64

// decode finds the JSON object or array in an output that may begin with a
// byte-order mark or with lines of text.
func decode(output []byte) (value, error) {
	rest := bytes.TrimSpace(bytes.TrimPrefix(output, []byte("\xef\xbb\xbf")))
	for range starts {
		i := bytes.IndexAny(rest, "{[")
		if i < 0 {
			break
		}
		rest = rest[i:]
		if v, err := decodeFirst(rest); err == nil {
			return v, nil
		} else if errors.Is(err, io.ErrUnexpectedEOF) {
			return value{}, err
		}
		rest = rest[1:]
	}
	return value{}, errNoJSON
}

func decodeFirst(text []byte) (value, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return value{}, err
	}
	return value{v}, nil
}

// payload is the value without the envelope {"ok":true,"data":…}.
func (v value) payload() value {
	if data := v.field("data"); data.object() || data.array() {
		if ok, known := v.field("ok").truth(); ok || !known {
			return data
		}
	}
	return v
}

func (v value) object() bool { _, ok := v.v.(map[string]any); return ok }

func (v value) array() bool { _, ok := v.v.([]any); return ok }

// present reports whether there is anything but null.
func (v value) present() bool { return v.v != nil }

// field returns the first of the named fields that is present. Case and
// underscores of names do not matter: Ark CLI writes both page_size and PageSize.
func (v value) field(names ...string) value {
	m, ok := v.v.(map[string]any)
	if !ok {
		return value{}
	}
	for _, name := range names {
		if x := m[name]; x != nil {
			return value{x}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if m[key] != nil && slices.ContainsFunc(names, func(name string) bool { return plainName(name) == plainName(key) }) {
			return value{m[key]}
		}
	}
	return value{}
}

func plainName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// path descends through named fields.
func (v value) path(names ...string) value {
	for _, name := range names {
		v = v.field(name)
	}
	return v
}

// text is a string, number or bool as text, without surrounding space or a
// second pair of quotes, which --transform leaves around strings.
func (v value) text() string {
	switch x := v.v.(type) {
	case string:
		return strings.TrimSpace(strings.Trim(strings.TrimSpace(x), `"`))
	case json.Number:
		return x.String()
	case bool:
		return strconv.FormatBool(x)
	}
	return ""
}

// truth is a bool, or "true" or "false" as text.
func (v value) truth() (is, known bool) {
	is, err := strconv.ParseBool(strings.ToLower(v.text()))
	return is, err == nil
}

// yes is truth where the unknown counts as no.
func (v value) yes() bool { is, _ := v.truth(); return is }

// count is a whole number from 0 up, given as number or text; else 0.
func (v value) count() int {
	f, err := strconv.ParseFloat(v.text(), 64)
	if err != nil || math.IsNaN(f) || f < 0 || f > 1<<53 {
		return 0
	}
	return int(f)
}

// items are the elements of an array.
func (v value) items() []value {
	list, _ := v.v.([]any)
	out := make([]value, 0, len(list))
	for _, x := range list {
		out = append(out, value{x})
	}
	return out
}

// texts are the texts of an array's elements, empty ones left out.
func (v value) texts() []string {
	var out []string
	for _, item := range v.items() {
		if t := item.text(); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// trueKeys are the names of an object's fields that are true, sorted.
func (v value) trueKeys() []string {
	m, _ := v.v.(map[string]any)
	var out []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if (value{m[key]}).yes() {
			out = append(out, key)
		}
	}
	return out
}
