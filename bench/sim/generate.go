package sim

import (
	"net/http"
	"strings"
	"time"
)

// generate waits for a slot and plans the answer from that moment on. It is
// nil if the client left first.
func (x *exchange) generate() *plan {
	waited, err := x.s.gate.enter(x.request.Context())
	if err != nil {
		return nil
	}
	x.holdsSlot = true
	x.s.counters.generate(1)
	if waited {
		x.anchor = time.Now()
	}
	x.prefill()
	t := tale{
		lengths: x.lengths, usage: x.usage(), start: x.start, tpot: x.s.cfg.TPOT, next: x.speak(),
		sendUsage: x.req.includeUsage || x.req.chunkUsage || x.model.UsageUnasked || !x.req.stream,
	}
	p := streamPlan(newShape(x.id, served(x.req.model, x.model), x.tier, x.anchor.Unix()), t)
	if x.req.chunkUsage {
		usageEvery(p, argument{})
	}
	return p
}

// prefill looks the prompt up in the cache, sets the time of the first token,
// and lets others find the prompt from then on.
func (x *exchange) prefill() {
	cfg := x.s.cfg
	n := len(x.prompt.ids)
	least := x.cacheMin()
	if least >= 0 {
		if held := min(x.s.cache.match(x.model.ID, x.prompt.ids, x.anchor), n-1); held >= least {
			x.cached = max(held, 0)
		}
	}
	x.start = cfg.BaseTTFT + cfg.PrefillPer1000*time.Duration(n-x.cached)/1000 + x.delay
	if least >= 0 && n >= least {
		x.s.cache.add(x.model.ID, x.prompt.ids, x.anchor.Add(x.start))
	}
}

// cacheMin is the shortest prefix that counts as a hit, negative if the model
// has no cache.
func (x *exchange) cacheMin() int {
	switch {
	case x.s.cfg.CacheCapacityTokens == 0:
		return Off
	case x.model.CacheMinTokens != 0:
		return x.model.CacheMinTokens
	}
	return x.s.cfg.CacheMinTokens
}

func (x *exchange) usage() usage {
	return usage{
		prompt: len(x.prompt.ids), cached: x.cached,
		completion: x.lengths.total(), reasoning: x.lengths.reasoning,
	}
}

// speak returns the teller of the answer's tokens. Thinking and answer are two
// texts, each cut by itself.
func (x *exchange) speak() func(k int) string {
	tok, seed, keep := &x.s.tokenizer, x.s.cfg.Seed, x.keepsAnswer()
	thought := newTeller(tok, x.prompt.lang, seed+1, x.prompt.hash)
	answer := newTeller(tok, x.prompt.lang, seed, x.prompt.hash)
	return func(k int) string {
		teller := answer
		if k < x.lengths.reasoning {
			teller = thought
		}
		piece := teller.next()
		if keep {
			x.generated = append(x.generated, hash32(piece)&^markerBit)
		}
		return piece
	}
}

func (x *exchange) keepsAnswer() bool {
	least := x.cacheMin()
	return least >= 0 && len(x.prompt.ids)+x.lengths.total() >= least
}

// settle gives back what the exchange holds. When the answer was told to its
// end, others find it in the cache from now on. It acts once.
func (x *exchange) settle(told bool) {
	if x.settled {
		return
	}
	x.settled = true
	if told && len(x.generated) > 0 {
		x.s.cache.add(x.model.ID, append(x.prompt.ids, x.generated...), time.Now())
	}
	x.s.counters.answered()
	if x.holdsSlot {
		x.s.counters.generate(-1)
		x.s.gate.leave()
	}
}

// play sends p. It reports false if the client went away.
func (x *exchange) play(p *plan) bool {
	pl := newPlayer(x.request.Context(), x.w, x.anchor, p.shape)
	if x.s.cfg.Recorder != nil {
		pl.marks = &x.marks
	}
	compress := p.gzip && strings.Contains(x.request.Header.Get("Accept-Encoding"), "gzip")
	return pl.play(p, compress, func() { x.settle(true) })
}

// record is what is known of the exchange now.
func (x *exchange) record(p *plan, canceled bool) *Record {
	r := &Record{
		Ordinal: x.ordinal, Path: x.request.URL.Path, Header: withoutKey(x.request.Header), Body: x.body,
		RequestID: x.sentID, ID: x.id, PromptTokens: len(x.prompt.ids), CachedTokens: x.cached,
		Reasoning: x.lengths.reasoning, Answer: x.lengths.answer, Tier: x.tier,
		Received: x.received, Anchor: x.anchor, TTFT: x.start, TPOT: x.s.cfg.TPOT,
		Marks: x.marks, Ended: time.Since(x.anchor), Canceled: canceled,
	}
	if p != nil {
		r.Status = p.status
	}
	if x.known {
		r.Model = served(x.req.model, x.model)
	}
	for _, f := range x.faults {
		r.Faults = append(r.Faults, f.name)
	}
	return r
}

// withoutKey copies h with the key in Authorization replaced.
func withoutKey(h http.Header) http.Header {
	h = h.Clone()
	if h.Get("Authorization") != "" {
		h.Set("Authorization", "[redacted]")
	}
	return h
}
