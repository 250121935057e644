package workload

import (
	"context"
	"hash/fnv"
	"unicode"
	"unicode/utf8"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/sim"
)

// tokenizer is a server's way of counting a prompt. Its pieces come from a
// vocabulary that a hash makes up, longest match first, so that no rule of
// thumb on characters or words predicts a count.
type tokenizer struct {
	name     string
	han      [4]int // in a hundred: pieces of 2, 3, 4 Han characters that are in the vocabulary; [0] unused
	words    [16]int
	digits   int
	blanks   int // joined in one token
	joins    bool
	message  int  // tokens of the template for each message
	opening  int  // tokens of the template for each request
	super    bool // pieces of words go on over blanks
	simNamed string
}

// same is a vocabulary that holds percent of the pieces of every length up to most.
func same(percent, most int) (v [16]int) {
	for i := 2; i <= most; i++ {
		v[i] = percent
	}
	return v
}

func tokenizers() []tokenizer {
	return []tokenizer{
		{name: "coarse", han: [4]int{0, 75, 45, 30}, words: same(86, 15), digits: 3, blanks: 16, joins: true, message: 4, opening: 3},
		{name: "superwords", han: [4]int{0, 60, 30, 15}, words: same(20, 15), digits: 2, blanks: 16, joins: true, super: true, message: 6, opening: 2},
		{name: "usual", han: [4]int{0, 45, 12, 4}, words: same(45, 10), digits: 3, blanks: 8, joins: true, message: 5, opening: 0},
		{name: "old English", han: [4]int{0, 3, 0, 0}, words: same(60, 13), digits: 3, blanks: 1, joins: true, message: 4, opening: 20},
		{name: "Chinese", han: [4]int{0, 70, 30, 20}, words: same(12, 6), digits: 1, blanks: 4, joins: false, message: 30, opening: 60},
		{name: "fine", han: [4]int{0, 12, 0, 0}, words: same(18, 4), digits: 1, blanks: 1, joins: false, message: 60, opening: 59},
		{name: "sim standard", simNamed: "standard", message: 4, opening: 3},
		{name: "sim coarse", simNamed: "coarse", message: 60, opening: 59},
		{name: "sim fine", simNamed: "fine", message: 1, opening: 0},
		{name: "sim english", simNamed: "english", message: 20, opening: 19},
	}
}

func (t *tokenizer) prompt(messages []bench.Message) int {
	n := t.opening
	for _, m := range messages {
		n += t.message + t.count(m.Content())
	}
	return n
}

func (t *tokenizer) prober(probed *[][]bench.Message) Prober {
	return func(_ context.Context, messages []bench.Message) (int, error) {
		*probed = append(*probed, messages)
		return t.prompt(messages), nil
	}
}

func (t *tokenizer) count(text string) int {
	if t.simNamed != "" {
		return sim.CountTokens(t.simNamed, text)
	}
	n := 0
	for text != "" {
		text = text[t.piece(text):]
		n++
	}
	return n
}

// piece is the number of bytes of the first token.
func (t *tokenizer) piece(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case unicode.Is(unicode.Han, r):
		return t.longest(text, 4, t.han[:], func(r rune) bool { return unicode.Is(unicode.Han, r) })
	case r == ' ' && t.joins && len(text) > 1 && isLetter(rune(text[1])):
		return 1 + t.longest(text[1:], 15, t.words[1:], t.inWord)
	case isLetter(r):
		return t.longest(text, 15, t.words[1:], t.inWord)
	case r >= '0' && r <= '9':
		return span(text, t.digits, func(r rune) bool { return r >= '0' && r <= '9' })
	case r == ' ', r == '\t':
		return span(text, t.blanks, func(r rune) bool { return r == ' ' || r == '\t' })
	case r == '\n':
		return span(text, 2, func(r rune) bool { return r == '\n' })
	}
	return size
}

func (t *tokenizer) inWord(r rune) bool { return isLetter(r) || t.super && r == ' ' }

func isLetter(r rune) bool { return r < 0x80 && unicode.IsLetter(r) }

func span(text string, most int, in func(rune) bool) int {
	n, size := 0, 0
	for _, r := range text {
		if n == most || !in(r) {
			break
		}
		n, size = n+1, size+utf8.RuneLen(r)
	}
	return size
}

// longest finds the longest beginning of text that is in the vocabulary.
func (t *tokenizer) longest(text string, most int, percent []int, in func(rune) bool) int {
	best, n, size := 0, 0, 0
	for _, r := range text {
		if n == most || !in(r) {
			break
		}
		n, size = n+1, size+utf8.RuneLen(r)
		if best == 0 || known(text[:size], percent[n-1]) {
			best = size
		}
	}
	return best
}

func known(piece string, percent int) bool {
	h := fnv.New32a()
	h.Write([]byte(piece))
	x := h.Sum32()
	x ^= x >> 15
	x *= 0x2c1b3c6d
	x ^= x >> 12
	return int(x%100) < percent
}
