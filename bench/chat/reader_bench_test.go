package chat

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

var oneEvent = []byte(`data: {"choices":[{"delta":{"content":"你","role":"assistant"},"index":0}],"created":1790000000,"id":"021790000000aaaabbbbccccddddeeeeffff0000111122223333","model":"doubao-seed-2-0-mini-260428","service_tier":"default","object":"chat.completion.chunk","usage":null}` + "\n\n")

// BenchmarkReader is what the client does with the bytes of a read: split,
// scan, keep. The time is that of one event.
func BenchmarkReader(b *testing.B) {
	for _, together := range []int{1, 16} {
		b.Run(fmt.Sprint(together), func(b *testing.B) {
			read := bytes.Repeat(oneEvent, together)
			var f fold
			framer := framer{sink: &f}
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				if err := framer.feed(read, time.Duration(n), n); err != nil {
					b.Fatal(err)
				}
				if n++; n%500 == 0 {
					f.events, f.answer = f.events[:0], f.answer[:0]
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*together), "ns/event")
		})
	}
}

func TestReadingAnEventAllocatesNothing(t *testing.T) {
	var f fold
	framer := framer{sink: &f}
	feed := func() {
		f.events, f.answer = f.events[:0], f.answer[:0]
		if err := framer.feed(oneEvent, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	feed()
	if n := testing.AllocsPerRun(100, feed); n != 0 {
		t.Errorf("%v allocations an event", n)
	}
	if string(f.answer) != "你" {
		t.Errorf("answer %q", f.answer)
	}
}
