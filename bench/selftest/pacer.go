package selftest

import (
	"container/heap"
	"io"
	"sync"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// answer is one response on its way.
type answer struct {
	to     io.Writer
	due    time.Duration // of the next write, on the pacer's clock
	left   int           // tokens still to be sent
	tokens int
	done   chan error // takes one value
}

// pacer sends the tokens of all answers when they are due, from one goroutine,
// so that a write's cost is the only thing that may delay the next.
type pacer struct {
	clock bench.Clock
	zero  int64 // of the clock, on the shared one
	gap   time.Duration
	burst int
	piece []byte
	size  int // of one token's piece
	place int // of the time in it

	mu    sync.Mutex
	queue answers
	stop  bool
}

func newPacer(c *Config, clock bench.Clock) *pacer {
	piece, place := tokenChunk()
	p := &pacer{clock: clock, zero: zeroOf(clock), gap: c.gap(), burst: c.burst(), size: len(piece), place: place}
	for range p.burst {
		p.piece = append(p.piece, piece...)
	}
	return p
}

// add takes an answer, due at least nap from now.
func (p *pacer) add(a *answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	heap.Push(&p.queue, a)
}

func (p *pacer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop = true
}

// nap is the longest sleep: how soon a new answer is noticed.
const nap = 2 * time.Millisecond

// run sends until close.
func (p *pacer) run() {
	wakeSharply()
	for {
		a, wait, stop := p.next()
		switch {
		case stop:
			return
		case a == nil:
			sleep(wait)
		default:
			p.send(a)
		}
	}
}

// next is an answer whose time has come, or how long to sleep.
func (p *pacer) next() (due *answer, wait time.Duration, stop bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 {
		return nil, nap, p.stop
	}
	if wait = p.queue[0].due - p.clock.Now(); wait > 0 {
		return nil, min(wait, nap), p.stop
	}
	return heap.Pop(&p.queue).(*answer), 0, p.stop
}

// send writes what is due of an answer and puts it back for its next time.
func (p *pacer) send(a *answer) {
	if a.left == 0 {
		_, err := io.WriteString(a.to, closing(a.tokens))
		a.done <- err
		return
	}
	n := min(p.burst, a.left)
	now := p.zero + int64(p.clock.Now())
	for i := range n {
		putTime(p.piece[i*p.size+p.place:], now)
	}
	if _, err := a.to.Write(p.piece[:n*p.size]); err != nil {
		a.done <- err
		return
	}
	a.left -= n
	gap := time.Duration(n) * p.gap
	a.due = max(a.due+gap, p.clock.Now()+gap/2) // a late token holds back those behind it, as a model's does
	p.add(a)
}

// answers implements [heap.Interface], the earliest first.
type answers []*answer

func (h answers) Len() int           { return len(h) }
func (h answers) Less(i, j int) bool { return h[i].due < h[j].due }
func (h answers) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *answers) Push(x any)        { *h = append(*h, x.(*answer)) }
func (h *answers) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
