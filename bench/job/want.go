package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/sim"
)

// Want is what a user said of the target to measure.
type Want struct {
	Sim     *sim.Config // the stand-in endpoint in this process
	Target  string      // name of a built-in target, or a target file
	Model   string      // name, model ID or endpoint ID; "" is that of the target file
	Label   string      // "" is that of the target, else the model
	BaseURL string
	KeyEnv  string // NAME of the environment variable that holds the key
	Profile string // of Ark CLI
	Dialect string // "" is chosen by host
}

// Ark finds a target through Ark CLI: profile and model may be words of the
// user's. The warnings are for the user.
type Ark interface {
	Target(ctx context.Context, profile, model string) (target bench.Target, warnings []string, err error)
}

// CredentialsError says that there is no way in to the endpoint.
type CredentialsError struct{ Message, Fix string }

// Error implements error.
func (e *CredentialsError) Error() string { return e.Message }

// Environment is where variables are looked up; os.LookupEnv in the program.
type Environment func(name string) (value string, ok bool)

// Names of the variables that give an Ark target together.
const (
	EnvBaseURL = "ARK_BASE_URL"
	EnvKey     = "ARK_API_KEY"
)

// Find turns what the user said into a target. Sources are tried in a fixed
// order: the stand-in endpoint, --target, --base-url, ARK_BASE_URL with
// ARK_API_KEY, Ark CLI. OPENAI_* variables are never read unless the user names
// them. The stand-in's base URL is filled in by the run that starts it.
func Find(ctx context.Context, w Want, env Environment, ark Ark) (bench.Target, []string, error) {
	if env == nil {
		env = os.LookupEnv
	}
	if err := w.validate(); err != nil {
		return bench.Target{}, nil, err
	}
	target, warnings, err := w.source(ctx, env, ark)
	if err != nil {
		return bench.Target{}, nil, err
	}
	target.Label = cmp.Or(w.Label, target.Label, target.Model)
	if target.Asked == "" {
		target.Asked = w.Model
	}
	target.Dialect, err = dialectOf(w.Dialect, &target)
	return target, warnings, err
}

func (w *Want) source(ctx context.Context, env Environment, ark Ark) (bench.Target, []string, error) {
	envURL, hasURL := env(EnvBaseURL)
	envKey, hasKey := env(EnvKey)
	switch {
	case w.Sim != nil:
		target, err := w.standIn()
		return target, nil, err
	case w.Target != "":
		target, err := w.named(env)
		return target, nil, err
	case w.BaseURL != "":
		target, err := w.direct(env)
		return target, nil, err
	case w.Profile == "" && hasURL && hasKey && envURL != "" && envKey != "":
		base, err := baseURL(envURL)
		return bench.Target{BaseURL: base, Model: w.Model, Source: bench.SourceEnv, KeyEnv: EnvKey, Key: bench.NewSecret(strings.TrimSpace(envKey))}, nil, err
	case ark == nil:
		return bench.Target{}, nil, &CredentialsError{"no endpoint is named", "give base_url and api_key_env"}
	}
	return ark.Target(ctx, w.Profile, w.Model)
}

func (w *Want) standIn() (bench.Target, error) {
	server, err := sim.New(*w.Sim)
	if err != nil {
		return bench.Target{}, err
	}
	target := bench.Target{Model: w.Model, Source: bench.SourceSim}
	if target.Model == "" {
		target.Model = server.Config().Models[0].ID
	}
	return target, nil
}

func (w *Want) direct(env Environment) (bench.Target, error) {
	base, err := baseURL(w.BaseURL)
	if err != nil {
		return bench.Target{}, err
	}
	target := bench.Target{BaseURL: base, Model: w.Model, Source: bench.SourceBaseURL, KeyEnv: w.KeyEnv}
	if w.KeyEnv == "" {
		if isLoopback(base) {
			return target, nil // a local server often asks for no key
		}
		return target, &CredentialsError{"base_url needs api_key_env, the NAME of the environment variable that holds the key", "export the key under a name that ends in _API_KEY and give that name"}
	}
	if err := w.mayName(base); err != nil {
		return target, err
	}
	target.Key, err = keyFrom(env, w.KeyEnv)
	return target, err
}

// named is a built-in target, or what a target file says. What the user says
// beside it beats it.
func (w *Want) named(env Environment) (bench.Target, error) {
	known, builtIn := knownTargetNamed(w.Target)
	target, err := known.target()
	if !builtIn {
		target, err = w.fromFile()
	}
	if err != nil {
		return target, err
	}
	target.Source, target.Model = bench.SourceTargetFile, cmp.Or(w.Model, target.Model)
	if target.Model == "" {
		return target, &bench.FieldError{Field: "model", Value: `""`, Allowed: "a model of the target " + shown(w.Target)}
	}
	if w.KeyEnv != "" {
		target.KeyEnv = w.KeyEnv
		if err := w.mayName(target.BaseURL); err != nil {
			return target, err
		}
	}
	return target, w.unlock(&target, env)
}

// fromFile reads the target file. What is no file is taken for a name.
func (w *Want) fromFile() (bench.Target, error) {
	target, err := ReadTarget(w.Target)
	if errors.Is(err, fs.ErrNotExist) {
		return target, &bench.FieldError{Field: "target", Value: shown(w.Target), Allowed: "a file that exists, or one of " + strings.Join(TargetNames(), ", ")}
	}
	return target, err
}

// unlock gives a named target its key. A server on this machine, and one whose
// file names no key, may ask for none.
func (w *Want) unlock(target *bench.Target, env Environment) error {
	_, builtIn := knownTargetNamed(w.Target)
	_, set := env(target.KeyEnv)
	optional := builtIn && w.KeyEnv == "" && isLoopback(target.BaseURL)
	if target.KeyEnv == "" || optional && !set {
		target.KeyEnv = ""
		return nil
	}
	var err error
	target.Key, err = keyFrom(env, target.KeyEnv)
	return err
}

// mayName checks the variable that the user's flag names: an agent that calls
// this program must not be able to send any secret anywhere.
func (w *Want) mayName(base string) error {
	if variableName.MatchString(w.KeyEnv) && (strings.HasSuffix(w.KeyEnv, "_API_KEY") || isLoopback(base)) {
		return nil
	}
	return &bench.FieldError{Field: "api_key_env", Value: shown(w.KeyEnv), Allowed: "the NAME of a variable, which ends in _API_KEY (any name for a loopback host)"}
}

// keyFrom is the key in the environment variable of the given name.
func keyFrom(env Environment, name string) (bench.Secret, error) {
	value, _ := env(name)
	value = strings.TrimSpace(value)
	if value == "" {
		return bench.Secret{}, &CredentialsError{fmt.Sprintf("the environment variable %s, named by api_key_env, is not set", name), "export " + name + "=… and run again"}
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' || r == '*' }) {
		return bench.Secret{}, &CredentialsError{fmt.Sprintf("the environment variable %s holds no key: it has blanks, asterisks or characters that no key has", name), "export the key itself, not a masked one, and run again"}
	}
	return bench.NewSecret(value), nil
}

func (w *Want) validate() error {
	var faults []error
	refuse := func(bad bool, field, value, allowed string) {
		if bad {
			faults = append(faults, &bench.FieldError{Field: field, Value: shown(value), Allowed: allowed})
		}
	}
	refuse(w.Model == "" && w.Sim == nil && w.Target == "", "model", w.Model, "a model name, a model ID or an endpoint ID (ep-…)")
	refuse(len(w.Model) > 300 || bench.Clean(w.Model, 300) != w.Model, "model", bench.Clean(w.Model, 40), "at most 300 bytes of visible text")
	refuse(len(w.Label) > 100 || bench.Clean(w.Label, 100) != w.Label, "label", bench.Clean(w.Label, 40), "at most 100 bytes of visible text")
	refuse(w.Dialect != "" && !slices.Contains(bench.DialectNames(), w.Dialect), "dialect", w.Dialect, strings.Join(bench.DialectNames(), ", "))
	refuse(w.KeyEnv != "" && w.BaseURL == "" && w.Target == "", "api_key_env", w.KeyEnv, "only together with base_url or target")
	refuse(w.Target != "" && w.Sim != nil, "target", w.Target, "not together with sim")
	refuse(w.Target != "" && w.BaseURL != "", "base_url", w.BaseURL, "not together with target")
	refuse(w.BaseURL != "" && w.Sim != nil, "base_url", w.BaseURL, "not together with sim")
	refuse(w.Profile != "" && w.BaseURL+w.Target != "", "profile", w.Profile, "not together with base_url or target")
	return errors.Join(faults...)
}

// baseURL checks a base URL and brings it to the form without a trailing
// slash and without a pasted /chat/completions.
func baseURL(text string) (string, error) {
	refused := &bench.FieldError{Field: "base_url", Value: fmt.Sprintf("%q", bench.Clean(bench.Redact(text), 100)), Allowed: "an http or https URL without user, password, query or fragment, such as https://host/api/v3"}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", refused
	}
	if u.User != nil {
		refused.Value = `one with a user or password in it`
		return "", refused
	}
	if u.RawQuery != "" || u.Fragment != "" {
		refused.Value = `one with a query or fragment in it`
		return "", refused
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions")
	return strings.TrimRight(u.String(), "/"), nil
}

func isLoopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// dialectOf is the dialect asked for, else that of the named target, else the
// host's, else generic. The stand-in endpoint speaks Ark's.
func dialectOf(name string, t *bench.Target) (bench.Dialect, error) {
	if name != "" {
		return bench.DialectNamed(name)
	}
	if t.Source == bench.SourceTargetFile {
		return t.Dialect, nil
	}
	if t.Source == bench.SourceSim || t.Source == bench.SourceArkCLI {
		return bench.Ark(), nil
	}
	return bench.DialectOfHost(hostOf(t.BaseURL)), nil
}
