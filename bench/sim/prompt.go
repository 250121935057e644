package sim

import "strings"

// prompt is what the model reads: the messages under the chat template, as
// token ids.
type prompt struct {
	ids  []uint32
	hash uint64
	lang language
}

// compile puts the chat template over msgs. Each message costs template tokens
// beside its text; the opening of the answer costs one fewer.
func (t *tokenizer) compile(msgs []message, template int) prompt {
	ids := make([]uint32, 0, estimate(msgs, template))
	for _, m := range msgs {
		ids = appendMarkers(ids, m.Role, template-1)
		ids = t.appendIDs(ids, m.reasoning)
		ids = t.appendIDs(ids, m.text)
		if template > 0 {
			ids = append(ids, marker("end", 0))
		}
	}
	ids = appendMarkers(ids, "assistant", template-1)
	return prompt{ids: ids, hash: hashIDs(ids), lang: languageOf(msgs)}
}

// estimate is a capacity that most prompts fit into.
func estimate(msgs []message, template int) int {
	n := template
	for _, m := range msgs {
		n += template + len(m.text)/3 + 16
	}
	return n
}

func appendMarkers(ids []uint32, role string, n int) []uint32 {
	for i := range n {
		ids = append(ids, marker(role, i))
	}
	return ids
}

func marker(role string, i int) uint32 {
	return markerBit | (hash32(role)+uint32(i))&^markerBit
}

func hashIDs(ids []uint32) uint64 {
	h := uint64(14695981039346656037)
	for _, id := range ids {
		h = (h ^ uint64(id)) * 1099511628211
	}
	return h
}

// language is what an answer is written in.
type language int

const (
	english language = iota
	chinese
	code
)

// languageOf judges by the end of the last message.
func languageOf(msgs []message) language {
	if len(msgs) == 0 {
		return english
	}
	text := msgs[len(msgs)-1].text
	text = strings.ToValidUTF8(text[max(0, len(text)-2000):], "")
	han, letters, marks := 0, 0, 0
	for _, r := range text {
		switch class(r) {
		case classHan:
			han++
		case classLetter:
			letters++
		case classMark:
			marks++
		}
	}
	switch {
	case 3*han > letters:
		return chinese
	case 6*marks > letters:
		return code
	}
	return english
}
