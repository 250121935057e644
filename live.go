package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/llm-bench/llm-bench/bench/job"
)

// lineEvery is how often progress is printed where there is no terminal.
const lineEvery = 5 * time.Second

// live shows how a run stands: a bar on a terminal, else a line every few seconds.
type live struct {
	w    io.Writer
	bar  *progressbar.ProgressBar // nil where there is no terminal
	next time.Duration            // of the run, when the next line is due
}

func newLive(w io.Writer, planned int) *live {
	l := &live{w: w, next: lineEvery}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		l.bar = progressbar.NewOptions(planned,
			progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(20), progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(false), progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth(),
			progressbar.OptionSetElapsedTime(false))
	}
	return l
}

// show takes the present progress.
func (l *live) show(p job.Progress) {
	if l.bar != nil {
		l.bar.Describe(describe(&p))
		_ = l.bar.Set(p.Requests.Planned - p.Requests.NotRun)
		return
	}
	if p.Elapsed >= l.next {
		l.next = p.Elapsed + lineEvery
		done := p.Requests.Planned - p.Requests.NotRun
		fmt.Fprintf(l.w, "%s %d/%d %s\n", p.Scenario, done, p.Requests.Planned, describe(&p))
	}
}

func (l *live) end() {
	if l.bar != nil {
		_ = l.bar.Finish()
	}
}

// describe is one line of what was measured so far.
func describe(p *job.Progress) string {
	parts := []string{p.Phase}
	if p.TTFTP50 != nil {
		parts = append(parts, fmt.Sprintf("TTFT p50 %s", time.Duration(*p.TTFTP50).Round(time.Millisecond)))
	}
	if p.TPOTP50 != nil {
		parts = append(parts, fmt.Sprintf("TPOT p50 %s", time.Duration(*p.TPOTP50).Round(100*time.Microsecond)))
	}
	if p.HitRate != nil {
		parts = append(parts, fmt.Sprintf("hit rate %.1f %%", 100**p.HitRate))
	}
	if p.Prompt > 0 {
		parts = append(parts, fmt.Sprintf("%dk in %dk out", p.Prompt/1000, p.Output/1000))
	}
	for _, class := range slices.Sorted(maps.Keys(p.Failures)) {
		parts = append(parts, fmt.Sprintf("%d %s", p.Failures[class], class))
	}
	if p.Remain != nil {
		parts = append(parts, "~"+p.Remain.Round(time.Second).String()+" left")
	}
	return strings.Join(parts, ", ")
}
