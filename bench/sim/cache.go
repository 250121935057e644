package sim

import (
	"slices"
	"sync"
	"time"
)

// prefixCache is a radix tree of token sequences for each model, with a bound
// on the tokens that they hold together. Every node carries a stretch of tokens; the least recently used leaf
// is dropped first.
type prefixCache struct {
	mu       sync.Mutex
	capacity int              // tokens
	size     int              // tokens
	roots    map[string]*node // by model
	recent   node             // ring of all nodes but the roots, the most recently used first
}

type node struct {
	tokens     []uint32
	ready      time.Time // from when on a request can hit it
	parent     *node
	children   map[uint32]*node
	newer, old *node
}

func newPrefixCache(capacity int) *prefixCache {
	c := &prefixCache{capacity: capacity, roots: map[string]*node{}}
	c.recent.newer, c.recent.old = &c.recent, &c.recent
	return c
}

// match returns how many tokens at the head of seq are held for model and
// ready at now.
func (c *prefixCache) match(model string, seq []uint32, now time.Time) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, n := c.root(model), 0
	for {
		child := at.children[head(seq[n:])]
		if child == nil || n == len(seq) || child.ready.After(now) {
			break
		}
		shared := common(child.tokens, seq[n:])
		n += shared
		at = child
		if shared < len(child.tokens) {
			break
		}
	}
	c.touch(at)
	return n
}

// add makes the cache hold seq for model, visible from ready on.
func (c *prefixCache) add(model string, seq []uint32, ready time.Time) {
	seq = seq[:min(len(seq), c.capacity)]
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.root(model)
	for len(seq) > 0 {
		child := at.children[seq[0]]
		if child == nil {
			child = c.grow(at, seq, ready)
		}
		shared := common(child.tokens, seq)
		if shared < len(child.tokens) {
			c.split(child, shared)
		}
		if ready.Before(child.ready) {
			child.ready = ready
		}
		at, seq = child, seq[shared:]
	}
	c.touch(at)
	c.evict()
}

func (c *prefixCache) root(model string) *node {
	if c.roots[model] == nil {
		c.roots[model] = &node{}
	}
	return c.roots[model]
}

// grow adds a leaf that holds seq below parent.
func (c *prefixCache) grow(parent *node, seq []uint32, ready time.Time) *node {
	leaf := &node{tokens: slices.Clone(seq), ready: ready}
	leaf.attach(parent)
	c.size += len(seq)
	c.unshift(leaf)
	return leaf
}

// split cuts n in two: n keeps its first tokens, a new child takes the rest
// with n's children. Both get storage of their own, so that dropping one frees
// its memory.
func (c *prefixCache) split(n *node, first int) {
	rest := &node{tokens: slices.Clone(n.tokens[first:]), ready: n.ready, children: n.children}
	for _, child := range rest.children {
		child.parent = rest
	}
	n.tokens, n.children = slices.Clone(n.tokens[:first]), nil
	rest.attach(n)
	rest.insertAfter(n)
}

// touch marks the path from n to the root as just used, the root's end last,
// so that a node is never older than those below it.
func (c *prefixCache) touch(n *node) {
	for ; n.parent != nil; n = n.parent {
		n.unlink()
		c.unshift(n)
	}
}

func (c *prefixCache) unshift(n *node) { n.insertAfter(&c.recent) }

// evict drops the oldest nodes, which are leaves, until the bound holds.
func (c *prefixCache) evict() {
	for c.size > c.capacity {
		leaf := c.recent.newer
		leaf.unlink()
		delete(leaf.parent.children, leaf.tokens[0])
		c.size -= len(leaf.tokens)
	}
}

func (n *node) attach(parent *node) {
	if parent.children == nil {
		parent.children = make(map[uint32]*node, 1)
	}
	n.parent = parent
	parent.children[n.tokens[0]] = n
}

func (n *node) insertAfter(m *node) {
	n.newer, n.old = m, m.old
	m.old.newer, m.old = n, n
}

func (n *node) unlink() {
	n.newer.old, n.old.newer = n.old, n.newer
}

// head is the first token of seq, 0 if there is none.
func head(seq []uint32) uint32 {
	if len(seq) == 0 {
		return 0
	}
	return seq[0]
}

// common returns the length of the longest common prefix of a and b.
func common(a, b []uint32) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// held returns the number of tokens in the cache.
func (c *prefixCache) held() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size
}
