package bench

import (
	"encoding/json"
	"fmt"
	"time"
)

// EventKind is what one server-sent event carried.
type EventKind byte

// The kinds of event. Content, reasoning, refusal and tool events are output
// events; no other is.
const (
	EventRole      EventKind = 'o' // a chunk with choices and no output: a role, an empty string, null
	EventReasoning EventKind = 'r'
	EventContent   EventKind = 'c'
	EventTool      EventKind = 't' // a tool-call fragment with a name or arguments
	EventRefusal   EventKind = 'x'
	EventFinish    EventKind = 'f' // a finish_reason without output
	EventUsage     EventKind = 'u' // usage without choices
	EventDone      EventKind = 'd' // [DONE]
	EventError     EventKind = 'e'
	EventComment   EventKind = '-' // a comment line; it counts as nothing
	EventOther     EventKind = '?' // valid, but none of the above
)

// Output reports whether an event of this kind is an output event.
func (k EventKind) Output() bool {
	return k == EventContent || k == EventReasoning || k == EventTool || k == EventRefusal
}

// Event is the arrival of one server-sent event.
type Event struct {
	At   time.Duration // since the run began
	Kind EventKind
	Read int // which read of the stream brought its last byte, from 0
}

// Events is a stream's events in order of arrival. JSON shows them in three
// columns: "t" nanoseconds from the event before (the first: since the run
// began), "k" one letter a kind, "r" reads from the event before. Columns of
// equal values are folded: [v, n] stands for n times v.
type Events []Event

type eventColumns struct {
	T runs   `json:"t"`
	K string `json:"k"`
	R runs   `json:"r"`
}

// MarshalJSON implements [json.Marshaler].
func (es Events) MarshalJSON() ([]byte, error) {
	var c eventColumns
	kinds := make([]byte, 0, len(es))
	var before Event
	for _, e := range es {
		c.T.add(int64(e.At - before.At))
		c.R.add(int64(e.Read - before.Read))
		kinds = append(kinds, byte(e.Kind))
		before = e
	}
	c.K = string(kinds)
	return json.Marshal(c)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (es *Events) UnmarshalJSON(data []byte) error {
	var c eventColumns
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	n := len(c.K)
	times, reads := c.T.expand(n), c.R.expand(n)
	if len(times) != n || len(reads) != n {
		return fmt.Errorf("events: %d kinds, %d times and %d reads: all must be as many", n, len(times), len(reads))
	}
	*es = make(Events, n)
	var at, read int64
	for i := range n {
		at, read = at+times[i], read+reads[i]
		(*es)[i] = Event{At: time.Duration(at), Kind: EventKind(c.K[i]), Read: int(read)}
	}
	return nil
}

// runs is a column of numbers in which equal neighbours are folded.
type runs []run

type run struct{ value, count int64 }

func (rs *runs) add(v int64) {
	if last := len(*rs) - 1; last >= 0 && (*rs)[last].value == v {
		(*rs)[last].count++
		return
	}
	*rs = append(*rs, run{v, 1})
}

// expand unfolds at most limit+1 values, so that a forged count can't fill the memory.
func (rs runs) expand(limit int) []int64 {
	var values []int64
	for _, r := range rs {
		for i := int64(0); i < r.count && len(values) <= limit; i++ {
			values = append(values, r.value)
		}
	}
	return values
}

func (r run) MarshalJSON() ([]byte, error) {
	if r.count == 1 {
		return json.Marshal(r.value)
	}
	return json.Marshal([2]int64{r.value, r.count})
}

func (r *run) UnmarshalJSON(data []byte) error {
	r.count = 1
	if len(data) == 0 || data[0] != '[' {
		return json.Unmarshal(data, &r.value)
	}
	var pair [2]int64
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	r.value, r.count = pair[0], pair[1]
	return nil
}
