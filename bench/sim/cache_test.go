package sim

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func ids(values ...uint32) []uint32 { return values }

func wantMatch(t *testing.T, c *prefixCache, seq []uint32, want int) {
	t.Helper()
	if got := c.match("m", seq, time.Unix(100, 0)); got != want {
		t.Errorf("match of %v is %d tokens, want %d", seq, got, want)
	}
}

func TestCacheMatchesTheLongestPrefixToTheToken(t *testing.T) {
	c := newPrefixCache(100)
	now := time.Unix(100, 0)
	c.add("m", ids(1, 2, 3, 4, 5), now)
	c.add("m", ids(1, 2, 3, 9, 9), now)
	c.add("m", ids(1, 2), now)
	wantMatch(t, c, ids(1, 2, 3, 4, 5, 6), 5)
	wantMatch(t, c, ids(1, 2, 3, 9), 4)
	wantMatch(t, c, ids(1, 2, 3, 8), 3)
	wantMatch(t, c, ids(1), 1)
	wantMatch(t, c, ids(2, 1), 0)
	wantMatch(t, c, nil, 0)
	if c.held() != 7 {
		t.Errorf("%d tokens held, want 7: 1 2 3, 4 5 and 9 9", c.held())
	}
	if got := c.match("other", ids(1, 2, 3), now); got != 0 {
		t.Errorf("another model hits %d tokens", got)
	}
}

func TestCacheEntryIsInvisibleBeforeItIsReady(t *testing.T) {
	c := newPrefixCache(100)
	c.add("m", ids(1, 2, 3), time.Unix(10, 0))
	c.add("m", ids(1, 2, 4), time.Unix(5, 0))
	for _, probe := range []struct {
		at   int64
		seq  []uint32
		want int
	}{{4, ids(1, 2, 4), 0}, {5, ids(1, 2, 4), 3}, {9, ids(1, 2, 3), 2}, {10, ids(1, 2, 3), 3}} {
		if got := c.match("m", probe.seq, time.Unix(probe.at, 0)); got != probe.want {
			t.Errorf("at %d s match of %v is %d, want %d", probe.at, probe.seq, got, probe.want)
		}
	}
}

func TestCacheForgetsTheLeastRecentlyUsedBranch(t *testing.T) {
	c := newPrefixCache(9)
	now := time.Unix(100, 0)
	c.add("m", ids(1, 2, 3), now)
	c.add("m", ids(1, 2, 4), now)
	c.add("m", ids(7, 8, 9), now) // 7 tokens: 1 2, 3, 4, 7 8 9
	wantMatch(t, c, ids(1, 2, 3), 3)
	c.add("m", ids(5, 5, 5), now) // 10 tokens: drops the 4
	wantMatch(t, c, ids(1, 2, 4), 2)
	wantMatch(t, c, ids(7, 8, 9), 3)
	if c.held() != 9 {
		t.Errorf("%d tokens held, want 9", c.held())
	}
	c.add("m", ids(6, 6), now) // drops the 3, then 5 5 5 is the oldest
	wantMatch(t, c, ids(1, 2, 3), 2)
	wantMatch(t, c, ids(5, 5, 5), 0)
	wantMatch(t, c, ids(6, 6), 2)
}

func TestCacheNeverHoldsMoreThanItsCapacity(t *testing.T) {
	c := newPrefixCache(4)
	c.add("m", ids(1, 2, 3, 4, 5, 6), time.Unix(0, 0))
	wantMatch(t, c, ids(1, 2, 3, 4, 5, 6), 4)
	if c.held() != 4 {
		t.Errorf("%d tokens held, want 4", c.held())
	}
}

// TestCacheAgreesWithAListOfSequences compares the tree, without eviction,
// with the plain definition of a longest common prefix.
func TestCacheAgreesWithAListOfSequences(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	c := newPrefixCache(1 << 20)
	var all [][]uint32
	for range 500 {
		seq := make([]uint32, 1+rng.IntN(12))
		for i := range seq {
			seq[i] = uint32(rng.IntN(3))
		}
		want := 0
		for _, old := range all {
			want = max(want, common(old, seq))
		}
		wantMatch(t, c, seq, want)
		c.add("m", seq, time.Unix(0, 0))
		all = append(all, seq)
	}
	checkTree(t, c)
}

func TestCacheStaysConsistentUnderEviction(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	c := newPrefixCache(60)
	for range 2000 {
		seq := make([]uint32, 1+rng.IntN(20))
		for i := range seq {
			seq[i] = uint32(rng.IntN(4))
		}
		c.match("m", seq, time.Unix(0, 0))
		c.add("m", seq, time.Unix(0, 0))
		wantMatch(t, c, seq, len(seq))
		checkTree(t, c)
	}
}

// checkTree checks that the ring lists every node after those below it, and
// that the size is the sum of all stretches.
func checkTree(t *testing.T, c *prefixCache) {
	t.Helper()
	var order []*node
	for n := c.recent.old; n != &c.recent; n = n.old {
		order = append(order, n)
	}
	held := 0
	for i, n := range order {
		held += len(n.tokens)
		for _, child := range n.children {
			if child.parent != n || slices.Index(order, child) < i {
				t.Fatal("a node is older than one below it")
			}
		}
	}
	if held != c.size || c.size > c.capacity {
		t.Fatalf("size %d, held %d, capacity %d", c.size, held, c.capacity)
	}
}
