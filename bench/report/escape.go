package report

import (
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// md is finished Markdown. Whatever came from outside becomes md only through
// [esc] or [code], so that no text of a server or a model can break a table,
// start a heading, show an image or pass for HTML.
type md string

// shownText bounds, in bytes, a text from outside in a report.
const shownText = 300

// escaper keeps every character that means something to Markdown or HTML from
// meaning it. Addresses are kept from turning into links.
func escaper() *strings.Replacer {
	return strings.NewReplacer(
		`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "$", `\$`, "#", `\#`,
		"&", "&amp;", "<", "&lt;", ">", "&gt;", "://", `:\//`, "www.", `www\.`)
}

// esc is text from outside, as it stands but inert.
func esc(text string) md {
	return md(escaper().Replace(bench.Clean(text, shownText)))
}

// code is an identifier from outside in a code span. One with a character that
// a code span in a table can't hold is escaped instead.
func code(text string) md {
	text = bench.Clean(text, shownText)
	if text == "" {
		return ""
	}
	if strings.ContainsAny(text, "`|") {
		return esc(text)
	}
	return md("`" + text + "`")
}

// codes joins identifiers.
func codes(texts []string) md {
	var spans []string
	for _, t := range texts {
		if c := code(t); c != "" {
			spans = append(spans, string(c))
		}
	}
	return md(strings.Join(spans, " "))
}

func bold(m md) md { return "**" + m + "**" }
