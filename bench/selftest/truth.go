package selftest

import (
	"fmt"
	"strconv"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// truth holds the samples of a run against the times of sending.
type truth struct {
	zero int64 // of the run's clock, on the shared one

	chunk      histogram // errors of the stamps of all chunks
	ttft, tpot []float64 // errors of the stamps, as far as they enter a figure, ms
	late       []float64 // errors of the whole TTFT, sending included, ms
	ttfts      []float64 // the figures as they were in truth, ms
	tpots      []float64
	chunks     int
	cut        int // answers that the time limit broke off
	failed     int
	fault      string // of the first that failed
}

// add takes one sample.
func (t *truth) add(s *bench.Sample) {
	if s.Outcome == bench.Canceled {
		t.cut++
		return
	}
	if err := t.hold(s); err != nil {
		t.failed++
		if t.fault == "" {
			t.fault = err.Error()
		}
	}
}

func (t *truth) hold(s *bench.Sample) error {
	if s.Outcome != bench.Succeeded {
		return fmt.Errorf("%s: %+v", s.Outcome, s.Failure)
	}
	sent, err := timesOf(s.Answer)
	if err != nil {
		return err
	}
	stamps := outputs(s)
	if tokens, known := s.OutputTokens(); !known || len(sent) != tokens || len(stamps) != tokens {
		return fmt.Errorf("%d times and %d output events for %d tokens", len(sent), len(stamps), tokens)
	}
	for i, at := range stamps {
		t.chunk.add(time.Duration(t.zero + int64(at) - sent[i]))
	}
	t.chunks += len(sent)
	t.ttft = append(t.ttft, size(time.Duration(t.zero+int64(stamps[0])-sent[0])))
	return t.figures(s, sent)
}

// figures compares TTFT and TPOT with what they were in truth.
func (t *truth) figures(s *bench.Sample, sent []int64) error {
	arrived, err := strconv.ParseInt(s.RequestID, 10, 64)
	if err != nil {
		return fmt.Errorf("the request's arrival is %q", s.RequestID)
	}
	ttft, _ := s.TTFT()
	actual := time.Duration(sent[0] - arrived)
	t.late = append(t.late, size(ttft-actual))
	t.ttfts = append(t.ttfts, bench.Milliseconds(actual))
	if tpot, defined := s.TPOT(); defined {
		actual := time.Duration(sent[len(sent)-1]-sent[0]) / time.Duration(len(sent)-1)
		t.tpot = append(t.tpot, size(tpot-actual))
		t.tpots = append(t.tpots, bench.Milliseconds(actual))
	}
	return nil
}

// outputs are the stamps of a sample's output events.
func outputs(s *bench.Sample) []time.Duration {
	stamps := make([]time.Duration, 0, s.OutputEvents)
	for _, e := range s.Events {
		if e.Kind.Output() {
			stamps = append(stamps, e.At)
		}
	}
	return stamps
}

// size is an error's, whatever its sign, in ms.
func size(d time.Duration) float64 { return bench.Milliseconds(d.Abs()) }

// relative is the error of a figure at P99, as a share of its median.
func relative(errors, values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return bench.Describe(errors).P99 / bench.Describe(values).P50
}
