package workload

import (
	"math/bits"
	"math/rand/v2"
)

// The streams of one seed. Texts of different streams have nothing in common.
const (
	streamMaterial uint64 = 1 + iota // prefixes and first turns
	streamOwn                        // suffixes and follow-ups
	streamCast                       // the clauses of short text
	streamWarmup
	streamConnectivity
	streamProbe
)

// source draws numbers. It uses nothing of math/rand/v2 but the output of PCG,
// which is fixed by its algorithm, so that no release of Go changes a text.
type source struct{ pcg *rand.PCG }

func newSource(seed, stream uint64) source { return source{rand.NewPCG(seed, stream)} }

// below returns a number from 0 to n-1.
func (s source) below(n int) int {
	high, _ := bits.Mul64(s.pcg.Uint64(), uint64(n))
	return int(high)
}

// shuffle puts items into a random order (Fisher and Yates).
func shuffle[T any](s source, items []T) {
	for i := len(items) - 1; i > 0; i-- {
		j := s.below(i + 1)
		items[i], items[j] = items[j], items[i]
	}
}

// deck deals its cards in random order, all of them before any comes again:
// long texts that deal from one deck use every card equally often.
type deck[T any] struct {
	cards []T
	dealt int
}

func newDeck[T any](cards []T) *deck[T] { return &deck[T]{cards: cards} }

func (d *deck[T]) deal(s source) T {
	if d.dealt == 0 {
		shuffle(s, d.cards)
	}
	card := d.cards[d.dealt]
	d.dealt = (d.dealt + 1) % len(d.cards)
	return card
}
