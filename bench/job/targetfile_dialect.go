package job

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// readDialect reads the field dialect: a name, or parts that change those of
// the named one, else of the host's. Without it the host's stands.
func (f *targetFile) readDialect() {
	f.target.Dialect = bench.DialectOfHost(hostOf(f.target.BaseURL))
	p := f.dialect
	switch {
	case p == nil:
	case p.kind == pageScalar:
		f.dialectName("dialect", p)
	case p.kind == pageMap:
		f.dialectParts(p)
	default:
		f.refuse(p.line, "dialect", string(p.kind), "a name ("+strings.Join(bench.DialectNames(), ", ")+") or parts")
	}
}

func (f *targetFile) dialectName(path string, p *page) {
	d, err := bench.DialectNamed(p.text)
	if p.kind != pageScalar || err != nil {
		f.refuse(p.line, path, f.scalar(p), strings.Join(bench.DialectNames(), ", "))
		return
	}
	f.target.Dialect = d
}

// dialectParts reads the name first: the parts change what it stands for.
func (f *targetFile) dialectParts(p *page) {
	for _, field := range p.fields {
		if field.name == "name" {
			f.dialectName("dialect.name", field.value)
		}
	}
	d := &f.target.Dialect
	d.Thinking, d.ExtraBody, d.ExtraHeaders = maps.Clone(d.Thinking), maps.Clone(d.ExtraBody), map[string]string{}
	f.take("dialect.", p, []knownField{
		{"name", func(string, *page) {}},
		{"thinking", f.thinking},
		{"output_cap", f.outputCap},
		{"extra_body", func(path string, p *page) { f.body(path, p, &d.ExtraBody) }},
		{"extra_headers", f.headers},
	})
	if slices.ContainsFunc(p.fields, func(field pageField) bool { return field.name != "name" }) {
		d.Name += "+custom"
	}
}

func (f *targetFile) outputCap(path string, p *page) {
	d := &f.target.Dialect
	allowed := slices.DeleteFunc([]string{bench.CapMaxCompletionTokens, bench.CapMaxTokens}, d.Refuses)
	if p.kind != pageScalar || !slices.Contains(allowed, p.text) {
		f.refuse(p.line, path, f.scalar(p), strings.Join(allowed, " or "))
		return
	}
	d.OutputCap = p.text
}

// thinking reads what asks for each state; null takes a state away.
func (f *targetFile) thinking(path string, p *page) {
	d := &f.target.Dialect
	var known []knownField
	for _, state := range []bench.Thinking{bench.ThinkingDisabled, bench.ThinkingEnabled, bench.ThinkingAuto} {
		known = append(known, knownField{string(state), func(path string, p *page) {
			if p.kind == pageNull {
				delete(d.Thinking, state)
				return
			}
			fields := map[string]any{}
			f.body(path, p, &fields)
			if d.Thinking == nil {
				d.Thinking = map[bench.Thinking]map[string]any{}
			}
			d.Thinking[state] = fields
		}})
	}
	switch p.kind {
	case pageNull:
		d.Thinking = nil
	default:
		f.inner(func() []knownField { return known })(path, p)
	}
}

// ownFields are fields of the request body that the client sends itself or
// that have a flag, with what to do instead.
func ownFields() map[string]string {
	const always, sampling = "sent by the program itself", "not sent by any run, so that runs can be compared"
	return map[string]string{
		"model": "given by model", "messages": always, "stream": always, "stream_options": always, "n": always,
		bench.CapMaxTokens: "given by output_cap", bench.CapMaxCompletionTokens: "given by output_cap",
		"service_tier": "given by --service-tier", "temperature": sampling, "top_p": sampling, "seed": sampling,
	}
}

// maxBody bounds the JSON of the fields that a part of a dialect adds.
const maxBody = 4 << 10

// body reads fields of the request body into a map; null takes one away.
func (f *targetFile) body(path string, p *page, into *map[string]any) {
	if p.kind != pageMap || len(p.fields) == 0 {
		f.refuse(p.line, path, string(p.kind), "fields of the request body")
		return
	}
	if *into == nil {
		*into = map[string]any{}
	}
	for _, field := range p.fields {
		if f.bodyField(path, field) {
			(*into)[field.name] = field.value.plain()
		}
		if field.value.kind == pageNull {
			delete(*into, field.name)
		}
	}
	if data, err := json.Marshal(*into); err != nil || len(data) > maxBody {
		f.refuse(p.line, path, "too much", fmt.Sprintf("fields of at most %d bytes of JSON", maxBody))
	}
}

// bodyField reports whether a field may be sent.
func (f *targetFile) bodyField(path string, field pageField) bool {
	before := len(f.faults)
	here := path + "." + bench.Clean(bench.Redact(field.name), 60)
	reserved, own := ownFields()[field.name]
	effort := field.name == "reasoning_effort" && path == "dialect.extra_body"
	switch {
	case likeSecret(field.name) || field.name == "" || len(field.name) > 60 || bench.Clean(field.name, 60) != field.name:
		f.refuse(field.line, path+" field", shown(field.name), "a name of 1 to 60 bytes of visible text")
	case own:
		f.refuse(field.line, here, f.scalar(field.value), "nothing: it is "+reserved)
	case effort:
		f.refuse(field.line, here, f.scalar(field.value), "nothing: it is given by --reasoning-effort")
	case f.target.Dialect.Refuses(field.name):
		f.refuse(field.line, here, f.scalar(field.value), "nothing: the API of "+f.target.Dialect.Name+" has no such field")
	}
	field.value.walk(here, field.name, func(at, name string, scalar *page) {
		if _, isText := scalar.value.(string); !isText {
			return
		}
		if namesSecret(name) {
			f.refuse(scalar.line, bench.Clean(bench.Redact(at), 120), "hidden, for its name is that of a credential", "no secret in a target file")
			return
		}
		if scalar.text != "" {
			f.words(bench.Clean(bench.Redact(at), 120), scalar, 1000)
		}
	})
	return len(f.faults) == before
}

var headerName = regexp.MustCompile(`^[A-Za-z0-9-]{1,60}$`)

// maxHeaders bounds the headers of a dialect.
const maxHeaders = 16

// clientHeaders are those that the client sets itself.
func clientHeaders() []string {
	return []string{
		"Accept", "Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect", "Host", "Keep-Alive",
		"Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent",
	}
}

func (f *targetFile) headers(path string, p *page) {
	if p.kind != pageMap || len(p.fields) > maxHeaders {
		f.refuse(p.line, path, string(p.kind), fmt.Sprintf("at most %d headers", maxHeaders))
		return
	}
	for _, field := range p.fields {
		f.header(path, field)
	}
}

func (f *targetFile) header(path string, field pageField) {
	name := http.CanonicalHeaderKey(field.name)
	switch {
	case namesSecret(field.name):
		f.refuse(field.line, path, shown(field.name), "no header that carries a key: give api_key_env, the NAME of the environment variable that holds it")
	case !headerName.MatchString(field.name) || likeSecret(field.name):
		f.refuse(field.line, path, shown(field.name), "names of letters, digits and hyphens")
	case slices.Contains(clientHeaders(), name) || strings.HasPrefix(name, "Proxy-"):
		f.refuse(field.line, path, shown(field.name), "no header that the program sets itself")
	default:
		if value, ok := f.words(path+"."+field.name, field.value, 200); ok {
			f.target.Dialect.ExtraHeaders[name] = value
		}
	}
}

func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

func pathOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.Path
}
