package rundir

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// lineReader splits a journal into lines and never holds more than limit bytes
// of one.
type lineReader struct {
	from  *bufio.Reader
	limit int

	line    []byte // without its newline; valid until the next call
	tooLong bool   // line is not all there was
	last    bool   // it is the last one and has no newline
	err     error  // of reading; nil at the end
}

// next moves to the next line, or to the end.
func (l *lineReader) next() bool {
	l.line, l.tooLong = l.line[:0], false
	for !l.last && l.err == nil {
		chunk, err := l.from.ReadSlice('\n')
		l.take(bytes.TrimSuffix(chunk, []byte{'\n'}))
		switch {
		case err == nil:
			return true
		case errors.Is(err, io.EOF):
			l.last = true
			return len(l.line) > 0 || l.tooLong
		case !errors.Is(err, bufio.ErrBufferFull):
			l.err = err
		}
	}
	return false
}

func (l *lineReader) take(chunk []byte) {
	if len(l.line)+len(chunk) > l.limit {
		l.tooLong = true
		return
	}
	l.line = append(l.line, chunk...)
}

// fault is what is wrong with the line before it is decoded.
func (l *lineReader) fault() error {
	if l.tooLong {
		return fmt.Errorf("it is longer than %d bytes", l.limit)
	}
	return nil
}
