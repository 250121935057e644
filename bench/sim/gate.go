package sim

import (
	"container/list"
	"context"
	"sync"
)

// gate lets limit holders in at once, the others in order of arrival.
type gate struct {
	mu      sync.Mutex
	free    int // slots left
	endless bool
	queue   list.List // of chan struct{}
}

func newGate(limit int) *gate {
	return &gate{free: limit, endless: limit == 0}
}

// enter takes a slot. It reports whether it had to wait for one, and fails
// when ctx ends first.
func (g *gate) enter(ctx context.Context) (waited bool, err error) {
	g.mu.Lock()
	if g.endless || g.free > 0 && g.queue.Len() == 0 {
		g.free--
		g.mu.Unlock()
		return false, nil
	}
	turn := make(chan struct{})
	place := g.queue.PushBack(turn)
	g.mu.Unlock()
	select {
	case <-turn:
		return true, nil
	case <-ctx.Done():
		g.abandon(place, turn)
		return true, ctx.Err()
	}
}

// abandon leaves the queue, or gives back the slot if it came meanwhile.
func (g *gate) abandon(place *list.Element, turn chan struct{}) {
	g.mu.Lock()
	select {
	case <-turn:
		g.mu.Unlock()
		g.leave()
	default:
		g.queue.Remove(place)
		g.mu.Unlock()
	}
}

// leave gives the slot to the first in the queue, or back.
func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if first := g.queue.Front(); first != nil && !g.endless {
		close(g.queue.Remove(first).(chan struct{}))
		return
	}
	g.free++
}
