package arkcli

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Patterns; never changed.
var (
	endpointID     = regexp.MustCompile(`^ep-[a-z0-9][a-z0-9-]{0,80}$`)
	endpointWithin = regexp.MustCompile(`(?:^|[^a-z0-9-])(ep-(?:m-)?\d{8,}[a-z0-9-]{0,80})`)
)

// endpoint is one inference endpoint of the account.
type endpoint struct {
	id, name, status, reason string
	served                   string // model ID behind it, "" for a custom model
	custom                   bool
	limit                    RateLimit
}

// RateLimit is an endpoint's limit. Zero means that the account's default
// holds, which Ark CLI does not show.
type RateLimit struct {
	RPM int `json:"rpm,omitempty"` // requests a minute
	TPM int `json:"tpm,omitempty"` // tokens a minute
}

func isEndpointID(text string) bool {
	return endpointID.MatchString(text)
}

// endpointIn is the one endpoint ID that a text is or holds; "" where there is
// none, or more than one.
func endpointIn(text string) string {
	if isEndpointID(text) {
		return text
	}
	found := endpointWithin.FindAllStringSubmatch(text, 2)
	if len(found) != 1 {
		return ""
	}
	return found[0][1]
}

func readEndpoint(v value) endpoint {
	if inner := v.field("endpoint"); inner.object() {
		v = inner
	}
	reference := v.field("model_reference")
	foundation := reference.field("foundation_model")
	return endpoint{
		id: cleanName(v.field("id", "endpoint_id").text()), name: cleanName(v.field("name").text()),
		status: cleanName(v.field("status").text()), reason: v.field("status_reason").text(),
		served: callableID(cleanName(foundation.field("name").text()), cleanName(foundation.field("model_version").text())),
		custom: reference.field("custom_model_id").text() != "",
		limit:  RateLimit{v.path("rate_limit", "rpm").count(), v.path("rate_limit", "tpm").count()},
	}
}

// endpointByID looks an endpoint up, by itself and then in the list. Not to
// find it is no error: found says so, and why holds the reason.
func (c *CLI) endpointByID(ctx context.Context, profile, id string) (e endpoint, found bool, why string, err *Error) {
	v, _, err := c.ask(ctx, "infer", "endpoint", "get", id, "--profile", profile)
	if err == nil {
		if e = readEndpoint(v); e.id == id {
			return e, true, "", nil
		}
	} else if err.fatal() {
		return endpoint{}, false, "", err
	}
	return c.endpointInList(ctx, profile, func(e endpoint) bool { return e.id == id })
}

func (c *CLI) endpointInList(ctx context.Context, profile string, wanted func(endpoint) bool) (e endpoint, found bool, why string, err *Error) {
	const size = 100
	for page := 1; page <= maxPages; page++ {
		v, _, err := c.ask(ctx, "infer", "endpoint", "list", "--profile", profile, "--page-number", strconv.Itoa(page), "--page-size", strconv.Itoa(size))
		if err != nil && err.fatal() {
			return endpoint{}, false, "", err
		}
		if err != nil {
			return endpoint{}, false, err.Message, nil
		}
		items := v.field("items").items()
		for _, item := range items {
			if e := readEndpoint(item); wanted(e) {
				return e, true, "", nil
			}
		}
		if len(items) == 0 || page*size >= v.field("total_count").count() {
			break
		}
	}
	return endpoint{}, false, "Ark CLI lists no such endpoint in profile " + profile, nil
}

// resolveEndpoint passes an endpoint ID through untouched and adds what is
// known of it. Only an endpoint known not to run is refused.
func (c *CLI) resolveEndpoint(ctx context.Context, profile, id string) (Resolution, *Error) {
	e, found, why, err := c.endpointByID(ctx, profile, id)
	if err != nil {
		return Resolution{}, err
	}
	if !found {
		return Resolution{
			Resolved: true, EndpointID: id, DisplayName: id, Why: "an endpoint ID is used as given",
			Warnings: []string{c.say("the model behind "+id+" is not known: "+why, maxMessage)},
		}, nil
	}
	return c.fromEndpoint(e, "an endpoint ID is used as given")
}

func (c *CLI) fromEndpoint(e endpoint, why string) (Resolution, *Error) {
	if slices.Contains([]string{"stopped", "stopping", "failed", "deleting", "deleted"}, strings.ToLower(e.status)) {
		return Resolution{}, c.endpointStopped(e)
	}
	r := Resolution{Resolved: true, EndpointID: e.id, DisplayName: e.name, ServedModel: e.served, RateLimit: e.limit, Why: why}
	if r.DisplayName == "" {
		r.DisplayName = e.id
	}
	switch {
	case e.custom && e.served == "":
		r.Warnings = append(r.Warnings, "the endpoint serves a custom model, whose name Ark CLI doesn't give")
	case e.served == "":
		r.Warnings = append(r.Warnings, "Ark CLI doesn't say which model the endpoint serves")
	default:
		r.Why += "; it serves " + e.served
	}
	if e.status != "" && !strings.EqualFold(e.status, "Running") {
		r.Warnings = append(r.Warnings, c.say(fmt.Sprintf("the endpoint's status is %s, not Running", e.status), maxMessage))
	}
	return r, nil
}

func (c *CLI) endpointStopped(e endpoint) *Error {
	text := fmt.Sprintf("endpoint %s does not run: its status is %s", e.id, e.status)
	if e.reason != "" {
		text += " (" + e.reason + ")"
	}
	p := problem(EndpointStopped, c.say(text, maxMessage))
	p.Fix, p.Note = []string{"start the endpoint in the Ark console, or name a model or another endpoint"}, ""
	return p
}
