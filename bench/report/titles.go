package report

import "github.com/llm-bench/llm-bench/bench"

// FindingTitles words the findings of a result, the weightiest first, each in
// one line of plain text. lang is zh or en.
func FindingTitles(result *bench.Result, lang string) []string {
	l, err := languageOf(lang)
	if err != nil {
		return nil
	}
	p := &page{l: l, result: result, record: &bench.Record{}}
	var titles []string
	for _, b := range p.Blocks() {
		for i := range b.target.Findings {
			f := &b.target.Findings[i]
			titles = append(titles, bare(b.named(b.l.say("severity."+string(f.Severity))+b.findingTitle(f))))
		}
	}
	return titles
}
