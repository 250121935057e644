package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// The kinds of a journal's lines.
const (
	kindSpec    = "spec"
	kindAttempt = "attempt"
	kindClient  = "client"
	kindResume  = "resume"
	kindEnd     = "end"
)

// syncEvery is the least time between two flushes to the disk itself. What the
// system has taken survives the death of this process without them.
const syncEvery = 5 * time.Second

// maxPending bounds what is kept in memory while the disk takes nothing.
const maxPending = 64 << 20

// output is the file below a journal.
type output interface {
	io.Writer
	Sync() error
	Close() error
}

// Journal appends lines to a run's requests.jsonl, each with one write as soon
// as it is known, so that a killed process loses nothing that had ended. What
// a full disk doesn't take is kept and tried again with each line that
// follows. A Journal may be used from several goroutines.
type Journal struct {
	mu      sync.Mutex
	out     output
	line    bytes.Buffer
	encoder *json.Encoder
	keys    []bench.Secret
	pending []byte    // lines, the first of them perhaps partly written
	room    int       // for pending, in bytes
	failing bool      // the latest write failed
	since   time.Time // of the first failure in a row
	lost    int       // lines that neither the disk nor pending took
	closed  bool

	synced  time.Time
	syncing atomic.Bool
	syncs   sync.WaitGroup
}

// Begin starts the journal of a run in its directory with the header. The keys
// of the header's targets are kept out of every line.
func Begin(dir string, header *bench.Header) (*Journal, error) {
	file, err := os.OpenFile(filepath.Join(dir, JournalFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	var keys []bench.Secret
	for i := range header.Targets {
		keys = append(keys, header.Targets[i].Key)
	}
	j := newJournal(file, keys)
	stamped := *header
	stamped.Schema = bench.JournalSchema
	return j.opened(j.append(specLine{kindSpec, &stamped}))
}

// Continue opens the journal of a broken run to take it up again. A torn last
// line is left as it is; what follows starts on a line of its own.
func Continue(dir string, resume *bench.Resume, keys ...bench.Secret) (*Journal, error) {
	return reopen(dir, resumeLine{kindResume, resume}, keys)
}

// Conclude appends the end of a run whose process is gone and has left none.
func Conclude(dir string, finish *bench.Finish) error {
	j, err := reopen(dir, endLine{kindEnd, finish}, nil)
	if err != nil {
		return err
	}
	return j.Close()
}

// reopen opens a journal that broke off and appends a line.
func reopen(dir string, line any, keys []bench.Secret) (*Journal, error) {
	file, err := os.OpenFile(filepath.Join(dir, JournalFile), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := newJournal(file, keys)
	torn, err := endsTorn(file)
	if torn {
		j.pending = []byte("\n")
	}
	if err == nil {
		err = j.append(line)
	}
	return j.opened(err)
}

func endsTorn(file *os.File) (bool, error) {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	var last [1]byte
	_, err = file.ReadAt(last[:], info.Size()-1)
	return last[0] != '\n', err
}

func newJournal(out output, keys []bench.Secret) *Journal {
	j := &Journal{out: out, keys: keys, room: maxPending, synced: time.Now()}
	j.encoder = json.NewEncoder(&j.line)
	j.encoder.SetEscapeHTML(false)
	return j
}

// opened closes a journal whose first line couldn't be written.
func (j *Journal) opened(err error) (*Journal, error) {
	if err != nil {
		return nil, errors.Join(err, j.out.Close())
	}
	return j, nil
}

type specLine struct {
	Kind string `json:"kind"`
	*bench.Header
}

type attemptLine struct {
	Kind string `json:"kind"`
	*bench.Sample
}

type clientLine struct {
	Kind string `json:"kind"`
	*bench.Tick
}

type resumeLine struct {
	Kind string `json:"kind"`
	*bench.Resume
}

type endLine struct {
	Kind string `json:"kind"`
	*bench.Finish
}

// Attempt appends one attempt that has ended. Of consecutive failures to
// write, only the first is returned.
func (j *Journal) Attempt(s *bench.Sample) error { return j.append(attemptLine{kindAttempt, s}) }

// Client appends one reading of the client; errors are as for [Journal.Attempt].
func (j *Journal) Client(t *bench.Tick) error { return j.append(clientLine{kindClient, t}) }

// End appends how the run ended; errors are as for [Journal.Attempt].
func (j *Journal) End(f *bench.Finish) error { return j.append(endLine{kindEnd, f}) }

func (j *Journal) append(line any) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return fmt.Errorf("journal: %w", os.ErrClosed)
	}
	j.line.Reset()
	if err := j.encoder.Encode(line); err != nil {
		j.lost++
		return fmt.Errorf("journal: %w", err)
	}
	wasFailing := j.failing
	lost := j.queue(conceal(j.line.Bytes(), j.keys))
	err := j.flush()
	j.syncAtTimes()
	if lost || err != nil && !wasFailing {
		return err
	}
	return nil
}

// conceal takes the keys out of a line, should one have got into it.
func conceal(line []byte, keys []bench.Secret) []byte {
	for _, key := range keys {
		if !key.IsZero() && bytes.Contains(line, []byte(key.Reveal())) {
			return []byte(bench.Redact(string(line), keys...))
		}
	}
	return line
}

// queue puts a line behind those that wait; it reports whether this is the
// first that found no room.
func (j *Journal) queue(line []byte) (lost bool) {
	if len(j.pending) > 0 && len(j.pending)+len(line) > j.room {
		j.lost++
		return j.lost == 1
	}
	j.pending = append(j.pending, line...)
	return false
}

// flush writes what waits. After a short write the rest follows on the next
// occasion, exactly where it broke off.
func (j *Journal) flush() error {
	if len(j.pending) == 0 {
		return nil
	}
	n, err := j.out.Write(j.pending)
	n = min(max(n, 0), len(j.pending))
	if err == nil && n < len(j.pending) {
		err = io.ErrShortWrite
	}
	j.pending = append(j.pending[:0], j.pending[n:]...)
	if err != nil && !j.failing {
		j.since = time.Now()
	}
	j.failing = err != nil
	if err != nil {
		return fmt.Errorf("journal: %w; what has ended since is kept in memory and tried again", err)
	}
	return nil
}

// Stuck reports whether nothing could be written for so long. What ends from
// then on would be kept in memory alone.
func (j *Journal) Stuck(long time.Duration) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.failing && time.Since(j.since) >= long
}

// syncAtTimes flushes to the disk itself, beside the run and never twice at once.
func (j *Journal) syncAtTimes() {
	if time.Since(j.synced) < syncEvery || !j.syncing.CompareAndSwap(false, true) {
		return
	}
	j.synced = time.Now()
	j.syncs.Go(func() {
		defer j.syncing.Store(false)
		_ = j.out.Sync() // Close syncs again and reports
	})
}

// Close flushes the journal to the disk. It reports whatever could not be written.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	j.syncs.Wait()
	err := j.flush()
	if lines := bytes.Count(j.pending, []byte{'\n'}) + j.lost; lines > 0 {
		err = errors.Join(err, fmt.Errorf("journal: %d lines were not written", lines))
	}
	if syncErr := errors.Join(j.out.Sync(), j.out.Close()); syncErr != nil {
		err = errors.Join(err, fmt.Errorf("journal: %w", syncErr))
	}
	return err
}
