package arkcli

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const (
	redacted   = "[redacted]"
	maxMessage = 400      // characters of a message
	maxExcerpt = 160      // characters of foreign output inside a message
	maxRead    = 64 << 10 // bytes of foreign output that are looked at for a message
)

// redactor removes what may be a credential from text that is not ours.
type redactor struct {
	escape   *regexp.Regexp // terminal sequences
	patterns *regexp.Regexp // what looks like a credential
}

func newRedactor() redactor {
	return redactor{
		escape: regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]|\x1b\\][^\x07]*\x07"),
		patterns: regexp.MustCompile(strings.Join([]string{
			`\bark-[A-Za-z0-9*-]+`, `ark-[A-Za-z0-9-]*[0-9][A-Za-z0-9-]*`,
			`\bsk-[A-Za-z0-9_-]{8,}`,
			`\b(?:AKLT|AKTP)[A-Za-z0-9=_-]+`,
			`\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9._-]+`,
			`(?i)\bbearer\s+[^\s"',;]+`,
			`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`,
		}, "|")),
	}
}

// say makes foreign text fit for a message: one line, no control characters,
// no credential, at most limit characters.
func (c *CLI) say(text string, limit int) string {
	c.mu.Lock()
	known := slices.Clone(c.secrets)
	c.mu.Unlock()
	return c.redact.say(text, known, limit)
}

func (r redactor) say(text string, known []string, limit int) string {
	text = oneLine(r.escape.ReplaceAllString(strings.ToValidUTF8(text, ""), ""))
	for _, secret := range known {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, redacted)
		}
	}
	text = r.patterns.ReplaceAllStringFunc(text, func(match string) string {
		if match == "ark-cli" { // the npm package, not a key
			return match
		}
		return redacted
	})
	return bounded(text, limit)
}

// head is the begin of an output, as much as is looked at for a message. A word
// that was cut in two is left out: half a key is not recognized as one.
func head(output []byte) string {
	if len(output) <= maxRead {
		return string(output)
	}
	cut := string(output[:maxRead])
	return cut[:max(strings.LastIndexAny(cut, " \t\n"), 0)]
}

// oneLine drops what does not print and folds white space.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// bounded cuts text to limit characters.
func bounded(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit-1]) + "…"
}
