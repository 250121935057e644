package sim

import (
	"io"
	"net/http"
	"time"
)

// Write is one timed write of a [Script].
type Write struct {
	At   time.Duration // since the request's body had been read
	Data string
}

// Script is an [http.Handler] that answers every request with the same bytes
// at the same times, each in a write of its own, whatever was asked. It is for
// tests that need a stream that no [Server] would send.
type Script struct {
	Status      int    // default 200
	ContentType string // default text/event-stream
	Writes      []Write
	Tail        time.Duration // from the last write to the end of the body
	Cut         bool          // close the connection after the last write
	Hang        bool          // keep it open after the last write, until the client goes away
}

// ServeHTTP implements [http.Handler].
func (s Script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
		return
	}
	p := s.plan()
	newPlayer(r.Context(), w, time.Now(), p.shape).play(p, false, func() {})
}

func (s Script) plan() *plan {
	p := bodyPlan(s.Status, nameOr(s.ContentType, "text/event-stream"), "")
	if p.status == 0 {
		p.status = http.StatusOK
	}
	p.tail = s.Tail
	switch {
	case s.Cut:
		p.ending = endCut
	case s.Hang:
		p.ending = endHang
	}
	p.events = func(yield func(event) bool) {
		for _, write := range s.Writes {
			if !yield(event{at: write.At, kind: kindRaw, text: write.Data}) {
				return
			}
		}
	}
	return p
}
