package workload

// cast is the set of clauses from which one run's short texts are put together
// when lengths are the server's. Each text deals the same clauses in an order
// of its own. They meet where tokenizers cut (at punctuation, blanks and line
// ends), so that their order does not change the number of tokens.
type cast struct {
	proses    [2]castProse // Chinese, English
	functions []castFunction
	label     string
}

type castProse struct {
	openings, acts, results []string
	comma, stop, gap        string
}

type castFunction struct {
	open, close string
	statements  []string
}

// castCounts is how much of a cast a text deals: sentences, and statements.
type castCounts [kinds]int

const (
	castSentences  = 160 // of each language
	castFunctions  = 32
	castStatements = 5 // of each function
	castRoom       = 4 // sentences of one paragraph, which are on one subject
)

// newCast deals a cast. Its beginnings are casts of shorter texts.
func newCast(s source) *cast {
	zh, en := newChinese(), newEnglish()
	c := &cast{}
	c.proses[chinese] = castOf(s, zh.topics, zh.openings, zh.results, castProse{comma: "，", stop: "。"})
	c.proses[english] = castOf(s, en.topics, en.openings, en.results, castProse{comma: ", ", stop: ".", gap: " "})
	w := newCode()
	for range castFunctions {
		f := castFunction{open: w.open(s), close: w.close()}
		for range castStatements {
			f.statements = append(f.statements, w.sentence(s))
		}
		c.functions = append(c.functions, f)
	}
	c.label = words(chineseReadings).deal(s) + "："
	return c
}

func castOf(s source, subjects *deck[topic], openings, results *deck[string], p castProse) castProse {
	var on topic
	for i := range castSentences {
		if i%castRoom == 0 {
			on = subjects.deal(s)
		}
		p.openings = append(p.openings, openings.deal(s))
		p.acts = append(p.acts, on.who.deal(s)+p.gap+on.did.deal(s))
		p.results = append(p.results, results.deal(s))
	}
	return p
}

// question asks about one of the readings.
func question(reading string) string {
	return "这一次请着重谈读数为" + reading + "的那一次前后的情况。\n"
}

// lengths are those of a text which deals n.
func (c *cast) lengths(m *meter, n castCounts) lengths {
	var l lengths
	for k := range n {
		l[k] = c.lengthOf(m, kind(k), n[k])
	}
	return l
}

func (c *cast) lengthOf(m *meter, k kind, n int) micro {
	sum := 0
	for i := range n {
		if k == code {
			sum += c.functions[i/castStatements].eighthsOf(i % castStatements)
		} else {
			sum += c.proses[k].eighthsOf(i)
		}
	}
	return m.rates[k] * micro(sum)
}

// eighthsOf is the length of sentence i with the clauses in their first order.
func (p *castProse) eighthsOf(i int) int {
	around := eighths(p.gap)
	if i%castRoom == 0 {
		around = 2 * markEighths
	}
	return eighths(p.openings[i]+p.comma+p.acts[i]+p.comma+p.results[i]+p.stop) + around
}

func (f *castFunction) eighthsOf(i int) int {
	if i == 0 {
		return eighths(f.open + f.statements[0] + f.close)
	}
	return eighths(f.statements[i])
}

// fits is how much of the cast fits into budget: Chinese alone, or all kinds
// by their shares.
func (c *cast) fits(m *meter, budget micro, mixed bool) castCounts {
	var n castCounts
	if mixed {
		for k, part := range m.split(budget) {
			n[k] = c.fitsOf(m, kind(k), 0, part)
		}
	}
	n[chinese] = c.fitsOf(m, chinese, n[chinese], budget-c.lengths(m, castCounts{0, n[english], n[code]}).sum())
	return n
}

func (c *cast) fitsOf(m *meter, k kind, n int, budget micro) int {
	most := castSentences
	if k == code {
		most = castFunctions * castStatements
	}
	for n < most && c.lengthOf(m, k, n+1) <= budget {
		n++
	}
	return n
}

// text deals n: clauses within all sentences of a language, acts and
// statements within their paragraph, paragraphs in any order.
func (c *cast) text(s source, n castCounts) []byte {
	paragraphs := append(c.proses[chinese].paragraphs(s, n[chinese]), c.proses[english].paragraphs(s, n[english])...)
	for i := 0; i < n[code]; i += castStatements {
		f := &c.functions[i/castStatements]
		statements := shuffled(s, f.statements[:min(castStatements, n[code]-i)])
		paragraphs = append(paragraphs, join(f.open, statements, "", f.close))
	}
	shuffle(s, paragraphs)
	var text []byte
	for _, p := range paragraphs {
		text = append(text, p...)
	}
	return text
}

func (p *castProse) paragraphs(s source, n int) [][]byte {
	openings, results := shuffled(s, p.openings[:n]), shuffled(s, p.results[:n])
	var paragraphs [][]byte
	for i := 0; i < n; i += castRoom {
		sentences := shuffled(s, p.acts[i:min(i+castRoom, n)])
		for j, act := range sentences {
			sentences[j] = openings[i+j] + p.comma + act + p.comma + results[i+j] + p.stop
		}
		paragraphs = append(paragraphs, join("", sentences, p.gap, "\n\n"))
	}
	return paragraphs
}

func join(opening string, parts []string, gap, closing string) []byte {
	text := []byte(opening)
	for i, part := range parts {
		if i > 0 {
			text = append(text, gap...)
		}
		text = append(text, part...)
	}
	return append(text, closing...)
}

func shuffled(s source, items []string) []string {
	own := append([]string(nil), items...)
	shuffle(s, own)
	return own
}
