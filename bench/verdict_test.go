package bench_test

import (
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// lane is a run of equal streams, whose reads and pulse a test makes up.
type lane struct {
	requests int
	ttft     time.Duration
	gap      time.Duration // between tokens
	tokens   int
	per      int           // tokens that one read brings
	held     time.Duration // between start and first byte sent
	clock    string
	lag      time.Duration // of every beat of the pulse
	stall    time.Duration // the longest, once a second
	fresh    bool          // each request opens a connection within held
	touch    func(i int, s *bench.Sample)
}

func (l lane) sample(i int) *bench.Sample {
	start := time.Duration(i) * 50 * time.Millisecond
	n := l.tokens
	s := &bench.Sample{
		Session: i + 1, Turn: 1, Attempt: 1, Outcome: bench.Succeeded, Usage: &bench.Usage{Completion: &n}, OutputEvents: n,
		Start: bench.MarkAt(start), SentFirst: bench.MarkAt(start + l.held), SentLast: bench.MarkAt(start + l.held),
		FirstByte:  bench.MarkAt(start + l.held + time.Millisecond),
		Connection: bench.Connection{Reused: !l.fresh, Protocol: "HTTP/1.1"}, Client: bench.Reading{Clock: l.clock, Reads: n},
	}
	if l.fresh {
		s.Connection.Connect = bench.Millis(l.held)
	}
	for k := range n {
		read := k / l.per
		last := min((read+1)*l.per, n) - 1 // whose stamp all tokens of the read carry
		s.Events = append(s.Events, bench.Event{At: start + l.ttft + time.Duration(last)*l.gap, Kind: bench.EventContent, Read: read})
	}
	end := s.Events[n-1].At
	s.Events = append(s.Events, bench.Event{At: end + l.gap, Kind: bench.EventDone, Read: n})
	s.FirstToken, s.FirstAnswer, s.LastToken, s.End = bench.MarkAt(s.Events[0].At), bench.MarkAt(s.Events[0].At), bench.MarkAt(end), bench.MarkAt(end+l.gap)
	if l.touch != nil {
		l.touch(i, s)
	}
	return s
}

func (l lane) judge() bench.Measurement {
	var samples []*bench.Sample
	var end time.Duration
	for i := range l.requests {
		s := l.sample(i)
		samples, end = append(samples, s), max(end, s.End.At())
	}
	var ticks []bench.Tick
	for at := time.Second; at < end+time.Second; at += time.Second {
		t := bench.Tick{At: bench.MarkAt(at), CPUShare: 0.1, LagMax: bench.Millis(max(l.lag, l.stall))}
		for range 99 {
			t.Lags.Add(l.lag)
		}
		t.Lags.Add(max(l.lag, l.stall))
		ticks = append(ticks, t)
	}
	spec := bench.NewSpec(bench.Prefix, bench.Standard)
	spec.MaxConcurrency = 1000
	summary := bench.Summarize(&spec, l.requests, samples)
	return bench.Judge(&summary, samples, ticks)
}

func TestTheVerdictFollowsWhatTheClientsDelaysDoToTheFigures(t *testing.T) {
	calm := lane{requests: 200, ttft: 300 * time.Millisecond, gap: 20 * time.Millisecond, tokens: 100, per: 1, clock: "kernel", lag: 60 * time.Microsecond, stall: time.Millisecond}
	for _, c := range []struct {
		name  string
		lane  lane
		touch func(*lane)
		want  bench.Verdict
		code  string
	}{
		{"a calm client", calm, nil, bench.Trusted, ""},
		{"reads that come late, stamped by the kernel", calm, func(l *lane) { l.lag, l.stall = 5*time.Millisecond, 15*time.Millisecond }, bench.Trusted, ""},
		{"reads that come late, stamped in user space", calm, func(l *lane) { l.clock, l.lag = "user", 5*time.Millisecond }, bench.Degraded, bench.ReasonLag},
		{"reads that come a little late, stamped in user space", calm, func(l *lane) { l.clock, l.lag = "user", 300*time.Microsecond }, bench.Trusted, ""},
		{"reads that come very late, stamped in user space", calm, func(l *lane) { l.clock, l.lag = "user", 40*time.Millisecond }, bench.Invalid, bench.ReasonLag},
		{"few requests in user space, where one beat in 100 meets with a stall", calm, func(l *lane) {
			l.requests, l.clock, l.stall = 20, "user", 6*time.Millisecond
		}, bench.Degraded, bench.ReasonLag},
		{"requests that are held back", calm, func(l *lane) { l.held = 3 * time.Millisecond }, bench.Degraded, bench.ReasonLag},
		{"requests that are held back a little", calm, func(l *lane) { l.held = 300 * time.Microsecond }, bench.Trusted, ""},
		{"requests that are held back by a handshake", calm, func(l *lane) {
			l.held, l.fresh = 30*time.Millisecond, true
		}, bench.Degraded, bench.ReasonNewConns},
		{"reads merged by a client that stalls", calm, func(l *lane) { l.per, l.lag, l.stall = 2, 25*time.Millisecond, 60*time.Millisecond }, bench.Degraded, bench.ReasonLag},
		{"a server that sends in pairs to a calm client", calm, func(l *lane) { l.per, l.gap = 2, time.Millisecond }, bench.Trusted, ""},
		{"short answers, merged by a client that stalls", calm, func(l *lane) {
			l.tokens, l.per, l.lag, l.stall, l.ttft = 16, 2, 25*time.Millisecond, 60*time.Millisecond, 20*time.Second
		}, bench.Invalid, bench.ReasonLagTPOT},
		{"a proxy that lets go of many tokens at once", calm, func(l *lane) { l.per = 20 }, bench.Degraded, bench.ReasonBuffered},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := c.lane
			if c.touch != nil {
				c.touch(&l)
			}
			m := l.judge()
			codes := map[string]bool{}
			for _, r := range m.Reasons {
				codes[r.Code] = true
			}
			if m.Verdict != c.want || c.code != "" && !codes[c.code] || c.code == "" && len(codes) > 0 {
				t.Errorf("%s for %v, want %s for %q", m.Verdict, m.Reasons, c.want, c.code)
			}
		})
	}
}

func TestAFewStalledRequestsAreFoundAtP99(t *testing.T) {
	l := lane{requests: 200, ttft: 300 * time.Millisecond, gap: 20 * time.Millisecond, tokens: 100, per: 1, clock: "kernel", lag: 60 * time.Microsecond, stall: 50 * time.Millisecond}
	l.touch = func(i int, s *bench.Sample) {
		if i%20 == 0 { // the first two tokens in one read, both at the second's time
			s.Events[0].At, s.Events[0].Read = s.Events[1].At, s.Events[1].Read
			s.FirstToken = bench.MarkAt(s.Events[0].At)
		}
	}
	if m := l.judge(); m.Verdict == bench.Trusted {
		t.Errorf("%s: 5 %% of the requests have a TTFT that is 20 ms late", m.Verdict)
	}
}

func TestABusyClientIsRemarkedAndNoVerdict(t *testing.T) {
	l := lane{requests: 50, ttft: 300 * time.Millisecond, gap: 20 * time.Millisecond, tokens: 20, per: 1, clock: "kernel"}
	var samples []*bench.Sample
	for i := range l.requests {
		samples = append(samples, l.sample(i))
	}
	spec := bench.NewSpec(bench.Prefix, bench.Standard)
	spec.MaxConcurrency = 1000
	summary := bench.Summarize(&spec, l.requests, samples)
	m := bench.Judge(&summary, samples, []bench.Tick{{At: bench.MarkAt(time.Minute), CPUShare: 0.99, GCPause: bench.Millis(40 * time.Millisecond)}})
	codes := []string{}
	for _, r := range m.Reasons {
		codes = append(codes, r.Code)
	}
	if m.Verdict != bench.Trusted || len(codes) != 2 || codes[0] != bench.ReasonGC || codes[1] != bench.ReasonCPU {
		t.Errorf("%s for %v", m.Verdict, m.Reasons)
	}
}

func TestAWallClockThatPartsFromTheMonotonicOneDegrades(t *testing.T) {
	l := lane{requests: 20, ttft: 300 * time.Millisecond, gap: 20 * time.Millisecond, tokens: 20, per: 1, clock: "kernel"}
	var samples []*bench.Sample
	for i := range l.requests {
		samples = append(samples, l.sample(i))
	}
	spec := bench.NewSpec(bench.Prefix, bench.Standard)
	spec.MaxConcurrency = 1000
	summary := bench.Summarize(&spec, l.requests, samples)
	for drift, want := range map[time.Duration]bench.Verdict{900 * time.Millisecond: bench.Trusted, -2 * time.Second: bench.Degraded, time.Hour: bench.Degraded} {
		if m := bench.Judge(&summary, samples, []bench.Tick{{At: bench.MarkAt(time.Minute), WallDrift: bench.Millis(drift)}}); m.Verdict != want {
			t.Errorf("a drift of %v: %s, want %s", drift, m.Verdict, want)
		}
	}
}

func TestWhereNoRequestSucceededNothingIsJudged(t *testing.T) {
	fail := func(_ int, s *bench.Sample) { s.Outcome = bench.FailServerError }
	l := lane{requests: 20, ttft: 300 * time.Millisecond, gap: 20 * time.Millisecond, tokens: 20, per: 1, clock: "kernel", touch: fail}
	if m := l.judge(); m.Verdict != bench.Unknown {
		t.Errorf("%s, want %s", m.Verdict, bench.Unknown)
	}
}
