package report

import (
	"html"
	"html/template"
	"strings"
)

// markup is Markdown of a line as HTML. What [esc] and [code] have made inert
// stays text: of all markup only bold, code and line breaks come through.
func markup(m md) template.HTML {
	w := markupWriter{rest: string(m)}
	for w.rest != "" {
		w.step()
	}
	if w.bold {
		w.b.WriteString("</strong>")
	}
	return template.HTML(w.b.String())
}

type markupWriter struct {
	b    strings.Builder
	rest string
	bold bool
}

// step consumes one character or one piece of markup.
func (w *markupWriter) step() {
	switch {
	case w.escape(), w.span(), w.emphasis():
	case w.take("<br>"):
		w.b.WriteString("<br>")
	case w.take("&amp;"):
		w.b.WriteString("&amp;")
	case w.take("&lt;"):
		w.b.WriteString("&lt;")
	case w.take("&gt;"):
		w.b.WriteString("&gt;")
	default:
		end := strings.IndexAny(w.rest[1:], "\\`*<&") + 1
		if end == 0 {
			end = len(w.rest)
		}
		w.b.WriteString(html.EscapeString(w.rest[:end]))
		w.rest = w.rest[end:]
	}
}

func (w *markupWriter) take(prefix string) bool {
	rest, found := strings.CutPrefix(w.rest, prefix)
	if found {
		w.rest = rest
	}
	return found
}

// escape writes a character that a backslash keeps from meaning anything.
func (w *markupWriter) escape() bool {
	if len(w.rest) < 2 || w.rest[0] != '\\' || !strings.ContainsRune("\\`*_[]|~$#./", rune(w.rest[1])) {
		return false
	}
	w.b.WriteString(html.EscapeString(w.rest[1:2]))
	w.rest = w.rest[2:]
	return true
}

// span writes code.
func (w *markupWriter) span() bool {
	text, rest, found := strings.Cut(strings.TrimPrefix(w.rest, "`"), "`")
	if !found || w.rest[0] != '`' {
		return false
	}
	w.b.WriteString("<code>" + html.EscapeString(text) + "</code>")
	w.rest = rest
	return true
}

func (w *markupWriter) emphasis() bool {
	if !w.take("**") {
		return false
	}
	w.b.WriteString(map[bool]string{false: "<strong>", true: "</strong>"}[w.bold])
	w.bold = !w.bold
	return true
}

// markup renders the table, under a name for those who can't see it; one
// without rows is empty. The first cell of a row heads it.
func (t *table) markup(name md) template.HTML {
	if t == nil || len(t.rows) == 0 {
		return ""
	}
	var b strings.Builder
	label := html.EscapeString(bare(name))
	b.WriteString(`<div class="scroll" role="region" tabindex="0" aria-label="` + label + `"><table><thead><tr>`)
	for _, c := range t.columns {
		b.WriteString(`<th scope="col"` + c.class() + ">" + string(markup(c.title)) + "</th>")
	}
	b.WriteString("</tr></thead><tbody>\n")
	for _, row := range t.rows {
		b.WriteString("<tr>")
		for i, cell := range row {
			open, end := "<td", "</td>"
			if i == 0 {
				open, end = `<th scope="row"`, "</th>"
			}
			b.WriteString(open + t.columns[i].class() + ">" + string(markup(cell)) + end)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div>")
	return template.HTML(b.String())
}

func (c column) class() string {
	if c.right {
		return ` class="num"`
	}
	return ""
}
