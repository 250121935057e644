package workload

import "strings"

// codeWriter writes functions, in Go and Python by turns.
type codeWriter struct {
	verbs, nouns, kinds, remarks *deck[string]
	golang, python               *deck[string]
	inPython                     bool
}

func newCode() *codeWriter {
	return &codeWriter{
		verbs: words(codeVerbs), nouns: words(codeNouns), kinds: words(codeKinds), remarks: words(codeRemarks),
		golang: words(goLines), python: words(pythonLines),
	}
}

func (w *codeWriter) open(s source) string {
	w.inPython = !w.inPython
	verb, kind, noun := w.verbs.deal(s), w.kinds.deal(s), w.nouns.deal(s)
	remark := w.remarks.deal(s)
	if w.inPython {
		return "```python\ndef " + verb + "_" + kind + "_" + noun + "(a, b):\n    # " + remark + "\n    total = 0\n"
	}
	return "```go\n// " + remark + "\nfunc " + verb + capital(kind) + capital(noun) + "(a []int, b int) int {\n\ttotal := 0\n"
}

func (w *codeWriter) close() string {
	if w.inPython {
		return "    return total\n```\n\n"
	}
	return "\treturn total\n}\n```\n\n"
}

func (w *codeWriter) gap() string { return "" }

// sentence returns one statement. It is in the language of the function that
// open began.
func (w *codeWriter) sentence(s source) string {
	if w.inPython {
		return w.statement(s, w.python.deal(s), "_", "    ", "")
	}
	return w.statement(s, w.golang.deal(s), "", "\t", "\t}\n")
}

// statement lays out one statement of a vocabulary.
func (w *codeWriter) statement(s source, form, joint, indent, end string) string {
	if strings.Contains(form, "@") {
		noun := w.nouns.deal(s)
		if joint == "" {
			noun = capital(noun)
		}
		form = strings.ReplaceAll(form, "@", w.kinds.deal(s)+joint+noun)
	}
	form = strings.ReplaceAll(fill(s, form), "~~", "\n"+indent)
	head, body, nested := strings.Cut(form, "~")
	if !nested {
		return indent + head + "\n"
	}
	return indent + head + "\n" + indent + indent + body + "\n" + end
}
