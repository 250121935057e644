package bench

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keyPattern finds what may be an API key, where the exact value isn't known;
// see [likeKey].
var keyPattern = regexp.MustCompile(`\b(?:ark|sk)-[A-Za-z0-9_-]{8,}`)

// likeKey tells keys from names such as ark-code-latest: keys have digits.
func likeKey(word string) bool {
	digits := 0
	for _, r := range word {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return digits >= 4
}

// Clean makes text that came from a server, a model or another program fit to
// be shown: invalid UTF-8 and control characters become spaces, and what
// exceeds limit bytes is cut at a character and marked "…".
func Clean(text string, limit int) string {
	text = strings.ToValidUTF8(text, " ")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
	text = strings.TrimSpace(text)
	if len(text) <= limit {
		return text
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// Redact replaces every trace of the given keys in text: the key, its
// base64 forms, and whatever looks like a key of a known vendor. It must run
// before text is cut, so that no half of a key is left.
func Redact(text string, keys ...Secret) string {
	for _, key := range keys {
		if len(key.value) < 4 {
			continue
		}
		for _, form := range []string{
			key.value,
			base64.StdEncoding.EncodeToString([]byte(key.value)),
			base64.RawURLEncoding.EncodeToString([]byte(key.value)),
			base64.StdEncoding.EncodeToString([]byte("Bearer " + key.value)),
			url.QueryEscape(key.value),
		} {
			text = strings.ReplaceAll(text, form, redacted)
		}
	}
	return keyPattern.ReplaceAllStringFunc(text, func(word string) string {
		if likeKey(word) {
			return redacted
		}
		return word
	})
}
