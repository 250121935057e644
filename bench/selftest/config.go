package selftest

import (
	"cmp"
	"fmt"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// Config is one set-up to be measured.
type Config struct {
	Streams  int           // side by side, 1 to 10,000
	Duration time.Duration // of the measured window, 1 s to 1 h
	Rate     float64       // chunks a second of each stream, 0.1 to 10,000
	TLS      bool
	TTFT     time.Duration // from the request's arrival to the first chunk; 0: 200 ms
	Chunks   int           // of each answer; 0: as many as fit the duration well
	Burst    int           // chunks that leave in one write; 0: 1
	// UserClock stamps in user space even where the kernel gives receive times.
	UserClock bool
}

// Validate reports a parameter that isn't allowed as a [bench.FieldError].
func (c *Config) Validate() error {
	switch {
	case c.Streams < 1 || c.Streams > 10_000:
		return &bench.FieldError{Field: "streams", Value: c.Streams, Allowed: "1 to 10000"}
	case c.Duration < time.Second || c.Duration > time.Hour:
		return &bench.FieldError{Field: "duration", Value: c.Duration, Allowed: "1s to 1h"}
	case !(c.Rate >= 0.1 && c.Rate <= 10_000):
		return &bench.FieldError{Field: "rate", Value: fmt.Sprint(c.Rate), Allowed: "0.1 to 10000"}
	}
	return nil
}

// Args are the command-line flags that say to the endpoint's process what it
// has to know.
func (c *Config) Args() []string {
	return []string{
		fmt.Sprintf("--rate=%v", c.Rate), fmt.Sprintf("--tls=%v", c.TLS),
		fmt.Sprintf("--ttft=%v", c.ttft()), fmt.Sprintf("--burst=%d", c.burst()),
	}
}

func (c *Config) ttft() time.Duration   { return cmp.Or(c.TTFT, 200*time.Millisecond) }
func (c *Config) burst() int            { return cmp.Or(c.Burst, 1) }
func (c *Config) gap() time.Duration    { return time.Duration(float64(time.Second) / c.Rate) }
func (c *Config) chunks() int           { return cmp.Or(c.Chunks, c.fitting()) }
func (c *Config) stream() time.Duration { return c.ttft() + time.Duration(c.chunks()+1)*c.gap() }

// fitting is the number of chunks of answers that last a fifth of the
// duration, at least 2 s and at most 30.
func (c *Config) fitting() int {
	length := min(max(c.Duration/5, 2*time.Second), 30*time.Second, c.Duration-c.ttft())
	return max(2, int(length/c.gap())-1)
}

// rounds is how many answers follow one another on each stream.
func (c *Config) rounds() int { return max(1, int(c.Duration/c.stream())) }

// spec is the run that measures the set-up.
func (c *Config) spec() bench.Spec {
	spec := bench.NewSpec(bench.Prefix, bench.Standard)
	spec.MaxConcurrency, spec.MaxOutputTokens, spec.NumRequests = c.Streams, c.chunks(), c.Streams*c.rounds()
	return spec
}

// sessions are the requests of the run.
func (c *Config) sessions() []bench.Session {
	sessions := make([]bench.Session, c.Streams*c.rounds())
	turns := []bench.Turn{{Text: "Say what time it is, again and again."}}
	for i := range sessions {
		sessions[i] = bench.Session{Number: i + 1, Turns: turns}
	}
	return sessions
}
