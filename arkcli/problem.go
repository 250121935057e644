package arkcli

import "strings"

// Problem says in one word why Ark CLI did not give what was asked of it.
// The words are stable: clients branch on them.
type Problem string

// The states of Ark CLI itself and of its login.
const (
	CLIMissing        Problem = "cli_missing"         // no arkcli program found
	CLIFailed         Problem = "cli_failed"          // it ran and reported an error of its own
	CLIBusy           Problem = "cli_busy"            // another arkcli process kept renewing the login
	CLITooOld         Problem = "cli_too_old"         // it lacks a command or flag that is needed
	BadOutput         Problem = "bad_output"          // its output could not be understood
	Timeout           Problem = "timeout"             // it did not answer in time and was ended
	Interrupted       Problem = "interrupted"         // the caller gave up
	NotLoggedIn       Problem = "not_logged_in"       // nobody is logged in
	LoginExpired      Problem = "login_expired"       // the login has run out and cannot renew itself
	NoPlatformProfile Problem = "no_platform_profile" // logged in, but without any usable profile
	OnlyPlanProfiles  Problem = "only_plan_profiles"  // only coding-plan or agent-plan profiles
	WrongProfile      Problem = "wrong_profile"       // the profile asked for is unknown or a plan
	BadBaseURL        Problem = "bad_base_url"        // the profile's address cannot be used
	NoKey             Problem = "no_key"              // no usable API key
	AgreementRequired Problem = "agreement_required"  // a person must accept terms first
	NeedsPerson       Problem = "needs_person"        // a person must confirm or verify something
	APIError          Problem = "api_error"           // the service behind Ark CLI refused
	NetworkError      Problem = "network"             // Ark CLI could not reach its service
)

// The outcomes of looking up a model.
const (
	ModelNotFound   Problem = "model_not_found"  // nothing like it in the catalogue
	ModelShutdown   Problem = "model_shutdown"   // it exists no more
	ModelAmbiguous  Problem = "model_ambiguous"  // several fit: for callers that need one
	EndpointStopped Problem = "endpoint_stopped" // the inference endpoint does not run
	BadQuery        Problem = "bad_query"        // the words given cannot name a model or profile
)

// The commands that mend most problems.
const (
	InstallCommand        = "npm install -g @volcengine/ark-cli@latest"
	LoginCommand          = "arkcli auth login volc-sso"
	LoginNoBrowserCommand = "arkcli auth login --no-browser"
)

const (
	noBrowserNote = "without a browser on this machine: run `" + LoginNoBrowserCommand +
		"`, open the address that it prints on any device, then run `" + LoginNoBrowserCommand + " --code CODE` with the code shown there"
	diagnoseAdvice = "run `llm-bench login --diagnose` and send the record that it prints: it holds names only, no values"
)

// Error is a problem with Ark CLI, said for the person who has to mend it.
type Error struct {
	Problem     Problem     `json:"problem"`
	Message     string      `json:"message"`               // one sentence, bounded and redacted
	Fix         []string    `json:"fix"`                   // what to do, in order: commands, or a sentence
	Note        string      `json:"note,omitempty"`        // another way, or what else to know
	Suggestions []Candidate `json:"suggestions,omitempty"` // for [ModelNotFound]: the nearest models
	cause       error
}

// Error returns the message alone; what to do is in Fix and [Error.Advice].
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause, such as [context.Canceled].
func (e *Error) Unwrap() error { return e.cause }

// Advice returns Fix as one line: "run `a`, then `b`" for commands, a sentence
// as it stands.
func (e *Error) Advice() string {
	line := ""
	for i, step := range e.Fix {
		if i > 0 {
			line += ", then "
		}
		line += quoteCommand(step, i == 0)
	}
	return line
}

func quoteCommand(step string, first bool) string {
	if !isCommand(step) {
		return step
	}
	if first {
		return "run `" + step + "`"
	}
	return "`" + step + "`"
}

// fixes gives the steps and the note that mend p.
func fixes(p Problem, profile string) (steps []string, note string) {
	switch p {
	case CLIMissing:
		return []string{InstallCommand, LoginCommand}, "if arkcli lies in an unusual place, put its full path in LLM_BENCH_ARKCLI"
	case NotLoggedIn, LoginExpired:
		return []string{LoginCommand}, noBrowserNote
	case CLITooOld:
		return []string{InstallCommand}, "then check with `llm-bench login`"
	case CLIBusy:
		return []string{"wait until the other arkcli command has ended, then try again"}, "if no other arkcli is running, a new login may help: `" + LoginCommand + "`"
	case Timeout:
		return []string{"check the network and try again"}, "to see where it stops: `arkcli auth status --format json`"
	case NetworkError:
		return []string{"check the network, proxy settings included, and try again"}, "to see Ark CLI's own view: `arkcli auth status --format json`"
	case APIError:
		return []string{"check that the account may do this, then try again"}, "to see Ark CLI's own view: `arkcli auth status --format json`"
	case AgreementRequired:
		return []string{"open the Ark console as the owner of the account and accept the agreement, then try again"}, ""
	case NoPlatformProfile, OnlyPlanProfiles:
		return []string{LoginCommand}, "choose a platform project at login; a benchmark needs a pay-as-you-go platform profile, because a plan's key isn't accepted on /api/v3"
	case NoKey:
		return []string{withProfile("arkcli profile keys refresh", profile)}, "if the project has no API key yet, create one in the Ark console first"
	case BadOutput:
		return []string{diagnoseAdvice}, "a newer Ark CLI may help: `" + InstallCommand + "`"
	case CLIFailed:
		return []string{"do what Ark CLI's message says, then try again"}, diagnoseAdvice
	default:
		return []string{"try again"}, ""
	}
}

func withProfile(command, profile string) string {
	if profile == "" {
		return command
	}
	if strings.ContainsAny(profile, " ()") {
		profile = `"` + profile + `"`
	}
	return command + " --profile " + profile
}

func isCommand(step string) bool {
	for _, program := range []string{"npm ", "arkcli ", "llm-bench "} {
		if len(step) > len(program) && step[:len(program)] == program {
			return true
		}
	}
	return false
}

// problem makes an Error with the usual fix for p.
func problem(p Problem, message string) *Error {
	steps, note := fixes(p, "")
	return &Error{Problem: p, Message: message, Fix: steps, Note: note}
}
