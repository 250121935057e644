package fake

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	lockText = "STS 续期失败: 另一个 arkcli 进程正在刷新 SSO 凭证, 请稍后重试"
	deadText = "STS 续期失败: 另一个 arkcli 进程正在刷新 SSO 凭证: refresh_token is invalid"
)

// envelope is a failure as newer versions print it.
func envelope(exit int, kind, message, hint string) answer {
	body := object{"ok": false, "error": object{"type": kind, "message": message}}
	if hint != "" {
		body["error"].(object)["hint"] = hint
	}
	return answer{stderr: encode(body), exit: exit}
}

// before is what goes wrong whatever the command is.
func (s *session) before() (answer, bool) {
	switch {
	case s.hit("crash"):
		return answer{crash: true, exit: 134}, true
	case s.hit("sts_lock") && s.locked():
		return envelope(1, "error", lockText, ""), true
	case s.hit("sts_dead"):
		return envelope(1, "error", deadText, ""), true
	case s.hit("sts_race") && s.mark.overlap:
		return envelope(1, "error", lockText, ""), true
	case s.hit("no_node"):
		return answer{stderr: "env: node: No such file or directory\n", exit: 127}, true
	case s.hit("bad_flag"):
		return envelope(1, "error", "unknown flag: --x", ""), true
	}
	return answer{}, false
}

func (s *session) locked() bool {
	n, err := strconv.Atoi(s.scenario.arg("sts_lock"))
	return err == nil && s.count("sts_lock") <= n
}

// loginGate is how commands answer while the login does not work.
func (s *session) loginGate(cmd command) (answer, bool) {
	if cmd.open {
		return answer{}, false
	}
	switch {
	case s.scenario.any("logged_out", "expired"):
		return envelope(1, "error", "not configured, run `arkcli config init --profile default` or `arkcli auth login`", ""), true
	case s.scenario.has("stale_login"):
		return envelope(1, "error", deadText, ""), true
	case s.hit("plain_error"):
		return answer{stderr: `error: request failed. Error code: 403 - {"error":{"code":"AccessDenied","message":"no permission"}}` + "\n", exit: 1}, true
	case s.hit("confirm"):
		return envelope(2, "requires_confirmation", "this command needs --yes", ""), true
	case s.hit("network_down"):
		return envelope(5, "network", "dial tcp: lookup open.volcengineapi.com: no such host", ""), true
	}
	return answer{}, false
}

// garble is what goes wrong with the output of a command that went well.
func (s *session) garble(cmd command, a answer) answer {
	if cmd.name == "--version" || a.stdout == "" {
		return a
	}
	isJSON := strings.HasPrefix(a.stdout, "{") || strings.HasPrefix(a.stdout, "[")
	switch {
	case s.hit("ok_envelope") && isJSON:
		a.stdout = `{"ok":true,"data":` + strings.TrimSpace(a.stdout) + "}\n"
	case s.hit("banner"):
		a.stdout = "[notice] arkcli {tips}: use --help to see more\n" + a.stdout
		a.stderr += "A new version of arkcli is available: 1.0.99\n"
	case s.hit("bom"):
		a.stdout = "\ufeff" + a.stdout
	case s.hit("partial") && isJSON:
		a.exit = 5
		a.stderr = encode(object{"ok": false, "error": object{"type": "api", "message": "2 of 3 lookups failed"}})
	case s.hit("detached_child"):
		a.stderr += leaveChild(s.scenario.arg("detached_child"))
	case s.hit("key_on_stderr") && cmd.name == "profile apikey get":
		return answer{stderr: "error: could not store key " + s.key() + " for profile\n", exit: 1}
	}
	return s.ruin(a)
}

// ruin replaces the output by what cannot be read.
func (s *session) ruin(a answer) answer {
	switch {
	case s.hit("garbage"):
		a.stdout = "<html>\x1b[31m502\x1b[0m Bad Gateway, key " + s.key() + "\x00</html>\n"
	case s.hit("truncated"):
		a.stdout = a.stdout[:len(a.stdout)*2/3]
	case s.hit("empty"):
		a.stdout = ""
	case s.hit("huge"):
		a.stdout = strings.Repeat(fmt.Sprintf("key %s ", s.key()), 20<<20/(len(s.key())+5))
	case s.hit("list_of_lists"):
		a.stdout = strings.Repeat("[", 20000) + strings.Repeat("]", 20000)
	}
	return a
}
