package benchtest

import (
	"slices"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// Fault is a fault planted in a run, and the rule that must name it first.
type Fault struct {
	Name  string
	Rule  string
	Cause string // the finding's text "cause"; "" where it has none
	Run   *Run
}

// plant is a standard prefix run of half the length, with a fault.
func plant(name, rule string, touch func(*Call), more ...func(*Run)) Fault {
	run := New(bench.Prefix, bench.Standard, "en")
	run.Touch, run.Spec.NumRequests = touch, 100
	for _, change := range more {
		change(run)
	}
	return Fault{Name: name, Rule: rule, Run: run}
}

func (f Fault) because(cause string) Fault { f.Cause = cause; return f }

func (f Fault) multiturn() Fault {
	run := New(bench.Multiturn, bench.Standard, "en")
	run.Touch = f.Run.Touch
	f.Run, f.Name = run, f.Name+", multi-turn"
	return f
}

func fail(outcome bench.Outcome, failure bench.Failure) func(*Call) {
	return func(c *Call) { c.Fail, c.Failure = outcome, &failure }
}

// Faults are runs with one fault each.
func Faults() []Fault {
	return slices.Concat(serverFaults(), machineFaults(), cacheFaults(), clientFaults())
}

// refusing ends the run before its first request.
func refusing(class bench.Outcome, reason string) func(*Run) {
	return func(r *Run) {
		r.Stop, r.State, r.End = -1, bench.StateFailed, bench.End{Ending: bench.EndRefused, Reason: reason, Class: class}
	}
}

func serverFaults() []Fault {
	limited := fail(bench.FailRateLimited, bench.Failure{Status: 429, Code: "RateLimitExceeded.EndpointTPMExceeded", Message: "slow down"})
	noThinking := fail(bench.FailBadRequest, bench.Failure{Status: 400, Code: "InvalidParameter", Message: "thinking.type disabled is not supported"})
	broken := fail(bench.FailServerError, bench.Failure{Status: 500, Code: "InternalServiceError", Message: "try again"})
	cut := fail(bench.FailStreamTruncated, bench.Failure{Message: "no end"})
	tier := func(r *Run) { r.Spec.ServiceTier = "fast" }
	thinking := func(r *Run) { r.Spec.Thinking = bench.ThinkingEnabled }
	generic := func(r *Run) { r.Target.Dialect = bench.Generic() }
	return []Fault{
		plant("rate limit", "throttled", Every(4, limited)),
		plant("rate limit outlasted by retries", "throttled", Every(10, func(c *Call) { c.Before = []bench.Outcome{bench.FailRateLimited} })).multiturn(),
		plant("model can't turn thinking off", "thinking_refused", noThinking),
		plant("thinking refused before the first request", "thinking_refused", nil, refusing(bench.FailBadRequest, "thinking.type disabled is not supported")),
		plant("key refused before the first request", "refused_at_start", nil, refusing(bench.FailAuth, "AuthenticationError: no such key")),
		plant("server errors", "failures", Every(8, broken)),
		plant("a single cut stream", "failures", Only([]int{77}, cut)),
		plant("another model answers", "model_changed", func(c *Call) {
			if c.N > 75 {
				c.Sample.Model = "doubao-seed-2-0-mini-260601"
			}
		}),
		plant("another model than asked for", "model_other", func(c *Call) { c.Sample.Model = "gpt-4o-mini" }),
		plant("thinks though off", "thinking_seen", Every(3, func(c *Call) { c.Think = 100 })),
		plant("thinks by default", "thinking_not_sent", func(c *Call) { c.Think = 100 }, generic),
		plant("never thinks", "thinking_missing", nil, thinking),
		plant("thinks now and then", "thinking_mixed", Every(2, func(c *Call) { c.Think = 100 }), thinking),
		plant("thinking eats the cap", "answers_empty", func(c *Call) {
			if c.Think = 200; c.N%3 == 0 {
				c.Think = c.Output
			}
		}, thinking),
		plant("default tier instead of fast", "tier_not_served", func(c *Call) {
			if c.Sample.ServiceTier = "fast"; c.N > 60 {
				c.Sample.ServiceTier = "default"
			}
		}, tier),
		plant("no word of the tier", "tier_not_echoed", func(c *Call) { c.Sample.ServiceTier = "" }, tier),
		plant("cap below the one asked for", "output_cut_early", func(c *Call) { c.Output = 256 }),
		plant("cap ignored", "output_cap_ignored", func(c *Call) { c.Output = 700 }),
		plant("short answers", "answers_short", func(c *Call) { c.Output, c.Sample.FinishReason = 40+c.N%20, "stop" }),
		plant("stalls", "stream_stalls", Every(20, func(c *Call) { c.Pause = 4 * time.Second })),
		plant("slower and slower", "ttft_rising", func(c *Call) {
			c.TTFT = 100*time.Millisecond + time.Duration(c.Prompt-c.Cached)*40*time.Microsecond + time.Duration(c.N)*2*time.Millisecond
		}).because("tpot_stayed"),
		plant("faster and faster", "ttft_falling", func(c *Call) {
			c.TTFT = 500*time.Millisecond + time.Duration(c.Prompt-c.Cached)*40*time.Microsecond - time.Duration(c.N)*4*time.Millisecond
		}).because("tpot_stayed"),
		plant("slower and slower", "ttft_rising", func(c *Call) {
			if c.N > 100 {
				c.TTFT = 450 * time.Millisecond
			}
		}).multiturn().because("tpot_stayed"),
	}
}

// machineFaults lie in how requests are spread over machines, or wait for them.
func machineFaults() []Fault {
	slower := func(c *Call) { c.TPOT, c.TTFT = 4*c.TPOT, 400*time.Millisecond }
	places := func(r *Run) { r.Places, r.Spec.MaxConcurrency = 2, 8 }
	return []Fault{
		plant("another machine from the middle on", "ttft_rising", func(c *Call) {
			if c.N > 50 {
				slower(c)
			}
		}).because("tpot_rose"),
		plant("a slower decoder from the middle on", "tpot_rising", func(c *Call) {
			if c.N > 50 {
				c.TPOT *= 2
			}
		}),
		plant("one of three machines is slow", "two_paces", Every(3, slower)),
		plant("one of three machines is slow", "two_paces", Every(3, func(c *Call) { c.TPOT *= 2 })).multiturn(),
		plant("one of two machines is slow to the first token", "two_starts", Every(2, func(c *Call) {
			c.TTFT = 350*time.Millisecond + time.Duration(c.N)*100*time.Microsecond
		})).because("cached"),
		plant("a gateway tries again after a second", "slow_starts", Every(9, delayed(time.Second))),
		plant("a gateway tries again after a second", "slow_starts", Every(15, delayed(time.Second))).multiturn(),
		plant("a filler token ahead of the prompt's work", "early_token", func(c *Call) { c.Early = 600 * time.Millisecond }),
		plant("two at a time", "admission", nil, places).because("load"),
		plant("two at a time", "admission", nil, func(r *Run) {
			r.Places, r.Points = 2, []bench.Point{{MaxConcurrency: 1}, {MaxConcurrency: 2}, {MaxConcurrency: 6}}
		}).because("sweep"),
	}
}

// delayed makes the first token that much later than it would be.
func delayed(by time.Duration) func(*Call) {
	return func(c *Call) {
		c.TTFT = 130*time.Millisecond + time.Duration(c.Prompt-c.Cached)*40*time.Microsecond + by
	}
}

func cacheFaults() []Fault {
	miss := func(c *Call) { c.Cached = 0 }
	flat := func(c *Call) { c.TTFT = 700*time.Millisecond + time.Duration(c.N%7)*time.Millisecond }
	crowd := func(r *Run) { r.Spec.MaxConcurrency, r.Spec.NumPrefixes, r.Spec.NumRequests = 50, 2, 100 }
	short := func(r *Run) { r.Spec.PrefixLen = 800 }
	return []Fault{
		plant("no cache", "cache_low", miss).because("unexplained"),
		plant("no cache", "cache_low", miss).multiturn().because("unexplained"),
		plant("everyone at once", "cache_low", func(c *Call) {
			if c.N <= 50 {
				c.Cached = 0
			}
		}, crowd).because("overlap"),
		plant("prefix under the minimum", "cache_low", miss, short).because("minimum"),
		plant("warm before the run", "cache_warm", func(c *Call) { c.Cached = 12000 }),
		plant("three machines with caches of their own", "cache_uneven", func(c *Call) {
			if c.Sample.Ordinal <= 3 {
				c.Cached = 0
			}
		}, func(r *Run) { r.Spec.NumRequests = 200 }),
		plant("two machines, now one and now the other", "cache_low", func(c *Call) {
			if c.N%3 == 0 {
				c.Cached = 0
			}
		}).because("uneven"),
		plant("hits on paper only", "cache_claim_unsupported", flat),
		plant("hits on paper only", "cache_claim_unsupported", func(c *Call) {
			c.TTFT = 120*time.Millisecond + time.Duration(c.Prompt)*40*time.Microsecond
		}).multiturn(),
		plant("hits on paper only, where prompts cost nothing", "cache_claim_unsupported", func(c *Call) {
			c.TTFT = 120*time.Millisecond + time.Duration(c.N%5)*200*time.Microsecond
		}, func(r *Run) { r.Spec.PrefixLen, r.Spec.SuffixLen = 2000, 300 }),
		plant("hits on paper only, where prompts cost nothing", "cache_claim_unsupported", func(c *Call) {
			c.TTFT = 120*time.Millisecond + time.Duration(c.N%5)*200*time.Microsecond
		}).multiturn(),
		plant("no cached field", "cache_not_reported", func(c *Call) { c.Uncount = true }),
		plant("no usage", "usage_missing", func(c *Call) { c.Silent = true }),
		plant("more cached than prompt", "usage_inconsistent", Only([]int{90}, func(c *Call) { c.Cached, c.TTFT = c.Prompt+40, 200*time.Millisecond })),
		plant("long prompts", "prompts_longer", func(c *Call) { c.Prompt, c.Cached = c.Prompt*5/4, c.Cached*5/4 }),
		plant("short prompts", "prompts_shorter", func(c *Call) { c.Prompt, c.Cached = c.Prompt*3/4+c.N%7, c.Cached*3/4 }),
		plant("prompts cut to the context", "prompts_cut", func(c *Call) { c.Prompt, c.Cached = 8192, min(c.Cached, 8192) }),
		plant("prompts cut to the context", "prompts_cut", func(c *Call) { c.Prompt, c.Cached = min(c.Prompt, 8192), min(c.Cached, 8192) }).multiturn(),
		plant("prompts cut by characters", "prompts_cut", func(c *Call) { c.Prompt, c.Cached = 8192+c.N%50, 0 }, func(r *Run) { r.Cut = 8192 }),
	}
}

func clientFaults() []Fault {
	busy := func(share float64) func(*Run) {
		return func(r *Run) {
			r.Ticks = calm(4 * time.Minute)
			for i := range r.Ticks {
				r.Ticks[i].CPUShare = share
			}
		}
	}
	flooded := func(r *Run) { r.Spec.RequestRate, r.Spec.MaxConcurrency, r.Spec.ConstantRate = 2, 5, true }
	narrow := func(r *Run) { r.Spec.RequestRate, r.Spec.MaxConcurrency = 0.4, 3 }
	stepped := func(r *Run) {
		r.Ticks = calm(4 * time.Minute)
		r.Ticks[100].WallDrift = bench.Millis(-time.Hour)
	}
	return []Fault{
		plant("buffering proxy", "stream_buffered", func(c *Call) { c.Burst = 60 }),
		plant("one single burst", "stream_buffered", func(c *Call) {
			c.Burst = 10_000
			c.Sample.Warn(bench.WarnBuffered)
		}),
		plant("no stream", "not_streamed", func(c *Call) { c.Whole, c.TTFT = true, 5*time.Second }),
		plant("busy client", "client_saturated", nil, busy(0.8)).because(bench.ReasonCPU),
		plant("drowned client", "client_saturated", nil, busy(0.99)).because(bench.ReasonCPU),
		plant("connections don't last", "new_connections", Every(4, func(c *Call) {
			c.Sample.Connection = bench.Connection{Protocol: "HTTP/1.1", Connect: bench.Millis(20 * time.Millisecond), TLS: bench.Millis(40 * time.Millisecond)}
		})),
		plant("clock set back", "clock_stepped", nil, stepped),
		plant("more arrives than is carried off", "queued", nil, flooded).because("overload"),
		plant("bursts before a narrow door", "queued", nil, narrow).because("bursts"),
		plant("slow uplink", "slow_upload", func(c *Call) { c.Upload = 90 * time.Millisecond }),
	}
}
