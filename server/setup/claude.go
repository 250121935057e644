package setup

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// claude registers with Claude Code at user scope, unless the plugin brings
// the server along: both ways at once would give two servers.
func (s *session) claude(ctx context.Context) error {
	entry, err := s.claudeEntry()
	if err != nil {
		return err
	}
	plugin := s.claudePlugin()
	switch {
	case s.Print:
		s.report.Outcome, s.report.Text = Printed, s.claudeCommand()
	case s.Uninstall && entry == nil:
		s.report.Outcome = Absent
	case s.Uninstall:
		return s.claudeRemove(ctx, Removed)
	case plugin != "" && entry != nil:
		s.note("the plugin in %s brings the server along; the second registration was taken out", plugin)
		return s.claudeRemove(ctx, Unchanged)
	case plugin != "":
		s.report.Outcome = Unchanged
		s.note("the plugin in %s brings the server along", plugin)
	case entry.isOurs(s.Binary):
		s.report.Outcome = Unchanged
	case !s.has("claude"):
		s.report.Outcome, s.report.Text = Printed, s.claudeCommand()
		s.note("claude is not on PATH: run this where it is")
	default:
		return s.claudeAdd(ctx, entry != nil)
	}
	return nil
}

func (s *session) claudeCommand() string {
	return "claude mcp add -s user " + name + " -- " + quoted(s.Binary) + " mcp"
}

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if strings.ContainsAny(path, " \t'\"$&;()<>|*?`") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

func (s *session) claudeAdd(ctx context.Context, replace bool) error {
	if replace { // adding fails for a name that is taken
		if err := s.command(ctx, "claude", "mcp", "remove", "-s", "user", name); err != nil {
			return err
		}
	}
	if err := s.command(ctx, "claude", "mcp", "add", "-s", "user", name, "--", s.Binary, "mcp"); err != nil {
		return err
	}
	s.report.Outcome = Registered
	s.note("sessions that are open see the server after /mcp or a restart")
	return nil
}

func (s *session) claudeRemove(ctx context.Context, outcome Outcome) error {
	s.report.Outcome = outcome
	if !s.has("claude") {
		s.report.Outcome, s.report.Text = Printed, "claude mcp remove -s user "+name
		return nil
	}
	return s.command(ctx, "claude", "mcp", "remove", "-s", "user", name)
}

// claudeServer is an entry of a server in Claude Code's settings.
type claudeServer struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func (e *claudeServer) isOurs(binary string) bool {
	return e != nil && e.Command == binary && slices.Equal(e.Args, []string{"mcp"})
}

// claudeEntry is the server's entry at user scope, nil if there is none.
func (s *session) claudeEntry() (*claudeServer, error) {
	folder, _ := s.Env("CLAUDE_CONFIG_DIR")
	if folder == "" {
		folder = s.Home
	}
	text, err := os.ReadFile(filepath.Join(folder, ".claude.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var settings struct {
		Servers map[string]*claudeServer `json:"mcpServers"`
	}
	if err := json.Unmarshal(text, &settings); err != nil {
		return nil, nil // unreadable for us: the client's own command decides
	}
	return settings.Servers[name], nil
}

// claudePlugin is where the plugin lies that brings the server along; "" if it
// is not installed.
func (s *session) claudePlugin() string {
	folder, _ := s.Env("CLAUDE_CONFIG_DIR")
	if folder == "" {
		folder = filepath.Join(s.Home, ".claude")
	}
	skill := filepath.Join(folder, "skills", name)
	if isFile(filepath.Join(skill, ".claude-plugin", "plugin.json")) && isFile(filepath.Join(skill, ".mcp.json")) {
		return skill
	}
	list := filepath.Join(folder, "plugins", "installed_plugins.json")
	text, err := os.ReadFile(list)
	if err == nil && strings.Contains(string(text), `"`+name+"@") {
		return list
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
