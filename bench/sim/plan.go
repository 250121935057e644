package sim

import (
	"iter"
	"net/http"
	"time"
)

// plan is everything that one request will be answered with, before any of it
// is sent. Faults change it; the player sends it.
type plan struct {
	status int
	header http.Header
	events iter.Seq[event] // in order of time, made as they are sent
	shape  *shape
	usage  usage         // of the whole answer
	start  time.Duration // the first output token's time, since the anchor
	ending ending
	tail   time.Duration // from the last write to the end of the body
	gzip   bool          // compress, and send all at the end, where the request allows it
}

// ending is what happens after a plan's last event.
type ending int

const (
	endBody ending = iota // the body ends as it should
	endCut                // the connection is closed
	endHang               // nothing, until the client goes away
)

// event is one timed write of an answer.
type event struct {
	at        time.Duration // since the anchor
	kind      kind
	text      string // what the kind says: answer text, raw bytes, …
	reasoning string // thinking text
	tokens    int    // output tokens in it
	finish    string // finish_reason
	usage     *usage
	null      bool // content null instead of ""
	join      bool // leaves in one write with the next event
}

// kind says what an event is.
type kind string

// The kinds of events, as they stand in a [Mark].
const (
	kindContent   kind = "content"
	kindReasoning kind = "reasoning"
	kindEncrypted kind = "encrypted"
	kindRole      kind = "role"
	kindTool      kind = "tool"
	kindRefusal   kind = "refusal"
	kindFinish    kind = "finish"
	kindUsage     kind = "usage"
	kindDone      kind = "done"
	kindComment   kind = "comment"
	kindError     kind = "error"
	kindRaw       kind = "raw"
)

// isToken reports whether ev carries output tokens.
func (ev event) isToken() bool { return ev.tokens > 0 }

// closes reports whether ev is part of a healthy stream's end.
func (ev event) closes() bool {
	return ev.kind == kindFinish || ev.kind == kindUsage || ev.kind == kindDone
}

// tale is what a healthy answer says and when.
type tale struct {
	lengths
	usage     usage
	sendUsage bool
	start     time.Duration // of the first token
	tpot      time.Duration
	next      func(k int) string // text of token k, called once for each in order
}

// streamPlan is the healthy stream of t: its tokens, then the closing chunk,
// usage and [DONE] in one write.
func streamPlan(sh *shape, t tale) *plan {
	p := &plan{status: http.StatusOK, header: http.Header{}, shape: sh, usage: t.usage, start: t.start}
	p.header.Set("Content-Type", "text/event-stream; charset=utf-8")
	p.events = func(yield func(event) bool) {
		for k := range t.total() {
			if !yield(t.token(k)) {
				return
			}
		}
		yieldAll(t.closing(), yield)
	}
	return p
}

// token is the event of token k, counted from 0.
func (t tale) token(k int) event {
	ev := event{at: t.start + time.Duration(k)*t.tpot, kind: kindContent, tokens: 1}
	if k < t.reasoning {
		ev.kind, ev.reasoning = kindReasoning, t.next(k)
	} else {
		ev.text = t.next(k)
	}
	return ev
}

func (t tale) closing() []event {
	at := t.start + time.Duration(max(t.total()-1, 0))*t.tpot
	all := []event{{at: at, kind: kindFinish, finish: t.finish, join: true}}
	if t.sendUsage {
		all = append(all, event{at: at, kind: kindUsage, usage: &t.usage, join: true})
	}
	return append(all, event{at: at, kind: kindDone})
}

// bodyPlan answers at once with one body.
func bodyPlan(status int, contentType, body string) *plan {
	p := &plan{status: status, header: http.Header{}, shape: newShape("", "", "", 0)}
	p.header.Set("Content-Type", contentType)
	p.events = events(event{kind: kindRaw, text: body, join: true})
	return p
}

func events(all ...event) iter.Seq[event] {
	return func(yield func(event) bool) {
		yieldAll(all, yield)
	}
}
