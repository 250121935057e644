package workload

// cast is the small set of clauses from which one run's short texts are put
// together. Each text deals the same clauses in an order of its own. The
// clauses meet at punctuation alone, where tokenizers cut, so that their order
// does not change the number of tokens.
type cast struct {
	openings, acts, results []string
	label                   string
	aspects                 *deck[string]
}

const (
	castSize = 48 // sentences
	castRoom = 4  // sentences of one paragraph, which are on one subject
)

func newCast(s source) *cast {
	c := &cast{aspects: words(chineseAspects)}
	openings, results, subjects := words(chineseOpenings), words(chineseResults), topics(chineseTopics)
	var on topic
	for i := range castSize {
		if i%castRoom == 0 {
			on = subjects.deal(s)
		}
		c.openings = append(c.openings, openings.deal(s))
		c.acts = append(c.acts, on.who.deal(s)+on.did.deal(s))
		c.results = append(c.results, results.deal(s))
	}
	c.label = words(chineseReadings).deal(s) + "："
	return c
}

// question is what the reader is to dwell on.
func (c *cast) question(s source) string {
	return "这一次请着重谈一个方面：" + c.aspects.deal(s) + "。\n"
}

// length is that of the first n sentences, in any order.
func (c *cast) length(m *meter, n int) micro {
	sum := 0
	for i := range n {
		sum += eighths(c.openings[i]) + eighths(c.acts[i]) + eighths(c.results[i]) + 3*wideEighths
	}
	paragraphs := (n + castRoom - 1) / castRoom
	return m.rates[chinese] * micro(sum+paragraphs*2*markEighths)
}

// fits is the largest number of sentences that fit into budget.
func (c *cast) fits(m *meter, budget micro) int {
	n := 0
	for n < castSize && c.length(m, n+1) <= budget {
		n++
	}
	return n
}

// text deals the first n sentences: their openings and results in any order,
// what was done in any order within its paragraph, the paragraphs in any order.
func (c *cast) text(s source, n int) []byte {
	openings, results := shuffled(s, c.openings[:n]), shuffled(s, c.results[:n])
	var paragraphs [][]string
	for i := 0; i < n; i += castRoom {
		paragraphs = append(paragraphs, shuffled(s, c.acts[i:min(i+castRoom, n)]))
	}
	shuffle(s, paragraphs)
	var text []byte
	used := 0
	for _, acts := range paragraphs {
		for _, act := range acts {
			text = append(text, openings[used]+"，"+act+"，"+results[used]+"。"...)
			used++
		}
		text = append(text, "\n\n"...)
	}
	return text
}

func shuffled(s source, items []string) []string {
	own := append([]string(nil), items...)
	shuffle(s, own)
	return own
}
