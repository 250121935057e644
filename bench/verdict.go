package bench

import (
	"fmt"
	"slices"
	"time"
)

// Verdict says whether the measurement itself is to be trusted.
type Verdict string

// The verdicts.
const (
	Trusted  Verdict = "trusted"
	Degraded Verdict = "degraded"         // the figures hold with the reservation stated
	Invalid  Verdict = "invalid"          // the figures describe the client, not the server
	Unknown  Verdict = "nothing_measured" // no request succeeded: there are no figures
)

// Measurement is the client's judgement of its own measuring, with the figures
// behind it. Durations are milliseconds; shares are 0 to 1.
type Measurement struct {
	Verdict       Verdict      `json:"verdict"`
	Reasons       []Reason     `json:"reasons"`
	Clock         string       `json:"clock"`                   // what stamped arrivals: kernel or user
	TTFTErrorMS   *float64     `json:"ttft_error_ms,omitempty"` // what the client's own delays may have done to TTFT: P99 of the requests
	TPOTErrorMS   *float64     `json:"tpot_error_ms,omitempty"` // and to TPOT
	LagAvgMS      *float64     `json:"lag_avg_ms,omitempty"`    // from arrival to being read
	LagP99MS      *float64     `json:"lag_p99_ms,omitempty"`
	LagMaxMS      *float64     `json:"lag_max_ms,omitempty"`
	MergedShare   *float64     `json:"merged_share,omitempty"`   // output events that shared a read
	BufferedShare *float64     `json:"buffered_share,omitempty"` // output events within 1 ms of their neighbour
	CPUShare      *float64     `json:"cpu_share_p95,omitempty"`
	GCPauseMS     *float64     `json:"gc_pause_max_ms,omitempty"`
	WallDriftMS   *float64     `json:"wall_drift_ms,omitempty"`
	NewConns      int          `json:"new_connections"`
	HandshakeMS   *float64     `json:"handshake_ms,omitempty"` // mean, inside TTFT, of requests on new connections
	SendMS        Dist         `json:"send_ms"`                // start to the last byte sent
	Concurrency   *Concurrency `json:"concurrency"`
	Protocols     []string     `json:"protocols"`
}

// Reason is one ground of a verdict, or, where its Verdict is [Trusted], a
// remark that doesn't lower it.
type Reason struct {
	Code    string  `json:"code"`
	Verdict Verdict `json:"verdict"`
	Value   float64 `json:"value"`
	Limit   float64 `json:"limit"`
}

// Exceeded reports whether the value is above the limit.
func (r Reason) Exceeded() bool { return r.Value > r.Limit }

// OfMedian is the value as a share of the median of the figure that the
// client's own delays bear on; 0 for any other reason.
func (r Reason) OfMedian() float64 {
	if r.Limit == 0 || r.Code != ReasonLag && r.Code != ReasonLagTPOT {
		return 0
	}
	return r.Value / r.Limit * TolerableDelay
}

// String states the reason in words.
func (r Reason) String() string {
	return fmt.Sprintf("%s: %.4g exceeds %.4g", r.Code, r.Value, r.Limit)
}

// The codes of reasons.
const (
	ReasonLag         = "client_lag_ms"      // the client's own delays are a part of TTFT
	ReasonLagTPOT     = "client_lag_tpot_ms" // and of TPOT
	ReasonCPU         = "cpu_share"          // a remark: what it does to the figures is in the delays
	ReasonGC          = "gc_pause_ms"        // a remark, likewise
	ReasonDrift       = "wall_drift_ms"
	ReasonBuffered    = "buffered_share"
	ReasonNewConns    = "new_connections_share"
	ReasonConcurrency = "concurrency_shortfall"
)

// tickEvery is about how often the client reads itself.
const tickEvery = time.Second

// near is the distance under which two output events count as one burst.
const near = time.Millisecond

// bufferedLimit is the share of output events near their neighbour from which on
// the times between events are those of a buffer on the way.
const bufferedLimit = 0.2

// The client's own delays, as shares of a figure's median: from TolerableDelay
// on, the figures hold with a reservation; from the second on they describe the
// client. TolerableDelay is half of the error of 1 % that no trusted run may have,
// since the delays are estimated.
const (
	TolerableDelay = 0.005
	grave          = 0.1
)

// The names of the clocks in [Reading].
const (
	clockKernel = "kernel"
	clockUser   = "user"
)

// Judge forms the verdict of one target's samples and the client's ticks.
func Judge(s *Summary, samples []*Sample, ticks []Tick) Measurement {
	last := lastAttempts(samples)
	m := Measurement{Verdict: Trusted, Reasons: []Reason{}, SendMS: s.Upload, Concurrency: &s.Concurrency, NewConns: s.Observed.NewConns, Protocols: []string{}}
	pulse := newPulse(ticks)
	m.readings(last, pulse)
	m.bursts(last, pulse)
	m.connections(last)
	m.client(ticks)
	m.delays(succeeded(last), pulse)
	m.judge(s, len(last))
	return m
}

func (m *Measurement) readings(last []*Sample, p *pulse) {
	reads, merged, events := 0, 0, 0
	var sum, longest time.Duration
	var lags Lags
	for _, s := range last {
		c := &s.Client
		if c.Clock != "" && (m.Clock == "" || c.Clock == clockUser) {
			m.Clock = c.Clock
		}
		reads, merged, events = reads+c.Reads, merged+c.Merged, events+s.OutputEvents
		sum, longest = sum+time.Duration(c.LagSum), max(longest, time.Duration(c.LagMax))
		lags.Merge(c.Lags)
	}
	m.MergedShare = ratio(merged, events)
	if m.Clock == clockUser {
		lags = p.lags
	}
	if lags.N() > 0 {
		m.LagP99MS = pointer(Milliseconds(lags.Quantile(0.99)))
	}
	if reads > 0 && m.Clock == clockKernel {
		m.LagAvgMS, m.LagMaxMS = pointer(Milliseconds(sum)/float64(reads)), pointer(Milliseconds(longest))
	}
}

func pointer(v float64) *float64 { return &v }

func (m *Measurement) connections(last []*Sample) {
	var sum time.Duration
	n := 0
	for _, s := range last {
		c := s.Connection
		if c.Protocol != "" && !slices.Contains(m.Protocols, c.Protocol) {
			m.Protocols = append(m.Protocols, c.Protocol)
		}
		if shake := time.Duration(c.DNS + c.Connect + c.TLS); shake > 0 {
			sum, n = sum+shake, n+1
		}
	}
	slices.Sort(m.Protocols)
	if n > 0 {
		ms := Milliseconds(sum) / float64(n)
		m.HandshakeMS = &ms
	}
}

func (m *Measurement) client(ticks []Tick) {
	if len(ticks) == 0 {
		return
	}
	var shares []float64
	var pause, drift time.Duration
	for _, t := range ticks {
		shares = append(shares, t.CPUShare)
		pause = max(pause, time.Duration(t.GCPause))
		if d := time.Duration(t.WallDrift).Abs(); d > drift {
			drift = d
		}
	}
	cpu, gc, wall := Describe(shares).P95, Milliseconds(pause), Milliseconds(drift)
	m.CPUShare, m.GCPauseMS, m.WallDriftMS = &cpu, &gc, &wall
}

// judge compares each figure with its limit; n is how many requests were sent.
func (m *Measurement) judge(s *Summary, n int) {
	for _, c := range m.checks(s, n) {
		if c.Exceeded() {
			m.Reasons = append(m.Reasons, c)
			m.lower(c.Verdict)
		}
	}
	if s.TTFT.N == 0 {
		m.Verdict = Unknown
	}
}

// Checks are the figures that a verdict hangs on, as far as they are known and
// apply, each as the reason that it would be above its limit.
func (m *Measurement) Checks(s *Summary) []Reason {
	return m.checks(s, s.Requests.Planned-s.Requests.NotRun)
}

func (m *Measurement) checks(s *Summary, n int) []Reason {
	var checks []Reason
	add := func(code string, value *float64, limit float64, v Verdict) {
		if value != nil {
			checks = append(checks, Reason{code, v, *value, limit})
		}
	}
	own := func(code string, delay *float64, figure Dist) {
		if figure.N == 0 || delay == nil {
			return
		}
		v := Degraded
		if *delay > grave*figure.P50 {
			v = Invalid
		}
		add(code, delay, TolerableDelay*figure.P50, v)
	}
	own(ReasonLag, m.TTFTErrorMS, s.TTFT)
	own(ReasonLagTPOT, m.TPOTErrorMS, s.TPOT)
	add(ReasonGC, m.GCPauseMS, max(0.05*s.TTFT.P50, 5), Trusted)
	add(ReasonCPU, m.CPUShare, 0.7, Trusted)
	add(ReasonDrift, m.WallDriftMS, 1000, Degraded)
	if s.TPOT.N > 0 && s.TPOT.P50 > 2*Milliseconds(near) {
		add(ReasonBuffered, m.BufferedShare, bufferedLimit, Degraded)
	}
	if n >= 20 {
		add(ReasonNewConns, ratio(m.NewConns, n), 0.1, Degraded)
	}
	if c := s.Concurrency; c.Mean != nil && s.Open == nil && n >= 4*c.Asked {
		short := max(0, 1-*c.Mean/float64(c.Asked))
		add(ReasonConcurrency, &short, 0.1, Degraded)
	}
	return checks
}

// lower takes the worse of m's verdict and another.
func (m *Measurement) lower(to Verdict) {
	if to == Invalid || m.Verdict == Trusted {
		m.Verdict = to
	}
}
