package workload

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// The largest corpus, and the longest line of recorded conversations, in bytes.
const (
	maxCorpus     = 256 << 20
	maxCorpusLine = 16 << 20
)

// OpenCorpus reads a corpus from a file: recorded conversations from one whose
// name ends in .jsonl or .ndjson, else plain text.
func OpenCorpus(path string) (*Corpus, error) {
	info, err := os.Stat(path) // before it is opened: a pipe would wait for its writer
	switch {
	case err != nil:
		return nil, fmt.Errorf("corpus: %w", err)
	case info.IsDir():
		return nil, fmt.Errorf("corpus %s is a folder: allowed is a file", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("corpus %s is a pipe or a device: allowed is a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	defer f.Close()
	return ReadCorpus(path, f)
}

// ReadCorpus reads a corpus; name decides its form as for [OpenCorpus], and
// stands in errors.
func ReadCorpus(name string, r io.Reader) (*Corpus, error) {
	limited := &io.LimitedReader{R: r, N: maxCorpus + 1}
	c := &Corpus{name: name}
	var err error
	switch strings.ToLower(filepath.Ext(name)) {
	case ".jsonl", ".ndjson":
		err = c.readConversations(limited)
	default:
		err = c.readText(limited)
	}
	if limited.N == 0 {
		return nil, fmt.Errorf("corpus %s is too large: allowed is at most %d MiB", name, maxCorpus>>20)
	}
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(c.text) == "" {
		return nil, fmt.Errorf("corpus %s holds no text", name)
	}
	return c, nil
}

func (c *Corpus) readText(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("read corpus %s: %w", c.name, err)
	}
	c.text = normal(string(data))
	if at, fault := badText(c.text); fault != "" {
		return fmt.Errorf("corpus %s, line %d: %s", c.name, 1+strings.Count(c.text[:at], "\n"), fault)
	}
	return nil
}

// normal is text without byte-order marks, and with line feeds alone.
func normal(text string) string {
	return strings.NewReplacer("\ufeff", "", "\r\n", "\n").Replace(text)
}

// badText finds what must not stand in a message.
func badText(text string) (at int, fault string) {
	if at = strings.IndexByte(text, 0); at >= 0 {
		return at, "it holds a NUL byte"
	}
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) {
			return i, "it is not valid UTF-8"
		}
	}
	return 0, ""
}

func (c *Corpus) readConversations(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxCorpusLine)
	var all strings.Builder
	n := 1 // number of the line
	for ; lines.Scan(); n++ {
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if len(line) == 0 {
			continue
		}
		turns, text, err := conversation(line)
		if err != nil {
			return fmt.Errorf("corpus %s, line %d: %w", c.name, n, err)
		}
		c.conversations = append(c.conversations, turns)
		all.WriteString(text)
	}
	c.text = all.String()
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("corpus %s, line %d: longer than %d MiB", c.name, n, maxCorpusLine>>20)
	}
	return lines.Err()
}

// recorded is one line: a request body, of which only the messages matter.
type recorded struct {
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
}

// conversation reads one line: its user messages, and its text in all. System
// messages go to the head of the first user message, user messages in a row
// become one.
func conversation(line []byte) (turns []string, text string, err error) {
	var rec recorded
	if _, fault := badText(string(line)); fault != "" {
		return nil, "", errors.New(fault)
	}
	if err := json.Unmarshal(line, &rec); err != nil {
		return nil, "", fmt.Errorf("it is no JSON object with messages: %w", err)
	}
	var all strings.Builder
	pending := "" // what the next user message begins with
	for i, m := range rec.Messages {
		content, err := contentOf(m.Content)
		if err != nil {
			return nil, "", fmt.Errorf("messages[%d].content: %w", i, err)
		}
		all.WriteString(content + "\n\n")
		switch m.Role {
		case "system", "developer":
			pending += content + "\n\n"
		case "user":
			turns = appendTurn(turns, pending+content, i > 0 && rec.Messages[i-1].Role == "user")
			pending = ""
		case "assistant":
		default:
			return nil, "", fmt.Errorf("messages[%d].role is %q: allowed is system, user, assistant", i, m.Role)
		}
	}
	if len(turns) == 0 {
		return nil, "", errors.New("messages: none is of role user")
	}
	return turns, all.String(), nil
}

func appendTurn(turns []string, text string, joins bool) []string {
	if joins && len(turns) > 0 {
		turns[len(turns)-1] += "\n\n" + text
		return turns
	}
	return append(turns, text)
}

// contentOf reads a message's content: a string, or a list of text parts.
func contentOf(raw json.RawMessage) (string, error) {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		var parts []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if json.Unmarshal(raw, &parts) != nil {
			return "", errors.New("allowed is a string, or a list of text parts")
		}
		for i, p := range parts {
			if p.Type != "text" {
				return "", fmt.Errorf("part %d is of type %q: allowed is text", i, p.Type)
			}
			text += p.Text
		}
	}
	if _, fault := badText(text); fault != "" {
		return "", errors.New(fault)
	}
	return normal(text), nil
}
