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
	meter  meter
	rest   string
	passes int   // beginnings of the corpus
	over   micro // length of what was taken after the first pass
}

func newExcerpts(c *Corpus, m meter) *excerpts {
	return &excerpts{corpus: c, meter: m, rest: c.text, passes: 1}
}

// compose implements texter. The readings' place is taken by the corpus, which
// is cut between any two characters.
func (e *excerpts) compose(o order) (string, micro, error) {
	end := "\n" + o.tail
	room := o.target - o.fit.Correction - headLength(o.head)
	for _, r := range end {
		room -= e.meter.ofRune(r)
	}
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
	return e.meter.ofRune(r)
}

// cut takes text of at most limit, up to the end of the corpus.
func (e *excerpts) cut(limit micro) (string, micro) {
	var n micro
	at := len(e.rest)
	for i, r := range e.rest {
		c := e.meter.ofRune(r)
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

// sampleSpans are the places of a corpus that one sample draws on.
const sampleSpans = 60

// sample takes lines from all over the part of the corpus that a run of length
// used draws on: those mostly of wide characters, and the others, each up to
// length.
func (c *Corpus) sample(length, used micro) (wide, others string) {
	m := localMeter()
	part := len(c.text)
	if whole := m.of(english, c.text); used < whole {
		part = int(ratio(micro(part), used, whole))
	}
	var texts [2]strings.Builder
	var taken [2]micro
	for i := range sampleSpans {
		at := part * i / sampleSpans
		for !utf8.RuneStart(c.text[at]) {
			at--
		}
		e := excerpts{corpus: c, meter: m, rest: c.text[at:], passes: 1}
		span, _ := e.cut(2 * length / sampleSpans)
		side := 0
		for line := range strings.Lines(span) {
			if strings.TrimSpace(line) != "" { // else it belongs to the line before
				side = sideOf(line)
			}
			// Once full, it stays so: else short lines would be favoured.
			if taken[side] += m.of(english, line); taken[side] <= length {
				texts[side].WriteString(line)
			}
		}
	}
	return texts[0].String(), texts[1].String()
}

// sideOf is 0 for a line mostly of wide characters, else 1.
func sideOf(line string) int {
	wide := 0
	for _, r := range line {
		if runeEighths(r) == wideEighths {
			wide++
		}
	}
	if 2*wide >= utf8.RuneCountInString(line) {
		return 0
	}
	return 1
}
