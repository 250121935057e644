package rundir

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// Leak is a line that holds a secret, or may. It doesn't show it.
type Leak struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1
	What string `json:"what"`
}

// String names the place.
func (l Leak) String() string { return fmt.Sprintf("%s line %d holds %s", l.File, l.Line, l.What) }

// LeakError lists the places that hold secrets, in order; never none.
type LeakError []Leak

// Error implements error.
func (e LeakError) Error() string {
	const shown = 10
	var lines []string
	for _, l := range e[:min(shown, len(e))] {
		lines = append(lines, l.String())
	}
	text := strings.Join(lines, "; ")
	if more := len(e) - shown; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// KnownKey is a key that must be in no file, with the NAME that it is known by.
type KnownKey struct {
	Name string
	Key  bench.Secret
}

// shortestKey is the length from which a value is taken for a key: shorter
// ones are placeholders, such as EMPTY.
const shortestKey = 8

// keyHead is how much of a long key already gives it away.
const keyHead = 12

// credentials find secrets by their form. A first group, where there is one,
// holds the secret itself.
var credentials = [...]struct {
	what string
	form *regexp.Regexp
}{
	{"an Authorization header", regexp.MustCompile(`(?i)authorization["'\\]*\s*[:=]\s*["'\\]*(?:(?:bearer|basic|token)\s+)?([\w.~+/=-]{8,})`)},
	{"a bearer token", regexp.MustCompile(`(?i)\bbearer\s+([\w.~+/=-]{8,})`)},
	{"a JSON web token", regexp.MustCompile(`\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.`)},
	{"an access key", regexp.MustCompile(`\b(?:AKIA|ASIA|AKLT|LTAI|AKID)([0-9A-Za-z]{12,})`)},
	{"an access token", regexp.MustCompile(`\b(?:gh[opsur]_\w{20,}|AIza[\w-]{30,}|hf_\w{20,}|xox[abprs]-[\w-]{10,})`)},
	{"a private key", regexp.MustCompile(`-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----`)},
}

// Leaks looks for secrets in a file: known keys, whole, in base64 or their
// beginning, and whatever has the form of a key.
func Leaks(name string, text []byte, known []KnownKey) []Leak {
	var found []Leak
	number := 0
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		number++
		if what := leakIn(string(line), known); what != "" {
			found = append(found, Leak{name, number, what})
		}
	}
	return found
}

// leakIn names the secret in a line; "" if there is none.
func leakIn(line string, known []KnownKey) string {
	anonymous := bench.Redact(line)
	for _, k := range known {
		value := k.Key.Reveal()
		if len(value) < shortestKey {
			continue
		}
		if len(value) >= keyHead+4 && strings.Contains(line, value[:keyHead]) || bench.Redact(line, k.Key) != anonymous {
			return "the key in " + k.Name
		}
	}
	if anonymous != line {
		return "what looks like an API key"
	}
	for _, c := range credentials {
		for _, match := range c.form.FindAllStringSubmatch(line, -1) {
			if len(match) == 1 || random(match[1]) {
				return c.what
			}
		}
	}
	return ""
}

// random tells a credential from a word that stands for one: it has digits, or
// letters of both kinds in great number.
func random(text string) bool {
	digits := strings.ContainsAny(text, "0123456789")
	mixed := strings.ToLower(text) != text && strings.ToUpper(text) != text
	return digits || mixed && len(text) >= 20
}
