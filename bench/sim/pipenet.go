package sim

import (
	"context"
	"net"
	"sync"
)

// PipeNet is a network in memory: a [net.Listener] and the dialer that leads
// to it, over [net.Pipe]. It takes no time, so that inside a testing/synctest
// bubble every moment of an exchange is exact. Both ends must be made and
// closed in the bubble.
type PipeNet struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// NewPipeNet returns a network without connections.
func NewPipeNet() *PipeNet {
	return &PipeNet{conns: make(chan net.Conn), done: make(chan struct{})}
}

// DialContext connects to the listener, whatever the network and address. It
// suits http.Transport.DialContext.
func (p *PipeNet) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.done:
		return nil, &net.OpError{Op: "dial", Net: "pipe", Addr: p.Addr(), Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: "pipe", Addr: p.Addr(), Err: ctx.Err()}
	}
}

// Accept implements [net.Listener].
func (p *PipeNet) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.done:
		return nil, &net.OpError{Op: "accept", Net: "pipe", Addr: p.Addr(), Err: net.ErrClosed}
	}
}

// Close implements [net.Listener]. Connections that are open stay so.
func (p *PipeNet) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

// Addr implements [net.Listener].
func (p *PipeNet) Addr() net.Addr { return pipeAddr{} }

// BaseURL is the base URL of a server on p, in the form of Ark's.
func (p *PipeNet) BaseURL() string { return "http://" + pipeAddr{}.String() + basePath }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "sim.invalid" }
