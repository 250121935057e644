package arkcli

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Patterns; never changed.
var versionNumber = regexp.MustCompile(`\d+\.\d+(?:\.\d+)?(?:[-+][0-9A-Za-z.-]{1,30})?`)

// Login is the state of Ark CLI: who it is, and which profile a benchmark
// would use.
type Login struct {
	LoggedIn    bool      `json:"logged_in"`             // the login works now
	AuthMethod  string    `json:"auth_method,omitempty"` // sso, sts, aksk, apikey, none
	Profile     string    `json:"profile,omitempty"`
	ProfileType string    `json:"profile_type,omitempty"`
	Region      string    `json:"region,omitempty"`
	Project     string    `json:"project,omitempty"`
	BaseURL     string    `json:"base_url,omitempty"` // without a trailing slash
	Version     string    `json:"arkcli_version,omitempty"`
	Path        string    `json:"arkcli_path,omitempty"`
	FoundBy     string    `json:"arkcli_found_by,omitempty"` // "PATH", "nvm", "LLM_BENCH_ARKCLI", …
	Profiles    []Profile `json:"profiles,omitempty"`
	Warnings    []string  `json:"warnings,omitempty"`
}

// Login asks Ark CLI afresh for its state. The profile may be empty: then the
// default platform profile is chosen. The error is an [*Error]; what was found
// out until then, such as version and path, is returned beside it.
func (c *CLI) Login(ctx context.Context, profile string) (Login, error) {
	c.forget()
	l, err := c.inspect(ctx, profile)
	if err != nil {
		return l, err
	}
	return l, nil
}

func (c *CLI) inspect(ctx context.Context, profile string) (Login, *Error) {
	if err := c.checkProfileName(profile); err != nil {
		return Login{}, err
	}
	at, err := c.find()
	if err != nil {
		return Login{}, err
	}
	l := Login{Path: at.path, FoundBy: at.how}
	if l.Version, err = c.version(ctx); err != nil {
		return l, err
	}
	return c.signIn(ctx, l, profile)
}

// login is the state for a profile, believed for a short while.
func (c *CLI) login(ctx context.Context, profile string) (Login, *Error) {
	if err := c.checkProfileName(profile); err != nil {
		return Login{}, err
	}
	c.mu.Lock()
	known, ok := c.logins[profile]
	c.mu.Unlock()
	if ok && time.Since(known.at) < loginAge {
		return known.login, nil
	}
	return c.signIn(ctx, Login{}, profile)
}

func (c *CLI) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.logins)
}

// version is the first thing in the output of `arkcli --version` that looks
// like a version; empty when there is none. Only a program that cannot run at all is an error.
func (c *CLI) version(ctx context.Context) (string, *Error) {
	r, err := c.call(ctx, "--version")
	if err != nil {
		return "", err
	}
	if r.exit != 0 {
		if e := c.failure(r); e.fatal() || noNode(strings.ToLower(e.Message)) {
			return "", e
		}
		return "", nil
	}
	return versionNumber.FindString(c.say(head(r.stdout), 200)), nil
}

// signIn fills l from auth status and the chosen profile, and keeps it when
// all is well.
func (c *CLI) signIn(ctx context.Context, l Login, asked string) (Login, *Error) {
	v, warning, err := c.ask(ctx, "auth", "status")
	if err != nil {
		return l, err
	}
	l.warn(warning)
	if err := c.readStatus(&l, v); err != nil {
		return l, err
	}
	if l.Profiles, err = c.profiles(ctx, v); err != nil {
		return l, err
	}
	chosen, err := c.choose(asked, v.path("active_profile", "name").text(), l.Profiles)
	if err != nil {
		return l, err
	}
	if err := c.checkProfileName(chosen.Name); err != nil {
		return l, err
	}
	chosen = completed(chosen, v)
	l.Profile, l.ProfileType, l.Region, l.Project = chosen.Name, chosen.Type, chosen.Region, chosen.Project
	address, warnings, err := c.baseURL(ctx, chosen)
	if err != nil {
		return l, err
	}
	l.BaseURL = address
	l.Warnings = append(l.Warnings, warnings...)
	c.mu.Lock()
	c.logins[asked] = cachedLogin{l, time.Now()}
	c.mu.Unlock()
	return l, nil
}

func (l *Login) warn(text string) {
	if text != "" {
		l.Warnings = append(l.Warnings, text)
	}
}

// completed adds what auth status says of the active profile.
func completed(p Profile, status value) Profile {
	active := readProfile(status.field("active_profile"))
	if active.Name != p.Name {
		return p
	}
	if p.Region == "" {
		p.Region = active.Region
	}
	if p.Project == "" {
		p.Project = active.Project
	}
	return p
}

// readStatus decides whether the login works. The exit code plays no part:
// Ark CLI ends with 0 while logged out, and says logged in with a dead token.
func (c *CLI) readStatus(l *Login, v value) *Error {
	l.AuthMethod = c.say(v.field("auth_method").text(), 40)
	loggedIn, known := v.field("logged_in").truth()
	if !known && l.AuthMethod == "" {
		return problem(BadOutput, "`arkcli auth status` answered in a shape that is not known: it holds neither logged_in nor auth_method")
	}
	if known && !loggedIn || !known && l.AuthMethod == "none" {
		return loggedOut(v)
	}
	if plane := v.field("control_plane_auth"); plane.present() && plane.field("status").text() != "ok" {
		return problem(LoginExpired, c.say(fmt.Sprintf("Ark CLI still says that it is logged in, but its login no longer works (control plane: %s, %s)",
			orUnknown(plane.field("status").text()), orUnknown(plane.field("reason").text())), maxMessage))
	}
	l.LoggedIn = true
	switch l.AuthMethod {
	case "aksk":
		l.warn("logged in with an access key pair (aksk): keys and models can still be read, but the model list may lack details; `" + LoginCommand + "` gives the full login")
	case "apikey":
		l.warn("logged in with an API key only: a benchmark may run, but models and endpoints may not be listed; `" + LoginCommand + "` gives the full login")
	}
	return nil
}

func orUnknown(text string) string {
	if text == "" {
		return "no reason given"
	}
	return text
}

func loggedOut(v value) *Error {
	if v.path("volc_sso", "expired").yes() || v.field("sso_expired").yes() || v.path("volc_sso", "sso_expired").yes() {
		return problem(LoginExpired, "the Ark CLI login has expired")
	}
	return problem(NotLoggedIn, "nobody is logged in to Ark CLI")
}

// profiles are those that auth status lists, else those of profile list, else
// the active one alone.
func (c *CLI) profiles(ctx context.Context, status value) ([]Profile, *Error) {
	if summary := status.field("profiles_summary"); summary.array() {
		return readProfiles(summary), nil
	}
	list, _, err := c.ask(ctx, "profile", "list")
	if err == nil {
		if list.array() {
			return readProfiles(list), nil
		}
		if list.field("profiles", "items").array() {
			return readProfiles(list.field("profiles", "items")), nil
		}
		err = problem(BadOutput, "`arkcli profile list` answered in a shape that is not known: it holds no list of profiles")
	}
	if active := readProfile(status.field("active_profile")); active.Name != "" && !err.fatal() {
		return []Profile{active}, nil
	}
	return nil, err
}
