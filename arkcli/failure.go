package arkcli

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// Patterns; never changed.
var longWord = regexp.MustCompile(`[A-Za-z0-9._~+/=*-]{12,}`)

// lockedOut reports whether another Ark CLI process was renewing the login.
// The same text with a dead refresh token is no race: it never heals.
func (r reply) lockedOut() bool {
	text := string(r.stderr)
	busy := strings.Contains(text, "另一个 arkcli 进程") || strings.Contains(text, "正在刷新") ||
		strings.Contains(strings.ToLower(text), "another arkcli process")
	return r.exit != 0 && busy && !deadLogin(text)
}

func deadLogin(text string) bool {
	if strings.Contains(text, "refresh_token is invalid") || strings.Contains(text, "token 交换失败") {
		return true
	}
	renewing := strings.Contains(text, "STS 续期失败") || strings.Contains(text, "正在刷新")
	return renewing && strings.Contains(text, "invalid_request")
}

// ofKey reports whether the command's output may hold a key of any form.
func (r reply) ofKey() bool {
	return len(r.args) > 1 && r.args[0] == "profile" && (r.args[1] == "apikey" || r.args[1] == "keys")
}

// withoutTokens drops long words with digits in them: keys have no one form.
func withoutTokens(text string) string {
	return longWord.ReplaceAllStringFunc(text, func(word string) string {
		if strings.ContainsAny(word, "0123456789") {
			return redacted
		}
		return word
	})
}

// ask runs a command that answers in JSON and returns its payload. A non-zero
// exit with a whole answer on stdout is a partial success: the answer counts,
// with a warning.
func (c *CLI) ask(ctx context.Context, args ...string) (v value, warning string, err *Error) {
	r, err := c.call(ctx, append(args, "--format", "json")...)
	if err != nil {
		return value{}, "", err
	}
	if r.cut {
		return value{}, "", c.unreadable(r, fmt.Sprintf("more than %d MiB of output", maxStdout>>20))
	}
	v, decodeErr := decode(r.stdout)
	if decodeErr == nil && !v.field("error").object() && !isFailure(v) {
		return v.payload(), c.partial(r), nil
	}
	if r.exit != 0 || decodeErr == nil {
		return value{}, "", c.failure(r)
	}
	return value{}, "", c.unreadable(r, "no JSON that could be read")
}

func isFailure(v value) bool {
	ok, known := v.field("ok").truth()
	return known && !ok
}

func (c *CLI) partial(r reply) string {
	if r.exit == 0 {
		return ""
	}
	said := r.told().message
	if said == "" {
		said = "no reason given"
	}
	return c.say(fmt.Sprintf("`%s` answered but ended with exit code %d: %s", c.name(r.args), r.exit, said), maxMessage)
}

// unreadable is an output whose shape is unknown, with its begin as excerpt.
func (c *CLI) unreadable(r reply, what string) *Error {
	excerpt := c.say(head(r.stdout), maxExcerpt)
	if excerpt == "" {
		excerpt = "nothing on stdout"
	} else {
		excerpt = "it begins with: " + excerpt
	}
	if r.ofKey() {
		excerpt = "not shown: it may hold a key"
	}
	return problem(BadOutput, fmt.Sprintf("`%s` gave %s (%s)", c.name(r.args), what, excerpt))
}

// told is what a failed command said: its error envelope, or its plain text.
type told struct{ kind, message, hint string }

func (r reply) told() told {
	t := r.toldAsIs()
	if r.ofKey() {
		t.message, t.hint = withoutTokens(t.message), withoutTokens(t.hint)
	}
	return t
}

func (r reply) toldAsIs() told {
	for _, output := range [][]byte{r.stderr, r.stdout} {
		if v, err := decode(output); err == nil && isFailure(v) && v.field("error").object() {
			e := v.field("error")
			return told{e.field("type").text(), e.field("message").text(), e.field("hint").text()}
		}
	}
	return told{message: plainMessage(head(r.stderr))}
}

// plainMessage takes the line that says what is wrong out of usage text and
// notices: the last one that begins with "error", else the first line.
func plainMessage(stderr string) string {
	first, chosen := "", ""
	for line := range strings.Lines(stderr) {
		text := strings.TrimSpace(line)
		if first == "" {
			first = text
		}
		low := strings.ToLower(text)
		if strings.HasPrefix(low, "error") || strings.HasPrefix(low, "unknown ") {
			chosen = text
		}
	}
	if chosen == "" {
		chosen = first
	}
	if len(chosen) > 6 && strings.EqualFold(chosen[:6], "error:") {
		return strings.TrimSpace(chosen[6:])
	}
	return chosen
}

// failure says what a failed command means and what mends it.
func (c *CLI) failure(r reply) *Error {
	t := r.told()
	p := classify(r, t)
	e := problem(p, c.failureText(r, t, p))
	if t.hint != "" {
		e.Note = c.say("Ark CLI's hint: "+t.hint, maxMessage)
	}
	if p == NeedsPerson {
		e.Fix = []string{"run `" + c.name(r.args) + "` in a terminal and answer what it asks, then try again"}
	}
	if p == CLIFailed && noNode(strings.ToLower(t.message)) {
		e.Fix, e.Note = []string{"install Node.js 16 or newer, or put its folder on PATH"}, ""
	}
	return e
}

func (c *CLI) failureText(r reply, t told, p Problem) string {
	command := c.name(r.args)
	switch {
	case p == LoginExpired:
		return c.say(fmt.Sprintf("the Ark CLI login has expired and could not renew itself (`%s`: %s)", command, t.message), maxMessage)
	case p == NotLoggedIn:
		return c.say(fmt.Sprintf("nobody is logged in to Ark CLI (`%s`: %s)", command, t.message), maxMessage)
	case p == CLIMissing:
		return c.say("arkcli is required, but the shell did not find it: "+t.message, maxMessage)
	case r.signal != "" && t.message == "":
		return fmt.Sprintf("`%s` was ended by a signal (%s) and said nothing", command, r.signal)
	case t.message == "":
		return fmt.Sprintf("`%s` ended with exit code %d and said nothing", command, r.exit)
	}
	return c.say(fmt.Sprintf("`%s` failed: %s", command, t.message), maxMessage)
}

// classify reads a failure's kind and text.
func classify(r reply, t told) Problem {
	low := strings.ToLower(string(r.stderr) + " " + t.message)
	switch {
	case deadLogin(string(r.stderr) + t.message):
		return LoginExpired
	case t.message == "":
		return BadOutput
	case unsupported(low):
		return CLITooOld
	case noNode(low):
		return CLIFailed
	case r.exit == 9009, strings.Contains(low, "'arkcli' is not recognized"):
		return CLIMissing
	case strings.Contains(low, "not configured"), strings.Contains(low, "not logged in"), strings.Contains(t.message, "未登录"):
		return NotLoggedIn
	}
	return classifyKind(t.kind, low)
}

// noNode reports whether npm's shim did not find Node.js.
func noNode(low string) bool {
	return strings.Contains(low, "node: no such file") || strings.Contains(low, "node: not found") ||
		strings.Contains(low, "'node' is not recognized") || strings.Contains(low, `"node"' is not recognized`)
}

func unsupported(low string) bool {
	return strings.Contains(low, "unknown command") || strings.Contains(low, "unknown flag") || strings.Contains(low, "unknown shorthand flag")
}

func classifyKind(kind, low string) Problem {
	switch kind {
	case "agreement_required":
		return AgreementRequired
	case "requires_confirmation", "account_not_verified", "cancelled":
		return NeedsPerson
	case "auth":
		if strings.Contains(low, "login") || strings.Contains(low, "expired") || strings.Contains(low, "过期") {
			return LoginExpired
		}
		return APIError
	case "network":
		return NetworkError
	case "api", "rate_limit", "service_unavailable", "invalid_response", "not_found":
		return APIError
	}
	if strings.Contains(low, "error code: ") {
		return APIError
	}
	return CLIFailed
}
