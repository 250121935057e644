package sim

import "time"

// timeFaults change when things happen.
func timeFaults() []fault {
	return []fault{
		{name: "slow_first", arg: duration(3 * time.Second), doc: "everything comes so much later", refuse: func(x *exchange, a argument) *plan {
			x.delay += a.d
			return nil
		}},
		{name: "pause", arg: duration(500 * time.Millisecond), doc: "a pause after the first token", bend: func(p *plan, a argument) {
			seen := 0
			p.change(func(ev event) event {
				if seen > 0 {
					ev = ev.later(a.d)
				}
				seen += ev.tokens
				return ev
			})
		}},
		{name: "late_usage", arg: duration(500 * time.Millisecond), doc: "usage and [DONE] come so much later", bend: func(p *plan, a argument) {
			p.change(func(ev event) event {
				switch ev.kind {
				case kindUsage, kindDone:
					return ev.later(a.d)
				case kindFinish:
					ev.join = false
				}
				return ev
			})
		}},
		{name: "late_end", arg: duration(5 * time.Millisecond), doc: "the body ends so much after [DONE]", bend: func(p *plan, a argument) { p.tail += a.d }, always: true},
		{name: "early_headers", doc: "the headers come at once", bend: func(p *plan, _ argument) {
			p.before(events(event{kind: kindRaw}))
		}},
		{name: "buffered", arg: count(0), doc: "chunks are held back and leave so many at a time, 0: all at the end", bend: func(p *plan, a argument) { p.hold(a.n) }},
		{name: "gzip", doc: "a proxy that compresses and sends all at the end, where the request allows gzip", bend: func(p *plan, _ argument) { p.gzip = true }, always: true},
	}
}
