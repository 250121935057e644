package rundir

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

func TestAPlaceWithoutAJournalIsNoRunDirectory(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(dir)
	wantError(t, err, ErrNoRun, dir, JournalFile)
	_, err = Open(filepath.Join(dir, "none"))
	wantError(t, err, ErrNoRun)
	must(t, os.Mkdir(filepath.Join(dir, JournalFile), 0o755))
	_, err = Open(dir)
	wantError(t, err, nil, JournalFile)
}

func TestAJournalWithoutItsHeaderIsAnError(t *testing.T) {
	dir := written(t, 1, true)
	text := journalText(t, dir)
	headerLine, rest, _ := strings.Cut(text, "\n")
	for name, c := range map[string]struct{ text, says string }{
		"empty":       {"", "empty"},
		"torn header": {headerLine[:40], "line 1"},
		"no header":   {rest, `its kind is "attempt"`},
		"newer": {strings.Replace(text, bench.JournalSchema, "llm-bench/journal/99", 1),
			`its schema is "llm-bench/journal/99": allowed is "llm-bench/journal/1"`},
		"blank":  {"\n" + text, "line 1"},
		"binary": {"\x00\x01\x02\n", "line 1"},
	} {
		rewrite(t, dir, c.text)
		record, err := Open(dir)
		if record != nil {
			t.Errorf("%s: gave a record", name)
		}
		wantError(t, err, nil, c.says)
	}
}

func TestATornLastLineIsLeftOutAndNoted(t *testing.T) {
	dir := written(t, 3, false)
	text := strings.TrimSuffix(journalText(t, dir), "\n")
	lastLine := strings.LastIndexByte(text, '\n') + 1
	for cut := lastLine + 1; cut < len(text); cut += 7 {
		rewrite(t, dir, text[:cut])
		r := open(t, dir)
		if len(r.Samples) != 3 || len(r.Ticks) != 2 {
			t.Fatalf("cut at %d: %d samples, %d ticks", cut, len(r.Samples), len(r.Ticks))
		}
		if want := []string{"requests.jsonl: the last line (7) is torn and was left out"}; !slices.Equal(r.Header.Notes, want) {
			t.Fatalf("cut at %d: notes %q", cut, r.Header.Notes)
		}
	}
	rewrite(t, dir, text) // all but the newline
	if r := open(t, dir); len(r.Ticks) != 3 || len(r.Header.Notes) > 0 {
		t.Errorf("%d ticks, notes %q", len(r.Ticks), r.Header.Notes)
	}
}

func TestDamagedLinesAreLeftOutAndNamed(t *testing.T) {
	dir := written(t, 4, true)
	lines := strings.SplitAfter(journalText(t, dir), "\n")
	lines[1] = "\x00" + lines[1][1:]
	lines[3] = strings.Replace(lines[3], `"t":"`, `"t":".`, 1)
	lines[5] = strings.Replace(lines[5], `"session":3`, `"session":"3"`, 1)
	rewrite(t, dir, strings.Join(lines, ""))
	r := open(t, dir)
	if got := sessions(r); !slices.Equal(got, []int{4}) || len(r.Ticks) != 4 || r.Finish == nil {
		t.Errorf("sessions %v, %d ticks, finish %v", got, len(r.Ticks), r.Finish)
	}
	if want := []string{"requests.jsonl: 3 damaged lines were left out: 2, 4, 6"}; !slices.Equal(r.Header.Notes, want) {
		t.Errorf("notes %q", r.Header.Notes)
	}
}

func TestManyDamagedLinesMakeOneShortNote(t *testing.T) {
	dir := written(t, 0, false)
	rewrite(t, dir, journalText(t, dir)+strings.Repeat("x\n", 5000))
	want := "requests.jsonl: 5000 damaged lines were left out: 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …"
	if notes := open(t, dir).Header.Notes; len(notes) != 1 || notes[0] != want {
		t.Errorf("notes %q", notes)
	}
}

func TestOfARepeatedAttemptTheFirstCounts(t *testing.T) {
	dir := runDir(t)
	j, err := Begin(dir, header())
	must(t, err)
	again, retried, other := sample(1), sample(1), sample(1)
	again.FinishReason, retried.Attempt, other.Target = "stop", 2, "other"
	for _, s := range []*bench.Sample{sample(1), again, retried, other, again} {
		must(t, j.Attempt(s))
	}
	must(t, j.Close())
	r := open(t, dir)
	if len(r.Samples) != 3 || r.Samples[0].FinishReason != "length" {
		t.Errorf("%d samples, the first ended by %s", len(r.Samples), r.Samples[0].FinishReason)
	}
	if want := []string{"requests.jsonl: 2 repeated attempts were left out"}; !slices.Equal(r.Header.Notes, want) {
		t.Errorf("notes %q", r.Header.Notes)
	}
}

func TestUnknownKindsAndBlankLinesArePassedOver(t *testing.T) {
	dir := written(t, 1, false)
	rewrite(t, dir, journalText(t, dir)+"{\"kind\":\"novelty\",\"session\":\"x\"}\n\n{}\n")
	if r := open(t, dir); len(r.Samples) != 1 || len(r.Header.Notes) > 0 {
		t.Errorf("%d samples, notes %q", len(r.Samples), r.Header.Notes)
	}
}

func TestARunThatIsTakenUpAgainCountsRestartedSessionsAnew(t *testing.T) {
	dir := written(t, 3, true)
	text := journalText(t, dir)
	rewrite(t, dir, text+`{"kind":"attempt","session":4,"tu`)
	resume := &bench.Resume{At: bench.MarkAt(time.Hour), Resumed: began.Add(time.Hour), Restarted: []bench.SessionID{{Target: "豆包", Session: 2}}}
	j, err := Continue(dir, resume)
	must(t, err)
	anew := sample(2)
	anew.FinishReason = "stop"
	must(t, j.Attempt(anew))
	must(t, j.Attempt(sample(4)))
	must(t, j.Close())
	r := open(t, dir)
	if got := sessions(r); !slices.Equal(got, []int{1, 3, 2, 4}) || r.Samples[2].FinishReason != "stop" {
		t.Errorf("sessions %v", got)
	}
	if len(r.Resumes) != 1 || r.Resumes[0].At != resume.At || r.Finish != nil {
		t.Errorf("resumes %+v, finish %v", r.Resumes, r.Finish)
	}
	if want := []string{"requests.jsonl: 1 damaged lines were left out: 9"}; !slices.Equal(r.Header.Notes, want) {
		t.Errorf("notes %q", r.Header.Notes)
	}
}

func TestOnlyARunThatHasBegunIsTakenUpAgain(t *testing.T) {
	_, err := Continue(runDir(t), &bench.Resume{})
	wantError(t, err, os.ErrNotExist, "journal")
}

func TestTextsOfAForeignJournalAreCleaned(t *testing.T) {
	dir := runDir(t)
	h := header()
	h.Notes = []string{"a\x1b[31mb\u202ec"}
	h.Targets[0].Why = strings.Repeat("y", 5000)
	j, err := Begin(dir, h)
	must(t, err)
	s := sample(1)
	s.Model, s.Failure, s.PromptText = "m\nn", &bench.Failure{Message: "x\ty"}, "line 1\n\tline 2"
	must(t, j.Attempt(s))
	must(t, j.Close())
	r := open(t, dir)
	if got := r.Header.Notes[0]; got != "a [31mb c" {
		t.Errorf("note %q", got)
	}
	if got := r.Header.Targets[0].Why; len(got) > maxText+3 {
		t.Errorf("a text of %d bytes", len(got))
	}
	if got := r.Samples[0]; got.Model != "m n" || got.Failure.Message != "x y" || got.PromptText != s.PromptText {
		t.Errorf("model %q, message %q, prompt %q", got.Model, got.Failure.Message, got.PromptText)
	}
}

func TestNoMoreOfALineIsHeldThanAllowed(t *testing.T) {
	text := strings.Repeat("a", 10) + "\n" + strings.Repeat("b", 1<<20) + "\n" + strings.Repeat("c", 10)
	lines := lineReader{from: bufio.NewReaderSize(strings.NewReader(text), 16), limit: 100}
	var got []string
	for lines.next() {
		got = append(got, string(lines.line[:min(10, len(lines.line))]))
		if long := lines.line[:cap(lines.line)]; len(long) > 256 || lines.tooLong != (len(got) == 2) || (lines.fault() != nil) != lines.tooLong {
			t.Errorf("line %d: %d bytes are held, too long: %v", len(got), len(long), lines.tooLong)
		}
	}
	if want := []string{"aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc"}; !slices.Equal(got, want) || !lines.last || lines.err != nil {
		t.Errorf("lines %v, last %v, %v", got, lines.last, lines.err)
	}
}

func TestAnOverlongLineIsLeftOutAndNamed(t *testing.T) {
	text := journalText(t, written(t, 2, false))
	lines := strings.SplitAfter(text, "\n")
	limit := max(len(lines[0]), len(lines[1]), len(lines[3])) + 1
	lines[2] = `{"kind":"client","x":"` + strings.Repeat("x", limit) + "\"}\n"
	r, err := readRecord(strings.NewReader(strings.Join(lines, "")), limit)
	must(t, err)
	if want := []string{"requests.jsonl: 1 damaged lines were left out: 3"}; len(r.Samples) != 2 || !slices.Equal(r.Header.Notes, want) {
		t.Errorf("%d samples, notes %q", len(r.Samples), r.Header.Notes)
	}
}

func TestAJournalThatCannotBeReadToItsEndIsAnError(t *testing.T) {
	fault := errors.New("bad sector")
	text := journalText(t, written(t, 2, false))
	record, err := readRecord(io.MultiReader(strings.NewReader(text), iotest.ErrReader(fault)), maxLine)
	if record != nil {
		t.Error("gave a record")
	}
	wantError(t, err, fault, "line 6")
}

func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	j, err := Begin(dir, header())
	must(f, err)
	short := sample(1)
	short.Events = short.Events[:4]
	must(f, errors.Join(j.Attempt(short), j.Client(tick(1)), j.End(finish()), j.Close()))
	whole := journalText(f, dir)
	f.Add([]byte(whole))
	f.Add([]byte(whole[:len(whole)-30]))
	f.Add([]byte(whole + `{"kind":"resume","restarted":[{"target":"豆包","session":1}]}`))
	f.Add([]byte("{\"kind\":\"spec\",\"schema\":\"llm-bench/journal/1\"}\n{\"kind\":\"attempt\",\"events\":{\"t\":\"A\",\"k\":\"c99999999\",\"r\":[[0,99999999]]}}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		record, err := readRecord(bytes.NewReader(data), 64<<10)
		if err != nil {
			return
		}
		seen := map[attemptID]bool{}
		for _, s := range record.Samples {
			if seen[idOf(s)] {
				t.Fatalf("%v counts twice", idOf(s))
			}
			seen[idOf(s)] = true
			if len(s.Events) > len(data) || s.Model != bench.Clean(s.Model, maxText+3) {
				t.Fatalf("%d events of %d bytes, model %q", len(s.Events), len(data), s.Model)
			}
		}
	})
}
