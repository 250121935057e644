package fake

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// object is JSON to be.
type object = map[string]any

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("{\"ok\":false,\"error\":{\"type\":\"error\",\"message\":%q}}\n", err.Error())
	}
	return string(text) + "\n"
}

func ok(v any) answer { return answer{stdout: encode(v)} }

// command is one command of the program.
type command struct {
	name     string
	open     bool   // answers while logged out
	switches string // its flags without a value
	valued   string // its flags with a value
	run      func(s *session) answer
}

const (
	globalSwitches = " debug dry-run help "
	globalValued   = " profile format transform "
)

func commands() []command {
	filters := " keyword size modality input-modality output-modality min-context-window max-context-window capability cache-type "
	return []command{
		{name: "--version", open: true, run: (*session).version},
		{name: "auth status", open: true, run: (*session).authStatus},
		{name: "auth whoami", open: true, run: (*session).whoami},
		{name: "auth login", open: true, switches: " no-browser ", valued: " code ", run: (*session).login},
		{name: "auth login volc-sso", open: true, run: (*session).version},
		{name: "profile list", run: (*session).profileList},
		{name: "profile show", run: (*session).profileShow},
		{name: "profile apikey get", switches: " plain ", run: (*session).keyGet},
		{name: "profile keys list", run: (*session).keysList},
		{name: "profile keys refresh", run: (*session).keysRefresh},
		{name: "models search", switches: " multimodal strict-filter include-deprecated refresh-cache ", valued: filters, run: (*session).modelsSearch},
		{name: "models list", valued: " name page-number page-size ", run: (*session).modelsList},
		{name: "models get", run: (*session).modelsGet},
		{name: "infer endpoint list", switches: " mine page-all ", valued: " model status page-number page-size page-delay ", run: (*session).endpointList},
		{name: "infer endpoint get", run: (*session).endpointGet},
		{name: "resources list", valued: " modality ", run: (*session).resourcesList},
		{name: "resources resolve", run: (*session).resourcesResolve},
		{name: "usage plan", switches: " all seat ", valued: " product ", run: (*session).usagePlan},
		{name: "usage stats", switches: " mine ", valued: " start end interval endpoint model apikey by ", run: (*session).usageStats},
	}
}

// parse finds the command and reads its flags, with cobra's words for what it
// does not know.
func (s *session) parse() (command, answer, bool) {
	if slices.Contains(s.args, "--version") {
		return commands()[0], answer{}, true
	}
	cmd, rest := s.match()
	if cmd.run == nil || s.unknown(cmd.name) {
		return cmd, s.unknownCommand(), false
	}
	for i := 0; i < len(rest); i++ {
		name, value, given := strings.Cut(strings.TrimPrefix(rest[i], "--"), "=")
		switch {
		case !strings.HasPrefix(rest[i], "-"):
			s.words = append(s.words, rest[i])
		case s.refuses(name):
			return cmd, unknownFlag(name), false
		case strings.Contains(globalSwitches+cmd.switches, " "+name+" "):
			s.flags[name] = "true"
		case !strings.Contains(globalValued+cmd.valued, " "+name+" "):
			return cmd, unknownFlag(name), false
		case given:
			s.flags[name] = value
		case i+1 == len(rest):
			return cmd, answer{stderr: "flag needs an argument: --" + name + "\n", exit: 1}, false
		default:
			i++
			s.flags[name] = rest[i]
		}
	}
	return cmd, answer{}, true
}

// match finds the longest command that the arguments begin with.
func (s *session) match() (cmd command, rest []string) {
	line := strings.Join(s.args, " ") + " "
	for _, c := range commands() {
		if strings.HasPrefix(line, c.name+" ") && len(c.name) > len(cmd.name) {
			cmd = c
		}
	}
	return cmd, s.args[min(len(s.args), len(strings.Fields(cmd.name))):]
}

// unknown is for commands that a version lacks.
func (s *session) unknown(name string) bool {
	switch name {
	case "profile apikey get":
		return s.scenario.has("very_old")
	case "infer endpoint get":
		return s.scenario.has("paged_endpoints")
	case "resources resolve":
		return s.scenario.any("old", "very_old")
	}
	return false
}

func (s *session) refuses(flag string) bool {
	return flag == "plain" && s.scenario.has("old_no_plain") || s.scenario.has("bare_search") && (flag == "size" || flag == "modality")
}

func (s *session) unknownCommand() answer {
	if len(s.args) == 0 {
		return answer{stdout: "Usage:\n  arkcli [command]\n"}
	}
	if s.scenario.has("help_for_unknown") && len(s.args) > 1 {
		return answer{stdout: "Manage " + s.args[0] + "\n\nUsage:\n  arkcli " + s.args[0] + " [command]\n"}
	}
	parent := strings.Join(s.args[:min(len(s.args)-1, 1)], " ")
	bad := s.args[min(len(s.args)-1, 1)]
	return answer{stderr: fmt.Sprintf("unknown command %q for %q\nRun 'arkcli --help' for usage.\n", bad, strings.TrimSpace("arkcli "+parent)), exit: 1}
}

func unknownFlag(name string) answer {
	return answer{stderr: "unknown flag: --" + name + "\nUsage:\n  arkcli [flags]\n", exit: 1}
}

func (s *session) version() answer {
	if s.scenario.any("old", "very_old") {
		return answer{stdout: "arkcli version 1.0.3\n"}
	}
	return answer{stdout: "arkcli version 1.0.23\n"}
}
