package fake

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Call is one line of the call log.
type Call struct {
	Argv    []string          `json:"argv"`
	PID     int               `json:"pid"`
	StartNS int64             `json:"start_ns"`
	EndNS   int64             `json:"end_ns"`
	Env     map[string]string `json:"env"` // ARK_*, ARKCLI_*, HOME, PATH
	Dir     string            `json:"dir"`
	Exit    int               `json:"exit"`
	Signal  string            `json:"signal,omitempty"`
	Overlap bool              `json:"overlap,omitempty"` // another call was running
}

// Command is the call's arguments in one line.
func (c Call) Command() string { return strings.Join(c.Argv, " ") }

const logName = "calls.jsonl"

// ReadCalls reads the call log in a state folder, in order of ending.
func ReadCalls(state string) ([]Call, error) {
	f, err := os.Open(filepath.Join(state, logName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []Call
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c Call
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return out, fmt.Errorf("call log %s: %w", state, err)
		}
		out = append(out, c)
	}
	return out, lines.Err()
}

// mark is the begin of a call.
type mark struct {
	start   time.Time
	overlap bool
}

func (s *session) state() string { return s.env["FAKE_ARKCLI_STATE"] }

func (s *session) file(name string) string { return filepath.Join(s.state(), name) }

// begin leaves a running.<pid> file and looks for those of others.
func (s *session) begin() mark {
	s.mark = mark{start: time.Now()}
	if s.state() == "" {
		return s.mark
	}
	_ = os.MkdirAll(s.state(), 0o755)
	mine := "running." + strconv.Itoa(os.Getpid())
	_ = os.WriteFile(s.file(mine), nil, 0o644)
	others, _ := filepath.Glob(s.file("running.*"))
	for _, other := range others {
		s.mark.overlap = s.mark.overlap || filepath.Base(other) != mine
	}
	return s.mark
}

// end writes the call down and takes the running file away.
func (s *session) end(m mark, a answer) {
	if s.state() == "" {
		return
	}
	dir, _ := os.Getwd()
	if a.signal == "" {
		a.signal = s.signal
	}
	line, err := json.Marshal(Call{
		Argv: s.args, PID: os.Getpid(), StartNS: m.start.UnixNano(), EndNS: time.Now().UnixNano(),
		Env: s.loggedEnv(), Dir: dir, Exit: a.exit, Signal: a.signal, Overlap: m.overlap,
	})
	if err != nil {
		return
	}
	if f, err := os.OpenFile(s.file(logName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
		_, _ = f.Write(append(line, '\n'))
		_ = f.Close()
	}
	if a.exit >= 0 {
		_ = os.Remove(s.file("running." + strconv.Itoa(os.Getpid())))
	}
}

func (s *session) loggedEnv() map[string]string {
	out := map[string]string{}
	for key, value := range s.env {
		if strings.HasPrefix(key, "ARK_") || strings.HasPrefix(key, "ARKCLI_") || key == "HOME" || key == "PATH" {
			out[key] = value
		}
	}
	return out
}

// kept and keep are small facts that outlive a call.
func (s *session) kept(name string) string {
	if s.state() == "" {
		return ""
	}
	text, _ := os.ReadFile(s.file(name))
	return string(text)
}

func (s *session) keep(name, text string) {
	if s.state() != "" {
		_ = os.WriteFile(s.file(name), []byte(text), 0o600)
	}
}

// count counts the calls to it across processes, from 1.
func (s *session) count(name string) int {
	n, _ := strconv.Atoi(s.kept(name))
	s.keep(name, strconv.Itoa(n+1))
	return n + 1
}
