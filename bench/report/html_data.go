package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"slices"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// shownRequests bounds the requests of one series on the page's charts. Of
// more, evenly chosen ones are shown, and the page says so.
const shownRequests = 20_000

// plots is the material of the page's charts. All times are milliseconds;
// columns of requests are arrays, in which null is undefined.
type plots struct {
	Scenario bench.Scenario    `json:"scenario"`
	Badges   []string          `json:"badges,omitempty"` // on every chart
	Key      string            `json:"key"`              // what requests are grouped by: reuse ordinal or turn
	Words    map[string]string `json:"words"`
	Series   []plotSeries      `json:"series"`
	Loads    []plotLoads       `json:"loads,omitempty"` // of a sweep, one for each target
	LoadName string            `json:"load_name,omitempty"`
}

// plotSeries is the requests of one target, or of one target at one load.
type plotSeries struct {
	Name    string       `json:"name"`
	Target  string       `json:"target"`
	Load    string       `json:"load,omitempty"`
	Asked   int          `json:"asked"`          // requests at a time; 0 in an open loop that never reached its limit
	Left    int          `json:"left,omitempty"` // requests that are not shown, being too many
	Ceiling [][2]float64 `json:"ceiling"`        // key and the best hit rate in %
	Rows    plotRows     `json:"rows"`
}

type plotRows struct {
	Key     []int      `json:"key"`
	Session []int      `json:"session"`
	Start   []*float64 `json:"start"`
	End     []*float64 `json:"end"`
	TTFT    []*float64 `json:"ttft"`
	TPOT    []*float64 `json:"tpot"`
	E2E     []*float64 `json:"e2e"`
	Wait    []*float64 `json:"wait,omitempty"` // of open loop
	Prompt  []*int     `json:"prompt"`
	Cached  []*int     `json:"cached"`
	Kind    []string   `json:"kind"` // "" succeeded, or failed, retried, canceled
	ID      []string   `json:"id"`
}

// plotLoads is latency and throughput of one target against its load.
type plotLoads struct {
	Target string     `json:"target"`
	X      []float64  `json:"x"`
	N      []int      `json:"n"`
	TTFT50 []*float64 `json:"ttft_p50"`
	TTFT99 []*float64 `json:"ttft_p99"`
	TPOT50 []*float64 `json:"tpot_p50"`
	TPOT99 []*float64 `json:"tpot_p99"`
	E2E50  []*float64 `json:"e2e_p50"`
	E2E99  []*float64 `json:"e2e_p99"`
	Output []*float64 `json:"output"`
	Rate   []*float64 `json:"rate"`
	Wait99 []*float64 `json:"wait_p99,omitempty"`
}

// chartData is the material as JSON that can stand in a page; none where there
// is nothing to draw.
func chartData(p *page) (data template.JS, worth bool, err error) {
	d := plots{Scenario: p.result.Scenario, Badges: wordsOf(p.l.name).badges(p.result), Key: "ordinal", Words: p.plotWords()}
	if d.Scenario == bench.Multiturn {
		d.Key = "turn"
	}
	if d.Scenario == bench.Connectivity {
		return "", false, nil
	}
	for _, b := range p.Blocks() {
		d.Series = append(d.Series, b.series()...)
		if b.Points() {
			d.Loads, d.LoadName = append(d.Loads, b.plotLoads()), bare(p.loadHead().title)
		}
	}
	rows := 0
	for i := range d.Series {
		rows += len(d.Series[i].Rows.Key)
	}
	if rows == 0 {
		return "", false, nil
	}
	text, err := json.Marshal(&d) // writes <, >, & and line separators as escapes
	if err != nil {
		return "", false, fmt.Errorf("write the material of the charts: %w", err)
	}
	return template.JS(text), true, nil
}

// series are the block's requests, apart by load.
func (b *block) series() []plotSeries {
	samples := b.record.Of(b.target.Label)
	if !b.Points() {
		return []plotSeries{b.plotSeries(samples, "")}
	}
	var all []plotSeries
	for i, at := range b.Loads() {
		of := slices.DeleteFunc(slices.Clone(samples), func(s *bench.Sample) bool { return s.Point != i+1 })
		series := at.plotSeries(of, bare(at.load))
		if b.Many() {
			series.Name = series.Target + " · " + series.Load
		}
		all = append(all, series)
	}
	return all
}

func (b *block) plotSeries(samples []*bench.Sample, load string) plotSeries {
	s := plotSeries{Target: bench.Clean(b.target.Label, 200), Load: load, Asked: b.target.Summary.Concurrency.Asked, Ceiling: b.ceilings(samples)}
	if c := b.target.Summary.Concurrency; b.target.Summary.Open != nil && c.Peak < c.Asked {
		s.Asked = 0
	}
	if s.Name = load; load == "" {
		s.Name = s.Target
	}
	started := slices.DeleteFunc(ordered(samples), func(s *bench.Sample) bool { return !s.Start.Taken() })
	step := (len(started) + shownRequests - 1) / shownRequests
	for i, sample := range started {
		if i%step != 0 {
			s.Left++
			continue
		}
		again := i+1 < len(started) && started[i+1].Session == sample.Session && started[i+1].Turn == sample.Turn
		s.Rows.add(b.result.Scenario, sample, again)
	}
	if b.target.Summary.Open == nil {
		s.Rows.Wait = nil
	}
	return s
}

func (r *plotRows) add(scenario bench.Scenario, s *bench.Sample, again bool) {
	key := s.Ordinal
	if scenario == bench.Multiturn {
		key = s.Turn
	}
	kind := map[eventKind]string{eventFailed: "failed", eventRetried: "retried", eventCanceled: "canceled"}[kindOf(s, again)]
	r.Key, r.Session, r.Kind = append(r.Key, key), append(r.Session, s.Session), append(r.Kind, kind)
	r.ID = append(r.ID, bench.Clean(s.RequestID, 100))
	r.Start, r.End = append(r.Start, markOf(s.Start)), append(r.End, markOf(s.End))
	figure := func(of func(*bench.Sample) (time.Duration, bool)) *float64 {
		d, defined := of(s)
		if !defined || s.Outcome != bench.Succeeded {
			return nil
		}
		return rounded(bench.Milliseconds(d))
	}
	r.TTFT, r.TPOT, r.E2E = append(r.TTFT, figure((*bench.Sample).TTFT)), append(r.TPOT, figure((*bench.Sample).TPOT)), append(r.E2E, figure((*bench.Sample).E2E))
	r.Wait = append(r.Wait, figure((*bench.Sample).Wait))
	var prompt, cached *int
	if u := s.Usage; u != nil && s.Outcome == bench.Succeeded && (u.Prompt == nil || u.Cached == nil || *u.Cached <= *u.Prompt) {
		prompt, cached = u.Prompt, u.Cached
	}
	r.Prompt, r.Cached = append(r.Prompt, prompt), append(r.Cached, cached)
}

func markOf(m bench.Mark) *float64 {
	if !m.Taken() {
		return nil
	}
	return rounded(bench.Milliseconds(m.At()))
}

// rounded is to the microsecond.
func rounded(v float64) *float64 {
	if !drawable(v) {
		return nil
	}
	v = math.Round(v*1000) / 1000
	return &v
}

// ceilings are the best hit rates that the workload allows, by key.
func (b *block) ceilings(samples []*bench.Sample) [][2]float64 {
	result := *b.result
	result.Targets = []bench.TargetResult{*b.target}
	points := [][2]float64{}
	figure := hitFigure(wordsOf(b.l.name), &result, &bench.Record{Samples: samples})
	for _, c := range figure.limits {
		for _, r := range c.readings {
			points = append(points, [2]float64{float64(r.key), *rounded(r.mean)})
		}
	}
	return points
}

// plotLoads reads the loads of one target.
func (b *block) plotLoads() plotLoads {
	d := plotLoads{Target: bench.Clean(b.target.Label, 200)}
	at := func(dist bench.Dist, v float64) *float64 {
		if dist.N == 0 {
			return nil
		}
		return rounded(v)
	}
	for i := range b.target.Points {
		p := &b.target.Points[i]
		s, x := &p.Summary, float64(p.MaxConcurrency)
		if b.byRate() {
			x = p.RequestRate
		}
		d.X, d.N = append(d.X, x), append(d.N, s.TTFT.N)
		d.TTFT50, d.TTFT99 = append(d.TTFT50, at(s.TTFT, s.TTFT.P50)), append(d.TTFT99, at(s.TTFT, s.TTFT.P99))
		d.TPOT50, d.TPOT99 = append(d.TPOT50, at(s.TPOT, s.TPOT.P50)), append(d.TPOT99, at(s.TPOT, s.TPOT.P99))
		d.E2E50, d.E2E99 = append(d.E2E50, at(s.E2E, s.E2E.P50)), append(d.E2E99, at(s.E2E, s.E2E.P99))
		d.Output, d.Rate = append(d.Output, s.OutputRate), append(d.Rate, s.Rate)
		if s.Open != nil {
			d.Wait99 = append(d.Wait99, at(s.Open.Wait, s.Open.Wait.P99))
		}
	}
	return d
}

// plotWords are the texts of the charts, in the words of the pictures where those have them.
func (p *page) plotWords() map[string]string {
	w := wordsOf(p.l.name)
	words := map[string]string{
		"ttft": w.ttft, "per1k": w.ttftPer1K, "tpot": w.tpot, "e2e": w.e2e, "hits": w.hits, "flying": w.flying, "context": w.context,
		"ordinal": w.ordinal, "turn": w.turn, "clock": w.clock, "timeline": w.ttftAt,
		"ms": w.ms, "s": w.seconds, "min": w.minutes, "h": w.hours, "tokens": w.tokens, "mean": w.mean, "band": w.band, "best": w.best,
		"failed": w.failed, "retried": w.retried, "canceled": w.canceled, "title_groups": w.reuse, "title_spread": w.spread, "title_timeline": w.timeline,
		"first": w.first, "beyond": w.beyond, "later": w.later,
	}
	if p.result.Scenario == bench.Multiturn {
		words["title_groups"], words["first"] = w.turns, w.firstTurn
	}
	for _, key := range pageWords() {
		words[key] = bare(p.l.say("html." + key))
	}
	words["key_name"] = bare(p.l.either([]string{"breakdown." + string(p.result.Scenario), "breakdown.prefix"}))
	words["hit_rate"] = bare(p.l.say("cache.hit_rate"))
	words["not_reported"] = bare(p.l.say("not_reported"))
	words["target"] = bare(p.l.say("comparison.target"))
	return words
}

// pageWords are the phrases that only the page's charts have.
func pageWords() []string {
	return []string{
		"targets", "loads", "share_of", "from", "to", "all", "only_first", "only_later", "selected", "selection", "left",
		"request", "session", "use_of", "turn_of", "prompt", "cached", "queue", "in_flight", "asked", "no_data", "plot_help",
		"title_load", "output", "requests", "series", "p50", "p99", "started",
	}
}
