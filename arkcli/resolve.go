package arkcli

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// Patterns; never changed.
var (
	idWithVersion = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*-\d{4,8}$`)
	versionOfID   = regexp.MustCompile(`^(?:[a-z]+-)?\d{4,8}$`)
)

// Resolution is what a user's words for a model came to.
type Resolution struct {
	Query       string      `json:"query"`
	Resolved    bool        `json:"resolved"`              // false: several fit, see Candidates
	ModelID     string      `json:"model_id,omitempty"`    // what to send as "model"; empty for an endpoint
	EndpointID  string      `json:"endpoint_id,omitempty"` // what to send as "model" when the user named an endpoint
	DisplayName string      `json:"display_name,omitempty"`
	ServedModel string      `json:"served_model,omitempty"` // model ID behind an endpoint, when known
	Why         string      `json:"why"`                    // how the words became this answer
	Warnings    []string    `json:"warnings,omitempty"`
	Candidates  []Candidate `json:"candidates,omitempty"` // five at most, the likeliest first
	RateLimit   RateLimit   `json:"rate_limit,omitzero"`  // of an endpoint, where known
	Profile     string      `json:"profile,omitempty"`    // whose catalogue was asked
}

// Model is what to send as "model": the endpoint ID, else the model ID.
func (r Resolution) Model() string {
	if r.EndpointID != "" {
		return r.EndpointID
	}
	return r.ModelID
}

// Candidate is a model that the words may have meant.
type Candidate struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	Kind          string   `json:"kind"`                     // "model" or "endpoint"
	ContextWindow int      `json:"context_window,omitempty"` // tokens; 0 unknown
	Capabilities  []string `json:"capabilities,omitempty"`
	Status        string   `json:"status,omitempty"` // Retiring, when it is
	Score         float64  `json:"score"`            // 0 to 1, likeness to the words
}

const maxCandidates = 5

// Resolve finds the one model or endpoint that query means. Several that fit
// equally are no error: Resolved is false and Candidates holds them. None, or
// one that cannot be used, is an [*Error].
func (c *CLI) Resolve(ctx context.Context, profile, query string) (Resolution, error) {
	p := newPhrase(query)
	if len(p.tokens) == 0 {
		e := problem(BadQuery, c.say(fmt.Sprintf("%q names no model", bounded(p.said, 60)), maxMessage))
		e.Fix = []string{"name a model, such as \"doubao seed 2.0 mini\", a model ID or an endpoint ID (ep-…)"}
		return Resolution{}, e
	}
	l, err := c.login(ctx, profile)
	if err != nil {
		return Resolution{}, err
	}
	r, err := c.resolve(ctx, l.Profile, p)
	if err != nil {
		return Resolution{}, err
	}
	r.Query, r.Profile = c.say(p.said, maxPhrase), l.Profile
	return r, nil
}

func (c *CLI) resolve(ctx context.Context, profile string, p phrase) (Resolution, *Error) {
	if id := endpointIn(p.exact); id != "" {
		return c.resolveEndpoint(ctx, profile, id)
	}
	k := c.catalogue(profile, false)
	matches, err := k.lookUp(ctx, p)
	if err != nil && !err.fatal() && p.fullID() {
		return c.unconfirmed(p, err), nil
	}
	if err != nil {
		return Resolution{}, err
	}
	good := best(matches)
	switch {
	case len(good) == 1:
		return c.chosen(k, p, good[0]), nil
	case len(good) > 1:
		return c.ambiguous(k, p, good), nil
	}
	return c.unmatched(ctx, k, p, matches)
}

// lookUp searches until the phrase is found as a whole name, or until every
// model that holds one of its words has been seen.
func (k *catalogue) lookUp(ctx context.Context, p phrase) ([]match, *Error) {
	whole, words := p.keywords()
	if _, err := k.search(ctx, whole); err != nil {
		return nil, err
	}
	if m := k.matches(p); len(m) > 0 && m[0].fit == equal {
		return m, nil
	}
	for _, spellings := range words {
		all, err := k.searchAll(ctx, spellings)
		if err != nil {
			return nil, err
		}
		if all {
			break
		}
	}
	if m := k.matches(p); len(m) > 0 && m[0].fit >= worded {
		return m, nil
	}
	return k.lookWider(ctx, p)
}

// lookWider is for phrases with slips in them.
func (k *catalogue) lookWider(ctx context.Context, p phrase) ([]match, *Error) {
	if _, err := k.search(ctx, nearestFamily(p.tokens)); err != nil {
		return nil, err
	}
	if m := k.matches(p); len(m) > 0 && m[0].fit == equal {
		return m, nil
	}
	if err := k.list(ctx); err != nil && err.fatal() {
		return nil, err
	}
	return k.matches(p), nil
}

func (c *CLI) chosen(k *catalogue, p phrase, m match) Resolution {
	r := Resolution{
		Resolved: true, ModelID: m.model.id, DisplayName: m.model.title(),
		Why: c.reason(p, m), Warnings: k.warnings,
	}
	if m.model.retiring() {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s is being retired: a baseline taken on it will soon have nothing to be compared with", m.model.id))
	}
	if m.model.modality == unknownModality {
		r.Warnings = append(r.Warnings, "the catalogue doesn't say that "+m.model.id+" answers in text")
	}
	return r
}

func (c *CLI) reason(p phrase, m match) string {
	var how string
	switch {
	case p.exact == strings.ToLower(m.model.id):
		return "it is the exact ID of a model in the catalogue"
	case m.fit == equal:
		how = " is the name of one model in the catalogue"
	case m.fit == loose:
		how = ", allowing for slips of spelling, fits one model in the catalogue"
	default:
		how = " fits one model in the catalogue"
	}
	return c.say(fmt.Sprintf("%q%s, %s, whose ID is %s", p.said, how, m.model.title(), m.model.id), maxMessage)
}

func (c *CLI) ambiguous(k *catalogue, p phrase, good []match) Resolution {
	return Resolution{
		Why:        c.say(fmt.Sprintf("%q fits %d models in the catalogue equally well: name one of them", p.said, len(good)), maxMessage),
		Candidates: candidates(good), Warnings: k.warnings,
	}
}

func candidates(matches []match) []Candidate {
	out := make([]Candidate, 0, maxCandidates)
	for _, m := range matches[:min(len(matches), maxCandidates)] {
		c := Candidate{
			ID: m.model.id, Name: m.model.title(), Kind: "model", ContextWindow: m.model.context,
			Capabilities: m.model.capabilities, Score: float64(int(m.score*100+0.5)) / 100,
		}
		if m.model.retiring() {
			c.Status = "Retiring"
		}
		out = append(out, c)
	}
	return out
}

// unmatched is for a phrase that no model in the catalogue answers to: an ID
// of another version, an endpoint's name, a model that is shut down, near
// misses to choose from, or nothing.
func (c *CLI) unmatched(ctx context.Context, k *catalogue, p phrase, near []match) (Resolution, *Error) {
	if r, ok := otherVersion(k, p); ok {
		return r, nil
	}
	if err := c.shutDown(ctx, k.profile, p); err != nil {
		return Resolution{}, err
	}
	e, found, _, err := c.endpointInList(ctx, k.profile, func(e endpoint) bool { return e.name != "" && strings.EqualFold(narrow(e.name), p.exact) })
	if err != nil {
		return Resolution{}, err
	}
	if found {
		return c.fromEndpoint(e, c.say(fmt.Sprintf("%q is the name of endpoint %s", p.said, e.id), maxMessage))
	}
	choices := likely(near, 0.5)
	if len(choices) == 0 {
		return Resolution{}, c.notFound(p, likely(near, 0.3))
	}
	return Resolution{
		Why:        c.say(fmt.Sprintf("no model in the catalogue is called %q; these come near", p.said), maxMessage),
		Candidates: candidates(choices), Warnings: k.warnings,
	}, nil
}

func likely(matches []match, least float64) []match {
	var out []match
	for _, m := range matches {
		if m.score > least {
			out = append(out, m)
		}
	}
	return out
}

// otherVersion accepts an exact ID whose name is in the catalogue with another
// version: Ark CLI shows the primary version alone, but older ones can be
// called until they are retired.
func otherVersion(k *catalogue, p phrase) (Resolution, bool) {
	if !p.fullID() {
		return Resolution{}, false
	}
	for _, m := range k.models {
		version, ok := strings.CutPrefix(p.exact, strings.ToLower(m.name)+"-")
		if ok && isVersionOfID(version) && !m.shutdown() {
			return Resolution{
				Resolved: true, ModelID: p.exact, DisplayName: m.title(),
				Why:      "a full model ID is used as given",
				Warnings: []string{fmt.Sprintf("Ark CLI shows version %q as the primary one of %s; that version %q can be called is not confirmed", m.version, m.name, version)},
			}, true
		}
	}
	return Resolution{}, false
}

// fullID reports whether the words are spelled like an ID with its version.
// It decides nothing while the catalogue can be read.
func (p phrase) fullID() bool {
	return idWithVersion.MatchString(p.exact)
}

func isVersionOfID(version string) bool {
	return versionOfID.MatchString(version)
}

// unconfirmed takes a full ID as given when the catalogue cannot be read, as
// with a login that has an API key only.
func (c *CLI) unconfirmed(p phrase, why *Error) Resolution {
	return Resolution{
		Resolved: true, ModelID: p.exact, DisplayName: p.exact, Why: "a full model ID is used as given",
		Warnings: []string{c.say("the model could not be looked up: "+why.Message, maxMessage)},
	}
}

// shutDown looks whether the phrase means a model that exists no more.
func (c *CLI) shutDown(ctx context.Context, profile string, p phrase) *Error {
	k := c.catalogue(profile, true)
	whole, words := p.keywords()
	if _, err := k.search(ctx, whole); err != nil && err.fatal() {
		return err
	}
	if len(k.models) == 0 && len(words) > 0 {
		if _, err := k.searchAll(ctx, words[0]); err != nil && err.fatal() {
			return err
		}
	}
	good := best(k.matches(p))
	if len(good) == 0 {
		return nil
	}
	e := problem(ModelShutdown, c.say(fmt.Sprintf("%q means %s, which has been shut down", p.said, good[0].model.id), maxMessage))
	e.Fix, e.Note = []string{"name a model that is still served"}, "to see them: `arkcli models list --format json`"
	return e
}

func (c *CLI) notFound(p phrase, near []match) *Error {
	text := fmt.Sprintf("Ark CLI's catalogue has no text model like %q", p.said)
	e := problem(ModelNotFound, "")
	e.Suggestions = candidates(near)
	if len(e.Suggestions) > 0 {
		names := make([]string, 0, len(e.Suggestions))
		for _, s := range e.Suggestions {
			names = append(names, s.ID)
		}
		text += "; the nearest are " + strings.Join(names, ", ")
	}
	e.Message = c.say(text, maxMessage)
	e.Fix, e.Note = []string{"name another model, its full ID or an endpoint ID (ep-…)"}, "to see all: `arkcli models list --format json`"
	return e
}
