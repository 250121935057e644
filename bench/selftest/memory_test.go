package selftest

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// BenchmarkMemory tells what a stream takes of the client's memory, and what
// the client takes at the standard concurrency. Each set-up needs a process of
// its own, whose memory has never been larger: run one at a time.
func BenchmarkMemory(b *testing.B) {
	for _, c := range []Config{{Streams: 5, Rate: 50}, {Streams: 1000, Rate: 10}, {Streams: 4000, Rate: 10}} {
		c.Duration = 4 * time.Second
		b.Run(fmt.Sprint(c.Streams), func(b *testing.B) {
			for range b.N {
				r, err := Run(b.Context(), &c, role(b, &c))
				if err != nil || r.Failed > 0 {
					b.Fatalf("%d failed: %s, %v", r.Failed, r.Fault, err)
				}
				b.ReportMetric(r.RSSMiB, "rss-MiB")
				b.ReportMetric(r.RSSMiB*1024/float64(c.Streams), "KiB/stream")
			}
		})
	}
}

// BenchmarkCapacity sends 16 events in one write, so that a read brings them
// together, and tells how many one processor can take, and what one costs
// beside the bare reader.
func BenchmarkCapacity(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c := Config{Streams: 100, Rate: 2000, Burst: 16, Duration: 4 * time.Second, TTFT: 500 * time.Millisecond}
	for range b.N {
		least := measureBare(b, &c)
		r, err := Run(b.Context(), &c, role(b, &c))
		if err != nil || r.Failed > 0 {
			b.Fatalf("%d failed: %s, %v", r.Failed, r.Fault, err)
		}
		b.ReportMetric(1e6/r.CPU, "chunks/cpu-s")
		b.ReportMetric(r.CPU, "cpu-µs/chunk")
		b.ReportMetric(1e6/least.CPU, "bare-chunks/cpu-s")
		b.ReportMetric(r.CPU/least.CPU, "cpu-ratio")
		b.ReportMetric(0, "ns/op")
	}
}
