package selftest

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// Errors describes the errors of one figure, in µs.
type Errors struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// Result is what a set-up's measurement came to.
type Result struct {
	Streams   int           `json:"streams"`
	DurationS float64       `json:"duration_s"`
	Rate      float64       `json:"chunks_per_s"` // of each stream, as asked for
	TTFT      Errors        `json:"ttft_error_us"`
	Chunk     Errors        `json:"chunk_error_us"`
	TPOT      Errors        `json:"tpot_error_us"`
	CPU       float64       `json:"cpu_s_per_million_chunks"`
	RSSMiB    float64       `json:"rss_mib"` // the highest of the client; 0 where unknown
	Clock     string        `json:"clock"`
	Verdict   bench.Verdict `json:"verdict"`

	Measurement bench.Measurement `json:"-"` // the verdict's grounds
	Requests    int               `json:"-"`
	Chunks      int               `json:"-"`
	Cut         int               `json:"-"` // requests that the time limit broke off or left out
	Failed      int               `json:"-"` // requests that failed or lack a chunk
	Fault       string            `json:"-"` // of the first of them
	RSSEarly    float64           `json:"-"` // the highest in the first half of the run, MiB
	// TTFTShare and TPOTShare are the real errors at P99 of the requests, as
	// shares of the medians. That of TTFT includes the sending of the request.
	TTFTShare, TPOTShare float64 `json:"-"`
	// TTFTEstimate and TPOTEstimate are what the client takes them for.
	TTFTEstimate, TPOTEstimate float64 `json:"-"`
}

func (m *measurement) result() *Result {
	t := &m.truth
	r := &Result{
		Streams: m.config.Streams, DurationS: m.config.Duration.Seconds(), Rate: m.config.Rate,
		TTFT: errorsOf(t.ttft), Chunk: chunkErrors(&t.chunk), TPOT: errorsOf(t.tpot),
		Requests: m.spec.NumRequests, Chunks: t.chunks, Cut: m.spec.NumRequests - len(t.ttfts) - t.failed, Failed: t.failed, Fault: t.fault,
		TTFTShare: relative(t.late, t.ttfts), TPOTShare: relative(t.tpot, t.tpots),
	}
	if t.chunks > 0 {
		r.CPU = m.cpu.Seconds() / float64(t.chunks) * 1e6
	}
	for i, tick := range m.ticks {
		r.RSSMiB = max(r.RSSMiB, tick.RSSMiB)
		if 2*i < len(m.ticks) {
			r.RSSEarly = r.RSSMiB
		}
	}
	summary := bench.Summarize(&m.spec, len(m.kept), m.kept)
	r.Measurement = bench.Judge(&summary, m.kept, m.ticks)
	r.TTFTEstimate, r.TPOTEstimate = estimate(r.Measurement.TTFTErrorMS, summary.TTFT), estimate(r.Measurement.TPOTErrorMS, summary.TPOT)
	r.Clock, r.Verdict = r.Measurement.Clock, r.Measurement.Verdict
	return r
}

// estimate is an error as a share of the figure's median; 0 for none.
func estimate(ms *float64, figure bench.Dist) float64 {
	if ms == nil || figure.N == 0 {
		return 0
	}
	return *ms / figure.P50
}

func errorsOf(ms []float64) Errors {
	d := bench.Describe(ms)
	return Errors{1000 * d.P50, 1000 * d.P99, 1000 * d.Max}
}

func chunkErrors(h *histogram) Errors {
	us := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
	return Errors{us(h.quantile(0.5)), us(h.quantile(0.99)), us(h.max)}
}

// WriteText prints the result for people.
func (r *Result) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d streams of %g chunks/s for %gs on the %s clock: %d requests, %d chunks, %d failed, %d cut off\n", r.Streams, r.Rate, r.DurationS, r.Clock, r.Requests, r.Chunks, r.Failed, r.Cut)
	fmt.Fprintf(&b, "%-14s %10s %10s %10s\n", "error in µs", "P50", "P99", "max")
	for _, row := range []struct {
		name string
		e    Errors
	}{{"TTFT", r.TTFT}, {"chunk arrival", r.Chunk}, {"TPOT", r.TPOT}} {
		fmt.Fprintf(&b, "%-14s %10.1f %10.1f %10.1f\n", row.name, row.e.P50, row.e.P99, row.e.Max)
	}
	fmt.Fprintf(&b, "CPU %.1f s per million chunks, memory at most %.0f MiB, in the first half %.0f\n", r.CPU, r.RSSMiB, r.RSSEarly)
	fmt.Fprintf(&b, "verdict: %s\n", r.Verdict)
	for _, reason := range r.Measurement.Reasons {
		fmt.Fprintf(&b, "  %s\n", reason)
	}
	if r.Fault != "" {
		fmt.Fprintf(&b, "first failure: %s\n", r.Fault)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
