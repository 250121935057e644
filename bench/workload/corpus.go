package workload

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/llm-bench/llm-bench/bench"
)

// Corpus is the user's own text, for runs on real material: plain text, which
// is cut to the lengths asked for, or recorded conversations, whose user
// messages are replayed in multi-turn runs; the answers in between are the
// model's own. Elsewhere recorded conversations serve as plain text.
type Corpus struct {
	name          string
	text          string
	conversations [][]string // user messages
}

// CorpusTooSmall says that a run needs more than a corpus holds.
type CorpusTooSmall struct {
	Name          string
	Tokens        int // of text that are missing, estimated; 0 where conversations are
	Conversations int // that are missing
}

// Error implements error.
func (e *CorpusTooSmall) Error() string {
	missing := fmt.Sprintf("about %d tokens are", e.Tokens)
	switch {
	case e.Conversations == 1:
		missing = "1 conversation is"
	case e.Conversations > 1:
		missing = fmt.Sprintf("%d conversations are", e.Conversations)
	}
	return fmt.Sprintf("corpus %s is too small for this run: %s missing; use a larger corpus, ask for less, or allow its reuse", e.Name, missing)
}

// replays reports whether the run sends recorded conversations.
func (c *Corpus) replays(spec *bench.Spec) bool {
	return c != nil && c.conversations != nil && spec.Scenario == bench.Multiturn
}

// lang is the language of the corpus: zh where at least a fifth of its
// characters are wide, else en.
func (c *Corpus) lang() string {
	wide, all := 0, 0
	for _, r := range c.text[:min(len(c.text), 1<<20)] {
		all++
		if runeEighths(r) == wideEighths {
			wide++
		}
	}
	if 5*wide >= all {
		return "zh"
	}
	return "en"
}

// excerpts cuts a corpus into pieces, one after the other.
type excerpts struct {
	corpus *Corpus
	rate   micro // of an eighth of a local token
	rest   string
	passes int   // beginnings of the corpus
	over   micro // length of what was taken after the first pass
}

func newExcerpts(c *Corpus, rate micro) *excerpts {
	return &excerpts{corpus: c, rate: rate, rest: c.text, passes: 1}
}

// compose implements texter. The readings' place is taken by the corpus, which
// is cut between any two characters.
func (e *excerpts) compose(o order) (string, micro, error) {
	end := "\n" + o.tail
	room := o.target - o.fit.Correction - e.rate*micro(eighths(o.head+end))
	if room < 0 {
		return "", 0, &shortfall{o.target - room}
	}
	var b strings.Builder
	b.WriteString(o.head)
	e.rest = strings.TrimLeftFunc(e.rest, unicode.IsSpace)
	for e.next() <= room {
		text, n := e.cut(room)
		b.WriteString(text)
		room -= n
	}
	b.WriteString(end)
	return b.String(), room, nil
}

// next is the length of the next character.
func (e *excerpts) next() micro {
	if e.rest == "" {
		e.rest = e.corpus.text
		e.passes++
	}
	r, _ := utf8.DecodeRuneInString(e.rest)
	return e.rate * micro(runeEighths(r))
}

// cut takes text of at most limit, up to the end of the corpus.
func (e *excerpts) cut(limit micro) (string, micro) {
	var n micro
	at := len(e.rest)
	for i, r := range e.rest {
		c := e.rate * micro(runeEighths(r))
		if n+c > limit {
			at = i
			break
		}
		n += c
	}
	text := e.rest[:at]
	e.rest = e.rest[at:]
	if e.passes > 1 {
		e.over += n
	}
	return text, n
}

// sample takes n spans from all over the part of the corpus that a run of the
// given length uses, about length in all; turn shifts them.
func (c *Corpus) sample(length, used micro, n, turn int) string {
	const rate = token / tokenEighths
	part := len(c.text)
	if whole := rate * micro(eighths(c.text)); used < whole {
		part = int(micro(part) * (used / token) / (whole / token))
	}
	var b strings.Builder
	for i := range n {
		at := part * (3*i + turn) / (3 * n)
		for !utf8.RuneStart(c.text[at]) {
			at--
		}
		e := excerpts{corpus: c, rate: rate, rest: c.text[at:], passes: 1}
		text, _ := e.cut(length / micro(n))
		b.WriteString(text)
	}
	return b.String()
}
