package arkcli

import (
	"math"
	"slices"
	"strings"
)

// fit is how well a model answers to a phrase. Only loose and better ones are
// good: every word of the phrase was found and every number is the same.
type fit int

const (
	none   fit = iota // some word or number was not found
	loose             // all found, but for slips of the keyboard
	worded            // all found as they stand
	core              // and nothing of weight is left over in the name
	equal             // the phrase is the name or the ID
)

// match is a model beside a phrase. Score, from 0 to 1, ranks what is not good
// enough to be chosen.
type match struct {
	model model
	fit   fit
	score float64
}

// compare judges m against the phrase.
func (p phrase) compare(m model) match {
	out := match{model: m}
	for i, label := range m.labels {
		got := p.compareLabel(label)
		if i == 0 || got.fit > out.fit || got.fit == out.fit && got.score > out.score {
			out.fit, out.score = got.fit, got.score
		}
	}
	if p.exact == strings.ToLower(m.id) || p.exact == strings.ToLower(m.name) {
		out.fit, out.score = equal, 1
	}
	return out
}

func (p phrase) compareLabel(label []string) match {
	if len(p.tokens) == 0 || len(label) == 0 {
		return match{}
	}
	found, exact := 0.0, true
	used := map[int]bool{}
	missing := false
	for _, token := range p.tokens {
		weight, at := bestToken(token, label, used)
		if at >= 0 {
			used[at] = true
		}
		missing = missing || weight < goodToken
		exact = exact && weight == 1
		found += weight
	}
	score := found / float64(len(p.tokens))
	left := len(label) - len(used)
	score *= 1 - 0.02*float64(min(left, 10))
	switch {
	case p.glued == glue(label):
		return match{fit: equal, score: 1}
	case p.gluedRun(label):
		return match{fit: p.runFit(label, used), score: max(score, 0.95)}
	case !missing && exact:
		return match{fit: p.wordedFit(label, used), score: score}
	case !missing, p.gluedSlip(label):
		return match{fit: loose, score: max(score, 0.8)}
	}
	return match{fit: none, score: min(score, 0.9)}
}

// goodToken is the least weight of a token that counts as found.
const goodToken = 0.8

// bestToken finds the label's token that a token of the phrase means: the
// same, a number with another letter before it, a slip in a word. A number
// that only begins alike ("5" for "5.2") ranks, but is not found.
func bestToken(token string, label []string, used map[int]bool) (weight float64, at int) {
	at = -1
	for i, other := range label {
		if used[i] {
			continue
		}
		if w := tokenWeight(token, other); w > weight {
			weight, at = w, i
		}
	}
	return weight, at
}

func tokenWeight(token, other string) float64 {
	switch {
	case token == other:
		return 1
	case isVersion(token) != isVersion(other):
		return 0
	case isVersion(token):
		return versionWeight(token, other)
	}
	slips := distance(token, other)
	if isSlip(token, other) {
		return 0.95 - 0.05*float64(slips)
	}
	if long := max(len(token), len(other)); slips*2 <= long && min(len(token), len(other)) > 3 {
		return 0.4
	}
	return 0
}

func versionWeight(token, other string) float64 {
	a, b := bareVersion(token), bareVersion(other)
	letters := strings.TrimSuffix(token, a) + strings.TrimSuffix(other, b)
	switch {
	case a == b && (letters == "v" || letters == "vv"):
		return 1
	case a == b && len(letters) <= 1:
		return 0.9
	case a == b:
		return 0.3
	case strings.HasPrefix(b, a+"."), strings.HasPrefix(a, b+"."):
		return 0.6
	}
	return 0
}

// isSlip reports whether a word is another one with slips of the keyboard. The
// word of a variant that the catalogue lacks is no slip of one that it has:
// "max" is not "mini", and nobody is to measure the wrong one.
func isSlip(token, other string) bool {
	if slices.Contains(variants(), token) {
		return false
	}
	n, slips := len([]rune(other)), distance(token, other)
	switch {
	case n < 3 || len([]rune(token)) < 3:
		return false
	case n == 3:
		return slips == 1 && sameLetters(token, other)
	case n < 6:
		return slips <= 1
	default:
		return slips <= 2
	}
}

// variants are words that vendors tell their models apart by.
func variants() []string {
	return []string{
		"pro", "mini", "lite", "flash", "turbo", "max", "nano", "pico", "ultra", "plus", "air", "omni", "core", "code", "base", "large",
		"small", "medium", "fast", "vision", "thinking", "think", "chat", "instruct", "preview", "pre", "edge", "tiny", "light", "mono", "live",
	}
}

func sameLetters(a, b string) bool {
	x, y := []rune(a), []rune(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// wordedFit is core when the name holds nothing more than its family words.
func (p phrase) wordedFit(label []string, used map[int]bool) fit {
	for i, token := range label {
		if !used[i] && token != "doubao" && token != "seed" {
			return worded
		}
	}
	return core
}

// gluedRun reports whether the phrase, written without spaces or with others,
// is a run of whole tokens of the label.
func (p phrase) gluedRun(label []string) bool {
	_, _, ok := p.run(label)
	return ok
}

func (p phrase) run(label []string) (from, to int, ok bool) {
	if len(p.glued) < 4 {
		return 0, 0, false
	}
	for from := range label {
		for to := from + 1; to <= len(label); to++ {
			if glue(label[from:to]) == p.glued && p.sameVersions(label[from:to]) {
				return from, to, true
			}
		}
	}
	return 0, 0, false
}

// sameVersions guards against "20" being read as "2.0" where the phrase has
// a version of its own.
func (p phrase) sameVersions(run []string) bool {
	for _, token := range p.tokens {
		if isVersion(token) && strings.Contains(token, ".") && !slices.ContainsFunc(run, func(o string) bool { return bareVersion(o) == bareVersion(token) }) {
			return false
		}
	}
	return true
}

func (p phrase) runFit(label []string, _ map[int]bool) fit {
	from, to, _ := p.run(label)
	used := map[int]bool{}
	for i := from; i < to; i++ {
		used[i] = true
	}
	return p.wordedFit(label, used)
}

// gluedSlip allows for one slip in a phrase without spaces, never in a digit.
func (p phrase) gluedSlip(label []string) bool {
	whole := glue(label)
	return len(p.tokens) != len(label) && len(p.glued) >= 10 && digitsOf(p.glued) == digitsOf(whole) && digitsOf(whole) != "" &&
		distance(p.glued, whole) <= 1
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// distance counts the slips between two words: a letter too many, too few,
// wrong, or two exchanged.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 64 || len(y) > 64 {
		return math.MaxInt32
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
