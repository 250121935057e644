package sim

import (
	"unicode"
	"unicode/utf8"
)

// tokenizer cuts text into tokens from left to right. Where a token ends
// depends on the text from its first rune to at most one rune past its end,
// which is what gives the two properties in the package comment.
type tokenizer struct {
	name      string
	hanOne    uint32 // of 100 pairs of Han characters, those of which only the first makes a token
	hanThree  uint32 // of 100 pairs, those that take a third character in
	wordMin   int    // letters of the shortest limit of a word piece, at least 2
	wordMax   int    // letters of the longest
	digits    int    // digits per token
	marks     int    // punctuation marks per token
	spaceMax  int    // blanks per token
	spaceJoin bool   // a blank joins the word or mark after it
}

// tokenizers returns the tokenizers on offer, the default one first.
func tokenizers() []tokenizer {
	return []tokenizer{
		{name: "standard", hanOne: 36, hanThree: 22, wordMin: 5, wordMax: 7, digits: 3, marks: 2, spaceMax: 8, spaceJoin: true},
		{name: "coarse", hanOne: 5, hanThree: 60, wordMin: 5, wordMax: 8, digits: 3, marks: 3, spaceMax: 16, spaceJoin: true},
		{name: "fine", hanOne: 70, hanThree: 0, wordMin: 2, wordMax: 5, digits: 1, marks: 1, spaceMax: 4, spaceJoin: true},
		{name: "english", hanOne: 70, hanThree: 0, wordMin: 5, wordMax: 8, digits: 3, marks: 3, spaceMax: 16, spaceJoin: true},
	}
}

// TokenizerNames lists the tokenizers for [Config], the default one first.
// They differ in characters per token: "standard" takes about 1.6 characters
// of Chinese, 4.2 of English and 3 of code, "coarse" more, "fine" fewer, and
// "english" as many English ones as "coarse" but few Chinese ones.
func TokenizerNames() []string {
	var names []string
	for _, t := range tokenizers() {
		names = append(names, t.name)
	}
	return names
}

func tokenizerNamed(name string) tokenizer {
	all := tokenizers()
	for _, t := range all {
		if t.name == name {
			return t
		}
	}
	return all[0]
}

// CountTokens returns the number of tokens of text under the named tokenizer
// (the default one if there is none of that name), without any template.
func CountTokens(name, text string) int {
	t := tokenizerNamed(name)
	n := 0
	for ; text != ""; n++ {
		text = text[t.next(text):]
	}
	return n
}

// appendIDs appends the ids of the tokens of text to dst. The id of a text
// token is a hash of its bytes, below markerBit.
func (t *tokenizer) appendIDs(dst []uint32, text string) []uint32 {
	for text != "" {
		n := t.next(text)
		dst = append(dst, hash32(text[:n])&^markerBit)
		text = text[n:]
	}
	return dst
}

// markerBit is set in the ids of template tokens alone.
const markerBit = 1 << 31

type runeClass int

const (
	classOther runeClass = iota // a token by itself
	classHan
	classLetter
	classDigit
	classBlank
	classBreak
	classMark
)

// next returns the length in bytes of the first token of text, which must not
// be empty.
func (t *tokenizer) next(text string) int {
	r, size := decode(text)
	switch class(r) {
	case classHan:
		return size + t.restOfHan(r, text[size:])
	case classLetter:
		return t.word(text)
	case classDigit:
		return run(text, classDigit, t.digits)
	case classBlank:
		return t.blanks(text)
	case classBreak:
		return run(text, classBreak, t.spaceMax)
	case classMark:
		return run(text, classMark, t.marks)
	default:
		return size
	}
}

// restOfHan returns the bytes that a token beginning with the Han character
// first takes from rest.
func (t *tokenizer) restOfHan(first rune, rest string) int {
	second, size := decode(rest)
	if class(second) != classHan {
		return 0
	}
	switch h := mix(uint32(first)<<8^uint32(second)) % 100; {
	case h < t.hanOne:
		return 0
	case h < t.hanOne+t.hanThree:
		return size + run(rest[size:], classHan, 1)
	}
	return size
}

// word returns the length of a piece of a word: letters up to a limit that
// its first two letters decide, ending before a capital inside a word.
func (t *tokenizer) word(text string) int {
	first, n := decode(text)
	second, _ := decode(text[n:])
	limit := t.wordMin + int(mix(uint32(first)<<8^uint32(second))%uint32(t.wordMax-t.wordMin+1))
	last := first
	for letters := 1; letters < limit; letters++ {
		r, size := decode(text[n:])
		if class(r) != classLetter || unicode.IsLower(last) && unicode.IsUpper(r) {
			break
		}
		n, last = n+size, r
	}
	return n
}

// blanks returns the length of a token that begins with a blank: one blank
// with the word or marks after it, or a run of blanks that leaves its last one
// to what follows.
func (t *tokenizer) blanks(text string) int {
	n := run(text, classBlank, t.spaceMax+1)
	switch {
	case n > t.spaceMax:
		return t.spaceMax
	case !t.spaceJoin:
		return n
	}
	r, _ := decode(text[n:])
	switch c := class(r); {
	case c != classLetter && c != classMark:
		return n
	case n > 1:
		return n - 1
	case c == classLetter:
		return 1 + t.word(text[1:])
	}
	return 1 + run(text[1:], classMark, t.marks)
}

// run returns the length in bytes of the runes of class c at the beginning of
// text, at most limit of them.
func run(text string, c runeClass, limit int) int {
	n := 0
	for range limit {
		r, size := decode(text[n:])
		if size == 0 || class(r) != c {
			break
		}
		n += size
	}
	return n
}

// decode is utf8.DecodeRuneInString, with size 0 and a rune of classOther at
// the end of text.
func decode(text string) (rune, int) {
	switch {
	case text == "":
		return utf8.RuneError, 0
	case text[0] < utf8.RuneSelf:
		return rune(text[0]), 1
	}
	return utf8.DecodeRuneInString(text)
}

func class(r rune) runeClass {
	switch {
	case r < utf8.RuneSelf:
		return classASCII(r)
	case r >= 0x3040 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3, r >= 0x20000 && r <= 0x3ffff, r >= 0x3400 && r <= 0x4dbf:
		return classHan
	case r == utf8.RuneError:
		return classOther
	case unicode.IsLetter(r), unicode.IsMark(r):
		return classLetter
	case unicode.IsDigit(r):
		return classDigit
	}
	return classOther
}

func classASCII(r rune) runeClass {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
		return classLetter
	case r >= '0' && r <= '9':
		return classDigit
	case r == ' ', r == '\t':
		return classBlank
	case r == '\n', r == '\r':
		return classBreak
	case r < ' ', r == 0x7f:
		return classOther
	}
	return classMark
}

// hash32 is FNV-1a over s, mixed.
func hash32(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return mix(h)
}

// mix spreads the bits of h (the finalizer of MurmurHash3).
func mix(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}
