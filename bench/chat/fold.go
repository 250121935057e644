package chat

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// fold turns the events of one stream into what a sample says of it. It is a
// pure function of events and times: where the stream was cut doesn't matter.
type fold struct {
	key        bench.Secret // kept out of all that is taken over
	events     bench.Events
	answer     []byte // content, unescaped
	usage      []byte // the last usage seen
	failure    []byte // the first error event
	malformed  []byte // the first event that is no JSON object
	finish     string
	model      string
	tier       string
	id         string
	done       bool
	changed    bool // the model's name changed within the stream
	reasoned   bool
	outputs    int
	lastOutput time.Duration // arrival of the latest output event
}

var doneData = []byte("[DONE]")

func (f *fold) comment(at time.Duration, read int) { f.add(at, read, bench.EventComment) }

func (f *fold) add(at time.Duration, read int, kind bench.EventKind) {
	f.events = append(f.events, bench.Event{At: at, Kind: kind, Read: read})
	if kind.Output() {
		f.outputs++
		f.lastOutput = at
	}
}

func (f *fold) event(at time.Duration, read int, name, data []byte) {
	if f.done {
		return // what follows [DONE] is no part of the answer
	}
	if bytes.Equal(bytes.TrimSpace(data), doneData) {
		f.done = true
		f.add(at, read, bench.EventDone)
		return
	}
	c, ok := scan(data)
	switch {
	case !ok:
		f.malformed = keepFirst(f.malformed, data)
		f.add(at, read, bench.EventError)
	case c.failure != nil || string(name) == "error":
		f.failure = keepFirst(f.failure, data)
		f.add(at, read, bench.EventError)
	default:
		f.add(at, read, c.kind())
		f.take(&c)
	}
}

// kind classifies a chunk. One with content and reasoning counts as content.
func (c *chunk) kind() bench.EventKind {
	switch {
	case len(c.content) > 0:
		return bench.EventContent
	case len(c.reasoning) > 0:
		return bench.EventReasoning
	case len(c.refusal) > 0:
		return bench.EventRefusal
	case c.tool:
		return bench.EventTool
	case len(c.finish) > 0:
		return bench.EventFinish
	case c.choices:
		return bench.EventRole
	case c.usage != nil:
		return bench.EventUsage
	}
	return bench.EventOther
}

func (f *fold) take(c *chunk) {
	f.answer = appendUnescaped(f.answer, c.content)
	f.reasoned = f.reasoned || len(c.reasoning) > 0
	if c.usage != nil {
		f.usage = append(f.usage[:0], c.usage...)
	}
	if len(c.finish) > 0 && f.finish == "" {
		f.finish = string(c.finish)
	}
	if len(c.model) > 0 && string(c.model) != f.model {
		f.changed = f.changed || f.model != ""
		f.model = string(c.model)
	}
	if len(c.tier) > 0 && string(c.tier) != f.tier {
		f.tier = string(c.tier)
	}
	if len(c.id) > 0 && f.id == "" {
		f.id = string(c.id)
	}
}

// keepFirst keeps a bounded copy of the first of several.
func keepFirst(kept, data []byte) []byte {
	if kept != nil {
		return kept
	}
	return bytes.Clone(data[:min(len(data), 64<<10)])
}

// appendUnescaped appends a JSON string's value, given what stands between its quotes.
func appendUnescaped(dst, escaped []byte) []byte {
	if bytes.IndexByte(escaped, '\\') < 0 {
		return append(dst, escaped...)
	}
	quoted := make([]byte, 0, len(escaped)+2)
	quoted = append(append(append(quoted, '"'), escaped...), '"')
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return dst
	}
	return append(dst, text...)
}

// into writes what the stream said into the sample, whose start is set.
func (f *fold) into(s *bench.Sample, asked bench.Thinking) {
	s.Events, s.OutputEvents = f.events, f.outputs
	s.FinishReason, s.Model, s.ServiceTier = safe(f.finish, 40, f.key), safe(f.model, 200, f.key), safe(f.tier, 40, f.key)
	if s.RequestID == "" {
		s.RequestID = safe(f.id, 100, f.key)
	}
	f.marks(s)
	s.Client.Merged = f.merged()
	f.count(s)
	s.Answer, s.AnswerBytes = string(f.answer), len(f.answer)
	sum := sha256.Sum256(f.answer)
	s.AnswerHash = hex.EncodeToString(sum[:])
	if f.changed {
		s.Warn(bench.WarnModelChanged)
	}
	if s.Reasoned && asked == bench.ThinkingDisabled {
		s.Warn(bench.WarnReasoningSeen)
	}
	if f.buffered() {
		s.Warn(bench.WarnBuffered)
	}
}

func (f *fold) marks(s *bench.Sample) {
	for i := range f.events {
		e := &f.events[i]
		if !e.Kind.Output() {
			continue
		}
		if !s.FirstToken.Taken() {
			s.FirstToken = bench.MarkAt(e.At)
		}
		if e.Kind == bench.EventContent && !s.FirstAnswer.Taken() {
			s.FirstAnswer = bench.MarkAt(e.At)
		}
		s.LastToken = bench.MarkAt(e.At)
	}
}

func (f *fold) count(s *bench.Sample) {
	usage, sound := parseUsage(f.usage)
	s.Usage = usage
	if !sound || usage != nil && usage.Completion != nil && *usage.Completion == 0 && f.outputs > 0 {
		s.Warn(bench.WarnUsageInconsistent)
	}
	if usage == nil {
		s.Warn(bench.WarnUsageMissing)
	}
	s.Reasoned = f.reasoned
	if usage != nil {
		s.Reasoned = s.Reasoned || usage.Reasoning != nil && *usage.Reasoning > 0
		if usage.Cached != nil && usage.Prompt != nil && *usage.Cached > *usage.Prompt {
			s.Warn(bench.WarnCachedExceedsPrompt)
		}
	}
}

// merged counts the output events that shared their read with a later one.
func (f *fold) merged() int {
	n, read := 0, -1
	for _, e := range f.events {
		if !e.Kind.Output() {
			continue
		}
		if e.Read == read {
			n++
		}
		read = e.Read
	}
	return n
}

// buffered reports whether the output came in bursts: at least half of eight
// or more gaps are under a millisecond. Streams that are as fast as that
// throughout are left alone if they last.
func (f *fold) buffered() bool {
	s := bench.Sample{Events: f.events}
	gaps := s.ITL()
	if len(gaps) < 8 {
		return false
	}
	short := 0
	var span time.Duration
	for _, gap := range gaps {
		span += gap
		if gap < time.Millisecond {
			short++
		}
	}
	mean := span / time.Duration(len(gaps))
	return 2*short >= len(gaps) && (mean >= 2*time.Millisecond || mean < 50*time.Microsecond)
}

// substantial is the number of events that are no comments.
func (f *fold) substantial() int {
	n := len(f.events)
	for n > 0 && f.events[n-1].Kind == bench.EventComment {
		n--
	}
	return n
}
