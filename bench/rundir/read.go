package rundir

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// maxLine bounds one line of a journal: kept texts of the longest prompts fit in.
const maxLine = 64 << 20

// ErrNoRun says that a directory holds no journal.
var ErrNoRun = errors.New("not a run directory")

// checkPlace says whether a run may be read from a directory, before anything
// is opened: a pipe would wait for its writer.
func checkPlace(dir, journal string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%q is %w: it is no folder", dir, ErrNoRun)
	}
	info, err := os.Stat(journal)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%q is %w: it has no %s", dir, ErrNoRun, JournalFile)
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%q is %w: its %s is no file", dir, ErrNoRun, JournalFile)
	}
	return nil
}

// Open reads what a run has left: one that has ended, goes on, or was killed.
// A torn last line, damaged lines and repeated attempts are left out, and a
// note in the header says so. It is an error if the header can't be read.
// Texts are cleaned again, as the files may have come from elsewhere.
func Open(dir string) (*bench.Record, error) {
	path := filepath.Join(dir, JournalFile)
	if err := checkPlace(dir, path); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	defer file.Close()
	hash := sha256.New()
	record, err := readRecord(io.TeeReader(file, hash), maxLine)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	record.Journal = hex.EncodeToString(hash.Sum(nil))
	return record, nil
}

// attemptID is what no two attempts of a run share.
type attemptID struct {
	session       bench.SessionID
	turn, attempt int
}

func idOf(s *bench.Sample) attemptID {
	return attemptID{bench.SessionID{Target: s.Target, Point: s.Point, Session: s.Session}, s.Turn, s.Attempt}
}

// recordReader gathers a record line by line.
type recordReader struct {
	record   bench.Record
	seen     map[attemptID]bool
	number   int // of the present line, from 1
	damaged  []int
	repeated int
	torn     bool
}

func readRecord(from io.Reader, longest int) (*bench.Record, error) {
	r := recordReader{seen: map[attemptID]bool{}}
	lines := lineReader{from: bufio.NewReaderSize(from, 64<<10), limit: longest}
	for lines.next() {
		r.number++
		if err := r.line(&lines); err != nil {
			return nil, err
		}
	}
	if lines.err != nil {
		return nil, fmt.Errorf("line %d: %w", r.number+1, lines.err)
	}
	if r.number == 0 {
		return nil, errors.New("it is empty: the run never began")
	}
	r.note()
	return &r.record, nil
}

// line takes one line. Only the first one can be an error.
func (r *recordReader) line(lines *lineReader) error {
	err := lines.fault()
	if err == nil && len(lines.line) == 0 && r.number > 1 {
		return nil
	}
	if err == nil {
		err = r.take(lines.line)
	}
	switch {
	case err == nil:
	case r.number == 1:
		return fmt.Errorf("line 1 is not the header of a run: %w", err)
	case lines.last:
		r.torn = true
	default:
		r.damaged = append(r.damaged, r.number)
	}
	return nil
}

func (r *recordReader) take(line []byte) error {
	var head struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return err
	}
	if r.number == 1 {
		return r.header(head.Kind, line)
	}
	switch head.Kind {
	case kindAttempt:
		return r.attempt(line)
	case kindClient:
		return appendTo(&r.record.Ticks, line)
	case kindResume:
		return r.resume(line)
	case kindEnd:
		finish, err := decode[bench.Finish](line)
		if err == nil {
			r.record.Finish = finish
		}
		return err
	}
	return nil
}

func (r *recordReader) header(kind string, line []byte) error {
	if kind != kindSpec {
		return fmt.Errorf("its kind is %q: allowed is %q", bench.Clean(kind, 40), kindSpec)
	}
	header, err := decode[bench.Header](line)
	if err != nil {
		return err
	}
	if header.Schema != bench.JournalSchema {
		return fmt.Errorf("its schema is %q: allowed is %q", bench.Clean(header.Schema, 80), bench.JournalSchema)
	}
	r.record.Header = *header
	return nil
}

func (r *recordReader) attempt(line []byte) error {
	sample, err := decode[bench.Sample](line)
	if err != nil {
		return err
	}
	if r.seen[idOf(sample)] {
		r.repeated++
		return nil
	}
	r.seen[idOf(sample)] = true
	r.record.Samples = append(r.record.Samples, sample)
	return nil
}

// resume drops what was measured of the sessions that began anew, and the end
// that the run had before.
func (r *recordReader) resume(line []byte) error {
	resume, err := decode[bench.Resume](line)
	if err != nil {
		return err
	}
	anew := map[bench.SessionID]bool{}
	for _, id := range resume.Restarted {
		anew[id] = true
	}
	r.record.Samples = slices.DeleteFunc(r.record.Samples, func(s *bench.Sample) bool {
		dropped := anew[idOf(s).session]
		if dropped {
			delete(r.seen, idOf(s))
		}
		return dropped
	})
	r.record.Resumes = append(r.record.Resumes, *resume)
	r.record.Finish = nil
	return nil
}

func appendTo[T any](list *[]T, line []byte) error {
	value, err := decode[T](line)
	if err == nil {
		*list = append(*list, *value)
	}
	return err
}

// decode reads a line and cleans its texts.
func decode[T any](line []byte) (*T, error) {
	value := new(T)
	if err := json.Unmarshal(line, value); err != nil {
		return nil, err
	}
	scrub(value)
	return value, nil
}

// note tells the reader of the report what was left out.
func (r *recordReader) note() {
	notes := &r.record.Header.Notes
	if len(r.damaged) > 0 {
		*notes = append(*notes, fmt.Sprintf("%s: %d damaged lines were left out: %s", JournalFile, len(r.damaged), numbers(r.damaged)))
	}
	if r.torn {
		*notes = append(*notes, fmt.Sprintf("%s: the last line (%d) is torn and was left out", JournalFile, r.number))
	}
	if r.repeated > 0 {
		*notes = append(*notes, fmt.Sprintf("%s: %d repeated attempts were left out", JournalFile, r.repeated))
	}
}

// numbers lists the first few.
func numbers(all []int) string {
	const shown = 10
	texts := make([]string, 0, shown+1)
	for _, n := range all[:min(shown, len(all))] {
		texts = append(texts, fmt.Sprint(n))
	}
	if len(all) > shown {
		texts = append(texts, "…")
	}
	return strings.Join(texts, ", ")
}
