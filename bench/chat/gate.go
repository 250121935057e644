package chat

import (
	"context"
	"sync/atomic"
)

// gate lets only so many requests at a time be built and started as there are
// processors, so that no request waits between its start and its first byte
// for others to be built. Who waits at the gate hasn't started.
type gate chan struct{}

// enter waits for a place; nil if ctx ends first.
func (g gate) enter(ctx context.Context) *pass {
	select {
	case g <- struct{}{}:
		return &pass{gate: g}
	case <-ctx.Done():
		return nil
	}
}

// pass is a place behind the gate. It is given back when the request begins to
// be written or to wait for a connection, whichever comes first.
type pass struct {
	gate gate
	left atomic.Bool
}

// leave gives the place back, once. A nil pass has none.
func (p *pass) leave() {
	if p != nil && p.left.CompareAndSwap(false, true) {
		<-p.gate
	}
}

type passKey struct{}

// withPass lets who opens a connection for the request give its pass back.
func withPass(ctx context.Context, p *pass) context.Context {
	return context.WithValue(ctx, passKey{}, p)
}

func passOf(ctx context.Context) *pass {
	p, _ := ctx.Value(passKey{}).(*pass)
	return p
}
