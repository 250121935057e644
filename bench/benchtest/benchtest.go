// Package benchtest builds the records of runs that never took place, for
// tests: the whole of a standard run, deterministic, with the faults that a
// test plants in it.
package benchtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// Run describes a run to be made up. Its server needs 120 ms and 40 ms for
// each 1,000 uncached prompt tokens to the first token, then 10 ms for each
// token, with a little noise.
type Run struct {
	Spec   bench.Spec
	Target bench.Target
	// Others are measured in the same window, each on connections of its own.
	Others []bench.Target
	// Points make the run a sweep. The server takes 15 ms more to the first
	// token and 0.3 ms more for each token for every further request in flight.
	Points []bench.Point
	// Touch may change each request as it is made up; the next ones follow from
	// what it leaves. The marks are not final before it returns.
	Touch func(*Call)
	// Stop ends the record after so many requests: 0 lets it run to its end, -1 stops it before any.
	Stop  int
	End   bench.End   // of the finish; its zero value follows from the state
	State bench.State // of the finish; "" is succeeded, and [bench.StateRunning] leaves no finish
	Ticks []bench.Tick
	// Cut is the length, in tokens, to which the server was seen to cut prompts beforehand.
	Cut int
	// Places is how many requests the server takes at a time; 0: as many as come.
	Places int
}

// Call is one request in the making.
type Call struct {
	N       int // from 1, in order of start
	Sample  *bench.Sample
	Prompt  int // tokens
	Cached  int
	Output  int
	Think   int           // reasoning tokens among the output
	TTFT    time.Duration // start to first token
	TPOT    time.Duration
	Burst   int             // output events that arrive together; 0 and 1 are none
	Pause   time.Duration   // before the last token
	Early   time.Duration   // between the first token and the second, beside TPOT
	Upload  time.Duration   // of the request's body
	Whole   bool            // all output comes as one event
	Silent  bool            // no usage
	Uncount bool            // no cached field
	Fail    bench.Outcome   // "" succeeds
	Failure *bench.Failure  // of a request that fails
	Before  []bench.Outcome // attempts that failed before this one
}

// Began is when every made-up run began.
func Began() time.Time {
	return time.Date(2026, 7, 28, 10, 0, 0, 0, time.FixedZone("CST", 8*3600))
}

// New is a run of the given scenario and preset against Ark, without faults.
func New(scenario bench.Scenario, preset bench.Preset, lang string) *Run {
	spec := bench.NewSpec(scenario, preset)
	spec.Seed, spec.Nonce, spec.Lang = 20260728, "k7q2m9", lang
	return &Run{Spec: spec, Target: bench.Target{
		Label: "ark", BaseURL: "https://ark.cn-beijing.volces.com/api/v3", Model: "doubao-seed-2-0-mini-260428",
		Dialect: bench.Ark(), Source: bench.SourceArkCLI, Profile: "default", Asked: "豆包 Seed 2.0 Mini",
	}}
}

// Record makes the run up.
func (r *Run) Record() *bench.Record {
	m := r.make()
	record := &bench.Record{
		Header: bench.Header{
			Schema: bench.JournalSchema, Tool: bench.Tool{Version: "1.0.0", Go: "go1.26.0"},
			Host:  bench.Host{OS: "linux", Arch: "amd64", CPU: "Intel(R) Xeon(R) Platinum 8375C", CPUs: 8, TimeZone: "Asia/Shanghai"},
			Began: Began(), Spec: r.Spec, Targets: r.targets(), Points: r.Points, Planned: r.Spec.Planned(),
			InputHash:    "9f2c7a1be04d55aa9f2c7a1be04d55aa9f2c7a1be04d55aa9f2c7a1be04d55aa",
			MaterialHash: "41d0c3b2a5968778" + "41d0c3b2a5968778" + "41d0c3b2a5968778" + "41d0c3b2a5968778",
			Calibration:  json.RawMessage(`{"probes":[{"purpose":"prose"},{"purpose":"length"}]}`),
			CutTokens:    r.Cut,
		},
		Samples: m.samples, Ticks: r.Ticks,
	}
	if record.Ticks == nil {
		record.Ticks = calm(m.end())
	}
	if r.State != bench.StateRunning {
		record.Finish = r.finish(m.end())
	}
	return record
}

func (r *Run) finish(end time.Duration) *bench.Finish {
	f := &bench.Finish{State: r.State, End: bench.End{Ending: bench.EndComplete}, At: bench.MarkAt(end), Ended: Began().Add(end),
		Warm: bench.Warmth{Connections: r.Spec.MaxConcurrency}}
	if r.End.Ending != "" {
		f.End = r.End
		return f
	}
	switch r.State {
	case "":
		f.State = bench.StateSucceeded
	case bench.StateCanceled:
		f.End = bench.End{Ending: bench.EndCanceled, Reason: "by cancel_run"}
	case bench.StateInterrupted:
		f.End = bench.End{Ending: bench.EndCanceled, Reason: "interrupt signal received"}
	case bench.StateFailed:
		f.End = bench.End{Ending: bench.EndStopped, Reason: "5 consecutive failures"}
	}
	return f
}

// Result is the result of the made-up run.
func (r *Run) Result(record *bench.Record) *bench.Result {
	id := string(r.Spec.Scenario) + "_20260728_100000"
	state := r.State
	if record.Finish == nil {
		state = bench.StateInterrupted
	}
	result := bench.NewResult(id, "/reports/"+id, record, state)
	return &result
}

// calm are the ticks of a client with nothing to complain of.
func calm(end time.Duration) []bench.Tick {
	var ticks []bench.Tick
	for at := time.Second; at <= end+time.Second; at += time.Second {
		ticks = append(ticks, bench.Tick{At: bench.MarkAt(at), CPUShare: 0.03, GCPause: bench.Millis(80 * time.Microsecond)})
	}
	return ticks
}

func (r *Run) targets() []bench.Target { return append([]bench.Target{r.Target}, r.Others...) }

// make makes up all requests, point after point.
func (r *Run) make() *maker {
	m := &maker{run: r, spec: r.Spec}
	var begins time.Duration
	for point := range max(1, len(r.Points)) {
		if len(r.Points) > 0 {
			m.point, m.spec = point+1, r.Points[point].Apply(r.Spec)
		}
		for i, target := range r.targets() {
			m.target, m.rng = &target, rand.New(rand.NewPCG(r.Spec.Seed, uint64(1+i+100*point)))
			m.free = make([]time.Duration, m.spec.MaxConcurrency)
			for place := range m.free {
				m.free[place] = begins
			}
			m.begins, m.places = begins, make([]time.Duration, r.Places)
			m.load()
		}
		begins = m.end() + time.Millisecond
	}
	return m
}

// maker keeps the made-up time of the run.
type maker struct {
	run     *Run
	spec    bench.Spec // of the point
	point   int        // of the sweep
	begins  time.Duration
	target  *bench.Target
	rng     *rand.Rand
	free    []time.Duration // when each place of the concurrency is free
	places  []time.Duration // when each place of the server is free, ascending
	n       int
	samples []*bench.Sample
}

func (m *maker) full() bool { return m.run.Stop != 0 && m.n >= m.run.Stop }

func (m *maker) end() time.Duration {
	var end time.Duration
	for _, s := range m.samples {
		end = max(end, s.End.At())
	}
	return end
}

// load makes up the requests of one target and point.
func (m *maker) load() {
	arrivals := m.spec.Arrivals(m.spec.Planned())
	if m.spec.Scenario == bench.Multiturn {
		m.sessions(arrivals)
		return
	}
	m.requests(arrivals)
}

// arrive keeps the place free until the session's intended start.
func (m *maker) arrive(arrivals []time.Duration, i, place int, s *bench.Sample) {
	if len(arrivals) == 0 {
		return
	}
	s.Intended = bench.MarkAt(m.begins + arrivals[i])
	m.free[place] = max(m.free[place], s.Intended.At())
}

// requests makes up sessions of one turn.
func (m *maker) requests(arrivals []time.Duration) {
	s := &m.spec
	for i := 0; i < s.NumRequests && !m.full(); i++ {
		sample := &bench.Sample{Session: i + 1, Turn: 1, Attempt: 1}
		c := &Call{Sample: sample, Prompt: 24, Output: s.MaxOutputTokens}
		if s.Scenario == bench.Prefix {
			sample.Prefix, sample.Ordinal = i%s.NumPrefixes+1, i/s.NumPrefixes+1
			c.Prompt = s.PrefixLen + s.SuffixLen
			if sample.Ordinal > 1 {
				c.Cached = s.PrefixLen / 64 * 64
			}
		}
		sample.PlannedPrompt = c.Prompt
		place := m.place()
		m.arrive(arrivals, i, place, sample)
		m.send(c, place)
	}
}

// sessions makes up conversations, each in a place of its own.
func (m *maker) sessions(arrivals []time.Duration) {
	s := &m.spec
	for i := range s.NumSessions {
		place, held, asked := m.place(), 0, 0
		for turn := 1; turn <= s.MaxTurns && !m.full(); turn++ {
			grown := s.QuestionLen
			if turn == 1 {
				grown = s.InitialLen
			}
			asked += grown
			c := &Call{Sample: &bench.Sample{Session: i + 1, Turn: turn, Attempt: 1, PlannedPrompt: asked}, Prompt: held + grown, Cached: held / 64 * 64, Output: s.MaxOutputTokens}
			if turn == 1 {
				m.arrive(arrivals, i, place, c.Sample)
			}
			m.send(c, place)
			if c.Fail != "" {
				break
			}
			held = c.Prompt + c.Output - c.Think
		}
	}
}

// place is the number of the place that is free first.
func (m *maker) place() int {
	first := 0
	for i, at := range m.free {
		if at < m.free[first] {
			first = i
		}
	}
	return first
}

// send makes a request up and takes its time from the place.
func (m *maker) send(c *Call, place int) {
	m.n++
	c.N = m.n
	c.TPOT = 10*time.Millisecond + time.Duration(m.rng.IntN(400)-200)*time.Microsecond
	more := time.Duration(0)
	if m.point > 0 {
		more = time.Duration(m.spec.MaxConcurrency - 1)
	}
	c.TPOT += more * 300 * time.Microsecond
	c.identify(m.target)
	c.Sample.Target, c.Sample.Point = m.target.Label, m.point
	noise := time.Duration(m.rng.IntN(20_000)) * time.Microsecond
	if m.run.Touch != nil {
		m.run.Touch(c)
	}
	if c.TTFT == 0 {
		c.TTFT = c.Upload + 120*time.Millisecond + time.Duration(max(0, c.Prompt-c.Cached))*40*time.Microsecond + noise + more*15*time.Millisecond
	}
	for i, outcome := range c.Before {
		m.free[place] = m.failed(c, outcome, i+1, m.free[place]) + 2*time.Second
	}
	c.Sample.Attempt = len(c.Before) + 1
	if len(m.places) > 0 {
		c.TTFT += max(0, m.places[0]-m.free[place])
	}
	c.finish(m.free[place])
	if len(m.places) > 0 {
		m.places[0] = c.Sample.LastToken.At()
		slices.Sort(m.places)
	}
	m.free[place] = c.Sample.End.At() + time.Millisecond
	m.samples = append(m.samples, c.Sample)
}

// failed adds an attempt that failed before the one that counts.
func (m *maker) failed(c *Call, outcome bench.Outcome, attempt int, start time.Duration) time.Duration {
	s := *c.Sample
	s.Attempt, s.Outcome = attempt, outcome
	s.Start, s.End = bench.MarkAt(start), bench.MarkAt(start+30*time.Millisecond)
	s.Failure = c.Failure
	m.samples = append(m.samples, &s)
	return s.End.At()
}

func (c *Call) identify(target *bench.Target) {
	s := c.Sample
	s.RequestID, s.LogID = fmt.Sprintf("02178500%04d", c.N), fmt.Sprintf("20260728100000%04d", c.N)
	s.Model, s.ServiceTier, s.FinishReason = target.Model, "default", "length"
	s.Connection = bench.Connection{Reused: true, Protocol: "HTTP/1.1", Remote: "101.126.0.1:443"}
}

// finish lays the request out in time, from its start.
func (c *Call) finish(start time.Duration) {
	s := c.Sample
	s.Start, s.SentFirst, s.SentLast = bench.MarkAt(start), bench.MarkAt(start+200*time.Microsecond), bench.MarkAt(start+900*time.Microsecond+c.Upload)
	if c.Fail != "" {
		s.Outcome, s.Failure, s.FinishReason, s.Model, s.ServiceTier = c.Fail, c.Failure, "", "", ""
		s.End = bench.MarkAt(start + 40*time.Millisecond)
		return
	}
	s.Outcome = bench.Succeeded
	c.stream(start)
	c.usage()
}

// stream makes the events up: one for each output token, then finish, usage and done.
func (c *Call) stream(start time.Duration) {
	s := c.Sample
	first := start + c.TTFT
	s.FirstByte = bench.MarkAt(first - 2*time.Millisecond)
	s.Events = bench.Events{{At: first - time.Millisecond, Kind: bench.EventRole}}
	at := first
	for i := range c.Output {
		kind := bench.EventContent
		if i < c.Think {
			kind = bench.EventReasoning
		}
		at = first + time.Duration(i/max(1, c.Burst)*max(1, c.Burst))*c.TPOT
		if i > 0 {
			at += c.Early
		}
		if i == c.Output-1 {
			at += c.Pause
		}
		if kind == bench.EventContent && !s.FirstAnswer.Taken() {
			s.FirstAnswer, s.AnswerBytes = bench.MarkAt(at), 4*(c.Output-c.Think)
		}
		if !c.Whole || i == 0 {
			s.Events = append(s.Events, bench.Event{At: at, Kind: kind, Read: i + 1})
		}
	}
	s.FirstToken, s.LastToken, s.OutputEvents, s.Reasoned = bench.MarkAt(first), bench.MarkAt(at), c.Output, c.Think > 0
	if c.Whole {
		s.OutputEvents, at, s.LastToken = 1, first, s.FirstToken
	}
	for i, kind := range []bench.EventKind{bench.EventFinish, bench.EventUsage, bench.EventDone} {
		s.Events = append(s.Events, bench.Event{At: at + time.Duration(i+1)*time.Millisecond, Kind: kind, Read: c.Output + 1 + i})
	}
	s.End = bench.MarkAt(at + 4*time.Millisecond)
	s.Client = bench.Reading{Clock: "kernel", Reads: c.Output + 4, LagSum: bench.Millis(time.Duration(c.Output+4) * 40 * time.Microsecond), LagMax: bench.Millis(400 * time.Microsecond)}
}

func (c *Call) usage() {
	if c.Silent {
		return
	}
	prompt, output, cached, think := c.Prompt, c.Output, c.Cached, c.Think
	c.Sample.Usage = &bench.Usage{Prompt: &prompt, Completion: &output, Reasoning: &think}
	if !c.Uncount {
		c.Sample.Usage.Cached = &cached
	}
}

// Only plants a change in the requests of the given numbers.
func Only(numbers []int, change func(*Call)) func(*Call) {
	return func(c *Call) {
		if slices.Contains(numbers, c.N) {
			change(c)
		}
	}
}

// Every plants a change in each n-th request.
func Every(n int, change func(*Call)) func(*Call) {
	return func(c *Call) {
		if c.N%n == 0 {
			change(c)
		}
	}
}
