package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/llm-bench/llm-bench/bench"
)

// maxHeld bounds what is held back of a line that has no end yet.
const maxHeld = 64 << 10

// Log is a run's run.log: what is written to it is appended line by line, with
// the keys taken out, and with the folder of the run and the user's home, as
// the log is handed on with the run. It may be used from several goroutines.
type Log struct {
	mu     sync.Mutex
	out    io.WriteCloser
	keys   []bench.Secret
	places *strings.Replacer
	held   []byte // the line that has no end yet
}

// OpenLog opens the log of a run to append to it.
func OpenLog(dir string, keys ...bench.Secret) (*Log, error) {
	file, err := os.OpenFile(filepath.Join(dir, LogFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	return &Log{out: file, keys: keys, places: unplaced(dir)}, nil
}

// unplaced takes the folder above dir out of a text, and the user's home.
func unplaced(dir string) *strings.Replacer {
	var pairs []string
	add := func(place, instead string) {
		if place = strings.TrimRight(place, string(filepath.Separator)); place != "" && filepath.IsAbs(place) {
			place += string(filepath.Separator)
			quoted := strconv.Quote(place)
			pairs = append(pairs, place, instead, quoted[1:len(quoted)-1], instead)
		}
	}
	add(filepath.Dir(dir), "")
	if home, err := os.UserHomeDir(); err == nil {
		add(home, "~/")
	}
	return strings.NewReplacer(pairs...)
}

// Hide keeps more keys out of what is written from now on.
func (l *Log) Hide(keys ...bench.Secret) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys = append(l.keys, keys...)
}

// Logger writes structured lines to the log, of every level.
func (l *Log) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Write implements [io.Writer]. A line is held until it ends, so that no key
// slips through in two halves.
func (l *Log) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	end := bytes.LastIndexByte(text, '\n') + 1
	if end > 0 {
		err = l.emit(string(l.held) + string(text[:end]))
		l.held = l.held[:0]
	}
	l.held = append(l.held, text[end:]...)
	if len(l.held) > maxHeld {
		err = errors.Join(err, l.breakLine())
	}
	return len(text), err
}

// breakLine writes an overlong line but for its end, in which a key may have begun.
func (l *Log) breakLine() error {
	text := bench.Redact(string(l.held), l.keys...)
	cut := max(0, len(text)-maxHeld/2)
	l.held = append(l.held[:0], text[cut:]...)
	return l.emit(text[:cut])
}

func (l *Log) emit(text string) error {
	_, err := io.WriteString(l.out, bench.Redact(l.places.Replace(text), l.keys...))
	return err
}

// Close writes what is held and closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	if len(l.held) > 0 {
		err = l.emit(string(l.held) + "\n")
		l.held = nil
	}
	return errors.Join(err, l.out.Close())
}
