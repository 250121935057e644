package report

import (
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// withinCeiling is the distance up to which a hit rate counts as its ceiling.
const withinCeiling = 0.001

// cacheGap explains the distance of the hit rate from its ceiling.
func (b *block) cacheGap() md {
	c, l := b.target.Summary.Cache, b.l
	if c.HitRate == nil || c.Ceiling == nil {
		return ""
	}
	gap := *c.Ceiling - *c.HitRate
	switch {
	case gap < -withinCeiling:
		return l.say("cache.above", "gap_points", -gap)
	case gap < withinCeiling:
		return l.say("cache.reached")
	}
	return l.say("cache.gap", "gap_points", gap) + b.gapParts(gap)
}

// gapPart is a reason for a part of the gap, as a share of all prompt tokens.
type gapPart struct {
	key  string
	lost float64
	args []any
}

// gapParts says what the gap is made of: requests that are missing, what the
// workload cost, what it doesn't explain, and a rest. A part that is printed
// takes no more than what is left of the gap.
func (b *block) gapParts(gap float64) md {
	var parts md
	for _, p := range b.gapReasons() {
		if lost := min(p.lost, gap); lost >= 0.0005 {
			parts, gap = parts+b.l.say("cache.gap."+p.key, append(p.args, p.key+"_points", lost)...), gap-lost
		}
	}
	if gap >= 0.0005 {
		parts += b.l.say("cache.gap.rest", "rest_points", gap)
	}
	return md(strings.TrimSpace(string(parts)))
}

func (b *block) gapReasons() []gapPart {
	s := &b.target.Summary
	c, loss := &s.Cache, &s.Cache.Loss
	of := func(tokens int) float64 { return float64(tokens) / float64(max(1, c.Prompt)) }
	missed := gapPart{"missed", of(loss.None), []any{"missed", loss.Missed, "later", loss.Later, "full", loss.Full}}
	if loss.Full == 0 {
		missed.key = "never"
	}
	block := gapPart{"block", of(loss.Block), nil}
	if b.result.Scenario == bench.Multiturn {
		block.key = "answers"
	}
	return []gapPart{
		b.missing(), {"overlap", of(loss.Overlap), []any{"overlapped", c.Overlapped}}, {"short", of(loss.Short), nil},
		missed, {"part", of(loss.Part), nil}, block,
	}
}

// missing are the requests of a prefix run that are in no figure.
func (b *block) missing() gapPart {
	s := &b.target.Summary
	n := s.Requests.Planned - s.Cache.Of
	if n <= 0 {
		return gapPart{}
	}
	lost := max(0, *s.Cache.Ceiling-s.Cache.Attainable(&b.result.Spec))
	return gapPart{"missing", lost, []any{"missing", n, "planned", s.Requests.Planned}}
}
