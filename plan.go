package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// forecast is what a run would send.
type forecast struct {
	Scenario        bench.Scenario `json:"scenario"`
	Requests        int            `json:"requests"`
	PromptTokens    int            `json:"prompt_tokens"`
	OutputTokensMax int            `json:"output_tokens_max"`
	MinutesLow      float64        `json:"minutes_low"`
	MinutesHigh     float64        `json:"minutes_high"`
	PaceFrom        string         `json:"pace_from,omitempty"` // the run whose speed the minutes rest on; absent: assumed
	Cost            *bench.Cost    `json:"cost_max,omitempty"`
	Throttled       string         `json:"throttled,omitempty"` // which known limit the run may reach, and how
}

// plan prints what would be sent, writes it to a file where that was asked
// for, and sends nothing.
func plan(std streams, notes io.Writer, flags *runFlags, target *bench.Target, targets int, specs []bench.Spec) error {
	index, err := rundir.DefaultIndex()
	if err != nil {
		return err
	}
	forecasts := []forecast{}
	for i := range specs {
		pace := job.PaceOf(index, target, specs[i].Scenario)
		f := forecastOf(&specs[i], &pace)
		f.times(targets)
		if specs[i].Scenario != bench.Connectivity {
			f.times(max(1, len(flags.points)))
			f.MinutesLow, f.MinutesHigh = f.MinutesLow*float64(max(1, len(flags.points))), f.MinutesHigh*float64(max(1, len(flags.points)))
		}
		f.Throttled = throttled(&f, &target.Terms)
		forecasts = append(forecasts, f)
		fmt.Fprintln(notes, f.line())
	}
	if flags.dump != "" {
		if err := dump(flags, specs); err != nil {
			return err
		}
		fmt.Fprintln(notes, "inputs: "+flags.dump)
	}
	if flags.json {
		return printJSON(std.out, map[string]any{"plans": forecasts})
	}
	return nil
}

func forecastOf(s *bench.Spec, pace *job.Pace) forecast {
	prompt, output := job.Tokens(s)
	low, high := pace.Estimate(s)
	f := forecast{
		Scenario: s.Scenario, Requests: s.Planned(), PromptTokens: prompt, OutputTokensMax: output,
		MinutesLow: low.Minutes(), MinutesHigh: high.Minutes(), PaceFrom: pace.From,
	}
	if s.Prices.In > 0 || s.Prices.Out > 0 {
		f.Cost = &bench.Cost{Amount: s.Prices.Of(prompt, 0, output), Currency: s.Prices.Currency}
	}
	return f
}

// times multiplies what is sent by a number of targets or loads.
func (f *forecast) times(n int) {
	f.Requests, f.PromptTokens, f.OutputTokensMax = f.Requests*n, f.PromptTokens*n, f.OutputTokensMax*n
	if f.Cost != nil {
		f.Cost.Amount *= float64(n)
	}
}

func (f forecast) line() string {
	line := fmt.Sprintf("%s: %s, about %s, at most %s, %.1f to %.1f min", f.Scenario, counted(f.Requests, "request"),
		counted(f.PromptTokens, "prompt token"), counted(f.OutputTokensMax, "output token"), f.MinutesLow, f.MinutesHigh)
	if f.PaceFrom != "" {
		line += " (at the pace of " + f.PaceFrom + ")"
	}
	if f.Cost != nil {
		line += ", at most " + strings.TrimSpace(fmt.Sprintf("%.2f %s", f.Cost.Amount, f.Cost.Currency)) + " without cache hits"
	}
	if f.Throttled != "" {
		line += "\n  " + f.Throttled
	}
	return line
}

// counted is a number of things, whose name is given for one.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}

// grouped writes a number with commas between its thousands.
func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return grouped(n/1000) + fmt.Sprintf(",%03d", n%1000)
}

// throttled compares the fastest that the run may be with the rates that the
// endpoint is known to take; "" where it stays below them or none is known.
func throttled(f *forecast, terms *bench.Terms) string {
	minutes := max(f.MinutesLow, 1)
	rpm, tpm := float64(f.Requests)/minutes, float64(f.PromptTokens+f.OutputTokensMax)/minutes
	switch {
	case terms.RPM > 0 && rpm > float64(terms.RPM):
		return fmt.Sprintf("may be throttled: up to %s a minute, and the endpoint takes %s (RPM)", counted(int(rpm), "request"), grouped(terms.RPM))
	case terms.TPM > 0 && tpm > float64(terms.TPM):
		return fmt.Sprintf("may be throttled: up to %s a minute, and the endpoint takes %s (TPM)", counted(int(tpm), "token"), grouped(terms.TPM))
	}
	return ""
}

// dump writes the inputs of every scenario to the file that the user named.
func dump(flags *runFlags, specs []bench.Spec) error {
	file, err := os.Create(flags.dump)
	if err != nil {
		return fmt.Errorf("write the inputs: %w", err)
	}
	for _, spec := range specs {
		order := job.Order{Spec: spec, Corpus: flags.corpus, AllowCorpusReuse: flags.reuse}
		if err := order.Dump(file); err != nil {
			_ = file.Close()
			return err
		}
	}
	return file.Close()
}
