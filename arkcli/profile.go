package arkcli

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
)

// Patterns; never changed.
var profileName = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}_. ()@+-]{0,127}$`)

// Profile is one profile of Ark CLI.
type Profile struct {
	Name    string `json:"name"`
	Type    string `json:"type"` // "platform" can be measured; plans cannot
	Region  string `json:"region,omitempty"`
	Project string `json:"project,omitempty"`
	Default bool   `json:"default,omitempty"`
}

// platform is the one profile type whose key works on /api/v3.
const platform = "platform"

func (p Profile) platform() bool { return p.Type == platform }

// readProfiles reads an array of profiles.
func readProfiles(list value) []Profile {
	var out []Profile
	for _, item := range list.items() {
		if p := readProfile(item); p.Name != "" {
			out = append(out, p)
		}
	}
	return out
}

func readProfile(v value) Profile {
	p := Profile{
		Name: v.field("name").text(), Type: cleanName(v.field("type").text()),
		Region: cleanName(v.field("region").text()), Project: cleanName(v.field("project").text()),
		Default: v.field("is_default").yes(),
	}
	if p.Type == "" {
		p.Type = typeInName(p.Name)
	}
	if p.Region == "" {
		p.Region = regionInName(p.Name, p.Type)
	}
	return p
}

// typeInName and regionInName read names of the form type_region_project.
func typeInName(name string) string {
	kind, _, ok := strings.Cut(name, "_")
	if !ok {
		return ""
	}
	return kind
}

func regionInName(name, kind string) string {
	rest, ok := strings.CutPrefix(name, kind+"_")
	if !ok {
		return ""
	}
	region, _, _ := strings.Cut(rest, "_")
	if !validRegion(region) {
		return ""
	}
	return region
}

func validRegion(region string) bool {
	for _, r := range region {
		if !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-') {
			return false
		}
	}
	return len(region) > 2 && len(region) < 32 && strings.Contains(region, "-")
}

// choose picks the profile asked for, or the platform profile that is the
// default, the active one or the first.
func (c *CLI) choose(asked, active string, profiles []Profile) (Profile, *Error) {
	if asked != "" {
		return c.named(asked, profiles)
	}
	var best Profile
	for _, p := range profiles {
		switch {
		case !p.platform():
		case best.Name == "", p.Default && !best.Default, p.Name == active && !best.Default:
			best = p
		}
	}
	if best.Name != "" {
		return best, nil
	}
	if len(profiles) == 0 {
		return Profile{}, problem(NoPlatformProfile, "Ark CLI is logged in but has no profile")
	}
	return Profile{}, problem(OnlyPlanProfiles, c.say(fmt.Sprintf("Ark CLI has no platform profile, only %s: a plan's key isn't accepted on /api/v3", describe(profiles)), maxMessage))
}

func (c *CLI) named(asked string, profiles []Profile) (Profile, *Error) {
	for _, p := range profiles {
		if p.Name == asked && p.platform() {
			return p, nil
		}
	}
	for _, p := range profiles {
		if p.Name == asked {
			return Profile{}, c.wrongProfile(fmt.Sprintf("profile %s is of type %q, and only a platform profile can be measured", asked, p.Type), profiles)
		}
	}
	return Profile{}, c.wrongProfile(fmt.Sprintf("Ark CLI has no profile %s", asked), profiles)
}

func (c *CLI) wrongProfile(why string, profiles []Profile) *Error {
	e := problem(WrongProfile, c.say(why+"; it has "+describe(profiles), maxMessage))
	e.Fix, e.Note = []string{"name one of the platform profiles, or leave --profile out"}, "to list them: `arkcli profile list --format json`"
	return e
}

func describe(profiles []Profile) string {
	if len(profiles) == 0 {
		return "none"
	}
	words := make([]string, 0, len(profiles))
	for _, p := range profiles {
		words = append(words, fmt.Sprintf("%s (%s)", p.Name, p.Type))
	}
	if len(words) > 6 {
		words = append(words[:5], fmt.Sprintf("%d more", len(words)-5))
	}
	return strings.Join(words, ", ")
}

// checkProfileName refuses what cannot be a profile's name, before it becomes
// an argument: on Windows the shim passes arguments through a shell.
func (c *CLI) checkProfileName(name string) *Error {
	if name == "" || profileName.MatchString(name) {
		return nil
	}
	e := problem(BadQuery, c.say(fmt.Sprintf("%q cannot be the name of a profile", bounded(name, 60)), maxMessage))
	e.Fix = []string{"name a profile that `arkcli profile list` shows, or leave it out"}
	return e
}

// baseURL is the address of a profile's data plane: the profile's own, else
// the one that follows from its region.
func (c *CLI) baseURL(ctx context.Context, p Profile) (address string, warnings []string, err *Error) {
	v, warning, err := c.ask(ctx, "profile", "show", "--profile", p.Name)
	if err != nil && err.fatal() {
		return "", nil, err
	}
	if warning != "" {
		warnings = append(warnings, warning)
	}
	given := v.field("base_url")
	if !given.present() || given.text() == "" {
		given = v.path("config", "base_url")
	}
	if region := v.field("region").text(); !validRegion(p.Region) && validRegion(region) {
		p.Region = region
	}
	if given.text() != "" {
		address, err = c.checkBaseURL(p, given.text())
		return address, warnings, err
	}
	address, err = c.derive(p)
	if err == nil {
		warnings = append(warnings, fmt.Sprintf("the profile shows no base_url; %s follows from its region", address))
	}
	return address, warnings, err
}

// fatal reports whether an error of an optional command ends everything.
func (e *Error) fatal() bool {
	switch e.Problem {
	case CLITooOld, APIError, CLIFailed, BadOutput, NetworkError:
		return false
	}
	return true
}

func (c *CLI) derive(p Profile) (string, *Error) {
	if !validRegion(p.Region) {
		return "", c.badBaseURL(p, "shows neither base_url nor region")
	}
	return "https://ark." + p.Region + ".volces.com/api/v3", nil
}

func (c *CLI) checkBaseURL(p Profile, text string) (string, *Error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "":
		return "", c.badBaseURL(p, "has a base_url that is no address")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", c.badBaseURL(p, "has a base_url with a user name, password, query or fragment in it")
	case u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())):
		return "", c.badBaseURL(p, fmt.Sprintf("has a base_url with the scheme %q, and a key is sent over https only", u.Scheme))
	case strings.Contains(u.Path, "/api/plan/") || strings.Contains(u.Path, "/api/coding/"):
		return "", c.badBaseURL(p, "has the base_url of a plan, where a platform key isn't accepted")
	}
	return strings.TrimSuffix(strings.TrimRight(u.String(), "/"), "/chat/completions"), nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (c *CLI) badBaseURL(p Profile, why string) *Error {
	e := problem(BadBaseURL, c.say(fmt.Sprintf("profile %s %s", p.Name, why), maxMessage))
	e.Fix, e.Note = []string{"correct the profile's base_url in Ark CLI, or choose another profile"}, "to see it: `arkcli profile show --profile "+c.say(p.Name, 120)+" --format json`"
	return e
}
