package selftest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/meter"
)

// BenchmarkLateness measures the whole path and the bare reader in turn, from
// one endpoint, on one processor: how late chunks are stamped, and what one
// costs. Its ratios hold on a loaded machine, too. Run it with -benchtime 1x.
func BenchmarkLateness(b *testing.B) {
	for _, c := range []Config{
		{Streams: 5, Rate: 50}, {Streams: 50, Rate: 50}, {Streams: 200, Rate: 50}, {Streams: 200, Rate: 50, TLS: true}, {Streams: 1000, Rate: 50},
	} {
		c.Duration = 5 * time.Second
		b.Run(fmt.Sprintf("%dx%g/tls=%v", c.Streams, c.Rate, c.TLS), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			for range b.N {
				compared(b, &c)
			}
		})
	}
}

func compared(b *testing.B, c *Config) {
	least := measureBare(b, c)
	r, err := Run(b.Context(), c, role(b, c))
	if err != nil || r.Failed > 0 {
		b.Fatalf("%d failed: %s, %v", r.Failed, r.Fault, err)
	}
	b.ReportMetric(r.Chunk.P50, "p50-µs")
	b.ReportMetric(r.Chunk.P99, "p99-µs")
	b.ReportMetric(r.TTFT.P99, "ttft-p99-µs")
	b.ReportMetric(r.TPOT.P99, "tpot-p99-µs")
	b.ReportMetric(r.CPU, "cpu-µs/chunk")
	b.ReportMetric(least.Chunk.P50, "bare-p50-µs")
	b.ReportMetric(least.Chunk.P99, "bare-p99-µs")
	b.ReportMetric(least.CPU, "bare-cpu-µs/chunk")
	b.ReportMetric(r.Chunk.P50/least.Chunk.P50, "p50-ratio")
	b.ReportMetric(r.Chunk.P99/least.Chunk.P99, "p99-ratio")
	b.ReportMetric(r.CPU/least.CPU, "cpu-ratio")
	b.ReportMetric(r.RSSMiB, "rss-MiB")
	b.ReportMetric(0, "ns/op")
}

func measureBare(b *testing.B, c *Config) Result {
	p, err := start(role(b, c))
	if err != nil {
		b.Fatal(err)
	}
	defer p.stop()
	clock := bench.NewClock()
	reader := bare{clock: clock, zero: zeroOf(clock)}
	before := meter.CPUTime()
	reader.run(b.Context(), c, p)
	used := meter.CPUTime() - before
	if reader.fault != nil || reader.n != c.Streams*c.rounds()*c.chunks() {
		b.Fatalf("%d chunks: %v", reader.n, reader.fault)
	}
	return Result{Chunk: chunkErrors(&reader.chunk), CPU: used.Seconds() / float64(reader.n) * 1e6}
}

func role(b *testing.B, c *Config) *exec.Cmd {
	data, err := json.Marshal(c)
	if err != nil {
		b.Fatal(err)
	}
	command := exec.CommandContext(b.Context(), os.Args[0])
	command.Env = append(os.Environ(), "LLM_BENCH_SELFTEST_ROLE="+string(data))
	command.Stderr = os.Stderr
	return command
}
