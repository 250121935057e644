package bench

import (
	"encoding/base64"
	"strings"
	"testing"
)

func TestCleanStripsControlsAndBoundsAtACharacter(t *testing.T) {
	for _, c := range []struct {
		name, in string
		limit    int
		want     string
	}{
		{"escape sequence", "a\x1b[31mb", 99, "a [31mb"},
		{"line ends", "a\r\nb", 99, "a  b"},
		{"bidi override", "a\u202eb", 99, "a b"},
		{"invalid UTF-8", "a\xffb", 99, "a b"},
		{"cut inside a character", "方舟", 4, "方…"},
		{"short enough", "方舟", 6, "方舟"},
	} {
		if got := Clean(c.in, c.limit); got != c.want {
			t.Errorf("%s: Clean(%q, %d) = %q, want %q", c.name, c.in, c.limit, got, c.want)
		}
	}
}

func TestRedactRemovesEveryFormOfAKey(t *testing.T) {
	const key = "0f7e3c52-1111-2222-3333-444455556666"
	text := "key " + key + " b64 " + base64.StdEncoding.EncodeToString([]byte(key)) + " other ark-abcdefgh-1234 sk-ABCDEFGH12345 model ark-code-latest"
	got := Redact(text, NewSecret(key))
	for _, trace := range []string{key, base64.StdEncoding.EncodeToString([]byte(key)), "ark-abc", "sk-ABC"} {
		if strings.Contains(got, trace) {
			t.Errorf("Redact left %q in %q", trace, got)
		}
	}
	if !strings.Contains(got, "ark-code-latest") {
		t.Errorf("Redact took a model's name for a key in %q", got)
	}
}
