package selftest_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/selftest"
)

// BenchmarkVerdict judges the verdict by the truth, over a matrix of loads: it
// is never trusted where TTFT or TPOT is wrong by more than 1 %, and never
// worse than trusted where both are wrong by less than 0.2 %. Run it with
// -benchtime 1x.
func BenchmarkVerdict(b *testing.B) {
	type load struct{ streams, rate int }
	for _, burning := range []bool{false, true} {
		for _, processors := range []int{runtime.GOMAXPROCS(0), 1} {
			for _, user := range []bool{false, true} {
				for _, l := range []load{{1, 50}, {5, 50}, {50, 20}, {50, 200}, {200, 50}, {1000, 20}, {1000, 50}} {
					for _, short := range []bool{false, true} {
						c := selftest.Config{Streams: l.streams, Rate: float64(l.rate), Duration: 3 * time.Second, UserClock: user}
						if l.streams < 50 { // more requests, so that P99 says something
							c.Duration, c.Chunks = 8*time.Second, 10
						}
						if short {
							c.TTFT, c.Chunks = 50*time.Millisecond, 16
						}
						name := fmt.Sprintf("burner=%v/procs=%d/user=%v/%dx%d/short=%v", burning, processors, user, l.streams, l.rate, short)
						b.Run(name, func(b *testing.B) { judged(b, &c, processors, burning) })
					}
				}
			}
		}
	}
}

func judged(b *testing.B, c *selftest.Config, processors int, burning bool) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	if burning {
		startBurner(b)
	}
	for range b.N {
		r, err := selftest.Run(b.Context(), c, endpoint(b, c))
		if err != nil {
			b.Fatal(err)
		}
		wrong := max(r.TTFTShare, r.TPOTShare)
		if wrong > 0.01 && r.Verdict == bench.Trusted || wrong < 0.002 && r.Verdict != bench.Trusted || r.Failed > 0 {
			b.Errorf("%s, though TTFT is wrong by %.2f %% and TPOT by %.2f %% (%d failed): %v", r.Verdict, 100*r.TTFTShare, 100*r.TPOTShare, r.Failed, r.Measurement.Reasons)
		}
		b.ReportMetric(100*r.TTFTShare, "ttft-error-%")
		b.ReportMetric(100*r.TPOTShare, "tpot-error-%")
		b.ReportMetric(100*r.TTFTEstimate, "ttft-estimate-%")
		b.ReportMetric(100*r.TPOTEstimate, "tpot-estimate-%")
		b.ReportMetric(map[bench.Verdict]float64{bench.Trusted: 0, bench.Degraded: 1, bench.Invalid: 2, bench.Unknown: 3}[r.Verdict], "verdict")
	}
}
