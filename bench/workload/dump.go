package workload

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/llm-bench/llm-bench/bench"
)

// dumped is one line of a dump: the message that one request adds to its
// session.
type dumped struct {
	Session int        `json:"session"`
	Turn    int        `json:"turn"`
	Prefix  int        `json:"prefix,omitempty"`
	Role    bench.Role `json:"role"`
	Planned int        `json:"planned_prompt_tokens,omitempty"`
	Content string     `json:"content"`
}

// Dump writes the measured inputs as JSON lines, one for each request, in
// order: the user message that it adds to its session.
func (p *Plan) Dump(w io.Writer) error {
	buffered := bufio.NewWriter(w)
	enc := json.NewEncoder(buffered)
	enc.SetEscapeHTML(false)
	for i := range p.Sessions {
		s := &p.Sessions[i]
		for t, turn := range s.Turns {
			line := dumped{s.Number, t + 1, s.Prefix, bench.RoleUser, turn.PromptTokens, turn.Prefix + turn.Text}
			if err := enc.Encode(line); err != nil {
				return err
			}
		}
	}
	return buffered.Flush()
}
