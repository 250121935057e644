package sim

import (
	"iter"
	"time"
)

func (ev event) later(d time.Duration) event {
	ev.at += d
	return ev
}

// change replaces each event by what f makes of it.
func (p *plan) change(f func(event) event) {
	p.expand(func(ev event, yield func(event) bool) bool { return yield(f(ev)) })
}

// expand replaces each event by what f yields for it. f reports whether to go
// on. It may keep state: a plan is read once.
func (p *plan) expand(f func(ev event, yield func(event) bool) bool) {
	inner := p.events
	p.events = func(yield func(event) bool) {
		for ev := range inner {
			if !f(ev, yield) {
				return
			}
		}
	}
}

// drop leaves out the events that f picks.
func (p *plan) drop(f func(event) bool) {
	p.expand(func(ev event, yield func(event) bool) bool { return f(ev) || yield(ev) })
}

// before puts other events before all of p's.
func (p *plan) before(head iter.Seq[event]) {
	inner := p.events
	p.events = func(yield func(event) bool) {
		for ev := range head {
			if !yield(ev) {
				return
			}
		}
		inner(yield)
	}
}

// afterTokens lets n tokens pass and then sends what last makes of the next
// event instead of all that follows. last may be nil.
func (p *plan) afterTokens(n int, last func(next event) []event) {
	seen := 0
	p.expand(func(ev event, yield func(event) bool) bool {
		if !ev.closes() && (seen < n || !ev.isToken()) {
			seen += ev.tokens
			return yield(ev)
		}
		if last != nil {
			yieldAll(last(ev), yield)
		}
		return false
	})
}

// hold keeps events back and lets n of them go in one write, at the time of
// the last; 0 holds all of them to the end.
func (p *plan) hold(n int) {
	inner := p.events
	p.events = func(yield func(event) bool) {
		var held []event
		release := func() bool {
			for i := range held {
				held[i].at = held[len(held)-1].at
				held[i].join = i < len(held)-1
				if !yield(held[i]) {
					return false
				}
			}
			held = held[:0]
			return true
		}
		for ev := range inner {
			held = append(held, ev)
			if n > 0 && len(held) >= n && !release() {
				return
			}
		}
		release()
	}
}

// merge packs up to n tokens of one kind into a chunk, which leaves with the
// last of them; the first token of all goes alone.
func (p *plan) merge(n int) {
	inner := p.events
	p.events = func(yield func(event) bool) {
		var pack event
		first := true
		for ev := range inner {
			switch {
			case pack.tokens > 0 && ev.kind == pack.kind && pack.tokens < n && !first:
				pack = pack.with(ev)
				continue
			case pack.tokens > 0:
				if !yield(pack) {
					return
				}
				first = false
			}
			pack = event{}
			if ev.isToken() {
				pack = ev
			} else if !yield(ev) {
				return
			}
		}
		if pack.tokens > 0 {
			yield(pack)
		}
	}
}

// with adds the tokens of next, and takes its time.
func (ev event) with(next event) event {
	ev.at = next.at
	ev.text += next.text
	ev.reasoning += next.reasoning
	ev.tokens += next.tokens
	return ev
}

// fold packs the whole answer with its finish reason and usage into one chunk
// at the time of the last token.
func (p *plan) fold() {
	inner := p.events
	p.events = func(yield func(event) bool) {
		all := event{kind: kindContent}
		for ev := range inner {
			switch ev.kind {
			case kindDone:
				if yield(all) {
					yield(ev)
				}
				return
			case kindFinish:
				all.finish = ev.finish
			case kindUsage:
				all.usage = ev.usage
			case kindContent, kindReasoning:
				all = all.with(ev)
			}
		}
		yield(all)
	}
}

func yieldAll(all []event, yield func(event) bool) bool {
	for _, ev := range all {
		if !yield(ev) {
			return false
		}
	}
	return true
}
