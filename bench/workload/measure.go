package workload

import "unicode"

// Characters per token in the local unit, by script.
const (
	WideCharsPerToken   = 1.6 // Chinese, Japanese and Korean, with their full-width punctuation
	LetterCharsPerToken = 4   // letters of all other scripts, and blanks
	MarkCharsPerToken   = 2   // digits, punctuation, line breaks and all else
)

// The same constants as eighths of a token per character.
const (
	wideEighths   = 5
	letterEighths = 2
	markEighths   = 4
	tokenEighths  = 8
)

// Estimate is the length of text in the local unit: the sum over its
// characters by the constants above, rounded up to whole tokens.
func Estimate(text string) int {
	return (eighths(text) + tokenEighths - 1) / tokenEighths
}

// eighths is the length of text in eighths of a local token.
func eighths(text string) int {
	n := 0
	for _, r := range text {
		n += runeEighths(r)
	}
	return n
}

func runeEighths(r rune) int {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == ' ', r == '\t':
		return letterEighths
	case r < 0x80:
		return markEighths
	case r >= 0x2e80 && r != unicode.ReplacementChar:
		return wideEighths
	case unicode.IsLetter(r), unicode.IsMark(r):
		return letterEighths
	}
	return markEighths
}
