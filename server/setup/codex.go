package setup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// codexSection heads the server's table in Codex's settings.
const codexSection = "[mcp_servers." + name + "]"

// codexLimits are the lines that the command of Codex can't write: a start
// without hurry, calls that wait, and the variables that a run needs, of which
// Codex hands down none by itself.
func codexLimits() []string {
	return []string{
		"startup_timeout_sec = 30",
		"tool_timeout_sec = 600",
		`env_vars = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "ARK_BASE_URL", "ARK_API_KEY", "LLM_BENCH_HOME", "LLM_BENCH_ARKCLI"]`,
	}
}

func (s *session) codexBlock() string {
	return codexSection + "\ncommand = " + strconv.Quote(s.Binary) + "\nargs = [\"mcp\"]\n" + strings.Join(codexLimits(), "\n")
}

func (s *session) codexFile() string {
	folder, _ := s.Env("CODEX_HOME")
	if folder == "" {
		folder = filepath.Join(s.Home, ".codex")
	}
	return filepath.Join(folder, "config.toml")
}

// codex registers with Codex: its command writes the entry, and the limits are
// added below.
func (s *session) codex(ctx context.Context) error {
	path := s.codexFile()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	section := sectionOf(string(text))
	switch {
	case s.Print:
		s.report.Outcome, s.report.Text = Printed, s.codexBlock()
	case s.Uninstall:
		return s.codexRemove(ctx, path, section != "")
	case s.codexDone(section):
		s.report.Outcome = Unchanged
	case !s.has("codex"):
		s.report.Outcome, s.report.Text = Printed, s.codexBlock()
		s.note("codex is not on PATH: put this into %s", path)
	default:
		return s.codexAdd(ctx, path)
	}
	return nil
}

// codexDone reports whether the section says all that it should.
func (s *session) codexDone(section string) bool {
	if section == "" || !strings.Contains(section, strconv.Quote(s.Binary)) && !strings.Contains(section, "'"+s.Binary+"'") {
		return false
	}
	for _, line := range codexLimits() {
		key, _, _ := strings.Cut(line, " ")
		if !holdsKey(section, key) {
			return false
		}
	}
	return true
}

func (s *session) codexAdd(ctx context.Context, path string) error {
	keep, err := s.keep(path)
	if err != nil {
		return err
	}
	if err := s.command(ctx, "codex", "mcp", "add", name, "--", s.Binary, "mcp"); err != nil {
		return err
	}
	s.report.Outcome = Registered
	text, err := os.ReadFile(path)
	if err != nil || sectionOf(string(text)) == "" {
		s.note("%s holds no %s that could be given longer limits: add these lines to it:\n%s", path, codexSection, strings.Join(codexLimits(), "\n"))
		return nil
	}
	if err := writeFile(path, []byte(withLimits(string(text)))); err != nil {
		return err
	}
	s.did("added time limits and variables to %s in %s", codexSection, path)
	return keep.seal()
}

func (s *session) codexRemove(ctx context.Context, path string, present bool) error {
	restored, err := s.restore(path)
	if err != nil {
		return err
	}
	switch {
	case restored:
		s.report.Outcome = Removed
	case !present:
		s.report.Outcome = Absent
	case !s.has("codex"):
		s.report.Outcome, s.report.Text = Printed, "codex mcp remove "+name
	default:
		s.report.Outcome = Removed
		return s.command(ctx, "codex", "mcp", "remove", name)
	}
	return nil
}

// sectionOf is the server's table with its head, up to the next table; "" if
// there is none.
func sectionOf(text string) string {
	begin, end := sectionAt(text)
	return text[begin:end]
}

func sectionAt(text string) (begin, end int) {
	at, inside := 0, false
	for line := range strings.SplitAfterSeq(text, "\n") {
		head := strings.TrimSpace(line)
		switch {
		case !inside && (head == codexSection || head == `[mcp_servers."`+name+`"]`):
			begin, inside = at, true
		case inside && strings.HasPrefix(head, "["):
			return begin, at
		}
		at += len(line)
	}
	if !inside {
		return 0, 0
	}
	return begin, at
}

// withLimits adds the limits that the server's table lacks below its head.
func withLimits(text string) string {
	begin, end := sectionAt(text)
	head, rest, _ := strings.Cut(text[begin:end], "\n")
	var added strings.Builder
	for _, line := range codexLimits() {
		if key, _, _ := strings.Cut(line, " "); !holdsKey(rest, key) {
			added.WriteString(line + "\n")
		}
	}
	return text[:begin] + head + "\n" + added.String() + rest + text[end:]
}

func holdsKey(section, key string) bool {
	for line := range strings.SplitSeq(section, "\n") {
		before, _, found := strings.Cut(line, "=")
		if found && strings.TrimSpace(before) == key {
			return true
		}
	}
	return false
}
