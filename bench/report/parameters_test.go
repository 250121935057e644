package report

import (
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
)

func TestATargetsOwnTermsStandInItsParameters(t *testing.T) {
	run := benchtest.New(bench.Prefix, bench.Quick, "en")
	run.Spec.Prices = bench.Prices{In: 9, Out: 9, Currency: "CNY"}
	run.Target.Terms = bench.Terms{MaxConcurrency: 1, Limits: bench.Limits{FirstToken: 50e9}, Prices: bench.Prices{In: 1, Out: 2, Currency: "CNY"}}
	requireAll(t, pageOf(t, run), "first token 50.0 s", "| Concurrency `max_concurrency` | 1 |", "per million tokens: input 1.00, cached as input, output 2.00")
}

func TestAnOpenLoopSaysItsRateAndHowLongRequestsWaited(t *testing.T) {
	run := benchtest.New(bench.Prefix, bench.Quick, "en")
	run.Spec.RequestRate, run.Spec.ConstantRate, run.Spec.MaxConcurrency = 4, true, 1
	requireAll(t, pageOf(t, run), "open loop: constant, 4 requests/s", "| **≠ closed loop** |", "TTFT from the intended start", "Queue: intended to actual start", "queue 1.")
}

func TestARunThatStoppedAtABudgetNamesTheBudget(t *testing.T) {
	for reason, want := range map[string]string{
		"max_tokens_total: 9280 of 9000 tokens are used": "stopped at the limit of 9,000 tokens (`--max-tokens-total`), 4 of 6",
		"max_cost: 0.0110 of 0.0100 CNY are spent":       "stopped at the cost limit of 0.0100 CNY (`--max-cost`), 4 of 6",
		"max_minutes: the limit of 1m30s is reached":     "stopped at the limit of 1.5 minutes (`--max-minutes`), 4 of 6",
	} {
		run := benchtest.New(bench.Prefix, bench.Quick, "en")
		run.Spec.MaxTokensTotal, run.Spec.MaxCost, run.Spec.MaxMinutes = 9000, 0.01, 1.5
		run.Spec.Prices = bench.Prices{In: 1, Out: 2, Currency: "CNY"}
		run.Stop, run.State, run.End = 4, bench.StateFailed, bench.End{Ending: bench.EndBudget, Reason: reason}
		requireAll(t, pageOf(t, run), want)
	}
}

func TestACorpusUsedAgainIsNoted(t *testing.T) {
	run := benchtest.New(bench.Prefix, bench.Quick, "en")
	record := run.Record()
	record.Header.CorpusReused = true
	text, err := Markdown(run.Result(record), record, nil)
	if err != nil {
		t.Fatal(err)
	}
	requireAll(t, string(text), "The corpus was shorter than the inputs and was used again")
}

func TestASweepStatesNoFigureThatMixesLoads(t *testing.T) {
	run := runs()["sweep"]
	result := run.Result(run.Record())
	mixed := result.Targets[0].Summary
	page := pageOf(t, run)
	for name, ms := range map[string]float64{"TTFT AVG": mixed.TTFT.Avg, "TPOT P50": mixed.TPOT.P50, "E2E AVG": mixed.E2E.Avg} {
		if text := significant(ms); strings.Contains(page, "| "+text+" |") || strings.Contains(page, "**"+text+" (") {
			t.Errorf("%s of all loads together (%s) is on the page", name, text)
		}
	}
	for i := range result.Targets[0].Points {
		s := &result.Targets[0].Points[i].Summary
		requireAll(t, page, "| "+significant(s.TTFT.P50)+" | "+significant(s.TTFT.P99)+" |")
	}
}
