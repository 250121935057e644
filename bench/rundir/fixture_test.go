package rundir

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

var began = time.Date(2026, 1, 31, 9, 30, 0, 0, time.FixedZone("CST", 8*3600))

func header() *bench.Header {
	spec := bench.NewSpec(bench.Prefix, bench.Standard)
	spec.Seed, spec.Nonce = 7, "n-7"
	return &bench.Header{
		Tool: bench.Tool{Version: "1.0.0", Go: "go1.26"}, Host: bench.Host{OS: "linux", Arch: "amd64", CPUs: 2, TimeZone: "Asia/Shanghai"},
		Began: began, Spec: spec, Planned: spec.Planned(),
		Targets: []bench.Target{{
			Label: "豆包", BaseURL: "https://ark.cn-beijing.volces.com/api/v3", Model: "doubao-seed-2-0", Dialect: bench.Ark(),
			Source: bench.SourceArkCLI, Profile: "default", Key: bench.NewSecret(leak),
		}},
	}
}

const leak = "ark-LEAKTEST-0123456789abcdef"

// sample is the n-th request of a standard prefix run: 512 tokens about 20 ms apart.
func sample(n int) *bench.Sample {
	random := rand.New(rand.NewPCG(uint64(n), 1))
	at := time.Duration(n)*2338*time.Millisecond + time.Duration(random.Int64N(1e9))
	start := bench.MarkAt(at)
	prompt, completion, cached := 14013, 512, 11264
	s := &bench.Sample{
		Target: "豆包", Session: n, Turn: 1, Attempt: 1, Prefix: n%10 + 1, Ordinal: n/10 + 1, PlannedPrompt: 14000,
		PromptBytes: 52107, PromptHash: strings.Repeat("5e", 32), BodyBytes: 52394,
		Start: start, SentFirst: bench.MarkAt(at + 41_213), SentLast: bench.MarkAt(at + 127_992),
		Connection: bench.Connection{Reused: true, Protocol: "HTTP/1.1", Remote: "203.0.113.7:443"},
		Client:     bench.Reading{Clock: "kernel", Reads: 516, LagMax: 812_331, LagSum: 20_112_482},
		Outcome:    bench.Succeeded, OutputEvents: 512, FinishReason: "length", AnswerBytes: 1893, AnswerHash: strings.Repeat("a1", 32),
		Usage: &bench.Usage{Prompt: &prompt, Completion: &completion, Cached: &cached},
		Model: "doubao-seed-2-0-260128", ServiceTier: "default",
		RequestID: fmt.Sprintf("0217%028d", n), LogID: fmt.Sprintf("20260131093000%018d", n),
	}
	at += 300*time.Millisecond + time.Duration(random.Int64N(1e8))
	s.Events = append(s.Events, bench.Event{At: at, Kind: bench.EventRole})
	for i := range 512 {
		at += 20*time.Millisecond + time.Duration(random.NormFloat64()*1.5e6)
		s.Events = append(s.Events, bench.Event{At: at, Kind: bench.EventContent, Read: i + 1})
	}
	s.FirstByte, s.FirstToken = bench.MarkAt(s.Events[0].At), bench.MarkAt(s.Events[1].At)
	s.FirstAnswer, s.LastToken = s.FirstToken, bench.MarkAt(at)
	for i, kind := range []bench.EventKind{bench.EventFinish, bench.EventUsage, bench.EventDone} {
		at += time.Duration(random.Int64N(30_000))
		s.Events = append(s.Events, bench.Event{At: at, Kind: kind, Read: 513 + i})
	}
	s.End = bench.MarkAt(at)
	return s
}

func tick(n int) *bench.Tick {
	return &bench.Tick{At: bench.MarkAt(time.Duration(n) * time.Second), CPUShare: 0.0123, RSSMiB: 31.25, Started: n, Ended: n - 1, Conns: 5}
}

func finish() *bench.Finish {
	return &bench.Finish{
		State: bench.StateSucceeded, End: bench.End{Ending: bench.EndComplete}, At: bench.MarkAt(468800 * time.Millisecond),
		Ended: began.Add(468800 * time.Millisecond),
	}
}

// index is an index in an empty home.
func index(t testing.TB) Index { return Index{t.TempDir()} }

// runDir is a new run's directory.
func runDir(t testing.TB) string {
	t.Helper()
	dir, err := Create(index(t), t.TempDir(), bench.Prefix, began)
	if err != nil || dir.Unlisted != nil {
		t.Fatal(err, dir)
	}
	return dir.Path
}

// written is the directory of a run with the given number of attempts.
func written(t testing.TB, attempts int, end bool) string {
	t.Helper()
	dir := runDir(t)
	j, err := Begin(dir, header())
	must(t, err)
	for n := 1; n <= attempts; n++ {
		must(t, j.Attempt(sample(n)))
		must(t, j.Client(tick(n)))
	}
	if end {
		must(t, j.End(finish()))
	}
	must(t, j.Close())
	return dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, dir string) *bench.Record {
	t.Helper()
	record, err := Open(dir)
	must(t, err)
	return record
}

// journalText is the text of a journal, and rewrite puts another in its place.
func journalText(t testing.TB, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, JournalFile))
	must(t, err)
	return string(text)
}

func rewrite(t testing.TB, dir, text string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(dir, JournalFile), []byte(text), 0o644))
}

func sessions(r *bench.Record) []int {
	var numbers []int
	for _, s := range r.Samples {
		numbers = append(numbers, s.Session)
	}
	return numbers
}

func wantError(t testing.TB, err error, target error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that says %q", words)
	}
	if target != nil && !errors.Is(err, target) {
		t.Errorf("error %v is not %v", err, target)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q doesn't say %q", err, w)
		}
	}
}
