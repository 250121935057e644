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
	Degraded Verdict = "degraded" // the figures hold with the reservation stated
	Invalid  Verdict = "invalid"  // the figures describe the client, not the server
)

// Measurement is the client's judgement of its own measuring, with the figures
// behind it. Durations are milliseconds; shares are 0 to 1.
type Measurement struct {
	Verdict       Verdict      `json:"verdict"`
	Reasons       []Reason     `json:"reasons"`
	Clock         string       `json:"clock"` // what stamped arrivals: kernel or user
	LagAvgMS      *float64     `json:"lag_avg_ms,omitempty"`
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

// Reason is one ground of a verdict below trusted.
type Reason struct {
	Code    string  `json:"code"`
	Verdict Verdict `json:"verdict"`
	Value   float64 `json:"value"`
	Limit   float64 `json:"limit"`
}

// String states the reason in words.
func (r Reason) String() string {
	return fmt.Sprintf("%s: %.4g exceeds %.4g", r.Code, r.Value, r.Limit)
}

// The codes of reasons.
const (
	ReasonLag         = "client_lag_ms"      // user-space stamps late against the kernel's
	ReasonMerged      = "merged_reads_share" // several segments read at once carry one stamp
	ReasonCPU         = "cpu_share"
	ReasonGC          = "gc_pause_ms"
	ReasonDrift       = "wall_drift_ms"
	ReasonBuffered    = "buffered_share"
	ReasonNewConns    = "new_connections_share"
	ReasonConcurrency = "concurrency_shortfall"
)

// tickEvery is about how often the client reads itself.
const tickEvery = time.Second

// near is the distance under which two output events count as one burst.
const near = time.Millisecond

// Judge forms the verdict of one target's samples and the client's ticks.
func Judge(s *Summary, samples []*Sample, ticks []Tick) Measurement {
	last := lastAttempts(samples)
	m := Measurement{Verdict: Trusted, Reasons: []Reason{}, SendMS: s.Upload, Concurrency: &s.Concurrency, NewConns: s.Observed.NewConns, Protocols: []string{}}
	m.readings(last)
	m.connections(last)
	m.client(ticks)
	m.judge(s, len(last))
	return m
}

func (m *Measurement) readings(last []*Sample) {
	reads, merged, events, close, gaps := 0, 0, 0, 0, 0
	var lagSum, lagMax time.Duration
	for _, s := range last {
		if s.Client.Clock != "" && (m.Clock == "" || s.Client.Clock == "user") {
			m.Clock = s.Client.Clock
		}
		reads, merged, events = reads+s.Client.Reads, merged+s.Client.Merged, events+s.OutputEvents
		lagSum, lagMax = lagSum+time.Duration(s.Client.LagSum), max(lagMax, time.Duration(s.Client.LagMax))
		for _, gap := range s.ITL() {
			gaps++
			if gap < near {
				close++
			}
		}
	}
	m.MergedShare, m.BufferedShare = ratio(merged, events), ratio(close, gaps)
	if reads > 0 && m.Clock == "kernel" {
		avg, high := Milliseconds(lagSum)/float64(reads), Milliseconds(lagMax)
		m.LagAvgMS, m.LagMaxMS = &avg, &high
	}
}

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

// judge compares each figure with its limit.
func (m *Measurement) judge(s *Summary, n int) {
	exceeds := func(code string, value *float64, limit float64, v Verdict) {
		if value != nil && *value > limit {
			m.Reasons = append(m.Reasons, Reason{code, v, *value, limit})
		}
	}
	if s.TTFT.N > 0 {
		exceeds(ReasonLag, m.LagAvgMS, max(0.01*s.TTFT.P50, 0.05), Degraded)
		exceeds(ReasonGC, m.GCPauseMS, max(0.05*s.TTFT.P50, 5), Degraded)
	}
	exceeds(ReasonCPU, m.CPUShare, 0.7, Degraded)
	exceeds(ReasonCPU, m.CPUShare, 0.95, Invalid)
	exceeds(ReasonDrift, m.WallDriftMS, 1000, Degraded)
	exceeds(ReasonMerged, m.MergedShare, 0.01, Degraded)
	if s.TPOT.N > 0 && s.TPOT.P50 > 2*Milliseconds(near) {
		exceeds(ReasonBuffered, m.BufferedShare, 0.2, Degraded)
	}
	if n >= 20 {
		exceeds(ReasonNewConns, ratio(m.NewConns, n), 0.1, Degraded)
	}
	if c := s.Concurrency; c.Mean != nil && s.Open == nil && n >= 4*c.Asked {
		short := 1 - *c.Mean/float64(c.Asked)
		exceeds(ReasonConcurrency, &short, 0.1, Degraded)
	}
	for _, r := range m.Reasons {
		if r.Verdict == Invalid || m.Verdict == Trusted {
			m.Verdict = r.Verdict
		}
	}
}
