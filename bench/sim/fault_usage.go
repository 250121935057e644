package sim

// usageFaults change what usage says and where it stands.
func usageFaults() []fault {
	style := func(name string, s usageStyle, doc string) fault {
		return fault{name: name, doc: doc, bend: func(p *plan, _ argument) { p.shape.usage = s }}
	}
	return []fault{
		{name: "usage_on_last", doc: "usage on the last content chunk instead of a chunk of its own", bend: usageOnLast},
		{name: "usage_on_finish", doc: "usage on the chunk with the finish reason, as Kimi may", bend: usageOnFinish},
		{name: "usage_every", doc: "cumulative usage on every chunk", bend: usageEvery},
		{name: "usage_missing", doc: "no usage, though asked for", bend: func(p *plan, _ argument) { p.dropUsage() }},
		{name: "usage_in_choice", doc: "usage inside choices[0]", bend: func(p *plan, _ argument) { p.shape.inChoice = true }},
		style("cached_nested", nestedUsage, "prompt_tokens_details.cached_tokens, as vLLM and SGLang when they are started so"),
		style("usage_null_details", nullDetailsUsage, "null where the details of usage would stand, as vLLM"),
		style("cached_absent", bareUsage, "usage without any details"),
		style("cached_deepseek", deepseekUsage, "DeepSeek's prompt_cache_hit_tokens and prompt_cache_miss_tokens"),
		style("cached_both", deepseekBothUsage, "DeepSeek's fields beside prompt_tokens_details"),
		style("cached_top", topUsage, "cached_tokens at the top of usage, as Kimi"),
		style("cached_tencent", tencentUsage, "cache_read_tokens, as Tencent"),
		style("completion_absent", withoutCompletionUsage, "usage without completion_tokens"),
		{name: "completion_zero", doc: "completion_tokens is 0", bend: func(p *plan, _ argument) {
			p.changeUsage(func(u usage) usage { u.completion, u.reasoning = 0, 0; return u })
		}},
		{name: "cached_exceeds", arg: count(40), doc: "so many more cached tokens than the prompt has", bend: func(p *plan, a argument) {
			p.changeUsage(func(u usage) usage { u.cached = u.prompt + a.n; return u })
		}},
	}
}

func (p *plan) changeUsage(f func(usage) usage) {
	p.change(func(ev event) event {
		if ev.usage != nil {
			u := f(*ev.usage)
			ev.usage = &u
		}
		return ev
	})
}

func (p *plan) dropUsage() {
	p.drop(func(ev event) bool { return ev.kind == kindUsage })
	p.change(func(ev event) event { ev.usage = nil; return ev })
}

// usageOnLast moves the usage to the last chunk with tokens. It holds each
// chunk back until it knows of the next, without changing its time.
func usageOnLast(p *plan, _ argument) { p.moveUsage(event.isToken) }

func usageOnFinish(p *plan, _ argument) {
	p.moveUsage(func(ev event) bool { return ev.kind == kindFinish })
}

// moveUsage takes the usage off its own chunk and puts it on the last event
// that host picks.
func (p *plan) moveUsage(host func(event) bool) {
	inner := p.events
	p.events = func(yield func(event) bool) {
		var held []event // from the last host on
		for ev := range inner {
			switch {
			case ev.kind == kindUsage && len(held) > 0:
				held[0].usage = ev.usage
				continue
			case host(ev):
				if !yieldAll(held, yield) {
					return
				}
				held = append(held[:0], ev)
				continue
			case len(held) > 0:
				held = append(held, ev)
				continue
			}
			if !yield(ev) {
				return
			}
		}
		yieldAll(held, yield)
	}
}

// usageEvery puts a running usage on every chunk with tokens.
func usageEvery(p *plan, _ argument) {
	u := p.usage
	u.completion, u.reasoning = 0, 0
	p.change(func(ev event) event {
		if ev.isToken() {
			u.completion += ev.tokens
			if ev.kind == kindReasoning {
				u.reasoning += ev.tokens
			}
			now := u
			ev.usage = &now
		}
		return ev
	})
}
