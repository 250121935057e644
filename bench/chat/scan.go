package chat

import "bytes"

// chunk is what one event of a chat stream says. Its spans lie in the scanned
// data; strings are without their quotes and still escaped. A nil span was
// absent or null.
type chunk struct {
	choices   bool // at least one choice
	tool      bool // a tool-call fragment with a name or arguments
	content   []byte
	reasoning []byte
	refusal   []byte
	finish    []byte
	usage     []byte // a JSON object
	failure   []byte // the value of "error": neither null nor empty
	model     []byte
	tier      []byte
	id        []byte
}

// scan reads one event's JSON in a single forward pass without allocating. It
// reports false for what is not one JSON object.
func scan(data []byte) (chunk, bool) {
	var c chunk
	s := scanner{data: data}
	ok := s.object(func(key []byte) bool { return s.top(key, &c) })
	s.space()
	return c, ok && s.pos == len(s.data)
}

// maxDepth bounds the nesting of a chunk.
const maxDepth = 64

type scanner struct {
	data  []byte
	pos   int
	depth int
}

func (s *scanner) top(key []byte, c *chunk) bool {
	switch string(key) {
	case "choices":
		return s.array(func() bool {
			c.choices = true
			return s.objectOrSkip(func(key []byte) bool { return s.choice(key, c) })
		})
	case "usage":
		return s.rawObject(&c.usage)
	case "error":
		return s.rawPresent(&c.failure)
	case "model":
		return s.text(&c.model)
	case "service_tier":
		return s.text(&c.tier)
	case "id":
		return s.text(&c.id)
	}
	return s.skip()
}

func (s *scanner) choice(key []byte, c *chunk) bool {
	switch string(key) {
	case "delta":
		return s.objectOrSkip(func(key []byte) bool { return s.delta(key, c) })
	case "finish_reason":
		return s.text(&c.finish)
	case "usage":
		return s.rawObject(&c.usage)
	}
	return s.skip()
}

func (s *scanner) delta(key []byte, c *chunk) bool {
	switch string(key) {
	case "content":
		return s.text(&c.content)
	case "reasoning_content", "reasoning":
		return s.textUnlessEmpty(&c.reasoning)
	case "refusal":
		return s.text(&c.refusal)
	case "tool_calls":
		return s.array(func() bool {
			return s.objectOrSkip(func(key []byte) bool { return s.toolCall(key, c) })
		})
	case "function_call":
		return s.objectOrSkip(func(key []byte) bool { return s.function(key, c) })
	}
	return s.skip()
}

func (s *scanner) toolCall(key []byte, c *chunk) bool {
	if string(key) != "function" {
		return s.skip()
	}
	return s.objectOrSkip(func(key []byte) bool { return s.function(key, c) })
}

func (s *scanner) function(key []byte, c *chunk) bool {
	if string(key) != "name" && string(key) != "arguments" {
		return s.skip()
	}
	var value []byte
	ok := s.text(&value)
	c.tool = c.tool || len(value) > 0
	return ok
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek is the next byte that isn't white space; 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.pos == len(s.data) {
		return 0
	}
	return s.data[s.pos]
}

// take passes over the byte b and reports whether it stood there.
func (s *scanner) take(b byte) bool {
	if s.peek() != b {
		return false
	}
	s.pos++
	return true
}

// object reads an object and calls member at each value; member must read it.
func (s *scanner) object(member func(key []byte) bool) bool {
	if s.depth++; s.depth > maxDepth || !s.take('{') {
		return false
	}
	defer func() { s.depth-- }()
	if s.take('}') {
		return true
	}
	for {
		key, ok := s.str()
		if !ok || !s.take(':') || !member(key) {
			return false
		}
		if s.take('}') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

func (s *scanner) objectOrSkip(member func(key []byte) bool) bool {
	if s.peek() != '{' {
		return s.skip()
	}
	return s.object(member)
}

// array reads an array and calls element at each value; any other value is skipped.
func (s *scanner) array(element func() bool) bool {
	if s.peek() != '[' {
		return s.skip()
	}
	s.pos++
	if s.depth++; s.depth > maxDepth {
		return false
	}
	defer func() { s.depth-- }()
	if s.take(']') {
		return true
	}
	for {
		if !element() {
			return false
		}
		if s.take(']') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// str reads a string and returns what stands between its quotes.
func (s *scanner) str() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	start := s.pos
	for s.pos < len(s.data) {
		i := bytes.IndexByte(s.data[s.pos:], '"')
		if i < 0 {
			return nil, false
		}
		end := s.pos + i
		backslashes := 0
		for j := end - 1; j >= start && s.data[j] == '\\'; j-- {
			backslashes++
		}
		s.pos = end + 1
		if backslashes%2 == 0 {
			return s.data[start:end], true
		}
	}
	return nil, false
}

// text reads a string into span; a value that isn't a string is skipped.
func (s *scanner) text(span *[]byte) bool {
	if s.peek() != '"' {
		return s.skip()
	}
	value, ok := s.str()
	*span = value
	return ok
}

// textUnlessEmpty is text, but an empty string leaves what another field gave.
func (s *scanner) textUnlessEmpty(span *[]byte) bool {
	var value []byte
	ok := s.text(&value)
	if len(value) > 0 {
		*span = value
	}
	return ok
}

func (s *scanner) rawObject(span *[]byte) bool {
	isObject := s.peek() == '{'
	start := s.pos
	ok := s.skip()
	if isObject && ok {
		*span = s.data[start:s.pos]
	}
	return ok
}

// rawPresent reads any value that says something: not null, false, or empty.
func (s *scanner) rawPresent(span *[]byte) bool {
	s.space()
	start := s.pos
	if !s.skip() {
		return false
	}
	raw := s.data[start:s.pos]
	switch string(raw) {
	case "null", "false", `""`:
		return true
	}
	if len(raw) >= 2 && len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0 {
		return true
	}
	*span = raw
	return true
}

// skip passes over any value.
func (s *scanner) skip() bool {
	switch b := s.peek(); b {
	case '{':
		return s.object(func([]byte) bool { return s.skip() })
	case '[':
		return s.array(s.skip)
	case '"':
		_, ok := s.str()
		return ok
	default:
		return s.literal()
	}
}

// literal passes over a number, true, false or null.
func (s *scanner) literal() bool {
	start := s.pos
	for s.pos < len(s.data) {
		switch b := s.data[s.pos]; {
		case b >= '0' && b <= '9', b >= 'a' && b <= 'z', b == '-', b == '+', b == '.', b == 'E':
			s.pos++
		default:
			return s.isLiteral(s.data[start:s.pos])
		}
	}
	return s.isLiteral(s.data[start:s.pos])
}

func (s *scanner) isLiteral(raw []byte) bool {
	if len(raw) == 0 {
		return false
	}
	if raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' {
		return true
	}
	return string(raw) == "true" || string(raw) == "false" || string(raw) == "null"
}
