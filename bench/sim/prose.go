package sim

import (
	"fmt"
	"math/rand/v2"
)

// teller makes up an endless text and hands it out token by token. The text is
// cut so that any number of its first pieces, joined, is cut into those same
// pieces again.
type teller struct {
	tok  *tokenizer
	rng  *rand.Rand
	lang language
	text string // told but not yet handed out
}

func newTeller(tok *tokenizer, lang language, seed, hash uint64) *teller {
	return &teller{tok: tok, lang: lang, rng: rand.New(rand.NewPCG(seed, hash))}
}

// next returns the next token's text.
func (t *teller) next() string {
	n := t.first()
	for n == len(t.text) { // the last token may yet grow
		t.text += t.sentence()
		n = t.first()
	}
	piece := t.text[:n]
	t.text = t.text[n:]
	return piece
}

// first is the length of the first token of what is not yet handed out.
func (t *teller) first() int {
	if t.text == "" {
		return 0
	}
	return t.tok.next(t.text)
}

func (t *teller) sentence() string {
	switch t.lang {
	case chinese:
		return t.chineseSentence()
	case code:
		return t.codeLine()
	}
	return t.englishSentence()
}

func (t *teller) pick(words ...string) string { return words[t.rng.IntN(len(words))] }

func (t *teller) chineseSentence() string {
	when := t.pick("从整体上看，", "与此同时，", "在实际使用中，", "第一步，", "换个角度说，", "到了下一个阶段，", "按照上面的材料，", "")
	who := t.pick("这套系统", "值班的工程师", "图书馆", "河边的小镇", "那批数据", "新的流程", "运输车队", "气象站")
	how := t.pick("逐步", "已经", "通常会", "很少", "在清晨", "重新", "有计划地", "反复")
	did := t.pick("整理了", "核对了", "记录下", "减少了", "改善了", "发现了", "保留着", "安排好")
	what := t.pick("三类主要问题", "前一周的结果", "每个环节的顺序", "仓库里的材料", "居民的意见", "水位的变化", "多余的等待", "两份独立的清单")
	end := t.pick("，因此后面的判断更有依据。", "，这一点值得单独说明。", "，并把原因写在旁边。", "。", "，其余部分留到以后再谈。", "；费用也随之下降。", "，大家对此并无异议。", "。\n\n")
	return when + who + how + did + what + end
}

func (t *teller) englishSentence() string {
	when := t.pick("In practice, ", "After the first review, ", "By contrast, ", "On most days ", "As the record shows, ", "Later that season ", "For the same reason ")
	who := t.pick("the harbour office", "a small team of engineers", "the northern library", "the revised schedule", "each of the villages", "the survey", "an older machine")
	did := t.pick("kept", "compared", "reduced", "described", "rebuilt", "checked", "collected")
	what := t.pick("the remaining supplies", "two independent lists", "the order of every step", "last week's results", "a long delay", "the level of the river", "what visitors had said")
	end := t.pick(", which made the next decision easier. ", ", and wrote the cause beside it. ", ". ", " before the rain began. ", "; the cost fell as well. ", ", though not at once. ", ".\n\n")
	return when + who + " " + did + " " + what + end
}

func (t *teller) codeLine() string {
	name := t.pick("total", "index", "buffer", "next", "limit", "record", "width")
	other := t.pick("count", "offset", "items", "value", "prev", "row")
	n := t.rng.IntN(500)
	switch t.rng.IntN(6) {
	case 0:
		return fmt.Sprintf("    if %s > %d {\n        return %s\n    }\n", name, n, other)
	case 1:
		return fmt.Sprintf("    for i := 0; i < %s; i++ {\n        %s += %s[i]\n    }\n", other, name, other)
	case 2:
		return fmt.Sprintf("    %s := parse(%s, %d)\n", name, other, n)
	case 3:
		return fmt.Sprintf("    // keep the %s of each %s\n", name, other)
	case 4:
		return fmt.Sprintf("    %s[%s] = append(%s[%s], %d)\n", name, other, name, other, n)
	}
	return fmt.Sprintf("}\n\nfunc %s%d(%s []int) int {\n", name, n, other)
}
