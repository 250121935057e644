package sim

// endingFaults change how a stream ends.
func endingFaults() []fault {
	return []fault{
		{name: "no_done", doc: "no [DONE]", bend: func(p *plan, _ argument) {
			p.drop(func(ev event) bool { return ev.kind == kindDone })
		}},
		{name: "no_finish", doc: "no finish_reason", bend: func(p *plan, _ argument) {
			p.drop(func(ev event) bool { return ev.kind == kindFinish })
		}},
		{name: "unterminated", doc: "the last event, which carries usage, lacks its blank line, and no [DONE] follows", bend: unterminated},
		{name: "cut", arg: count(3), doc: "the connection closes in the middle of the event after so many tokens", bend: cut},
		{name: "stall", arg: count(1), doc: "nothing comes after so many tokens, the connection stays open", bend: func(p *plan, a argument) {
			p.afterTokens(a.n, nil)
			p.ending = endHang
		}},
		{name: "error_event", arg: count(1), doc: "an error event after so many tokens, then [DONE]", bend: errorEvent("data: ", true)},
		{name: "error_bare", arg: count(1), doc: "the same without data: and without [DONE]", bend: errorEvent("", false)},
		{name: "finish", arg: text("length"), doc: "another finish_reason", bend: func(p *plan, a argument) {
			p.change(func(ev event) event {
				if ev.kind == kindFinish {
					ev.finish = a.text
				}
				return ev
			})
		}},
		{name: "content_filter", arg: count(1), doc: "the answer ends after so many tokens with finish_reason content_filter", bend: func(p *plan, a argument) {
			p.stopAfter(a.n, "content_filter")
		}},
		{name: "empty", doc: "an answer without any output", bend: func(p *plan, _ argument) {
			p.stopAfter(0, "stop")
			p.before(func(yield func(event) bool) { yield(event{at: p.start, kind: kindRole}) })
		}},
	}
}

// stopAfter ends the answer after n tokens, with a usage that says so.
func (p *plan) stopAfter(n int, finish string) {
	var last event
	seen, thought := 0, 0
	p.expand(func(ev event, yield func(event) bool) bool {
		if ev.isToken() {
			if seen >= n {
				return true
			}
			if seen += ev.tokens; ev.kind == kindReasoning {
				thought += ev.tokens
			}
			last = ev
			return yield(ev)
		}
		if ev.closes() {
			ev.at = max(last.at, p.start)
		}
		if ev.finish != "" {
			ev.finish = finish
		}
		if ev.usage != nil {
			u := *ev.usage
			u.completion, u.reasoning = seen, thought
			ev.usage = &u
		}
		return yield(ev)
	})
}

func unterminated(p *plan, _ argument) {
	p.expand(func(ev event, yield func(event) bool) bool {
		switch ev.kind {
		case kindDone:
			return true
		case kindUsage:
			whole := string(p.shape.appendEvent(nil, &ev))
			return yield(event{at: ev.at, kind: kindRaw, text: whole[:len(whole)-2]})
		}
		return yield(ev)
	})
}

func cut(p *plan, a argument) {
	p.ending = endCut
	p.afterTokens(a.n, func(next event) []event {
		whole := p.shape.appendEvent(nil, &next)
		return []event{{at: next.at, kind: kindRaw, text: string(whole[:len(whole)/3])}}
	})
}

func errorEvent(prefix string, done bool) func(*plan, argument) {
	return func(p *plan, a argument) {
		p.afterTokens(a.n, func(next event) []event {
			body := standard("InternalServiceError").body(p.shape.id)
			all := []event{{at: next.at, kind: kindError, text: prefix + body + "\n\n", join: done}}
			if done {
				all = append(all, event{at: next.at, kind: kindDone})
			}
			return all
		})
	}
}
