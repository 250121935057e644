package setup

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/llm-bench/llm-bench/arkcli"
	"github.com/llm-bench/llm-bench/bench"
)

// Check is a trial of the server, as a client would start it.
type Check struct {
	Server     string  `json:"server"` // name and version that it gave
	StartMS    float64 `json:"start_ms"`
	Tools      int     `json:"tools"`
	ArkCLI     string  `json:"arkcli,omitempty"` // its path
	ArkProblem string  `json:"ark_problem,omitempty"`
	ArkFix     string  `json:"ark_fix,omitempty"`
}

func (c *Check) print(line func(string, ...any)) {
	line("server: %s answers in %.0f ms with %d tools", c.Server, c.StartMS, c.Tools)
	switch {
	case c.ArkProblem == "":
		line("Ark CLI: ready (%s)", c.ArkCLI)
	default:
		line("Ark CLI: %s; %s", c.ArkProblem, c.ArkFix)
	}
}

// checkTime bounds the trial; clients give a server ten seconds and more.
const checkTime = 10 * time.Second

// check starts the server and asks for its tools. A problem with Ark CLI is no
// error: the server works without it.
func (s *session) check(ctx context.Context) (*Check, error) {
	c := &Check{}
	trial, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	if err := c.tryServer(trial, s.Binary); err != nil {
		return c, fmt.Errorf("the server doesn't work: %s mcp: %w", s.Binary, err)
	}
	if s.Ark == nil {
		return c, nil
	}
	login, err := s.Ark.Login(ctx, "")
	c.ArkCLI = login.Path
	var problem *arkcli.Error
	switch {
	case errors.As(err, &problem):
		c.ArkProblem, c.ArkFix = problem.Message, problem.Advice()
	case err != nil:
		c.ArkProblem = bench.Clean(err.Error(), 300)
	}
	return c, nil
}

// What the trial sends, one message a line. A server may answer requests in any
// order, so the second part waits for the answer to the first.
const (
	greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"llm-bench setup","version":"1"}}}
`
	question = `{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`
)

func (c *Check) tryServer(ctx context.Context, binary string) error {
	cmd := exec.CommandContext(ctx, binary, "mcp")
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	err = c.converse(in, bufio.NewScanner(out), began)
	_ = in.Close() // the server ends when its input does
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if ctx.Err() != nil {
			return fmt.Errorf("%w within %s", err, checkTime)
		}
		return err
	}
	return cmd.Wait()
}

func (c *Check) converse(in io.Writer, lines *bufio.Scanner, began time.Time) error {
	lines.Buffer(nil, 4<<20)
	if _, err := io.WriteString(in, greeting); err != nil {
		return err
	}
	var first struct {
		ServerInfo struct{ Name, Version string }
	}
	if err := answer(lines, 1, &first); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	c.Server = bench.Clean(first.ServerInfo.Name+" "+first.ServerInfo.Version, 80)
	c.StartMS = bench.Milliseconds(time.Since(began).Round(time.Millisecond))
	if _, err := io.WriteString(in, question); err != nil {
		return err
	}
	var list struct{ Tools []json.RawMessage }
	if err := answer(lines, 2, &list); err != nil {
		return fmt.Errorf("tools/list: %w", err)
	}
	c.Tools = len(list.Tools)
	if c.Tools == 0 {
		return errors.New("tools/list: there are no tools")
	}
	return nil
}

// answer reads lines up to the answer with the id, and decodes its result.
func answer(lines *bufio.Scanner, id int, result any) error {
	for lines.Scan() {
		var message struct {
			ID     any
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(lines.Bytes(), &message); err != nil {
			return fmt.Errorf("a line is no JSON: %q", bench.Clean(bench.Redact(lines.Text()), 200))
		}
		if number, ok := message.ID.(float64); !ok || int(number) != id {
			continue
		}
		if message.Error != nil {
			return errors.New(bench.Clean(message.Error.Message, 200))
		}
		return json.Unmarshal(message.Result, result)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return errors.New("it ended without an answer")
}
