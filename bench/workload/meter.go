package workload

import "math/bits"

// micro is a length in millionths of a token. Lengths are whole numbers, since
// floating point differs between processors and would make texts differ.
type micro int64

const token micro = 1_000_000

func tokens(n int) micro { return micro(n) * token }

// ceil is the length in whole tokens, rounded up.
func (m micro) ceil() int { return int((m + token - 1) / token) }

// lengths are those of text by its kind.
type lengths [kinds]micro

func (l lengths) sum() micro { return l[chinese] + l[english] + l[code] }

// meter predicts how long text is.
type meter struct {
	rates   lengths // of an eighth of a local token, by kind of text
	reading micro   // of a further reading
	exact   bool    // the local rule itself: no prediction
}

func localMeter() meter {
	const rate = token / tokenEighths
	return meter{rates: lengths{rate, rate, rate}, reading: rate * readingEighths, exact: true}
}

func (m *meter) of(k kind, text string) micro { return m.rates[k] * micro(eighths(text)) }

// ofRune is the length of a character of unknown kind: wide ones count as
// Chinese, all else as English.
func (m *meter) ofRune(r rune) micro {
	n := runeEighths(r)
	if n == wideEighths {
		return m.rates[chinese] * micro(n)
	}
	return m.rates[english] * micro(n)
}

// ofMixed is the length of text of unknown kind, by its characters.
func (m *meter) ofMixed(text string) lengths {
	var l lengths
	for _, r := range text {
		n := runeEighths(r)
		if n == wideEighths {
			l[chinese] += m.ofRune(r)
		} else {
			l[english] += m.ofRune(r)
		}
	}
	return l
}

// headLength is what the first line of a request counts for, in any unit: what
// it costs beyond that is found together with the chat template.
func headLength(head string) micro { return token / tokenEighths * micro(eighths(head)) }

// shares are the parts of mixed text by kind, in tenths of its local length.
// Being local, they are the same for every server.
func shares() lengths { return lengths{chinese: 5, english: 3, code: 2} }

// split divides a length among the kinds by their shares.
func (m *meter) split(all micro) lengths {
	parts, weight := shares(), micro(0)
	for k := range parts {
		parts[k] *= m.rates[k]
		weight += parts[k]
	}
	for k := range parts {
		parts[k] = ratio(parts[k], all, weight)
	}
	return parts
}

// ratio is m·a/b, of non-negative numbers, of which m is at most b or a result
// below 2^63 is sure.
func ratio(m, a, b micro) micro {
	high, low := bits.Mul64(uint64(m), uint64(max(a, 0)))
	q, _ := bits.Div64(high, low, uint64(max(b, 1)))
	return micro(q)
}
