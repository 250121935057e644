package job

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/llm-bench/llm-bench/bench"
)

// credential finds what is a key, a token or a password by its form.
var credential = regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+\S{6,}` + // an Authorization header's value
	`|\beyJ[\w-]{8,}\.` + // JSON web token
	`|\b(?:AKIA|ASIA|AKLT|LTAI|AKID)[0-9A-Za-z]{8,}` + // access keys of clouds
	`|\bgh[opsur]_\w{16,}|\bAIza[\w-]{20,}|\bhf_\w{16,}` +
	`|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`) // Ark's other form of a key

// likeSecret reports whether text holds what may be a key.
func likeSecret(text string) bool {
	if bench.Redact(text) != text || credential.MatchString(text) {
		return true
	}
	return slices.ContainsFunc(strings.FieldsFunc(text, notAlphanumeric), random)
}

func notAlphanumeric(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// random reports whether a run of letters and digits is too long and mixed for
// a word.
func random(run string) bool {
	letters, digits := 0, 0
	for _, r := range run {
		if unicode.IsDigit(r) {
			digits++
		} else {
			letters++
		}
	}
	return len(run) >= 20 && letters >= 3 && digits >= 3
}

// namesSecret reports whether a header or a field of this name carries a
// credential.
func namesSecret(name string) bool {
	lower := strings.ToLower(name)
	for _, part := range []string{"authorization", "apikey", "password", "passwd", "secret", "credential", "cookie"} {
		if strings.Contains(lower, part) {
			return true
		}
	}
	words := strings.FieldsFunc(lower, notAlphanumeric)
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains([]string{"auth", "key", "token", "jwt", "signature", "sig", "ak", "sk"}, word)
	})
}

// placeholder finds what a template leaves to be filled in.
var placeholder = regexp.MustCompile(`(?i)<[^<>]*>|\byour[-_ ]|\$\{|\{\{|^\$\w+$|^(?:change[-_ ]?me|replace[-_ ]?me|todo|tbd|fixme|\.{3,}|…|x{3,})$` +
	`|x{4,}|//(?:[\w-]+\.)*example(?:\.(?:com|net|org))?(?:[:/]|$)`)

// shown is a value as an error may print it: in quotes, or not at all where it
// may be a key.
func shown(value string) string {
	if likeSecret(value) {
		return "hidden, for it looks like a key"
	}
	return fmt.Sprintf("%q", bench.Clean(value, 60))
}
