package chat

import (
	"net"
	"sync/atomic"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// stampConn stamps what passes through a connection. Reads carry the kernel's
// receive time where the system gives it, else the moment the read returned.
// TLS lies on top, so that its records are stamped as they arrive.
type stampConn struct {
	net.Conn
	clock  bench.Clock
	kernel *kernelReader // nil: stamps are taken in user space

	prepared bool // opened before the measured window
	phases   phases

	readAt     atomic.Int64 // arrival of the latest read, ns of the run clock
	lag        atomic.Int64 // of the latest read: its return minus its arrival
	firstWrite atomic.Int64 // −1: nothing written since reset
	lastWrite  atomic.Int64
}

// phases are the durations of opening a connection.
type phases struct{ dns, connect, tls time.Duration }

func newStampConn(c net.Conn, clock bench.Clock) *stampConn {
	s := &stampConn{Conn: c, clock: clock, kernel: newKernelReader(c)}
	s.firstWrite.Store(-1)
	return s
}

// Read implements [net.Conn].
func (c *stampConn) Read(p []byte) (int, error) {
	if c.kernel != nil {
		n, lag, err := c.kernel.read(p)
		c.stamp(n, lag)
		return n, err
	}
	n, err := c.Conn.Read(p)
	c.stamp(n, 0)
	return n, err
}

func (c *stampConn) stamp(n int, lag time.Duration) {
	if n > 0 {
		c.readAt.Store(int64(c.clock.Now() - lag))
		c.lag.Store(int64(lag))
	}
}

// Write implements [net.Conn].
func (c *stampConn) Write(p []byte) (int, error) {
	c.firstWrite.CompareAndSwap(-1, int64(c.clock.Now()))
	n, err := c.Conn.Write(p)
	c.lastWrite.Store(int64(c.clock.Now()))
	return n, err
}

// reset forgets the writes before a new request.
func (c *stampConn) reset() { c.firstWrite.Store(-1) }

// sent gives the first and the last byte's time since the last reset.
func (c *stampConn) sent() (first, last bench.Mark) {
	if c.firstWrite.Load() < 0 {
		return bench.Mark{}, bench.Mark{}
	}
	return bench.MarkAt(time.Duration(c.firstWrite.Load())), bench.MarkAt(time.Duration(c.lastWrite.Load()))
}

// clockName says what stamps the arrivals.
func (c *stampConn) clockName() string {
	if c.kernel != nil {
		return ClockKernel
	}
	return ClockUser
}

// The clocks that arrivals can be stamped by.
const (
	ClockKernel = "kernel" // the time at which the kernel received the segment
	ClockUser   = "user"   // the time at which the read returned
)

// stamped finds the stampConn under what the transport calls a connection.
func stamped(c net.Conn) *stampConn {
	for c != nil {
		switch conn := c.(type) {
		case *stampConn:
			return conn
		case interface{ NetConn() net.Conn }: // TLS
			c = conn.NetConn()
		default:
			return nil
		}
	}
	return nil
}
