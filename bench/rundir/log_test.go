package rundir

import (
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
)

// odd is a key that doesn't look like one.
const odd = "hunter2-hunter2"

func logText(t *testing.T, write func(l *Log)) string {
	t.Helper()
	dir := t.TempDir()
	l, err := OpenLog(dir, bench.NewSecret(odd))
	must(t, err)
	write(l)
	must(t, l.Close())
	text, err := os.ReadFile(filepath.Join(dir, LogFile))
	must(t, err)
	return string(text)
}

func TestNoKeyGetsIntoTheLog(t *testing.T) {
	text := logText(t, func(l *Log) {
		l.Logger().Debug("sent "+odd, "key", bench.NewSecret(leak), "header", "Bearer "+leak, "error", errors.New("bad "+odd))
		_, err := io.WriteString(l, "basic "+base64.StdEncoding.EncodeToString([]byte(odd))+"\n")
		must(t, err)
		l.Hide(bench.NewSecret("later-key"))
		l.Logger().Info("later-key")
	})
	for _, key := range []string{odd, leak, base64.StdEncoding.EncodeToString([]byte(odd)), "later-key"} {
		if strings.Contains(text, key) {
			t.Errorf("%s is in\n%s", key, text)
		}
	}
	if n := strings.Count(text, "[redacted]"); n != 6 {
		t.Errorf("%d keys were taken out of\n%s", n, text)
	}
}

func TestTheLogNamesNoFolderAboveTheRunAndNoHome(t *testing.T) {
	home, run := filepath.Join(t.TempDir(), "somebody"), filepath.Join(t.TempDir(), "prefix_20260131_093000")
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	must(t, os.Mkdir(run, 0o755))
	l, err := OpenLog(run)
	must(t, err)
	_, err = os.Open(filepath.Join(run, "gone"))
	l.Logger().Error("journal", "error", err, "corpus", filepath.Join(home, "a", "c.txt"))
	must(t, l.Close())
	text, err := os.ReadFile(filepath.Join(run, LogFile))
	must(t, err)
	for _, place := range []string{filepath.Dir(run), "somebody"} {
		if strings.Contains(string(text), place) {
			t.Errorf("%s is in\n%s", place, text)
		}
	}
	if !strings.Contains(string(text), "prefix_20260131_093000") || !strings.Contains(string(text), "c.txt") {
		t.Errorf("the names are lost:\n%s", text)
	}
}

func TestAKeyWrittenInPiecesIsTakenOut(t *testing.T) {
	text := logText(t, func(l *Log) {
		for _, b := range []byte("a " + odd + " b\nlast " + odd) {
			_, err := l.Write([]byte{b})
			must(t, err)
		}
	})
	if want := "a [redacted] b\nlast [redacted]\n"; text != want {
		t.Errorf("the log is %q, want %q", text, want)
	}
}

func TestAnOverlongLineIsLoggedWithoutItsKeys(t *testing.T) {
	const piece = "0123456789 " + odd + " "
	text := logText(t, func(l *Log) {
		for range 8_000 {
			_, err := l.Write([]byte(piece))
			must(t, err)
			if len(l.held) > 2*maxHeld {
				t.Fatalf("%d bytes are held", len(l.held))
			}
		}
	})
	if want := strings.Repeat("0123456789 [redacted] ", 8_000) + "\n"; text != want {
		t.Errorf("%d bytes with %d keys taken out; want %d", len(text), strings.Count(text, "[redacted]"), len(want))
	}
}

func TestTheLogIsAppendedTo(t *testing.T) {
	dir := t.TempDir()
	for _, line := range []string{"one\n", "two\n"} {
		l, err := OpenLog(dir)
		must(t, err)
		_, err = io.WriteString(l, line)
		must(t, errors.Join(err, l.Close()))
	}
	if text, err := os.ReadFile(filepath.Join(dir, LogFile)); err != nil || string(text) != "one\ntwo\n" {
		t.Errorf("the log is %q, %v", text, err)
	}
	_, err := OpenLog(filepath.Join(dir, "none"))
	wantError(t, err, os.ErrNotExist, "log")
}

func TestALineThatIsLoggedStaysOneLine(t *testing.T) {
	text := logText(t, func(l *Log) { l.Logger().Info("a\nlevel=ERROR msg=forged", "b", "c\x1b[2J\n") })
	if strings.Count(text, "\n") != 1 || strings.Contains(text, "\x1b") {
		t.Errorf("the log is %q", text)
	}
}
