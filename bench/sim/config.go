package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Zero in a duration of [Config] asks for a duration of zero: a field that
// is left at 0 means its default.
const Zero = time.Duration(-1)

// Off in a count of [Config] switches the thing counted off.
const Off = -1

// Config is what a stand-in endpoint does. Its zero value is the standard one.
type Config struct {
	BaseTTFT       time.Duration // time to first token of a fully cached prompt; default 120 ms
	PrefillPer1000 time.Duration // prefill time per 1,000 uncached prompt tokens; default 40 ms
	TPOT           time.Duration // time per output token after the first; default 10 ms
	Limit          int           // concurrent generations, others queue; default 64, Off: no limit
	Seed           uint64        // decides the text of answers and the ids

	CacheCapacityTokens int    // tokens that the prefix cache holds; default 8 Mi, Off: no cache
	CacheMinTokens      int    // shortest prefix that counts as a hit; default 1,024, Off: any length
	TemplateTokens      int    // tokens of the chat template per message; default 4, Off: none
	Tokenizer           string // how text is cut; default "standard" (see TokenizerNames)
	AnswerTokens        int    // answer length; default 0: as many as the request allows
	ThinkTokens         int    // thinking tokens at medium effort; default 128

	Models []Model // served models, the first is the default; default: models of Ark
	APIKey string  // key that a request must bear; empty: any, or none
	Vendor string  // whose strictness and spelling; default "ark" (see VendorNames)

	Fault    string                // faults of every request, in the syntax of the package comment
	FaultFor func(*Request) string // faults of one request, chosen by a test; may be nil
	Recorder func(*Record)         // called as each chat request ends, from its goroutine; may be nil
}

// Standard values of [Config].
const (
	defaultBaseTTFT       = 120 * time.Millisecond
	defaultPrefill        = 40 * time.Millisecond
	defaultTPOT           = 10 * time.Millisecond
	defaultLimit          = 64
	defaultCacheCapacity  = 8 << 20
	defaultCacheMin       = 1024
	defaultTemplateTokens = 4
	defaultThinkTokens    = 128
	defaultTokenizer      = "standard"
	defaultVendor         = "ark"
	defaultOutputCap      = 4096
	maxOutputCap          = 65536
)

// Validate reports every fault of the configuration at once.
func (c Config) Validate() error {
	return errors.Join(
		validDuration("base ttft", c.BaseTTFT),
		validDuration("prefill per 1000 tokens", c.PrefillPer1000),
		validDuration("tpot", c.TPOT),
		validCount("limit", c.Limit),
		validCount("cache capacity tokens", c.CacheCapacityTokens),
		validCount("cache min tokens", c.CacheMinTokens),
		validTemplate(c.TemplateTokens),
		validCount("answer tokens", c.AnswerTokens),
		validCount("think tokens", c.ThinkTokens),
		validName("tokenizer", c.Tokenizer, TokenizerNames()),
		validName("vendor", c.Vendor, VendorNames()),
		validModels(c.Models),
		validFault(c.Fault),
	)
}

func validDuration(field string, d time.Duration) error {
	if d < 0 && d != Zero {
		return fmt.Errorf("%s %v: must not be negative", field, d)
	}
	if d > time.Hour {
		return fmt.Errorf("%s %v: at most 1h is allowed", field, d)
	}
	return nil
}

func validCount(field string, n int) error {
	if n < Off {
		return fmt.Errorf("%s %d: must be positive, 0 for the default, or %d for off", field, n, Off)
	}
	return nil
}

func validTemplate(n int) error {
	if n == 1 || n > 1000 {
		return fmt.Errorf("template tokens %d: 2 to 1000 are allowed, 0 for the default, or %d for none", n, Off)
	}
	return validCount("template tokens", n)
}

func validName(field, name string, allowed []string) error {
	if name == "" || slices.Contains(allowed, name) {
		return nil
	}
	return fmt.Errorf("%s %q: must be one of %s", field, name, strings.Join(allowed, ", "))
}

func validModels(models []Model) error {
	var faults []error
	seen := map[string]bool{}
	for i, m := range models {
		for _, id := range append([]string{m.ID}, m.Endpoints...) {
			switch {
			case id == "":
				faults = append(faults, fmt.Errorf("model %d: has an empty id", i+1))
			case seen[id]:
				faults = append(faults, fmt.Errorf("model %q: is listed twice", id))
			}
			seen[id] = true
		}
		faults = append(faults, validName("thinking of model "+m.ID, string(m.Thinking), thinkingModes()))
	}
	return errors.Join(faults...)
}

func validFault(spec string) error {
	if _, err := parseFaults(spec); err != nil {
		return fmt.Errorf("fault %q: %w", spec, err)
	}
	return nil
}

// withDefaults returns c with every default filled in and every Zero and Off
// turned into the value that it stands for.
func (c Config) withDefaults() Config {
	c.BaseTTFT = durationOr(c.BaseTTFT, defaultBaseTTFT)
	c.PrefillPer1000 = durationOr(c.PrefillPer1000, defaultPrefill)
	c.TPOT = durationOr(c.TPOT, defaultTPOT)
	c.Limit = countOr(c.Limit, defaultLimit)
	c.CacheCapacityTokens = countOr(c.CacheCapacityTokens, defaultCacheCapacity)
	c.CacheMinTokens = countOr(c.CacheMinTokens, defaultCacheMin)
	c.TemplateTokens = countOr(c.TemplateTokens, defaultTemplateTokens)
	c.AnswerTokens = countOr(c.AnswerTokens, 0)
	c.ThinkTokens = countOr(c.ThinkTokens, defaultThinkTokens)
	c.Tokenizer = nameOr(c.Tokenizer, defaultTokenizer)
	c.Vendor = nameOr(c.Vendor, defaultVendor)
	if len(c.Models) == 0 {
		c.Models = arkModels()
	}
	return c
}

func durationOr(d, standard time.Duration) time.Duration {
	switch d {
	case 0:
		return standard
	case Zero:
		return 0
	}
	return d
}

func countOr(n, standard int) int {
	switch n {
	case 0:
		return standard
	case Off:
		return 0
	}
	return n
}

func nameOr(name, standard string) string {
	if name == "" {
		return standard
	}
	return name
}
