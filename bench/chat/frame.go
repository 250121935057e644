package chat

import (
	"bytes"
	"fmt"
	"time"
)

// maxEvent bounds one event of a stream, in bytes.
const maxEvent = 32 << 20

var errEventTooLarge = fmt.Errorf("an event exceeds %d MiB", maxEvent>>20)

// sink takes the events of a stream as they are completed. The data is valid
// only during the call.
type sink interface {
	event(at time.Duration, read int, name, data []byte)
	comment(at time.Duration, read int)
}

// framer splits the bytes of a server-sent event stream into events. It is fed
// what each read brought, and never looks at a byte twice.
type framer struct {
	sink    sink
	line    []byte // of an unfinished line
	data    []byte // of the event so far, lines joined by LF
	name    []byte // of the event so far
	begun   bool   // the event has a data field
	started bool   // a first line was begun: no BOM is to come
	skipLF  bool   // the read before ended in CR
}

// feed takes what one read brought.
func (f *framer) feed(p []byte, at time.Duration, read int) error {
	if f.skipLF && len(p) > 0 {
		f.skipLF = false
		if p[0] == '\n' {
			p = p[1:]
		}
	}
	for len(p) > 0 {
		end, width := lineEnd(p)
		if end < 0 {
			return f.keep(p)
		}
		f.skipLF = width == 1 && p[end] == '\r' && end+1 == len(p)
		line := p[:end]
		if len(f.line) > 0 {
			if err := f.keep(line); err != nil {
				return err
			}
			line = f.line
		}
		if err := f.take(line, at, read); err != nil {
			return err
		}
		f.line = reuse(f.line)
		p = p[end+width:]
	}
	return nil
}

// lineEnd finds the first CR LF, LF or CR; end is −1 where there is none.
func lineEnd(p []byte) (end, width int) {
	lf := bytes.IndexByte(p, '\n')
	head := p
	if lf >= 0 {
		head = p[:lf]
	}
	cr := bytes.IndexByte(head, '\r')
	switch {
	case cr >= 0 && cr+1 == lf:
		return cr, 2
	case cr >= 0:
		return cr, 1
	default:
		return lf, 1
	}
}

func (f *framer) keep(p []byte) error {
	if len(f.line)+len(f.data)+len(p) > maxEvent {
		return errEventTooLarge
	}
	f.line = append(f.line, p...)
	return nil
}

var (
	bom        = []byte("\xef\xbb\xbf")
	errorStart = []byte(`{"error"`)
)

// take handles one line without its end.
func (f *framer) take(line []byte, at time.Duration, read int) error {
	if !f.started {
		f.started = true
		line = bytes.TrimPrefix(line, bom)
	}
	switch {
	case len(line) == 0:
		f.dispatch(at, read)
		return nil
	case line[0] == ':':
		f.sink.comment(at, read)
		return nil
	case bytes.HasPrefix(line, errorStart): // some servers leave out "data:"
		return f.appendData(line)
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "data":
		return f.appendData(value)
	case "event":
		f.name = append(f.name[:0], value...)
	}
	return nil
}

func (f *framer) appendData(value []byte) error {
	if len(f.data)+len(value) > maxEvent {
		return errEventTooLarge
	}
	if f.begun {
		f.data = append(f.data, '\n')
	}
	f.begun = true
	f.data = append(f.data, value...)
	return nil
}

func (f *framer) dispatch(at time.Duration, read int) {
	if f.begun {
		f.sink.event(at, read, f.name, f.data)
	}
	f.data, f.name, f.begun = reuse(f.data), f.name[:0], false
}

// reuse empties a buffer, and lets go of one that an unusual event has blown up.
func reuse(buffer []byte) []byte {
	if cap(buffer) > 1<<20 {
		return nil
	}
	return buffer[:0]
}

// end is called when the stream has ended. It returns what was left of an
// event that lacks its blank line; ok says whether there was any.
func (f *framer) end(at time.Duration, read int) (name, data []byte, ok bool) {
	if len(f.line) > 0 {
		_ = f.take(f.line, at, read)
		f.line = nil
	}
	return f.name, f.data, f.begun
}
