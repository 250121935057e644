package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// errNoObject says that settings aren't what they should be.
var errNoObject = errors.New("the settings are no JSON object that can be edited")

// member is one member of a JSON object, by the offsets of its bytes.
type member struct {
	key        string
	begin, end int // from the key's quote to the end of the value
	value      int // where the value begins
}

// object is a JSON object by the offsets of its bytes.
type object struct {
	open, close int // of the braces
	members     []member
}

// withServer puts a server into the settings' mcpServers, in the place of one
// of that name. Every byte outside stays as it is.
func withServer(text []byte, server string, entry any) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := readObject(text, 0)
	if err != nil {
		return nil, err
	}
	servers, present := root.find("mcpServers")
	if !present {
		return insert(text, root, "mcpServers", map[string]any{server: entry}, "  ")
	}
	inner, err := readObject(text, servers.value)
	if err != nil {
		return nil, fmt.Errorf("mcpServers: %w", err)
	}
	if old, present := inner.find(server); present {
		value, err := json.MarshalIndent(entry, "    ", "  ")
		return splice(text, old.value, old.end, string(value)), err
	}
	return insert(text, inner, server, entry, "    ")
}

// withoutServer takes a server out of the settings' mcpServers.
func withoutServer(text []byte, server string) (without []byte, removed bool, err error) {
	root, err := readObject(text, 0)
	if err != nil && !bytes.Contains(text, []byte(`"`+server+`"`)) {
		return text, false, nil // whatever it is, the server isn't in it
	}
	if err != nil {
		return nil, false, err
	}
	servers, present := root.find("mcpServers")
	if !present {
		return text, false, nil
	}
	inner, err := readObject(text, servers.value)
	if err != nil {
		return nil, false, fmt.Errorf("mcpServers: %w", err)
	}
	for i, m := range inner.members {
		if m.key == server {
			begin, end := inner.cut(i)
			return splice(text, begin, end, ""), true, nil
		}
	}
	return text, false, nil
}

// cut is what goes with member i: it and the comma that is left over.
func (o *object) cut(i int) (begin, end int) {
	switch {
	case i > 0:
		return o.members[i-1].end, o.members[i].end
	case len(o.members) > 1:
		return o.members[0].begin, o.members[1].begin
	}
	return o.open + 1, o.close
}

// insert adds a member at the end of an object.
func insert(text []byte, o *object, key string, value any, indent string) ([]byte, error) {
	encoded, err := json.MarshalIndent(value, indent, "  ")
	if err != nil {
		return nil, err
	}
	line := "\n" + indent + `"` + key + `": ` + string(encoded)
	if n := len(o.members); n > 0 {
		return splice(text, o.members[n-1].end, o.members[n-1].end, ","+line), nil
	}
	return splice(text, o.open+1, o.close, line+"\n"+strings.TrimSuffix(indent, "  ")), nil
}

func splice(text []byte, begin, end int, between string) []byte {
	return append(append(append([]byte{}, text[:begin]...), between...), text[end:]...)
}

func (o *object) find(key string) (member, bool) {
	for _, m := range o.members {
		if m.key == key {
			return m, true
		}
	}
	return member{}, false
}

// readObject reads the object that begins at or after an offset.
func readObject(text []byte, at int) (*object, error) {
	d := json.NewDecoder(bytes.NewReader(text[at:]))
	offset := func() int { return at + int(d.InputOffset()) }
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, errNoObject
	}
	o := &object{open: offset() - 1}
	for d.More() {
		token, err := d.Token()
		key, isKey := token.(string)
		if err != nil || !isKey {
			return nil, errNoObject
		}
		m := member{key: key, begin: keyAt(text, o, offset())}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, errNoObject
		}
		m.end = offset()
		m.value = m.end - len(value)
		o.members = append(o.members, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, errNoObject
	}
	o.close = offset() - 1
	if at == 0 && !onlySpace(d) {
		return nil, errNoObject
	}
	return o, nil
}

// keyAt is where the key begins that ends at an offset: at the first quote
// after the member or brace before it.
func keyAt(text []byte, o *object, end int) int {
	from := o.open + 1
	if n := len(o.members); n > 0 {
		from = o.members[n-1].end
	}
	return from + bytes.IndexByte(text[from:end], '"')
}

// onlySpace reports whether nothing follows the document.
func onlySpace(d *json.Decoder) bool {
	_, err := d.Token()
	return errors.Is(err, io.EOF)
}
