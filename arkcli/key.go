package arkcli

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// Patterns; never changed.
var bearerKey = regexp.MustCompile(`^[A-Za-z0-9._~+/=-]{8,512}$`)

// Access is all that a request needs but the model.
type Access struct {
	Profile string       `json:"profile"`
	BaseURL string       `json:"base_url"`
	Key     bench.Secret `json:"-"`
}

// Access returns address and key of a platform profile; the default one when
// profile is empty. The error is an [*Error].
func (c *CLI) Access(ctx context.Context, profile string) (Access, error) {
	l, err := c.login(ctx, profile)
	if err != nil {
		return Access{}, err
	}
	key, err := c.key(ctx, l.Profile)
	if err != nil {
		return Access{}, err
	}
	return Access{l.Profile, l.BaseURL, key}, nil
}

// RefreshKey makes Ark CLI fetch the profile's keys anew and returns the key
// that counts then, which may be the old one. It is for the moment when the
// endpoint refuses a key with 401, and helps once at most.
func (c *CLI) RefreshKey(ctx context.Context, profile string) (bench.Secret, error) {
	l, err := c.login(ctx, profile)
	if err != nil {
		return bench.Secret{}, err
	}
	v, _, err := c.ask(ctx, "profile", "keys", "refresh", "--profile", l.Profile)
	if err != nil {
		return bench.Secret{}, err
	}
	if status := v.field("refresh_status").text(); status != "" && status != "ok" {
		return bench.Secret{}, c.noKey(l.Profile, "Ark CLI could not refresh the profile's keys (status "+status+")")
	}
	key, err := c.key(ctx, l.Profile)
	if err != nil {
		return bench.Secret{}, err
	}
	return key, nil
}

// key reads the profile's key: as plain text where that is known, else from
// JSON.
func (c *CLI) key(ctx context.Context, profile string) (bench.Secret, *Error) {
	r, err := c.call(ctx, "profile", "apikey", "get", "--profile", profile, "--plain")
	if err != nil {
		return bench.Secret{}, err
	}
	if r.exit == 0 && !isUsage(r.stdout) {
		if key := plainKey(r.stdout); validKey(key) {
			return c.keep(key), nil
		}
	}
	if r.exit != 0 && !strings.Contains(string(r.stderr), "unknown flag") {
		return bench.Secret{}, c.keyFailure(r, profile)
	}
	return c.keyFromJSON(ctx, profile)
}

func (c *CLI) keep(key string) bench.Secret {
	secret := bench.NewSecret(key)
	c.remember(secret)
	return secret
}

// plainKey is the key in the output of --plain, which some versions wrap in
// quotes or in the usual envelope.
func plainKey(stdout []byte) string {
	text := strings.TrimSpace(string(bytes.TrimPrefix(stdout, []byte("\xef\xbb\xbf"))))
	if strings.HasPrefix(text, "{") {
		if v, err := decode(stdout); err == nil {
			return v.payload().field("api_key", "key").text()
		}
	}
	return strings.Trim(text, `"`)
}

// isUsage reports whether a command that does not exist answered with the
// help of its parent, which ends with 0.
func isUsage(stdout []byte) bool {
	return bytes.Contains(stdout, []byte("Usage:")) && bytes.Contains(stdout, []byte("arkcli"))
}

func (c *CLI) keyFromJSON(ctx context.Context, profile string) (bench.Secret, *Error) {
	r, err := c.call(ctx, "profile", "apikey", "get", "--profile", profile, "--format", "json")
	switch {
	case err != nil:
		return bench.Secret{}, err
	case r.exit != 0:
		return bench.Secret{}, c.keyFailure(r, profile)
	case isUsage(r.stdout):
		return bench.Secret{}, c.cannotPrintKey()
	}
	v, decodeErr := decode(r.stdout)
	if decodeErr != nil {
		return bench.Secret{}, c.noKey(profile, "Ark CLI's answer to `arkcli profile apikey get` holds no key that could be read")
	}
	v = v.payload()
	if of := v.field("profile").text(); of != "" && of != profile {
		return bench.Secret{}, c.noKey(profile, fmt.Sprintf("Ark CLI gave the key of profile %s when asked for that of %s", of, profile))
	}
	key := v.field("api_key", "key").text()
	if reason := refuse(key); reason != "" {
		return bench.Secret{}, c.noKey(profile, "Ark CLI's key for profile "+profile+" "+reason)
	}
	return c.keep(key), nil
}

// keyFailure is a failed key command. What it printed is shown without
// anything that may be a key.
func (c *CLI) keyFailure(r reply, profile string) *Error {
	e := c.failure(r)
	switch e.Problem {
	case CLITooOld:
		return c.cannotPrintKey()
	case CLIFailed, BadOutput:
		e.Problem = NoKey
		e.Fix, _ = fixes(NoKey, c.say(profile, 120))
	}
	return e
}

func (c *CLI) cannotPrintKey() *Error {
	return problem(CLITooOld, "this version of Ark CLI cannot hand out an API key: it has no command `arkcli profile apikey get`")
}

func (c *CLI) noKey(profile, message string) *Error {
	e := problem(NoKey, c.say(message, maxMessage))
	e.Fix, e.Note = fixes(NoKey, c.say(profile, 120))
	return e
}

// refuse says why a key cannot be used, "" when it can.
func refuse(key string) string {
	switch {
	case key == "":
		return "is empty"
	case strings.Contains(key, "*"):
		return "is masked, so it cannot be used"
	case !validKey(key):
		return "has an odd form (white space, control characters or a wrong length), so it is not used"
	}
	return ""
}

// validKey accepts what may stand after "Bearer " in a header.
func validKey(key string) bool {
	return bearerKey.MatchString(key)
}
