package workload

import (
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// A probe that counts less than these shares of what was expected may have been
// cut. What a rehearsal costs is known well beforehand; what a kind of text
// costs is what the probe is to find out.
const (
	shortSample    = 0.75
	shortRehearsal = 0.88
)

// suspect reports whether the count of a probe may be that of a cut prompt: it
// is another probe's too, or too small, or a rehearsal's is so large that the
// probes before it may have been cut. Rehearsals alone are fitted to their
// length, so that two of them may well count the same.
func (c *calibrator) suspect(purpose string, n int, expected micro) bool {
	part := float64(tokens(n)) / float64(max(1, expected))
	fitted := strings.HasPrefix(purpose, rehearsed)
	for _, p := range c.cal.Probes {
		if p.Counted == n && !(fitted && part > 0.98) {
			return true
		}
	}
	switch {
	case len(c.cal.Probes) < 2: // readings and Chinese: nothing is known yet
		return false
	case fitted:
		return part < shortRehearsal || part > 1/shortRehearsal
	}
	return part < shortSample
}

// uncut sends the same text twice over and gives a [CutError] where that counts
// hardly more than once. A server that refuses so long a prompt cuts none.
func (c *calibrator) uncut(n int, messages []bench.Message) error {
	var text strings.Builder
	for range 2 {
		for _, m := range messages {
			text.WriteString(m.Content())
		}
	}
	twice, err := c.probe(c.ctx, []bench.Message{user(text.String())})
	if err != nil || twice > n+n/4 {
		return nil
	}
	return &CutError{Tokens: n}
}
