package chat

import (
	"net"
	"sync/atomic"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// Conn stamps what passes through a connection. Reads carry the kernel's
// receive time where the system gives it, else the moment the read returned.
// TLS lies on top, so that its records are stamped as they arrive.
type Conn struct {
	net.Conn
	clock  bench.Clock
	kernel *kernelReader // nil: stamps are taken in user space

	prepared bool // opened before the measured window
	phases   phases
	pass     *pass // of the request to be written next; nil: none

	// The transport reads on behind the stream's end, so these are atomic.
	reads      atomic.Int64 // that brought bytes
	readAt     atomic.Int64 // arrival of the latest read, ns of the run clock
	lag        atomic.Int64 // of the latest read: its return minus its arrival
	firstWrite atomic.Int64 // −1: nothing written since reset
	lastWrite  atomic.Int64
}

// phases are the durations of opening a connection.
type phases struct{ dns, connect, tls time.Duration }

// Stamp puts a connection under the clock.
func Stamp(c net.Conn, clock bench.Clock) *Conn {
	s := stampUser(c, clock)
	s.kernel = newKernelReader(c, clock)
	return s
}

// stampUser is Stamp without the kernel's help.
func stampUser(c net.Conn, clock bench.Clock) *Conn {
	s := &Conn{Conn: c, clock: clock}
	s.firstWrite.Store(-1)
	return s
}

// Read implements [net.Conn].
func (c *Conn) Read(p []byte) (int, error) {
	if c.kernel != nil {
		n, at, lag, err := c.kernel.read(p)
		c.stamp(n, at, lag)
		return n, err
	}
	n, err := c.Conn.Read(p)
	c.stamp(n, c.clock.Now(), 0)
	return n, err
}

func (c *Conn) stamp(n int, at, lag time.Duration) {
	if n > 0 {
		c.readAt.Store(int64(at))
		c.lag.Store(int64(lag))
		c.reads.Add(1)
	}
}

// Arrival is when what the latest read brought had arrived, on the run's clock.
func (c *Conn) Arrival() time.Duration { return time.Duration(c.readAt.Load()) }

// Write implements [net.Conn].
func (c *Conn) Write(p []byte) (int, error) {
	if c.firstWrite.Load() < 0 {
		c.firstWrite.Store(int64(c.clock.Now()))
		c.pass.leave()
	}
	n, err := c.Conn.Write(p)
	c.lastWrite.Store(int64(c.clock.Now()))
	return n, err
}

// reset forgets the writes before a new request, which holds the pass.
func (c *Conn) reset(p *pass) {
	c.pass = p
	c.firstWrite.Store(-1)
}

// sent gives the first and the last byte's time since the last reset.
func (c *Conn) sent() (first, last bench.Mark) {
	if c.firstWrite.Load() < 0 {
		return bench.Mark{}, bench.Mark{}
	}
	return bench.MarkAt(time.Duration(c.firstWrite.Load())), bench.MarkAt(time.Duration(c.lastWrite.Load()))
}

// ClockName says what stamps the arrivals: [ClockKernel] or [ClockUser].
func (c *Conn) ClockName() string {
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

// stamped finds the Conn under what the transport calls a connection.
func stamped(c net.Conn) *Conn {
	for c != nil {
		switch conn := c.(type) {
		case *Conn:
			return conn
		case interface{ NetConn() net.Conn }: // TLS
			c = conn.NetConn()
		default:
			return nil
		}
	}
	return nil
}
