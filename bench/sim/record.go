package sim

import (
	"net/http"
	"sync"
	"time"
)

// Record is what a server knows of one chat request once it has ended.
type Record struct {
	Ordinal   int         // 1 for the server's first chat request
	Path      string      // of the request's URL
	Header    http.Header // as received, with the key replaced
	Body      []byte      // as received
	RequestID string      // X-Client-Request-Id of the answer
	ID        string      // id of the chunks

	Model        string // as served; "" if the request was refused before
	Faults       []string
	Status       int // 0 if nothing was sent
	PromptTokens int
	CachedTokens int
	Reasoning    int // thinking tokens planned
	Answer       int // answer tokens planned
	Tier         string

	Received time.Time     // the body had been read
	Anchor   time.Time     // times below count from here; Received, or when the slot came
	TTFT     time.Duration // first token's planned time
	TPOT     time.Duration
	Marks    []Mark
	Ended    time.Duration // all was sent
	Canceled bool          // the client went away first
}

// Mark is one event that was sent.
type Mark struct {
	Kind   string        // content, reasoning, role, finish, usage, done, comment, error, raw, …
	Tokens int           // output tokens in it
	Due    time.Duration // planned, since the anchor
	Sent   time.Duration // right before the write that carried it, since the anchor
	Write  int           // which write, from 0: events of one write left together
}

// Queued is how long the request waited for a slot.
func (r *Record) Queued() time.Duration { return r.Anchor.Sub(r.Received) }

// Stats counts what a server has seen.
type Stats struct {
	Requests      int           // chat requests
	Connections   int           // connections opened
	InFlight      int           // chat requests received and not yet answered in full
	MaxInFlight   int           // the most of them at once
	MaxGenerating int           // the most that held a slot at once
	BusyTime      time.Duration // sum over all requests of their time in flight
	Span          time.Duration // from the first request's arrival to the last change of InFlight
	CachedTokens  int           // tokens that the prefix cache holds
}

// MeanInFlight is the time average of InFlight over Span, 0 without any span.
func (s Stats) MeanInFlight() float64 {
	if s.Span <= 0 {
		return 0
	}
	return float64(s.BusyTime) / float64(s.Span)
}

// counters keeps [Stats].
type counters struct {
	mu         sync.Mutex
	stats      Stats
	generating int
	first      time.Time
	last       time.Time
}

// arrive counts a chat request and returns its ordinal.
func (c *counters) arrive() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance(time.Now())
	c.stats.Requests++
	c.stats.InFlight++
	c.stats.MaxInFlight = max(c.stats.MaxInFlight, c.stats.InFlight)
	return c.stats.Requests
}

func (c *counters) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance(time.Now())
	c.stats.InFlight--
}

func (c *counters) generate(change int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generating += change
	c.stats.MaxGenerating = max(c.stats.MaxGenerating, c.generating)
}

func (c *counters) connect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Connections++
}

// advance adds the time since the last change. The lock is held.
func (c *counters) advance(now time.Time) {
	if c.first.IsZero() {
		c.first, c.last = now, now
	}
	c.stats.BusyTime += time.Duration(c.stats.InFlight) * now.Sub(c.last)
	c.last = now
	c.stats.Span = now.Sub(c.first)
}

func (c *counters) read() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}
