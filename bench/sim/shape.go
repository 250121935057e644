package sim

import (
	"strconv"
	"unicode/utf8"
)

// shape is how the chunks of one answer are spelled.
type shape struct {
	id        string
	model     string
	tier      string
	created   int64
	reasoning string     // key of the thinking text
	usage     usageStyle // spelling of the usage object
	brief     bool       // OpenAI's way: role in the opener only, finish_reason null before the end
	nullUsage bool       // "usage":null where there is none
	inChoice  bool       // usage stands in choices[0]
	extra     string     // further top-level fields, with a leading comma
	frame     func(dst []byte, json []byte) []byte
	finish    func([]byte) []byte // last change to the bytes of a write; may be nil
	scratch   []byte
}

// newShape is Ark's spelling.
func newShape(id, model, tier string, created int64) *shape {
	return &shape{
		id: id, model: model, tier: tier, created: created,
		reasoning: "reasoning_content", usage: nestedUsage, nullUsage: true, frame: dataFrame,
	}
}

// dataFrame makes an event of one data line.
func dataFrame(dst, json []byte) []byte {
	dst = append(dst, "data: "...)
	dst = append(dst, json...)
	return append(dst, "\n\n"...)
}

// appendEvent appends ev as it is sent, but for finish.
func (s *shape) appendEvent(dst []byte, ev *event) []byte {
	switch ev.kind {
	case kindRaw, kindComment, kindError:
		return append(dst, ev.text...)
	case kindDone:
		return s.frame(dst, []byte("[DONE]"))
	}
	s.scratch = s.appendChunk(s.scratch[:0], ev)
	return s.frame(dst, s.scratch)
}

// appendChunk appends the JSON of a chunk.
func (s *shape) appendChunk(dst []byte, ev *event) []byte {
	dst = append(dst, `{"choices":[`...)
	if ev.kind != kindUsage || s.inChoice {
		dst = s.appendChoice(dst, ev)
	}
	dst = append(dst, `],"created":`...)
	dst = strconv.AppendInt(dst, s.created, 10)
	dst = append(dst, `,"id":`...)
	dst = appendString(dst, s.id)
	dst = append(dst, `,"model":`...)
	dst = appendString(dst, s.model)
	dst = append(dst, `,"service_tier":`...)
	dst = appendString(dst, s.tier)
	dst = append(dst, `,"object":"chat.completion.chunk"`...)
	if !s.inChoice {
		dst = s.appendUsage(dst, ev)
	}
	dst = append(dst, s.extra...)
	return append(dst, '}')
}

func (s *shape) appendUsage(dst []byte, ev *event) []byte {
	switch {
	case ev.usage != nil:
		return s.usage(append(dst, `,"usage":`...), *ev.usage)
	case s.nullUsage:
		return append(dst, `,"usage":null`...)
	}
	return dst
}

func (s *shape) appendChoice(dst []byte, ev *event) []byte {
	dst = append(dst, `{"delta":{`...)
	dst = s.appendDelta(dst, ev)
	dst = append(dst, '}')
	switch {
	case ev.finish != "":
		dst = appendString(append(dst, `,"finish_reason":`...), ev.finish)
	case s.brief:
		dst = append(dst, `,"finish_reason":null`...)
	}
	dst = append(dst, `,"index":0`...)
	if s.inChoice {
		dst = s.appendUsage(dst, ev)
	}
	return append(dst, '}')
}

// appendDelta appends the fields of a delta, in alphabetical order as Ark does.
func (s *shape) appendDelta(dst []byte, ev *event) []byte {
	start := len(dst)
	field := func(key, value string) {
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = appendString(append(appendString(dst, key), ':'), value)
	}
	switch {
	case ev.kind == kindRole && ev.null:
		dst = append(dst, `"content":null`...)
	case ev.text != "" && ev.kind == kindContent, ev.kind == kindRole, !s.brief:
		field("content", contentOf(ev))
	}
	if ev.kind == kindEncrypted {
		field("encrypted_content", ev.text)
	}
	if ev.reasoning != "" || ev.kind == kindEncrypted {
		field(s.reasoning, ev.reasoning)
	}
	if ev.kind == kindRefusal {
		field("refusal", ev.text)
	}
	if !s.brief || ev.kind == kindRole {
		field("role", "assistant")
	}
	if ev.kind == kindTool {
		dst = appendToolCall(dst, ev.text, len(dst) > start)
	}
	return dst
}

func contentOf(ev *event) string {
	if ev.kind == kindContent {
		return ev.text
	}
	return ""
}

func appendToolCall(dst []byte, arguments string, comma bool) []byte {
	if comma {
		dst = append(dst, ',')
	}
	dst = append(dst, `"tool_calls":[{"function":{"arguments":`...)
	dst = appendString(dst, arguments)
	return append(dst, `,"name":"lookup"},"id":"call_sim","index":0,"type":"function"}]`...)
}

// appendString appends s as a JSON string. What is not valid UTF-8 becomes
// U+FFFD.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			switch {
			case c == '"' || c == '\\':
				dst = append(dst, '\\', c)
			case c == '\n':
				dst = append(dst, `\n`...)
			case c < ' ':
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			default:
				dst = append(dst, c)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		dst = utf8.AppendRune(dst, r)
		i += size
	}
	return append(dst, '"')
}
