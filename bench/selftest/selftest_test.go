package selftest_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/selftest"
)

// measured is a short set-up.
func measured(t *testing.T, c selftest.Config) *selftest.Result {
	t.Helper()
	c.Duration, c.TTFT, c.Chunks = time.Second, 20*time.Millisecond, 16
	r, err := selftest.Run(t.Context(), &c, endpoint(t, &c))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEveryChunkOfEverySampleIsHeldAgainstItsSending(t *testing.T) {
	for _, c := range []selftest.Config{{Streams: 8, Rate: 100}, {Streams: 8, Rate: 100, TLS: true}, {Streams: 4, Rate: 100, Burst: 4}, {Streams: 4, Rate: 100, UserClock: true}} {
		r := measured(t, c)
		if r.Failed != 0 || r.Cut != 0 || r.Requests%c.Streams != 0 || r.Chunks != r.Requests*16 {
			t.Errorf("%+v: %d of %d requests failed, %d chunks: %s", c, r.Failed, r.Requests, r.Chunks, r.Fault)
		}
		if r.Chunk.P50 <= 0 || r.Chunk.P50 > r.Chunk.P99 || r.Chunk.P99 > r.Chunk.Max || r.TTFT.Max > r.Chunk.Max || r.CPU <= 0 {
			t.Errorf("%+v: %+v", c, r)
		}
		if want := map[bool]string{false: "kernel", true: "user"}[c.UserClock]; r.Clock != want {
			t.Errorf("%+v: clock %s", c, r.Clock)
		}
	}
}

func TestTheResultsKeysAreStable(t *testing.T) {
	data, err := json.Marshal(selftest.Result{Verdict: bench.Trusted})
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	want := []string{"chunk_error_us", "chunks_per_s", "clock", "cpu_s_per_million_chunks", "duration_s", "rss_mib", "streams", "tpot_error_us", "ttft_error_us", "verdict"}
	if keys := slices.Sorted(maps.Keys(got)); !slices.Equal(keys, want) {
		t.Errorf("keys %q, want %q", keys, want)
	}
	for _, name := range []string{"chunk_error_us", "tpot_error_us", "ttft_error_us"} {
		if keys := slices.Sorted(maps.Keys(got[name].(map[string]any))); !slices.Equal(keys, []string{"max", "p50", "p99"}) {
			t.Errorf("%s has the keys %q", name, keys)
		}
	}
}

func TestASetUpThatMakesNoSenseIsRefused(t *testing.T) {
	for _, c := range []selftest.Config{{Streams: 0, Rate: 50, Duration: time.Second}, {Streams: 1, Rate: 0, Duration: time.Second}, {Streams: 1, Rate: 50, Duration: time.Millisecond}, {Streams: 10_001, Rate: 50, Duration: time.Second}} {
		if err := c.Validate(); err == nil {
			t.Errorf("%+v is allowed", c)
		}
	}
}
