package arkcli

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// unixPlaces are where npm and the version managers of Node.js put programs
// on Linux and macOS.
func (s search) unixPlaces() []place {
	var out list
	out.add(s.npmPrefixes(), "npm", s.sub("bin"))
	out.add(s.folders("NVM_BIN"), "nvm", s.self)
	out.add(s.rooted("NVM_DIR", ".nvm"), "nvm", s.versions("versions/node", "bin"))
	out.add(s.folders("FNM_MULTISHELL_PATH"), "fnm", s.sub("bin"))
	out.add(s.rooted("FNM_DIR", ".local/share/fnm", "Library/Application Support/fnm", ".fnm"), "fnm", s.fnm)
	out.add(s.rooted("VOLTA_HOME", ".volta"), "volta", s.sub("bin"))
	out.add(s.rooted("ASDF_DATA_DIR", ".asdf"), "asdf", s.sub("shims"))
	out.add(s.rooted("MISE_DATA_DIR", ".local/share/mise"), "mise", s.sub("shims"))
	out.add(s.folders("N_PREFIX"), "n", s.sub("bin"))
	out.add(s.rooted("PNPM_HOME", ".local/share/pnpm", "Library/pnpm"), "pnpm", s.self)
	out.add(s.rooted("BUN_INSTALL", ".bun"), "bun", s.sub("bin"))
	out.add(s.inHome(".npm-global/bin", ".npm-packages/bin", ".yarn/bin", ".local/bin", "bin"), "home", s.self)
	out.add([]string{"/opt/homebrew/bin", "/usr/local/bin", "/home/linuxbrew/.linuxbrew/bin", "/opt/local/bin"}, "Homebrew", s.self)
	out.add([]string{"/usr/bin", "/snap/bin", "/opt/nodejs/bin", "/usr/local/lib/nodejs/bin"}, "system", s.self)
	return out
}

// windowsPlaces are the same on Windows.
func (s search) windowsPlaces() []place {
	var out list
	out.add(s.npmPrefixes(), "npm", s.self)
	out.add(s.under("APPDATA", "npm"), "npm", s.self)
	out.add(s.inHome(`AppData\Roaming\npm`), "npm", s.self)
	out.add(s.folders("NVM_SYMLINK"), "nvm", s.self)
	out.add(s.folders("NVM_HOME"), "nvm", s.versions("", ""))
	out.add(s.folders("FNM_MULTISHELL_PATH"), "fnm", s.self)
	out.add(s.folders("FNM_DIR"), "fnm", s.fnm)
	out.add(s.under("APPDATA", "fnm"), "fnm", s.fnm)
	out.add(s.folders("VOLTA_HOME"), "volta", s.sub("bin"))
	out.add(s.under("LOCALAPPDATA", `Volta\bin`), "volta", s.self)
	out.add(s.folders("PNPM_HOME"), "pnpm", s.self)
	out.add(s.under("LOCALAPPDATA", "pnpm"), "pnpm", s.self)
	out.add(s.inHome(`scoop\shims`, `scoop\persist\nodejs\bin`, `.bun\bin`), "scoop", s.self)
	out.add(s.under("ProgramData", `chocolatey\bin`), "Chocolatey", s.self)
	out.add(s.under("ProgramFiles", "nodejs"), "Node.js", s.self)
	return out
}

type list []place

// add appends the folders that expand makes of each root.
func (l *list) add(roots []string, how string, expand func(root string) []string) {
	for _, root := range roots {
		for _, folder := range expand(root) {
			*l = append(*l, place{folder, how})
		}
	}
}

func (s search) self(root string) []string { return []string{root} }

func (s search) sub(folder string) func(string) []string {
	return func(root string) []string { return []string{s.join(root, folder)} }
}

// versions expands root/inner/<version>/last, the newest version first.
func (s search) versions(inner, last string) func(string) []string {
	return func(root string) []string {
		if inner != "" {
			root = s.join(root, inner)
		}
		names := slices.DeleteFunc(s.files.entries(root), func(name string) bool { return !startsWithVersion(name) })
		slices.SortFunc(names, func(a, b string) int { return compareVersions(b, a) })
		out := make([]string, 0, len(names))
		for _, name := range names {
			folder := s.join(root, name)
			if last != "" {
				folder = s.join(folder, last)
			}
			out = append(out, folder)
		}
		return out
	}
}

// fnm keeps a default alias and one installation folder a version.
func (s search) fnm(root string) []string {
	inner, last, standard := "node-versions", "installation/bin", s.join(root, "aliases", "default", "bin")
	if s.windows() {
		last, standard = "installation", s.join(root, "aliases", "default")
	}
	return append([]string{standard}, s.versions(inner, last)(root)...)
}

// folders gives the value of an environment variable that names a folder.
func (s search) folders(variable string) []string {
	if folder := s.env.get(variable); folder != "" {
		return []string{folder}
	}
	return nil
}

func (s search) under(variable, inner string) []string {
	if folder := s.env.get(variable); folder != "" {
		return []string{s.join(folder, inner)}
	}
	return nil
}

func (s search) inHome(inner ...string) []string {
	if s.home == "" {
		return nil
	}
	out := make([]string, 0, len(inner))
	for _, folder := range inner {
		out = append(out, s.join(s.home, folder))
	}
	return out
}

func (s search) rooted(variable string, inner ...string) []string {
	return append(s.folders(variable), s.inHome(inner...)...)
}

// npmPrefixes are npm's global prefixes, from the environment and ~/.npmrc.
func (s search) npmPrefixes() []string {
	out := append(s.folders("NPM_CONFIG_PREFIX"), s.folders("npm_config_prefix")...)
	if s.home == "" {
		return out
	}
	for line := range strings.Lines(s.files.text(s.join(s.home, ".npmrc"))) {
		key, value, ok := strings.Cut(line, "=")
		if ok && strings.TrimSpace(key) == "prefix" {
			out = append(out, s.expandHome(strings.Trim(strings.TrimSpace(value), `"'`)))
		}
	}
	return out
}

func (s search) expandHome(path string) string {
	for _, word := range []string{"~", "${HOME}", "$HOME", "%USERPROFILE%", "${USERPROFILE}"} {
		if rest, ok := strings.CutPrefix(path, word); ok {
			return s.home + rest
		}
	}
	return path
}

func startsWithVersion(name string) bool {
	name = strings.TrimPrefix(name, "v")
	return name != "" && name[0] >= '0' && name[0] <= '9'
}

// compareVersions orders "v9.1.0" before "v20.11.1".
func compareVersions(a, b string) int {
	as, bs := strings.Split(strings.TrimPrefix(a, "v"), "."), strings.Split(strings.TrimPrefix(b, "v"), ".")
	for i := range min(len(as), len(bs)) {
		x, _ := strconv.Atoi(as[i])
		y, _ := strconv.Atoi(bs[i])
		if c := cmp.Compare(x, y); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(as), len(bs))
}
