package workload

import (
	"strconv"
	"strings"
)

// kind is a kind of text.
type kind int

const (
	chinese kind = iota
	english
	code
	kinds = 3
)

// author writes endless text of each kind. A sentence that did not fit stays
// the next one, so that what is written does not depend on where pieces end
// more than it must.
type author struct {
	src     source
	writers [kinds]writer
	kept    [kinds]string
}

// writer writes one kind of text: paragraphs made of sentences, which in code
// are statements.
type writer interface {
	open(s source) string // what begins a paragraph
	sentence(s source) string
	close() string // what ends it
	gap() string   // what stands between two sentences
}

func newAuthor(seed, stream uint64) *author {
	return &author{src: newSource(seed, stream), writers: [kinds]writer{newChinese(), newEnglish(), newCode()}}
}

func (a *author) open(k kind) string { return a.writers[k].open(a.src) }

// peek returns the next sentence of kind k, and again until it is taken.
func (a *author) peek(k kind) string {
	if a.kept[k] == "" {
		a.kept[k] = a.writers[k].sentence(a.src)
	}
	return a.kept[k]
}

func (a *author) take(k kind) string {
	s := a.peek(k)
	a.kept[k] = ""
	return s
}

// close ends a paragraph. A statement that is left over was meant for the
// function that ends here.
func (a *author) close(k kind) string {
	if k == code {
		a.kept[k] = ""
	}
	return a.writers[k].close()
}

// topic is a subject of prose: who, and what they did.
type topic struct{ who, did *deck[string] }

func topics(lines string) *deck[topic] {
	all := strings.Split(lines, "\n")
	var ts []topic
	for i := 0; i+1 < len(all); i += 2 {
		ts = append(ts, topic{words(all[i]), words(all[i+1])})
	}
	return newDeck(ts)
}

func words(list string) *deck[string] { return newDeck(strings.Split(list, "|")) }

// number draws a number of two digits. Two of them are left out, since side by
// side they read as a date that some filters know.
func number(s source) string {
	for {
		if n := 11 + s.below(87); n != 64 && n != 89 {
			return strconv.Itoa(n)
		}
	}
}

func fill(s source, text string) string { return strings.Replace(text, "#", number(s), 1) }

// chineseWriter writes Chinese prose.
type chineseWriter struct {
	topics                      *deck[topic]
	topic                       topic
	openings, results, measures *deck[string]
	patterns                    *deck[int]
}

func newChinese() *chineseWriter {
	return &chineseWriter{
		topics: topics(chineseTopics), openings: words(chineseOpenings), results: words(chineseResults),
		measures: words(chineseMeasures), patterns: newDeck([]int{0, 0, 0, 1, 1, 2, 3, 4}),
	}
}

func (w *chineseWriter) open(s source) string {
	w.topic = w.topics.deal(s)
	return ""
}

func (w *chineseWriter) close() string { return "\n\n" }
func (w *chineseWriter) gap() string   { return "" }

func (w *chineseWriter) sentence(s source) string {
	if w.topic.who == nil {
		w.open(s)
	}
	act := w.topic.who.deal(s) + w.topic.did.deal(s)
	switch w.patterns.deal(s) {
	case 0:
		return w.openings.deal(s) + "，" + act + "，" + w.results.deal(s) + "。"
	case 1:
		return act + "，" + w.results.deal(s) + "。"
	case 2:
		return w.openings.deal(s) + "，" + act + "。"
	case 3:
		return act + "，" + fill(s, w.measures.deal(s)) + "，" + w.results.deal(s) + "。"
	}
	return w.openings.deal(s) + "，" + act + "，" + fill(s, w.measures.deal(s)) + "。"
}

// englishWriter writes English prose.
type englishWriter struct {
	topics                      *deck[topic]
	topic                       topic
	openings, results, measures *deck[string]
	patterns                    *deck[int]
}

func newEnglish() *englishWriter {
	return &englishWriter{
		topics: topics(englishTopics), openings: words(englishOpenings), results: words(englishResults),
		measures: words(englishMeasures), patterns: newDeck([]int{0, 0, 0, 1, 1, 2, 3}),
	}
}

func (w *englishWriter) open(s source) string {
	w.topic = w.topics.deal(s)
	return ""
}

func (w *englishWriter) close() string { return "\n\n" }
func (w *englishWriter) gap() string   { return " " }

func (w *englishWriter) sentence(s source) string {
	if w.topic.who == nil {
		w.open(s)
	}
	act := w.topic.who.deal(s) + " " + w.topic.did.deal(s)
	switch w.patterns.deal(s) {
	case 0:
		return w.openings.deal(s) + ", " + act + ", " + w.results.deal(s) + "."
	case 1:
		return capital(act) + ", " + w.results.deal(s) + "."
	case 2:
		return w.openings.deal(s) + ", " + act + ". " + fill(s, w.measures.deal(s))
	}
	return capital(act) + ". " + fill(s, w.measures.deal(s))
}

// capital is text with its first letter as a capital; it must be ASCII.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
