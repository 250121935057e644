package bench

import (
	"fmt"
	"io"
	"log/slog"
)

// redacted stands wherever a Secret would have been printed.
const redacted = "[redacted]"

// Secret is an API key on its way from its source to the Authorization header.
// Every way of printing, logging or encoding it yields a fixed placeholder;
// [Secret.Reveal] alone gives the value.
type Secret struct{ value string }

// NewSecret wraps a key. An empty key gives the zero Secret.
func NewSecret(value string) Secret { return Secret{value} }

// Reveal returns the key itself. Its one place is an HTTP header, a pipe to
// the process that will send the header, or a [Redactor].
func (s Secret) Reveal() string { return s.value }

// IsZero reports whether there is no key.
func (s Secret) IsZero() bool { return s.value == "" }

// String implements [fmt.Stringer].
func (s Secret) String() string { return redacted }

// Format implements [fmt.Formatter], so that no verb shows the key.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue implements [slog.LogValuer].
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalJSON implements [encoding/json.Marshaler].
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// UnmarshalJSON implements [encoding/json.Unmarshaler]. A key is never read
// back from a file: whatever stands there leaves the Secret empty.
func (s *Secret) UnmarshalJSON([]byte) error { *s = Secret{}; return nil }

// Source says where a target's address and key came from.
type Source string

// The sources of a target, in the order in which they are tried.
const (
	SourceSim        Source = "sim"         // the stand-in endpoint in this process
	SourceTargetFile Source = "target"      // a built-in target or a target file
	SourceBaseURL    Source = "base-url"    // --base-url with --api-key-env
	SourceEnv        Source = "environment" // ARK_BASE_URL and ARK_API_KEY
	SourceArkCLI     Source = "arkcli"      // a profile of Ark CLI
)

// Target is one endpoint with one model: what a run measures.
type Target struct {
	Label   string  `json:"label"`              // name on pages and charts
	BaseURL string  `json:"base_url"`           // without a trailing slash and without /chat/completions
	Model   string  `json:"model"`              // model ID or endpoint ID, sent as it stands
	Dialect Dialect `json:"dialect"`            // what this vendor's API calls things
	Source  Source  `json:"source"`             // where address and key came from
	KeyEnv  string  `json:"key_env,omitempty"`  // NAME of the environment variable that holds the key
	Profile string  `json:"profile,omitempty"`  // Ark CLI profile that gave the key
	Asked   string  `json:"asked,omitempty"`    // what the user called the model, before resolution
	Why     string  `json:"resolved,omitempty"` // how Asked became Model
	Terms   Terms   `json:"terms,omitzero"`     // limits and prices of its own
	Key     Secret  `json:"-"`
}
