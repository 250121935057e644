package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// maxWireLine bounds one line of the record.
const maxWireLine = 64 << 10

// wireLog records the messages in both directions, one a line, without keys.
// The nil wireLog records nothing.
type wireLog struct {
	mu   sync.Mutex
	file *os.File
	now  func() time.Time
}

func openWireLog(path string, now func() time.Time) (*wireLog, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log file: %w", err)
	}
	return &wireLog{file: file, now: now}, nil
}

func (w *wireLog) close() {
	if w != nil {
		_ = w.file.Close()
	}
}

func (w *wireLog) reading(in io.Reader) io.Reader {
	if w == nil {
		return in
	}
	return io.TeeReader(in, &direction{log: w, sign: "<-"})
}

func (w *wireLog) writing(out io.Writer) io.Writer {
	if w == nil {
		return out
	}
	return &tee{out, &direction{log: w, sign: "->"}}
}

// tee records what has been written. A record that fails stops nothing.
type tee struct {
	out    io.Writer
	record io.Writer
}

// Write implements [io.Writer].
func (t *tee) Write(p []byte) (int, error) {
	n, err := t.out.Write(p)
	_, recorded := t.record.Write(p[:n])
	_ = recorded
	return n, err
}

// direction gathers lines that go one way.
type direction struct {
	log  *wireLog
	sign string
	held bytes.Buffer
}

// Write implements [io.Writer]. It never fails: the wire matters more.
func (d *direction) Write(p []byte) (int, error) {
	d.held.Write(p)
	for {
		line, err := d.held.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			d.held.Write(line)
			return len(p), nil
		}
		d.log.line(d.sign, string(line))
	}
}

func (w *wireLog) line(sign, text string) {
	text = bench.Clean(bench.Redact(text), maxWireLine)
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = fmt.Fprintf(w.file, "%s %s %s\n", w.now().UTC().Format("2006-01-02T15:04:05.000Z"), sign, text)
}
