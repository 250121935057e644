package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// HeaderFault is the request header that asks for faults.
const HeaderFault = "X-Sim-Fault"

// FaultInfo describes one fault.
type FaultInfo struct {
	Name     string
	Argument string // what its argument means and the default, "" if it takes none
	Doc      string // one line
}

// Faults lists all faults in a fixed order.
func Faults() []FaultInfo {
	var infos []FaultInfo
	for _, f := range allFaults() {
		infos = append(infos, FaultInfo{f.name, f.arg.usage(), f.doc})
	}
	return infos
}

// fault is a small change to one request: refuse may answer it before anything
// is generated (or change what will be), bend changes the plan.
type fault struct {
	name   string
	arg    argument
	doc    string
	refuse func(x *exchange, a argument) *plan
	bend   func(p *plan, a argument)
	always bool // bend changes answers that are no stream, too
}

func allFaults() []fault {
	return slices.Concat(errorFaults(), refusalFaults(), bodyFaults(), timeFaults(), shapeFaults(), usageFaults(), endingFaults())
}

// argument is the value after a fault's colon. In the table of faults it is
// the default.
type argument struct {
	kind argKind
	text string
	n    int
	d    time.Duration
}

type argKind int

const (
	noArg argKind = iota
	countArg
	durationArg
	textArg
)

func count(n int) argument              { return argument{kind: countArg, n: n} }
func duration(d time.Duration) argument { return argument{kind: durationArg, d: d} }
func text(s string) argument            { return argument{kind: textArg, text: s} }

func (a argument) usage() string {
	switch a.kind {
	case countArg:
		return fmt.Sprintf("count, default %d", a.n)
	case durationArg:
		return fmt.Sprintf("duration, default %v", a.d)
	case textArg:
		return fmt.Sprintf("text, default %q", a.text)
	}
	return ""
}

// parse reads an argument of the kind of a.
func (a argument) parse(value string) (argument, error) {
	var err error
	switch a.kind {
	case noArg:
		return a, fmt.Errorf("takes no argument")
	case countArg:
		if a.n, err = strconv.Atoi(value); err != nil || a.n < 0 {
			return a, fmt.Errorf("argument %q: must be a count", clip(value, 40))
		}
	case durationArg:
		if a.d, err = time.ParseDuration(value); err != nil || a.d < 0 {
			return a, fmt.Errorf("argument %q: must be a duration such as 100ms", clip(value, 40))
		}
	case textArg:
		a.text = value
	}
	return a, nil
}

// chosen is a fault as a request asked for it.
type chosen struct {
	fault
	when selector
}

// selector says which requests a fault applies to.
type selector struct {
	first, last int // ordinals, inclusive; 0: all
	every       int // each n-th; 0: all
	tries       int // the first n requests with the same body; 0: all
}

func (s selector) matches(ordinal, try int) bool {
	switch {
	case s.first > 0:
		return s.first <= ordinal && ordinal <= s.last
	case s.every > 0:
		return ordinal%s.every == 0
	case s.tries > 0:
		return try <= s.tries
	}
	return true
}

// parseFaults reads the syntax of the package comment. An empty spec is no
// fault.
func parseFaults(spec string) ([]chosen, error) {
	if spec == "" {
		return nil, nil
	}
	table := allFaults()
	var all []chosen
	for item := range strings.SplitSeq(spec, "+") {
		c, err := parseFault(table, strings.TrimSpace(item))
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func parseFault(table []fault, item string) (chosen, error) {
	var c chosen
	body, when, err := cutSelector(item)
	if err != nil {
		return c, err
	}
	name, value, hasValue := strings.Cut(body, ":")
	i := slices.IndexFunc(table, func(f fault) bool { return f.name == name })
	if i < 0 {
		return c, fmt.Errorf("no fault is named %q", clip(name, 40))
	}
	c = chosen{table[i], when}
	if hasValue {
		if c.arg, err = c.arg.parse(value); err != nil {
			return c, fmt.Errorf("%s: %w", name, err)
		}
	}
	return c, nil
}

// cutSelector splits the selector off an item.
func cutSelector(item string) (rest string, s selector, err error) {
	at := strings.LastIndexAny(item, "@%^")
	if at < 0 {
		return item, s, nil
	}
	value := item[at+1:]
	from, to, isRange := strings.Cut(value, "-")
	n, err := strconv.Atoi(from)
	if err != nil || n < 1 || isRange && item[at] != '@' {
		return "", s, fmt.Errorf("selector %q: must be @N, @N-M, %%N or ^N", clip(item[at:], 40))
	}
	switch item[at] {
	case '@':
		s.first, s.last = n, n
		if isRange {
			s.last, err = strconv.Atoi(to)
		}
	case '%':
		s.every = n
	case '^':
		s.tries = n
	}
	if err != nil || s.last < s.first {
		return "", s, fmt.Errorf("selector %q: must be @N, @N-M, %%N or ^N", clip(item[at:], 40))
	}
	return item[:at], s, nil
}
