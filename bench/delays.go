package bench

import (
	"slices"
	"time"
)

// pulse is what the ticks say of how late the client came to moments that were
// known beforehand. It is what bytes had to wait for, too, that came then.
type pulse struct {
	ticks []Tick
	lags  Lags // of the whole run
}

func newPulse(ticks []Tick) *pulse {
	p := &pulse{ticks: ticks}
	for i := range ticks {
		p.lags.Merge(ticks[i].Lags)
	}
	return p
}

// stall is the longest time around a moment for which the client noticed
// nothing; 0 where no pulse was taken.
func (p *pulse) stall(at time.Duration) time.Duration {
	i, _ := slices.BinarySearchFunc(p.ticks, at, func(t Tick, at time.Duration) int { return int(t.At.At() - at) })
	var longest time.Duration
	for _, t := range p.ticks[min(i, len(p.ticks)):min(i+2, len(p.ticks))] {
		longest = max(longest, time.Duration(t.LagMax))
	}
	return longest
}

// stampDelay is by how much stamps taken in user space are late, at P99 of so
// many requests: the lag that the largest of so many draws has in the middle of
// all cases. Few requests may as well have met with a lag that only one stamp
// in 200 has. Half of it counts, since the delay that is tolerable is half of
// the error that no trusted run may have.
func (p *pulse) stampDelay(requests int) time.Duration {
	n := float64(requests)
	return max(p.lags.Quantile(min(0.99, n/(n+0.5))), p.lags.Quantile(0.995)/2)
}

// delays estimates what the client's own delays have done to TTFT and TPOT, at
// P99 of the requests.
//
// A request that was held back between its start and its first byte sent has
// made TTFT longer. An arrival stamped by the kernel is exact, but for the
// events of one read, which all carry the stamp of the last: see [mergers]. A
// stamp taken in user space is late by the pulse's lag.
func (m *Measurement) delays(ok []*Sample, p *pulse) {
	if len(ok) == 0 {
		return
	}
	first, last := mergers{pulse: p}, mergers{pulse: p}
	for _, s := range ok {
		first.add(s, slices.IndexFunc(s.Events, isOutput))
		last.add(s, lastOutput(s.Events))
	}
	stamp := 0.0
	if m.Clock == clockUser {
		stamp = Milliseconds(p.stampDelay(len(ok)))
	}
	var starts, tokens []float64
	for i, s := range ok {
		starts = append(starts, stamp+Milliseconds(held(s)+first.late(i)))
		if n, known := s.OutputTokens(); known && n > 1 {
			tokens = append(tokens, (stamp+Milliseconds(max(first.late(i), last.late(i))))/float64(n-1))
		}
	}
	m.TTFTErrorMS = pointer(Describe(starts).P99)
	if len(tokens) > 0 {
		m.TPOTErrorMS = pointer(Describe(tokens).P99)
	}
}

func isOutput(e Event) bool { return e.Kind.Output() }

func lastOutput(events Events) int {
	for i, e := range slices.Backward(events) {
		if isOutput(e) {
			return i
		}
	}
	return -1
}

// atOnce is the size up to which a request goes out in one write that waits
// for nothing.
const atOnce = 16 << 10

// held is how long the client kept a request back after its start. A write that
// waits for nothing and yet takes long was held up as well: before the bytes
// left or after, so that half of it counts. Where a connection had to be
// opened, the two can't be told apart, and it is 0.
func held(s *Sample) time.Duration {
	wait, sent := s.SentFirst.Since(s.Start)
	if !sent || !s.Connection.Reused {
		return 0
	}
	if writing, sent := s.SentLast.Since(s.SentFirst); sent && s.BodyBytes > 0 && s.BodyBytes <= atOnce {
		wait += writing / 2
	}
	return wait
}

// mergers are the reads that brought one certain event of each sample together
// with a later one, so that its stamp may be late. By how much is unknown: no
// more than has passed since the read before, and no more than the client was
// stalled for. A server that sends several events at once makes such reads,
// too, and those are exact: where they are frequent, only lags that are about
// as frequent can be their cause.
type mergers struct {
	pulse *pulse
	lates []time.Duration
	n     int // reads that brought a later event, too
}

// add takes the next sample and the index of its event; −1 for none.
func (m *mergers) add(s *Sample, event int) {
	late := time.Duration(0)
	if event >= 0 && event+1 < len(s.Events) && s.Events[event+1].Read == s.Events[event].Read {
		m.n++
		at := s.Events[event].At
		late = min(max(at-readBefore(s, event), 0), m.pulse.stall(at))
	}
	m.lates = append(m.lates, late)
}

// late is by how much the stamp of the i-th sample's event may be late.
func (m *mergers) late(i int) time.Duration {
	if m.lates[i] == 0 {
		return 0
	}
	share := float64(m.n) / float64(len(m.lates))
	return min(m.lates[i], m.pulse.lags.Quantile(1-share/10))
}

// readBefore is when the bytes before those that an event came with had
// arrived, or where there were none, when the request was sent.
func readBefore(s *Sample, event int) time.Duration {
	at := s.Events[event].At
	for _, e := range slices.Backward(s.Events[:event]) {
		if e.Read != s.Events[event].Read {
			return e.At
		}
	}
	if before := s.FirstByte.At(); before < at {
		return before
	}
	return s.SentLast.At()
}

// bursts counts the output events that came within [near] of their neighbour,
// among all that have one.
func (m *Measurement) bursts(last []*Sample, p *pulse) {
	tight, gaps := 0, 0
	for _, s := range last {
		t, g := burst(s, p)
		tight, gaps = tight+t, gaps+g
	}
	m.BufferedShare = ratio(tight, gaps)
}

// burst counts a sample's output events that came within [near] of the one
// before, among all that have one. What the client may have brought together
// itself, by a stall, is left out of tight: events of one read, and, where
// stamps are taken in user space, reads that followed a stall.
func burst(s *Sample, p *pulse) (tight, gaps int) {
	reads := outputReads(s)
	for i, r := range reads {
		gaps += r.events - 1
		if !r.explained(p) {
			tight += r.events - 1
		}
		if i == 0 {
			continue
		}
		gaps++
		if r.at-r.before < near && (s.Client.Clock != clockUser || p.stall(r.at) < meanGap(reads)) {
			tight++
		}
	}
	return tight, gaps
}

// meanGap is the mean time between output events.
func meanGap(reads []outputRead) time.Duration {
	events := 0
	for _, r := range reads {
		events += r.events
	}
	return (reads[len(reads)-1].at - reads[0].at) / time.Duration(max(1, events-1))
}

// outputRead is one read that brought output events.
type outputRead struct {
	at, before time.Duration // its arrival, and that of the one before
	read       int
	events     int
}

// outputReads are the reads of a sample that brought output events, in order.
func outputReads(s *Sample) []outputRead {
	var reads []outputRead
	before := s.FirstByte.At()
	for _, e := range s.Events {
		if !isOutput(e) {
			continue
		}
		if n := len(reads); n > 0 && reads[n-1].read == e.Read {
			reads[n-1].events++
			continue
		} else if n > 0 {
			before = reads[n-1].at
		}
		reads = append(reads, outputRead{e.At, before, e.Read, 1})
	}
	return reads
}

// explained reports whether the client's stall can have brought the events
// together, had they come one by one since the read before.
func (r outputRead) explained(p *pulse) bool {
	if r.events == 1 {
		return true // it brought nothing together
	}
	one := (r.at - r.before) / time.Duration(r.events)
	return one*time.Duration(r.events-1) <= p.stall(r.at)
}
