package bench

import "time"

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

// Events is a stream's events in order of arrival. See [Events.MarshalJSON]
// for its form in JSON.
type Events []Event
