package arkcli

import (
	"slices"
	"strings"
)

// environment is a list of KEY=VALUE under the rules of one operating system:
// on Windows names are the same in any case.
type environment struct {
	list []string
	goos string
}

func (e environment) get(name string) string {
	for _, entry := range slices.Backward(e.list) {
		if key, value, ok := cutEntry(entry); ok && e.same(key, name) {
			return value
		}
	}
	return ""
}

func (e environment) same(a, b string) bool {
	if e.goos == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// cutEntry splits an entry. Windows keeps entries such as "=C:=C:\dir".
func cutEntry(entry string) (key, value string, ok bool) {
	if strings.HasPrefix(entry, "=") {
		return "", "", false
	}
	return strings.Cut(entry, "=")
}

// homeOf is the user's home, as Ark CLI will see it.
func homeOf(e environment) string {
	if e.goos == "windows" {
		return e.get("USERPROFILE")
	}
	return e.get("HOME")
}

// forChild is the environment in which Ark CLI runs: no ARK_* variable, since
// those override the profile's key, address and region unseen; the names by
// which Ark CLI knows an agent, which also silence its update notices; and a
// PATH on which the Node.js of an npm shim can be found.
func (e environment) forChild(home, path string) []string {
	ours := []string{
		"ARKCLI_NO_UPDATE_NOTIFIER=1", "ARKCLI_CALLER_TYPE=ai_agent",
		"ARKCLI_CALLER_NAME=llm-bench", "ARKCLI_SKILL_NAME=llm-bench", "NO_COLOR=1",
	}
	if home != "" && e.goos != "windows" {
		ours = append(ours, "HOME="+home)
	}
	ours = append(ours, "PATH="+path)
	kept := slices.DeleteFunc(slices.Clone(e.list), func(entry string) bool {
		key, _, _ := cutEntry(entry)
		return e.overrides(key) || e.setIn(ours, key)
	})
	return append(kept, ours...)
}

func (e environment) overrides(key string) bool {
	if e.goos == "windows" {
		key = strings.ToUpper(key)
	}
	return strings.HasPrefix(key, "ARK_")
}

func (e environment) setIn(list []string, key string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		other, _, ok := cutEntry(entry)
		return ok && e.same(key, other)
	})
}
