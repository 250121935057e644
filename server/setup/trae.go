package setup

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// traeServer is the server's entry in Trae's settings. Trae is started from a
// desktop, with a bare PATH, and its calls may wait ten minutes.
type traeServer struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

func (s *session) traeServer(ctx context.Context) traeServer {
	env := map[string]string{"RUN_MCP_TIMEOUT_MS": "600000"}
	if path, _ := s.Env("PATH"); path != "" {
		env["PATH"] = path
	}
	if s.Ark != nil {
		if login, _ := s.Ark.Login(ctx, ""); login.Path != "" {
			env["LLM_BENCH_ARKCLI"] = login.Path
		}
	}
	return traeServer{Command: s.Binary, Args: []string{"mcp"}, Env: env}
}

// traeFiles are where Trae and its Chinese edition keep their servers.
func (s *session) traeFiles() []string {
	root := filepath.Join(s.Home, ".config")
	switch s.GOOS {
	case "darwin":
		root = filepath.Join(s.Home, "Library", "Application Support")
	case "windows":
		root = filepath.Join(s.Home, "AppData", "Roaming")
		if folder, _ := s.Env("APPDATA"); folder != "" {
			root = folder
		}
	}
	var files []string
	for _, edition := range []string{"Trae", "Trae CN"} {
		files = append(files, filepath.Join(root, edition, "User", "mcp.json"))
	}
	return files
}

// trae merges the server into every settings file of Trae that exists.
func (s *session) trae(ctx context.Context) error {
	if s.Uninstall {
		return s.traeRemove()
	}
	if strings.ContainsAny(s.Binary, " \t") {
		return fmt.Errorf("Trae takes no command with a space in it: put the program elsewhere than %q", s.Binary)
	}
	server := s.traeServer(ctx)
	found := false
	for _, path := range s.traeFiles() {
		if s.Print || !isFile(path) {
			continue
		}
		found = true
		if err := s.traeMerge(path, server); err != nil {
			return err
		}
	}
	if found {
		return nil
	}
	text, err := traeText(server)
	s.report.Outcome, s.report.Text = Printed, text
	if !s.Print {
		s.note("no settings of Trae were found: add the server in its settings under MCP, or open the link")
	}
	return err
}

func (s *session) traeMerge(path string, server traeServer) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	merged, err := withServer(text, name, server)
	if err != nil {
		return fmt.Errorf("%s: %w; add this by hand:\n%s", path, err, settingsText(server))
	}
	if same(text, server) {
		if s.report.Outcome == "" {
			s.report.Outcome = Unchanged
		}
		return nil
	}
	keep, err := s.keep(path)
	if err != nil {
		return err
	}
	if err := writeFile(path, merged); err != nil {
		return err
	}
	s.report.Outcome = Registered
	s.did("added %s to mcpServers in %s", name, path)
	return keep.seal()
}

// same reports whether the settings hold just this server already.
func same(text []byte, server traeServer) bool {
	var settings struct {
		Servers map[string]traeServer `json:"mcpServers"`
	}
	return json.Unmarshal(text, &settings) == nil && reflect.DeepEqual(settings.Servers[name], server)
}

func (s *session) traeRemove() error {
	s.report.Outcome = Absent
	for _, path := range s.traeFiles() {
		removed, err := s.takeOut(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if removed {
			s.report.Outcome = Removed
		}
	}
	return nil
}

// takeOut gives back the file as it was, or takes the server's entry out of
// one that was changed since.
func (s *session) takeOut(path string) (bool, error) {
	if restored, err := s.restore(path); restored || err != nil {
		return restored, err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	without, removed, err := withoutServer(text, name)
	if err != nil || !removed {
		return false, err
	}
	s.did("took %s out of mcpServers in %s", name, path)
	return true, writeFile(path, without)
}

// traeText is what a user can paste, and a link that does it.
func traeText(server traeServer) (string, error) {
	entry, err := json.Marshal(server)
	if err != nil {
		return "", err
	}
	link := "trae://trae.ai-ide/mcp-import?type=stdio&name=" + name + "&config=" + url.QueryEscape(base64.StdEncoding.EncodeToString(entry))
	return settingsText(server) + "\n" + link, nil
}

func settingsText(server traeServer) string {
	text, err := json.MarshalIndent(map[string]any{"mcpServers": map[string]any{name: server}}, "", "  ")
	if err != nil {
		return ""
	}
	return string(text)
}
