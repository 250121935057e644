package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxEvents bounds what is decoded of one stream: more than the longest output has.
const maxEvents = 1 << 22

// digits are the 64 digits of the time column.
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// eventColumns is the form of [Events] in JSON.
type eventColumns struct {
	T string `json:"t"`
	K string `json:"k"`
	R runs   `json:"r"`
}

// MarshalJSON shows the events in three columns, without loss:
//
//   - "t", the times: nanoseconds since the event before (the first: since the
//     run began) as base64 VLQ without a sign, that is, 5 bits a digit, the lowest first,
//     digits being A-Z a-z 0-9 + / for 0 to 63, and 32 added to each digit that
//     another one follows. Differences are taken modulo 2^64.
//   - "k", the kinds: the letter of each, then how many follow each other if
//     more than one: "oc510fud".
//   - "r", the reads: the difference from the event before (the first: from 0),
//     where [v, n] stands for n times v.
//
// An event of a stream at 20 ms a token takes 5 bytes.
func (es Events) MarshalJSON() ([]byte, error) {
	out := make([]byte, 0, 64+6*len(es))
	out = append(out, `{"t":"`...)
	before := time.Duration(0)
	for i := range es {
		out = appendVLQ(out, uint64(es[i].At-before))
		before = es[i].At
	}
	out = append(out, `","k":"`...)
	out = es.appendKinds(out)
	out = append(out, `","r":`...)
	out = es.reads().append(out)
	return append(out, '}'), nil
}

func appendVLQ(out []byte, v uint64) []byte {
	for ; v >= 32; v >>= 5 {
		out = append(out, digits[32|v&31])
	}
	return append(out, digits[v])
}

func (es Events) appendKinds(out []byte) []byte {
	for i := 0; i < len(es); {
		kind, first := es[i].Kind.known(), i
		for i < len(es) && es[i].Kind.known() == kind {
			i++
		}
		out = append(out, byte(kind))
		if n := i - first; n > 1 {
			out = strconv.AppendInt(out, int64(n), 10)
		}
	}
	return out
}

// known is the kind itself, or [EventOther] for one that isn't defined.
func (k EventKind) known() EventKind {
	switch k {
	case EventRole, EventReasoning, EventContent, EventTool, EventRefusal, EventFinish, EventUsage, EventDone, EventError, EventComment:
		return k
	}
	return EventOther
}

func (es Events) reads() runs {
	var rs runs
	before := 0
	for i := range es {
		rs.add(int64(es[i].Read - before))
		before = es[i].Read
	}
	return rs
}

// UnmarshalJSON is the inverse of [Events.MarshalJSON].
func (es *Events) UnmarshalJSON(data []byte) error {
	var c eventColumns
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	events, err := decodeTimes(c.T)
	if err != nil {
		return err
	}
	if err := events.setKinds(c.K); err != nil {
		return err
	}
	if err := events.setReads(c.R); err != nil {
		return err
	}
	*es = events
	return nil
}

// decodeTimes makes the events of a time column; each takes at least a byte of it.
func decodeTimes(column string) (Events, error) {
	events := make(Events, 0, min(maxEvents, len(column)/4+1))
	at := uint64(0)
	for len(column) > 0 {
		delta, length := decodeVLQ(column)
		if length == 0 {
			return nil, fmt.Errorf("events: time %d is not a number in base64 VLQ", len(events)+1)
		}
		if len(events) == maxEvents {
			return nil, fmt.Errorf("events: more than %d", maxEvents)
		}
		at += delta
		events = append(events, Event{At: time.Duration(at)})
		column = column[length:]
	}
	return events, nil
}

// decodeVLQ reads one number and returns its length in digits; 0 if there is none.
func decodeVLQ(text string) (v uint64, length int) {
	for i := 0; i < len(text) && i < 13; i++ { // 13 digits hold 65 bits
		d := digitOf(text[i])
		if d < 0 || i == 12 && d > 15 {
			return 0, 0
		}
		v |= uint64(d&31) << (5 * i)
		if d < 32 {
			return v, i + 1
		}
	}
	return 0, 0
}

func digitOf(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+':
		return 62
	case c == '/':
		return 63
	}
	return -1
}

func (es Events) setKinds(column string) error {
	next := 0
	for len(column) > 0 {
		kind := EventKind(column[0])
		rest := strings.TrimLeft(column[1:], "0123456789")
		count, err := parseCount(column[1 : len(column)-len(rest)])
		if err != nil || count > len(es)-next || kind.known() != kind {
			return fmt.Errorf("events: kind %d is malformed, or there are more kinds than times", next+1)
		}
		for range count {
			es[next].Kind = kind
			next++
		}
		column = rest
	}
	if next != len(es) {
		return fmt.Errorf("events: %d times and %d kinds: there must be as many", len(es), next)
	}
	return nil
}

func parseCount(text string) (int, error) {
	if text == "" {
		return 1, nil
	}
	return strconv.Atoi(text)
}

func (es Events) setReads(column runs) error {
	next, read := 0, int64(0)
	for _, r := range column {
		if r.count < 1 || r.count > int64(len(es)-next) {
			return errors.New("events: more reads than times")
		}
		for range r.count {
			read += r.value
			es[next].Read = int(read)
			next++
		}
	}
	if next != len(es) {
		return fmt.Errorf("events: %d times and %d reads: there must be as many", len(es), next)
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

// append writes the column as JSON: a number for one value, a pair for several.
func (rs runs) append(out []byte) []byte {
	out = append(out, '[')
	for i, r := range rs {
		if i > 0 {
			out = append(out, ',')
		}
		if r.count == 1 {
			out = strconv.AppendInt(out, r.value, 10)
			continue
		}
		out = strconv.AppendInt(append(out, '['), r.value, 10)
		out = strconv.AppendInt(append(out, ','), r.count, 10)
		out = append(out, ']')
	}
	return append(out, ']')
}

// UnmarshalJSON implements [json.Unmarshaler].
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
