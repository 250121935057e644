package rundir

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// disk is an output with so much room.
type disk struct {
	data          bytes.Buffer
	room          int
	short         bool // a write that doesn't fit is cut without an error
	writes, syncs int
	syncFault     error
}

func (d *disk) Write(p []byte) (int, error) {
	d.writes++
	n := min(len(p), d.room)
	d.room -= n
	d.data.Write(p[:n])
	if n < len(p) && !d.short {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func (d *disk) Sync() error  { d.syncs++; return d.syncFault }
func (d *disk) Close() error { return nil }

const plenty = 1 << 30

// onDisk is a journal whose header is written.
func onDisk(t *testing.T, d *disk) *Journal {
	t.Helper()
	j := newJournal(d, nil)
	room := d.room
	d.room = plenty
	stamped := *header()
	stamped.Schema = bench.JournalSchema
	must(t, j.append(specLine{kindSpec, &stamped}))
	d.room, d.writes = room, 0
	return j
}

func readDisk(t *testing.T, d *disk) *bench.Record {
	t.Helper()
	record, err := readRecord(bytes.NewReader(d.data.Bytes()), maxLine)
	must(t, err)
	return record
}

func TestARunIsReadBackAsItWasWritten(t *testing.T) {
	dir := written(t, 3, true)
	want := &bench.Record{Header: *header(), Finish: finish()}
	want.Header.Schema = bench.JournalSchema
	want.Header.Targets[0].Key = bench.Secret{}
	for n := 1; n <= 3; n++ {
		want.Samples, want.Ticks = append(want.Samples, sample(n)), append(want.Ticks, *tick(n))
	}
	want.Journal = fmt.Sprintf("%x", sha256.Sum256([]byte(journalText(t, dir))))
	got := open(t, dir)
	sameTime(t, &got.Header.Began, &want.Header.Began)
	sameTime(t, &got.Finish.Ended, &want.Finish.Ended)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read back\n%+v\nwant\n%+v", got, want)
	}
}

// sameTime checks the instant and the offset, and makes the zones equal for a
// deep comparison.
func sameTime(t *testing.T, got, want *time.Time) {
	t.Helper()
	if got.Format(time.RFC3339Nano) != want.Format(time.RFC3339Nano) {
		t.Errorf("time is %v, want %v", got, want)
	}
	*got = *want
}

func TestEachLineNamesItsKind(t *testing.T) {
	lines := strings.Split(journalText(t, written(t, 1, true)), "\n")
	for i, kind := range []string{"spec", "attempt", "client", "end"} {
		if !strings.HasPrefix(lines[i], `{"kind":"`+kind+`",`) {
			t.Errorf("line %d is %.60s, want kind %s", i+1, lines[i], kind)
		}
	}
	if len(lines) != 5 || lines[4] != "" {
		t.Errorf("%d lines", len(lines))
	}
}

func TestAStandardPrefixRunTakesWellUnderAMegabyte(t *testing.T) {
	dir := written(t, 200, true)
	size := len(journalText(t, dir))
	t.Logf("200 x 512 tokens: %d bytes", size)
	if size > 800_000 {
		t.Errorf("the journal takes %d bytes", size)
	}
}

func TestEachLineIsOneWriteAtOnce(t *testing.T) {
	d := &disk{room: plenty}
	j := onDisk(t, d)
	for n := 1; n <= 3; n++ {
		must(t, j.Attempt(sample(n)))
		if d.writes != n || !bytes.HasSuffix(d.data.Bytes(), []byte("}\n")) {
			t.Fatalf("%d writes after %d lines", d.writes, n)
		}
	}
}

func TestAJournalIsNeverOverwritten(t *testing.T) {
	dir := written(t, 1, true)
	before := journalText(t, dir)
	_, err := Begin(dir, header())
	wantError(t, err, os.ErrExist, "journal")
	if journalText(t, dir) != before {
		t.Error("the journal changed")
	}
}

func TestTheKeyIsKeptOutOfEveryLine(t *testing.T) {
	dir := runDir(t)
	h := header()
	h.Notes = []string{"the key is " + leak}
	j, err := Begin(dir, h)
	must(t, err)
	s := sample(1)
	s.Outcome, s.Failure = bench.FailAuth, &bench.Failure{Message: "no such key: " + leak}
	must(t, j.Attempt(s))
	must(t, j.Close())
	if text := journalText(t, dir); strings.Contains(text, leak) || strings.Count(text, "[redacted]") != 2 {
		t.Error("the key is in the journal, or more than it was taken out")
	}
	open(t, dir)
}

func TestAModelWhoseNameLooksLikeAKeyIsKept(t *testing.T) {
	dir := runDir(t)
	h := header()
	h.Targets[0].Model = "ark-code-latest"
	j, err := Begin(dir, h)
	must(t, errors.Join(err, j.Close()))
	if got := open(t, dir).Header.Targets[0].Model; got != "ark-code-latest" {
		t.Errorf("the model is %q", got)
	}
}

func TestAFullDiskIsReportedOnceAndLosesNothing(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 0))
		d := &disk{room: random.IntN(20_000), short: seed%3 == 0}
		j := onDisk(t, d)
		var reports []error
		for n := 1; n <= 12; n++ {
			if n == 9 {
				d.room = plenty
			}
			if err := j.Attempt(sample(n)); err != nil {
				reports = append(reports, err)
			}
		}
		if len(reports) != 1 {
			t.Fatalf("seed %d: %d errors: %v", seed, len(reports), reports)
		}
		want := error(syscall.ENOSPC)
		if d.short {
			want = io.ErrShortWrite
		}
		wantError(t, reports[0], want, "journal")
		must(t, j.Close())
		record := readDisk(t, d)
		if got := sessions(record); len(got) != 12 || !slices.IsSorted(got) || len(record.Header.Notes) > 0 {
			t.Fatalf("seed %d: sessions %v, notes %v", seed, got, record.Header.Notes)
		}
	}
}

func TestADiskThatStaysFullKeepsWhatItTookAndCloseCountsTheRest(t *testing.T) {
	d := &disk{room: 8_000}
	j := onDisk(t, d)
	for n := 1; n <= 5; n++ {
		_ = j.Attempt(sample(n))
	}
	wantError(t, j.Close(), syscall.ENOSPC, "3 lines were not written")
	record := readDisk(t, d)
	if got := sessions(record); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("sessions %v", got)
	}
	if notes := record.Header.Notes; len(notes) != 1 || !strings.Contains(notes[0], "last line (4) is torn") {
		t.Errorf("notes %v", notes)
	}
}

func TestASecondFailureAfterARecoveryIsReportedAgain(t *testing.T) {
	d := &disk{}
	j := onDisk(t, d)
	var failures []bool
	for _, room := range []int{0, 0, plenty, 0, 0} {
		d.room = room
		failures = append(failures, j.Client(tick(1)) != nil)
	}
	if want := []bool{true, false, false, true, false}; !slices.Equal(failures, want) {
		t.Errorf("errors at %v, want %v", failures, want)
	}
}

func TestWhatWaitsForAFullDiskIsBounded(t *testing.T) {
	d := &disk{}
	j := onDisk(t, d)
	j.room = 14_000
	failures := 0
	for n := 1; n <= 10; n++ {
		if j.Attempt(sample(n)) != nil {
			failures++
		}
	}
	if failures != 2 || len(j.pending) > j.room {
		t.Errorf("%d errors, %d bytes wait", failures, len(j.pending))
	}
	d.room = plenty
	wantError(t, j.Close(), nil, "7 lines were not written")
	if got := sessions(readDisk(t, d)); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("sessions %v were kept", got)
	}
}

func TestTheDiskItselfIsFlushedEveryFewSecondsAndAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{room: plenty}
		j := onDisk(t, d)
		for range 21 {
			must(t, j.Client(tick(1)))
			time.Sleep(time.Second)
			synctest.Wait()
		}
		if d.syncs != 4 {
			t.Errorf("%d flushes in 20 s", d.syncs)
		}
		must(t, j.Close())
		if d.syncs != 5 {
			t.Errorf("%d flushes at the end", d.syncs)
		}
	})
}

func TestAFlushThatFailsAtTheEndIsReported(t *testing.T) {
	d := &disk{room: plenty, syncFault: syscall.EIO}
	j := onDisk(t, d)
	wantError(t, j.Close(), syscall.EIO, "journal")
	must(t, j.Close())
	wantError(t, j.Client(tick(1)), os.ErrClosed)
}

func TestAHeaderThatCannotBeWrittenIsAnError(t *testing.T) {
	h := header()
	h.Targets[0].Dialect.ExtraBody = map[string]any{"x": func() {}}
	_, err := Begin(runDir(t), h)
	wantError(t, err, nil, "journal")
	_, err = Begin(filepath.Join(t.TempDir(), "none"), header())
	wantError(t, err, os.ErrNotExist, "journal")
}

func TestLinesFromSeveralGoroutinesStayWhole(t *testing.T) {
	dir := runDir(t)
	j, err := Begin(dir, header())
	must(t, err)
	var writing sync.WaitGroup
	for w := range 4 {
		writing.Go(func() {
			for n := range 25 {
				must(t, j.Attempt(sample(w*25+n+1)))
				must(t, j.Client(tick(n)))
			}
		})
	}
	writing.Wait()
	must(t, j.Close())
	if r := open(t, dir); len(r.Samples) != 100 || len(r.Ticks) != 100 || len(r.Header.Notes) > 0 {
		t.Errorf("%d samples, %d ticks, notes %v", len(r.Samples), len(r.Ticks), r.Header.Notes)
	}
}

func BenchmarkAttempt(b *testing.B) {
	j, err := Begin(runDir(b), header())
	must(b, err)
	s := sample(1)
	b.ReportAllocs()
	for b.Loop() {
		must(b, j.Attempt(s))
	}
	must(b, j.Close())
}

func BenchmarkOpen(b *testing.B) {
	dir := written(b, 200, true)
	b.ReportAllocs()
	for b.Loop() {
		open(b, dir)
	}
}

func TestAJournalIsStuckOnceADiskHasTakenNothingForSoLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{room: plenty}
		j := onDisk(t, d)
		d.room = 0
		_ = j.Attempt(sample(1)) // the disk is full
		time.Sleep(9 * time.Second)
		_ = j.Attempt(sample(2))
		if j.Stuck(10 * time.Second) {
			t.Error("stuck after 9 s")
		}
		time.Sleep(time.Second)
		if !j.Stuck(10 * time.Second) {
			t.Error("not stuck after 10 s")
		}
		d.room = plenty
		must(t, j.Attempt(sample(3)))
		if j.Stuck(0) || len(readDisk(t, d).Samples) != 3 {
			t.Errorf("stuck, or %d attempts, once there is room", len(readDisk(t, d).Samples))
		}
		must(t, j.Close())
	})
}
