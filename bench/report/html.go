package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"github.com/llm-bench/llm-bench/bench"
)

// HTMLFile is the report's page for a browser.
const HTMLFile = "report.html"

//go:embed page/report.html.tmpl page/report.css page/report.js
var pageFiles embed.FS

// document is what the template of report.html shows.
type document struct {
	Page    *page
	Lang    string
	Policy  string // Content-Security-Policy: nothing is loaded, nothing but the page's own script runs
	Style   template.CSS
	Script  template.JS
	Data    template.JS // of the charts, as JSON
	Charts  bool
	Console string
}

// HTML renders report.html, one file that loads nothing, in the language that
// the run's spec names. It says what report.md says, and draws the charts in
// the reader's browser, where they can be read point by point and filtered.
func HTML(result *bench.Result, record *bench.Record) ([]byte, error) {
	l, err := languageOf(result.Spec.Lang)
	if err != nil {
		return nil, err
	}
	style, err := pageFiles.ReadFile("page/report.css")
	if err != nil {
		return nil, fmt.Errorf("read the style of the page: %w", err)
	}
	script, err := pageFiles.ReadFile("page/report.js")
	if err != nil {
		return nil, fmt.Errorf("read the script of the page: %w", err)
	}
	p := &page{l: l, result: result, record: record}
	d := document{Page: p, Lang: htmlLang(l), Policy: policy(style, script), Style: template.CSS(style), Script: template.JS(script), Console: ConsolePage}
	if d.Data, d.Charts, err = chartData(p); err != nil {
		return nil, err
	}
	t, err := template.New("report.html.tmpl").Funcs(p.functions()).ParseFS(pageFiles, "page/report.html.tmpl")
	if err != nil {
		return nil, fmt.Errorf("read the template of the page: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, &d); err != nil {
		return nil, fmt.Errorf("fill the template of the page: %w", err)
	}
	return b.Bytes(), nil
}

func htmlLang(l *language) string {
	if l.name == "zh" {
		return "zh-CN"
	}
	return l.name
}

// policy lets the page's own style and script run, and nothing be loaded.
func policy(style, script []byte) string {
	hash := func(data []byte) string {
		sum := sha256.Sum256(data)
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script) + "; img-src data:; base-uri 'none'; form-action 'none'"
}

// functions are what the template says its texts with.
func (p *page) functions() template.FuncMap {
	return template.FuncMap{
		"t":      func(key string, args ...any) template.HTML { return markup(p.l.say(key, args...)) },
		"say":    func(key string) md { return p.l.say(key) },
		"inline": markup,
		"plain":  func(m md) string { return bare(m) },
		"table":  func(t *table, name md) template.HTML { return t.markup(name) },
		"sections": func() []pageSection {
			return pageSections(p.l)
		},
	}
}

// pageSection is an entry of the page's contents.
type pageSection struct {
	ID     string
	Number int
	Title  md
}

func pageSections(l *language) []pageSection {
	var sections []pageSection
	for i, id := range []string{"result", "metrics", "parameters", "outcome", "throughput", "breakdown", "slowest", "quality"} {
		sections = append(sections, pageSection{id, i + 1, l.say("section." + id)})
	}
	return sections
}

// Badges are what must not be overlooked.
func (p *page) Badges() []string { return wordsOf(p.l.name).badges(p.result) }

// Models names the models asked for.
func (p *page) Models() md {
	var models []string
	for i := range p.result.Targets {
		models = append(models, string(code(p.result.Targets[i].Model)))
	}
	return md(strings.Join(models, " · "))
}

// Standard is the verdict's name.
func (b *block) Standard() string { return string(b.target.Measurement.Verdict) }

// findingLine is a finding with its severity.
type findingLine struct {
	Severity string
	Text     md
}

// FindingLines are the findings that the first section shows.
func (b *block) FindingLines() []findingLine {
	var lines []findingLine
	for i, text := range b.Findings() {
		lines = append(lines, findingLine{string(b.target.Findings[i].Severity), text})
	}
	return lines
}

// tile is one figure at a glance.
type tile struct {
	Name, Value md
	More        []md // that goes with it, in pieces that hold together
}

// Tiles are the figures at a glance; none in a sweep, where no figure is of
// all loads, and none where nothing was measured.
func (b *block) Tiles() []tile {
	s, l := &b.target.Summary, b.l
	if b.Points() || s.TTFT.N == 0 {
		return nil
	}
	tiles := []tile{b.latencyTile("TTFT", s.TTFT), b.latencyTile("TPOT", s.TPOT), b.latencyTile("E2E", s.E2E)}
	if s.Open != nil {
		tiles = append(tiles, b.latencyTile(l.say("tile.intended"), s.Open.TTFT))
	}
	cache := tile{Name: l.say("cache.hit_rate"), Value: b.hitRate(s.Cache.HitRate)}
	if s.Cache.Ceiling != nil && s.Cache.HitRate != nil {
		cache.More = []md{l.say("tile.ceiling", "ceiling_rate", *s.Cache.Ceiling)}
	}
	tiles = append(tiles, cache)
	if s.OutputRate != nil && s.Requests.Planned > 1 {
		tiles = append(tiles, tile{l.say("loads.output"), b.optional(s.OutputRate), []md{l.number("tile.requests", s.Rate)}})
	}
	return tiles
}

// latencyTile is a median with what goes with it; of a single sample there is
// nothing but that.
func (b *block) latencyTile(name md, d bench.Dist) tile {
	n := "n = " + md(count(d.N))
	if d.N < 2 {
		return tile{name, b.median(d), []md{n}}
	}
	return tile{name + " P50", b.median(d), []md{"AVG " + b.timeOf(d, d.Avg), "P99 " + b.tail(d), n}}
}
