package arkcli

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// files is what the search for the program asks of a disk.
type files interface {
	program(path string) bool       // a file that can be run
	entries(folder string) []string // names in a folder, none when it can't be read
	text(path string) string        // the first 64 KiB of a file, "" when it can't be read
}

// search looks for the program under the rules of one operating system. It
// uses no path function of this process's system.
type search struct {
	env   environment
	home  string
	files files
}

// place is a folder that may hold programs, and how it came to be known.
type place struct{ folder, how string }

// found is a program and how it was found.
type found struct{ path, how string }

// find returns the program to run.
func (c *CLI) find() (found, *Error) {
	s := search{c.env(), c.opts.Home, c.opts.files}
	if given := s.given(c.opts.Path); given != "" {
		if s.files.program(given) {
			return found{given, "LLM_BENCH_ARKCLI"}, nil
		}
		return found{}, problem(CLIMissing, fmt.Sprintf("arkcli is required, but LLM_BENCH_ARKCLI names %s, which is no program that can be run", c.say(given, 200)))
	}
	places := s.places()
	for _, p := range places {
		for _, name := range s.names() {
			if path := s.join(p.folder, name); s.files.program(path) {
				return found{path, p.how}, nil
			}
		}
	}
	return found{}, problem(CLIMissing, fmt.Sprintf("arkcli is required: it is neither on PATH nor in any of the %d places where npm, nvm, fnm, volta, Homebrew and their like put programs", len(places)))
}

func (s search) given(path string) string {
	if path == "" {
		path = s.env.get("LLM_BENCH_ARKCLI")
	}
	return strings.Trim(strings.TrimSpace(path), `"`)
}

func (s search) windows() bool { return s.env.goos == "windows" }

// names are the file names of the program, the likeliest first.
func (s search) names() []string {
	if s.windows() {
		return []string{"arkcli.exe", "arkcli.cmd", "arkcli.bat"}
	}
	return []string{"arkcli"}
}

func (s search) join(parts ...string) string {
	sep := "/"
	if s.windows() {
		sep = `\`
	}
	return strings.TrimRight(parts[0], `/\`) + sep + strings.Join(parts[1:], sep)
}

func (s search) absolute(folder string) bool {
	if s.windows() {
		return len(folder) > 2 && folder[1] == ':' || strings.HasPrefix(folder, `\\`)
	}
	return strings.HasPrefix(folder, "/")
}

// places are the folders to look in, in order and each once. Relative entries
// of PATH are left out: a program beside the data must not be run.
func (s search) places() []place {
	all := s.onPath()
	if s.windows() {
		all = append(all, s.windowsPlaces()...)
	} else {
		all = append(all, s.unixPlaces()...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(p place) bool {
		again := seen[p.folder] || !s.absolute(p.folder)
		seen[p.folder] = true
		return again
	})
}

func (s search) onPath() []place {
	sep := ":"
	if s.windows() {
		sep = ";"
	}
	var out []place
	for folder := range strings.SplitSeq(s.env.get("PATH"), sep) {
		out = append(out, place{strings.Trim(folder, `"`), "PATH"})
	}
	return out
}

// childPath is PATH for the program at path: its own folder first, since a
// version manager keeps Node.js beside what npm installed; at the end the
// known places that hold Node.js, since a desktop program hands down a short
// PATH.
func (s search) childPath(path string) string {
	sep := ":"
	if s.windows() {
		sep = ";"
	}
	folders := []string{folderOf(path)}
	if old := s.env.get("PATH"); old != "" {
		folders = append(folders, old)
	}
	for _, p := range s.places() {
		if p.how != "PATH" && s.files.program(s.join(p.folder, s.node())) {
			folders = append(folders, p.folder)
		}
	}
	return strings.Join(folders, sep)
}

func (s search) node() string {
	if s.windows() {
		return "node.exe"
	}
	return "node"
}

func folderOf(path string) string {
	if i := strings.LastIndexAny(path, `/\`); i > 0 {
		return path[:i]
	}
	return path
}

// disk is the disk of this machine.
type disk struct{}

func (disk) program(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && mayRun(info)
}

func (disk) entries(folder string) []string {
	list, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(list))
	for _, entry := range list {
		names = append(names, entry.Name())
	}
	return names
}

func (disk) text(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 64<<10)
	n, _ := f.Read(head)
	return string(head[:n])
}
