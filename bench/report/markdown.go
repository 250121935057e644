package report

import (
	"bytes"
	"embed"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

//go:embed templates/*.tmpl
var templates embed.FS

// page is what the template of report.md shows.
type page struct {
	l       *language
	result  *bench.Result
	record  *bench.Record
	skipped []string // why a chart is missing
}

// block is the part of a page that belongs to one target.
type block struct {
	*page
	target *bench.TargetResult
	load   md // of a sweep, whose name it is; empty where the block is of the whole run
}

// spec is the run's spec under the target's own terms.
func (b *block) spec() *bench.Spec {
	s := b.result.Spec
	b.target.Terms.Apply(&s)
	return &s
}

// Markdown renders report.md in the language that the run's spec names.
// skipped are lines, in that language, that say why a chart is missing.
func Markdown(result *bench.Result, record *bench.Record, skipped []string) ([]byte, error) {
	l, err := languageOf(result.Spec.Lang)
	if err != nil {
		return nil, err
	}
	t, err := template.New("report.md.tmpl").Funcs(template.FuncMap{"t": l.say}).ParseFS(templates, "templates/*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("read the template of the report: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, &page{l, result, record, skipped}); err != nil {
		return nil, fmt.Errorf("fill the template of the report: %w", err)
	}
	return append(bytes.TrimSpace(blankLines().ReplaceAll(b.Bytes(), []byte("\n\n"))), '\n'), nil
}

// blankLines finds more than one blank line in a row.
func blankLines() *regexp.Regexp { return regexp.MustCompile(`\n[ \t]*\n\s*\n`) }

// Title names the scenario, and what would mislead if it stood further down.
func (p *page) Title() md {
	parts := []string{string(p.l.say("title." + string(p.result.Scenario)))}
	if p.result.Simulated {
		parts = append(parts, string(p.l.say("title.simulated")))
	}
	if p.Incomplete() {
		parts = append(parts, string(p.l.say("title.incomplete")))
	}
	return md(strings.Join(parts, " · "))
}

// Subtitle says of what and when.
func (p *page) Subtitle() md {
	var labels []string
	for i := range p.result.Targets {
		labels = append(labels, string(code(p.result.Targets[i].Model)))
	}
	return p.l.say("subtitle", "models", md(strings.Join(labels, " · ")), "began", moment(p.result.Began),
		"preset", p.l.say("preset."+string(p.result.Spec.Preset)), "version", p.result.Tool.Version)
}

// moment prints a time with its zone.
func moment(t time.Time) string { return t.Format("2006-01-02 15:04:05 -07:00") }

// Incomplete reports whether the run didn't go to its end.
func (p *page) Incomplete() bool { return p.result.State != bench.StateSucceeded }

// Many reports whether several targets were measured.
func (p *page) Many() bool { return len(p.result.Targets) > 1 }

// Blocks are the parts of the page that belong to one target each.
func (p *page) Blocks() []*block {
	blocks := make([]*block, len(p.result.Targets))
	for i := range p.result.Targets {
		blocks[i] = &block{page: p, target: &p.result.Targets[i]}
	}
	return blocks
}

// Alarms are what must be read before any figure.
func (p *page) Alarms() []md {
	var lines []md
	for _, b := range p.Blocks() {
		if alarm := b.failureAlarm(); alarm != "" {
			lines = append(lines, b.named(alarm))
		}
		if p.Incomplete() {
			lines = append(lines, b.named(b.incomplete()))
		}
	}
	if p.result.Simulated {
		lines = append(lines, p.l.say("alarm.simulated"))
	}
	return lines
}

// named puts the target's name before a line, where there are several.
func (b *block) named(line md) md {
	if !b.Many() {
		return line
	}
	return b.Label() + ": " + line
}

// Label is the target's name on the page.
func (b *block) Label() md { return code(b.target.Label) }

func (b *block) failureAlarm() md {
	r := b.target.Summary.Requests
	if r.Failed == 0 || r.FailureRate() <= b.result.Spec.MaxFailureRate {
		return ""
	}
	return b.l.say("alarm.failures", "failed", r.Failed, "n", r.Succeeded+r.Failed)
}

func (b *block) incomplete() md {
	r := b.target.Summary.Requests
	e := b.result.End
	if limit := b.limit(); limit != "" {
		return b.l.say("alarm.budget", "limit", limit, "done", r.Succeeded+r.Failed, "planned", r.Planned)
	}
	line := b.l.say("alarm."+string(b.result.State), "done", r.Succeeded+r.Failed, "planned", r.Planned)
	if e != nil && e.Reason != "" {
		line += b.l.say("alarm.reason", "reason", b.l.remark(e.Reason))
	}
	return line
}

// Charts are the names of the charts' files, beside the page.
func (p *page) Charts() []chart {
	var charts []chart
	for _, path := range p.result.Files.Charts {
		name := filepath.Base(path)
		stem := strings.TrimSuffix(name, filepath.Ext(name))
		charts = append(charts, chart{name, p.l.either([]string{"chart." + stem, "chart"}, "name", stem)})
	}
	return charts
}

type chart struct {
	File string
	Alt  md
}

// Skipped says which charts are missing, and why.
func (p *page) Skipped() []md {
	var lines []md
	for _, s := range p.skipped {
		lines = append(lines, esc(s))
	}
	return lines
}

// ordered sorts the samples as they were asked for.
func ordered(samples []*bench.Sample) []*bench.Sample {
	return slices.SortedStableFunc(slices.Values(samples), (*bench.Sample).Compare)
}
