package chat

import (
	"errors"
	"io"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// connected is a TCP connection on loopback: the far end, and the near one
// under the clock.
func connected(t *testing.T, clock bench.Clock) (far net.Conn, near *Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dialed, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if far, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = dialed.Close(), far.Close() })
	return far, Stamp(dialed, clock)
}

// late sends a segment, keeps the reader busy elsewhere for a while, and reads
// it. It returns the times before and after the sending.
func late(t *testing.T, far net.Conn, near *Conn, busy time.Duration) (before, after time.Duration) {
	t.Helper()
	before = near.clock.Now()
	if _, err := io.WriteString(far, "a segment"); err != nil {
		t.Fatal(err)
	}
	after = near.clock.Now()
	for near.clock.Now() < after+busy {
		runtime.Gosched()
	}
	if _, err := near.Read(make([]byte, 64)); err != nil {
		t.Fatal(err)
	}
	return before, after
}

func TestAReadThatComesLateCarriesTheTimeOfArrival(t *testing.T) {
	defer KeepStamping()()
	far, near := connected(t, bench.NewClock())
	const busy = time.Millisecond
	for began := false; !began; { // the kernel takes a while to begin
		late(t, far, near, busy)
		began = time.Duration(near.lag.Load()) >= busy
	}
	for i := range 20 {
		before, after := late(t, far, near, busy)
		if at := near.Arrival(); at < before-microsecond || at > after+microsecond {
			t.Errorf("segment %d: arrival %v, sent between %v and %v", i, at, before, after)
		}
	}
	if near.ClockName() != ClockKernel {
		t.Errorf("clock %s", near.ClockName())
	}
}

func TestReadingAStampedConnectionAllocatesNothing(t *testing.T) {
	far, near := connected(t, bench.NewClock())
	segment, buffer := []byte("a segment"), make([]byte, 64)
	allocations := testing.AllocsPerRun(200, func() {
		_, _ = far.Write(segment)
		_, _ = near.Read(buffer)
	})
	if allocations != 0 {
		t.Errorf("%v allocations a read", allocations)
	}
}

func TestAnEndAndAnErrorPassThrough(t *testing.T) {
	far, near := connected(t, bench.NewClock())
	_ = far.Close()
	if n, err := near.Read(make([]byte, 8)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("read %d bytes and %v at the end", n, err)
	}
	_ = near.Close()
	if _, err := near.Read(make([]byte, 8)); err == nil {
		t.Error("a closed connection can be read")
	}
	if n, err := near.Read(nil); n != 0 || err != nil {
		t.Errorf("an empty read gives %d and %v", n, err)
	}
}
