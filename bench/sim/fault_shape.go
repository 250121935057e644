package sim

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// shapeFaults change how chunks look or how they are cut into writes.
func shapeFaults() []fault {
	return []fault{
		{name: "role_opener", arg: duration(5 * time.Millisecond), doc: "a chunk with the role and empty content, so much after the request", bend: opener(false)},
		{name: "role_null", arg: duration(5 * time.Millisecond), doc: "the same with content null", bend: opener(true)},
		{name: "openai_shape", doc: "OpenAI's chunks: role in the opener only, finish_reason null before the end", bend: func(p *plan, _ argument) {
			p.shape.brief, p.shape.nullUsage = true, false
			p.before(func(yield func(event) bool) { yield(event{at: p.start, kind: kindRole}) })
		}},
		{name: "reasoning_field", doc: "thinking text in the field reasoning, as vLLM", bend: func(p *plan, _ argument) { p.shape.reasoning = "reasoning" }},
		{name: "hidden_thinking", doc: "thinking is counted but not sent", bend: func(p *plan, _ argument) {
			p.drop(func(ev event) bool { return ev.kind == kindReasoning })
		}},
		{name: "encrypted_content", doc: "a chunk with encrypted_content alone before the answer", bend: encrypted},
		{name: "keepalive", arg: duration(100 * time.Millisecond), doc: "a comment that often before the first token", bend: func(p *plan, a argument) {
			p.before(comments(a.d, func() time.Duration { return p.start }))
		}},
		{name: "keepalive_only", arg: duration(400 * time.Millisecond), doc: "a comment that often, and never a token", bend: func(p *plan, a argument) {
			p.events = comments(a.d, func() time.Duration { return 1<<62 - 1 })
		}},
		{name: "tokens_per_chunk", arg: count(4), doc: "so many tokens per chunk after the first", bend: func(p *plan, a argument) { p.merge(max(a.n, 1)) }},
		{name: "one_chunk", doc: "everything in a single chunk at the end", bend: func(p *plan, _ argument) { p.fold() }},
		{name: "crlf", doc: "lines end with CR LF", bend: func(p *plan, _ argument) { p.shape.finish = crlf }},
		{name: "no_space", doc: "no blank after data:", bend: func(p *plan, _ argument) { p.shape.frame = tightFrame }},
		{name: "sse_fields", doc: "id, event and retry lines, and JSON over two data lines", bend: func(p *plan, _ argument) { p.shape.frame = fieldsFrame }},
		{name: "split", doc: "the second token's JSON is cut between two writes, the rest follows with the third", bend: split},
		{name: "big_chunk", arg: count(102400), doc: "the first token's text is so many bytes long", bend: bigChunk},
		{name: "error_null", doc: `"error":null in every chunk`, bend: func(p *plan, _ argument) { p.shape.extra += `,"error":null` }},
		{name: "error_empty", doc: `"error":{} in every chunk`, bend: func(p *plan, _ argument) { p.shape.extra += `,"error":{}` }},
		{name: "tool_call", doc: "the answer comes as the arguments of a tool call", bend: rename(kindTool, "tool_calls")},
		{name: "refusal", doc: "the answer comes in the field refusal", bend: rename(kindRefusal, "stop")},
		{name: "model", arg: text("another-model"), doc: "chunks carry another model's name", bend: func(p *plan, a argument) { p.shape.model = a.text }},
	}
}

func opener(null bool) func(*plan, argument) {
	return func(p *plan, a argument) {
		p.before(events(event{at: a.d, kind: kindRole, null: null}))
	}
}

// comments yields comments at 0, d, 2d, … before end.
func comments(d time.Duration, end func() time.Duration) func(func(event) bool) {
	return func(yield func(event) bool) {
		for at := time.Duration(0); at < end(); at += max(d, time.Millisecond) {
			if !yield(event{at: at, kind: kindComment, text: ": keep-alive\n\n"}) {
				return
			}
		}
	}
}

func encrypted(p *plan, _ argument) {
	sent := false
	p.expand(func(ev event, yield func(event) bool) bool {
		if !sent && ev.kind != kindReasoning {
			sent = true
			if !yield(event{at: ev.at, kind: kindEncrypted, text: "c2ltdWxhdGVk"}) {
				return false
			}
		}
		return yield(ev)
	})
}

func crlf(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }

func tightFrame(dst, json []byte) []byte {
	dst = append(append(dst, "data:"...), json...)
	return append(dst, "\n\n"...)
}

func fieldsFrame(dst, json []byte) []byte {
	first, rest, cut := strings.Cut(string(json), `"created"`)
	dst = fmt.Appendf(dst, "id: 7\nevent: message\nretry: 10\ndata: %s\n", first)
	if cut {
		dst = fmt.Appendf(dst, "data: \"created\"%s\n", rest)
	}
	return append(dst, '\n')
}

// split cuts the second token's event in two writes; its end waits for the
// next event.
func split(p *plan, _ argument) {
	n := 0
	var rest string
	p.expand(func(ev event, yield func(event) bool) bool {
		n += ev.tokens
		switch {
		case n == 2 && ev.isToken():
			whole := string(p.shape.appendEvent(nil, &ev))
			half := len(whole) / 2
			rest = whole[half:]
			return yield(event{at: ev.at, kind: kindRaw, text: whole[:half]})
		case rest != "":
			end := event{at: ev.at, kind: kindRaw, text: rest, tokens: 1, join: true}
			rest = ""
			return yield(end) && yield(ev)
		}
		return yield(ev)
	})
}

func bigChunk(p *plan, a argument) {
	done := false
	p.change(func(ev event) event {
		if !done && ev.kind == kindContent {
			done = true
			ev.text = strings.Repeat("x", a.n)
		}
		return ev
	})
}

func rename(to kind, finish string) func(*plan, argument) {
	return func(p *plan, _ argument) {
		p.change(func(ev event) event {
			switch ev.kind {
			case kindContent:
				ev.kind = to
			case kindFinish:
				ev.finish = finish
			}
			return ev
		})
	}
}
