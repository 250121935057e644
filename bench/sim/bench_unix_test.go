//go:build unix

package sim

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// BenchmarkStreams holds a number of streams on loopback and reports how late
// chunks leave and what one costs (server and a client that discards).
func BenchmarkStreams(b *testing.B) {
	for _, c := range []struct {
		streams int
		tpot    time.Duration
	}{{1, 10 * time.Millisecond}, {64, 10 * time.Millisecond}, {200, 20 * time.Millisecond}, {1000, 50 * time.Millisecond}, {4000, 200 * time.Millisecond}} {
		b.Run(fmt.Sprintf("%dx%v", c.streams, c.tpot), func(b *testing.B) {
			for range b.N {
				streams(b, c.streams, c.tpot)
			}
		})
	}
}

func streams(b *testing.B, n int, tpot time.Duration) {
	var mu sync.Mutex
	var late []time.Duration
	s, base := loopback(b, Config{TPOT: tpot, Limit: Off, Recorder: func(r *Record) {
		mu.Lock()
		defer mu.Unlock()
		for _, m := range r.Marks {
			late = append(late, m.Sent-m.Due)
		}
	}})
	before := cpu()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { discard(b, base, ask(mini, fmt.Sprint("hello ", i), int(2*time.Second/tpot))) })
	}
	wg.Wait()
	used := cpu() - before
	if err := s.Close(); err != nil {
		b.Error(err)
	}
	slices.Sort(late)
	b.ReportMetric(float64(late[len(late)/2].Microseconds()), "late-p50-µs")
	b.ReportMetric(float64(late[len(late)*99/100].Microseconds()), "late-p99-µs")
	b.ReportMetric(float64(used.Nanoseconds())/float64(len(late))/1000, "cpu-µs/chunk")
}

// BenchmarkRequests sends prompts of 14,000 tokens with a shared prefix of
// 12,000, and reads one token.
func BenchmarkRequests(b *testing.B) {
	s, base := loopback(b, Config{BaseTTFT: Zero, PrefillPer1000: Zero, TPOT: Zero})
	shared := textOf("资料", 12000)
	b.ResetTimer()
	for i := range b.N {
		discard(b, base, chat(1, fmt.Sprintf("%s\n\n%d %s", shared, i, shared[:len(shared)/6])))
	}
	b.StopTimer()
	if err := s.Close(); err != nil {
		b.Error(err)
	}
}

func loopback(b *testing.B, cfg Config) (s *Server, base string) {
	s, err := New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	if base, err = s.ListenLoopback(context.Background()); err != nil {
		b.Fatal(err)
	}
	return s, base
}

func discard(b *testing.B, base, body string) {
	resp, err := http.Post(base+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		b.Error(err)
		return
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
}

// cpu is the time that this process has used.
func cpu() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func BenchmarkTokenize(b *testing.B) {
	tok := tokenizerNamed("standard")
	text := textOf("资料", 14000)
	b.SetBytes(int64(len(text)))
	var dst []uint32
	for b.Loop() {
		dst = tok.appendIDs(dst[:0], text)
	}
}

func BenchmarkCache(b *testing.B) {
	c := newPrefixCache(1 << 20)
	seq := make([]uint32, 14000)
	now := time.Now()
	for b.Loop() {
		seq[12000]++
		c.match("m", seq, now)
		c.add("m", seq, now)
	}
}

func BenchmarkChunk(b *testing.B) {
	sh := newShape("0209466848000001d4f13a4c76e26581a370885ca9b86000319dd3b", mini, "default", 1790000000)
	ev := event{kind: kindContent, text: "值班的", tokens: 1}
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = sh.appendEvent(dst[:0], &ev)
	}
}
