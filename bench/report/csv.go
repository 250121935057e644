package report

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// byteOrderMark tells spreadsheets that the text is UTF-8.
const byteOrderMark = "\ufeff"

// csvField is a column of requests.csv. What is unknown is an empty cell.
type csvField struct {
	name string
	cell func(record *bench.Record, s *bench.Sample) string
}

// requestsCSV lists every attempt, one a line.
func requestsCSV(record *bench.Record) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(byteOrderMark)
	w := csv.NewWriter(&b)
	fields := csvFields()
	line := make([]string, len(fields))
	for i, f := range fields {
		line[i] = f.name
	}
	if err := w.Write(line); err != nil {
		return nil, err
	}
	for _, s := range ordered(record.Samples) {
		for i, f := range fields {
			line[i] = inert(f.cell(record, s))
		}
		if err := w.Write(line); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// inert keeps a spreadsheet from taking a text for a formula.
func inert(cell string) string {
	if cell == "" || !strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}

func csvFields() []csvField {
	text := func(name string, of func(*bench.Sample) string) csvField {
		return csvField{name, func(_ *bench.Record, s *bench.Sample) string { return bench.Clean(of(s), 2000) }}
	}
	whole := func(name string, of func(*bench.Sample) int) csvField {
		return text(name, func(s *bench.Sample) string { return strconv.Itoa(of(s)) })
	}
	ms := func(name string, of func(*bench.Sample) (time.Duration, bool)) csvField {
		return text(name, func(s *bench.Sample) string {
			d, defined := of(s)
			if !defined {
				return ""
			}
			return strconv.FormatFloat(bench.Milliseconds(d), 'f', -1, 64)
		})
	}
	tokens := func(name string, of func(*bench.Usage) *int) csvField {
		return text(name, func(s *bench.Sample) string {
			if s.Usage == nil || of(s.Usage) == nil {
				return ""
			}
			return strconv.Itoa(*of(s.Usage))
		})
	}
	failure := func(name string, of func(*bench.Failure) string) csvField {
		return text(name, func(s *bench.Sample) string {
			if s.Failure == nil {
				return ""
			}
			return of(s.Failure)
		})
	}
	return []csvField{
		text("target", func(s *bench.Sample) string { return s.Target }),
		whole("session", func(s *bench.Sample) int { return s.Session }),
		whole("turn", func(s *bench.Sample) int { return s.Turn }),
		whole("attempt", func(s *bench.Sample) int { return s.Attempt }),
		whole("prefix", func(s *bench.Sample) int { return s.Prefix }),
		whole("ordinal", func(s *bench.Sample) int { return s.Ordinal }),
		text("outcome", func(s *bench.Sample) string { return string(s.Outcome) }),
		{"started", started},
		ms("start_ms", func(s *bench.Sample) (time.Duration, bool) { return s.Start.At(), s.Start.Taken() }),
		ms("ttft_ms", onlySuccess((*bench.Sample).TTFT)),
		ms("tpot_ms", onlySuccess((*bench.Sample).TPOT)),
		ms("e2e_ms", onlySuccess((*bench.Sample).E2E)),
		ms("answer_ms", onlySuccess((*bench.Sample).TimeToAnswer)),
		ms("ended_after_ms", func(s *bench.Sample) (time.Duration, bool) { return s.End.Since(s.Start) }),
		text("planned_prompt_tokens", func(s *bench.Sample) string { return unlessZero(s.PlannedPrompt) }),
		tokens("prompt_tokens", func(u *bench.Usage) *int { return u.Prompt }),
		tokens("cached_tokens", func(u *bench.Usage) *int { return u.Cached }),
		tokens("output_tokens", func(u *bench.Usage) *int { return u.Completion }),
		tokens("reasoning_tokens", func(u *bench.Usage) *int { return u.Reasoning }),
		whole("output_events", func(s *bench.Sample) int { return s.OutputEvents }),
		text("finish_reason", func(s *bench.Sample) string { return s.FinishReason }),
		text("reasoned", func(s *bench.Sample) string { return strconv.FormatBool(s.Reasoned) }),
		failure("http_status", func(f *bench.Failure) string { return unlessZero(f.Status) }),
		failure("error_code", func(f *bench.Failure) string { return f.Code }),
		failure("error_message", func(f *bench.Failure) string { return f.Message }),
		text("warnings", func(s *bench.Sample) string { return warnings(s) }),
		text("served_model", func(s *bench.Sample) string { return s.Model }),
		text("service_tier", func(s *bench.Sample) string { return s.ServiceTier }),
		text("connection_reused", func(s *bench.Sample) string { return strconv.FormatBool(s.Connection.Reused) }),
		text("request_id", func(s *bench.Sample) string { return s.RequestID }),
		text("log_id", func(s *bench.Sample) string { return s.LogID }),
	}
}

// onlySuccess leaves latencies of requests that failed out, as every aggregate does.
func onlySuccess(figure func(*bench.Sample) (time.Duration, bool)) func(*bench.Sample) (time.Duration, bool) {
	return func(s *bench.Sample) (time.Duration, bool) {
		d, defined := figure(s)
		return d, defined && s.Outcome == bench.Succeeded
	}
}

func started(record *bench.Record, s *bench.Sample) string {
	if !s.Start.Taken() {
		return ""
	}
	return record.Header.Began.Add(s.Start.At()).Format("2006-01-02T15:04:05.000Z07:00")
}

func unlessZero(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func warnings(s *bench.Sample) string {
	names := make([]string, len(s.Warnings))
	for i, w := range s.Warnings {
		names[i] = string(w)
	}
	return strings.Join(names, " ")
}
