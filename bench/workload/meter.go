package workload

// micro is a length in millionths of a token. Lengths are whole numbers, since
// floating point differs between processors and would make texts differ.
type micro int64

const token micro = 1_000_000

func tokens(n int) micro { return micro(n) * token }

// ceil is the length in whole tokens, rounded up.
func (m micro) ceil() int { return int((m + token - 1) / token) }

// meter predicts how long text is.
type meter struct {
	rates   [kinds]micro // of an eighth of a local token, by kind of text
	reading micro        // of a further reading
	exact   bool         // the local rule itself: no prediction
}

func localMeter() meter {
	const rate = token / tokenEighths
	return meter{rates: [kinds]micro{rate, rate, rate}, reading: rate * readingEighths, exact: true}
}

func (m *meter) of(k kind, text string) micro { return m.rates[k] * micro(eighths(text)) }
