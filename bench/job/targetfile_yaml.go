package job

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/llm-bench/llm-bench/bench"
)

// page is a YAML value with the line that it stands on. One of fields, items
// and value says what it is; for null all are empty.
type page struct {
	line   int
	text   string // a scalar as it is written, without quotes
	value  any    // a scalar: string, bool, int64, uint64 or float64
	fields []pageField
	items  []*page
	kind   pageKind
}

type pageKind string

const (
	pageNull   pageKind = "nothing"
	pageScalar pageKind = "a value"
	pageMap    pageKind = "fields"
	pageList   pageKind = "a list"
)

// pageField is one field of a mapping.
type pageField struct {
	name  string
	line  int
	value *page
}

// maxPageDepth bounds how deep a target file nests.
const maxPageDepth = 12

// readPage reads a YAML document of plain values: no anchors, aliases, tags or
// directives, which nobody needs in a target file. An error says the line.
func readPage(data []byte) (root *page, line int, err error) {
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, lineOf(err), errors.New(messageOf(err))
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return nil, 0, errors.New("a target file is one YAML document with fields")
	}
	r := pageReader{}
	root = r.read(file.Docs[0].Body, 0)
	return root, r.line, r.err
}

// lineOf is the line of an error of the parser, 0 where it names none.
func lineOf(err error) int {
	var fault yaml.Error
	if errors.As(err, &fault) && fault.GetToken() != nil && fault.GetToken().Position != nil {
		return fault.GetToken().Position.Line
	}
	return 0
}

// messageOf is an error of the parser without the excerpt of the file, which
// may hold what must not be shown.
func messageOf(err error) string {
	var fault yaml.Error
	if errors.As(err, &fault) {
		return "not YAML: " + bench.Clean(bench.Redact(fault.GetMessage()), 120)
	}
	return "not YAML"
}

// pageReader keeps the first thing that isn't plain.
type pageReader struct {
	line int
	err  error
}

func (r *pageReader) refuse(n ast.Node, what string) {
	if r.err == nil {
		r.line, r.err = nodeLine(n), fmt.Errorf("%s: allowed are plain values, lists and fields", what)
	}
}

func nodeLine(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}

func (r *pageReader) read(n ast.Node, depth int) *page {
	p := &page{line: nodeLine(n), kind: pageNull}
	if depth > maxPageDepth {
		r.refuse(n, fmt.Sprintf("more than %d levels of nesting", maxPageDepth))
		return p
	}
	switch n := n.(type) {
	case *ast.NullNode:
	case *ast.MappingNode:
		p.kind = pageMap
		for _, v := range n.Values {
			p.fields = append(p.fields, r.field(v, depth))
		}
	case *ast.MappingValueNode:
		p.kind, p.fields = pageMap, []pageField{r.field(n, depth)}
	case *ast.SequenceNode:
		p.kind = pageList
		for _, v := range n.Values {
			p.items = append(p.items, r.read(v, depth+1))
		}
	case *ast.LiteralNode:
		p.kind, p.text, p.value = pageScalar, n.Value.Value, n.Value.Value
	case *ast.StringNode:
		p.kind, p.text, p.value = pageScalar, n.Value, n.Value
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode:
		p.kind, p.text, p.value = pageScalar, n.GetToken().Value, n.(ast.ScalarNode).GetValue()
	default:
		r.refuse(n, "YAML "+n.Type().YAMLName())
	}
	return p
}

func (r *pageReader) field(v *ast.MappingValueNode, depth int) pageField {
	switch key := v.Key.(type) {
	case *ast.StringNode:
		return pageField{key.Value, nodeLine(key), r.read(v.Value, depth+1)}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return pageField{key.GetToken().Value, nodeLine(key), r.read(v.Value, depth+1)}
	}
	r.refuse(v.Key, "a name that is no plain text")
	return pageField{value: &page{kind: pageNull}}
}

// plain is the page as JSON has it.
func (p *page) plain() any {
	switch p.kind {
	case pageMap:
		fields := map[string]any{}
		for _, f := range p.fields {
			fields[f.name] = f.value.plain()
		}
		return fields
	case pageList:
		items := []any{}
		for _, item := range p.items {
			items = append(items, item.plain())
		}
		return items
	}
	return p.value
}

// walk visits every scalar at or below p, with the path that leads to it and
// the name of the field that holds it.
func (p *page) walk(path, name string, visit func(path, name string, scalar *page)) {
	switch p.kind {
	case pageMap:
		for _, f := range p.fields {
			f.value.walk(path+"."+f.name, f.name, visit)
		}
	case pageList:
		for i, item := range p.items {
			item.walk(fmt.Sprintf("%s[%d]", path, i), name, visit)
		}
	case pageScalar:
		visit(path, name, p)
	}
}
