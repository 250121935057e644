package sim

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"time"
)

// player sends a plan, each event at its time after the anchor.
type player struct {
	ctx     context.Context
	w       http.ResponseWriter
	out     io.Writer // w, or a compressor on it
	flush   func() error
	sleeper sleeper
	anchor  time.Time
	shape   *shape
	buf     []byte
	pending []Mark  // of events in buf
	marks   *[]Mark // nil: none are kept
	writes  int
}

func newPlayer(ctx context.Context, w http.ResponseWriter, anchor time.Time, sh *shape) *player {
	return &player{
		ctx: ctx, w: w, out: w, flush: http.NewResponseController(w).Flush,
		sleeper: clockOf(ctx).sleeper(), anchor: anchor, shape: sh,
	}
}

// play sends p. before is called once, when all that is left is the last
// write of a plan that ends well. It reports false if the client went away.
func (pl *player) play(p *plan, compress bool, before func()) bool {
	defer pl.sleeper.stop()
	if compress {
		defer pl.compress(p)()
	}
	for key, values := range p.header {
		pl.w.Header()[key] = values
	}
	if p.status != http.StatusOK {
		pl.w.WriteHeader(p.status)
	}
	if !pl.sendAll(p, before) {
		return false
	}
	return pl.end(p)
}

// sendAll sends the events. Each is sent when the next is known, so that the
// last one is known as such.
func (pl *player) sendAll(p *plan, before func()) bool {
	var held event
	some := false
	for ev := range p.events {
		if some && !pl.send(&held) {
			return false
		}
		held, some = ev, true
	}
	if p.ending == endBody {
		if some && !pl.wait(held.at) {
			return false
		}
		before()
	}
	return !some || pl.send(&held)
}

func (pl *player) wait(at time.Duration) bool {
	return pl.sleeper.until(pl.ctx, pl.anchor.Add(at))
}

// send waits for ev's time and writes it, unless it goes with the next event.
func (pl *player) send(ev *event) bool {
	if !pl.wait(ev.at) {
		return false
	}
	pl.buf = pl.shape.appendEvent(pl.buf, ev)
	if pl.marks != nil {
		pl.pending = append(pl.pending, Mark{Kind: string(ev.kind), Tokens: ev.tokens, Due: ev.at})
	}
	if ev.join {
		return true
	}
	return pl.write() && pl.flush() == nil
}

// write writes what is in the buffer and keeps the marks of its events.
func (pl *player) write() bool {
	if pl.shape.finish != nil {
		pl.buf = pl.shape.finish(pl.buf)
	}
	if pl.marks != nil {
		pl.stamp(time.Since(pl.anchor))
	}
	_, err := pl.out.Write(pl.buf)
	pl.buf = pl.buf[:0]
	return err == nil
}

func (pl *player) stamp(sent time.Duration) {
	for _, m := range pl.pending {
		m.Sent, m.Write = sent, pl.writes
		*pl.marks = append(*pl.marks, m)
	}
	pl.pending = pl.pending[:0]
	pl.writes++
}

// end does what follows the last event.
func (pl *player) end(p *plan) bool {
	if len(pl.buf) > 0 && !pl.write() {
		return false
	}
	switch p.ending {
	case endCut:
		pl.hangUp()
	case endHang:
		<-pl.ctx.Done()
		return false
	case endBody:
		if p.tail > 0 {
			return pl.sleeper.until(pl.ctx, time.Now().Add(p.tail))
		}
	}
	return true
}

// hangUp closes the connection under the answer.
func (pl *player) hangUp() {
	conn, _, err := http.NewResponseController(pl.w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// compress sends everything through gzip, at the end.
func (pl *player) compress(p *plan) func() {
	p.header.Set("Content-Encoding", "gzip")
	zipped := gzip.NewWriter(pl.w)
	pl.out, pl.flush = zipped, func() error { return nil }
	return func() { _ = zipped.Close() }
}
