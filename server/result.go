package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/llm-bench/llm-bench/bench"
)

// maxResult bounds the JSON of one result in bytes.
const maxResult = 8000

// common is what every result begins with.
type common struct {
	OK       bool     `json:"ok"`        // nothing stands in the way of using the result
	Summary  string   `json:"summary"`   // at most 400 characters, ready to be shown
	NextStep string   `json:"next_step"` // what to do now
	Warnings []string `json:"warnings,omitempty"`
	Error    *fault   `json:"error,omitempty"`
}

// fault says what went wrong and what to do about it.
type fault struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	Hint       string `json:"hint,omitempty"`
	FixCommand string `json:"fix_command,omitempty"`
}

func (c *common) base() *common { return c }

// output is the result of a tool.
type output interface {
	base() *common
	// shrink drops the least of what can be spared, and reports whether there was any.
	shrink() bool
}

// success is a result that the tool has reached, good news or bad.
func success(o output) (*mcp.CallToolResult, error) { return deliver(o, false) }

// deliver bounds a result and puts it into both of its carriers.
func deliver(o output, isError bool) (*mcp.CallToolResult, error) {
	c := o.base()
	c.Summary, c.NextStep = cut(c.Summary, 400), cut(c.NextStep, 600)
	c.Warnings = tidy(c.Warnings, 8, 300)
	for {
		text, err := encode(o)
		if err != nil {
			return nil, fmt.Errorf("encode the result: %w", err)
		}
		if len(text) <= maxResult || !o.shrink() {
			content := append([]mcp.Content{mcp.NewTextContent(string(text))}, linksOf(o, maxResult-len(text))...)
			return &mcp.CallToolResult{Content: content, StructuredContent: json.RawMessage(text), IsError: isError}, nil
		}
	}
}

// encode is JSON as a person reads it: & < > stand as they are.
func encode(v any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// linked is a result with files that a client may show. They are named in its
// fields too: a link is an extra that many clients drop.
type linked interface{ links() []mcp.ResourceLink }

// linksOf are the links that fit into so many bytes.
func linksOf(o output, room int) []mcp.Content {
	var fitting []mcp.Content
	with, ok := o.(linked)
	if !ok {
		return nil
	}
	for _, link := range with.links() {
		text, err := json.Marshal(link)
		if room -= len(text); err != nil || room < 0 {
			break
		}
		fitting = append(fitting, link)
	}
	return fitting
}

// fileURI is the address of a file on this machine.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // a drive of Windows
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// tidy bounds and cleans texts that may come from elsewhere.
func tidy(texts []string, most, size int) []string {
	var out []string
	for _, t := range texts[:min(most, len(texts))] {
		out = append(out, bench.Clean(bench.Redact(t), size))
	}
	return out
}

// cut shortens a text to so many characters.
func cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}
