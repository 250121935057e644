package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
)

func TestNumbersAreRoundedAlike(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{duration(412.3), "412 ms"}, {duration(1321), "1.32 s"}, {duration(10), "10.0 ms"}, {duration(9.996), "10.0 ms"}, {duration(999.6), "1.00 s"},
		{duration(0.4), "0.400 ms"}, {duration(0), "0 ms"}, {duration(213_600), "3 min 34 s"}, {duration(7_200_000), "2 h"},
		{significant(12345.6), "12,346"}, {significant(0.04), "0.0400"}, {plain(200), "200"}, {plain(2.5), "2.50"}, {grouped(-1234567), "-1,234,567"},
		{percent(0.6), "60.0 %"}, {percent(0), "0.0 %"}, {percent(0.0001), "< 0.1 %"}, {percent(0.9999), "> 99.9 %"}, {percent(1), "100.0 %"},
		{figure("change_points", 0.014), "1.4"}, {figure("hit_rate", 0.814), "81.4 %"}, {figure("n", 3), "3"},
		{scale{"ms", 1}.within(10, &bench.Interval{Low: 9.98, High: 10.02}), "10.00 (9.98–10.02)"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// hostile is what a server might send to break a page.
const hostile = "x|y`z` **b** <img src=x onerror=alert(1)> [a](javascript:1) ![i](http://e/x.png)\n\n# head\n|---|\n<!-- https://e www.e.org &lt; $x$ ~~s~~ \\| \u202e\x1b[31m"

func TestTextFromAServerStaysText(t *testing.T) {
	for _, got := range []md{esc(hostile), code(hostile)} {
		text := string(got)
		for _, forbidden := range []string{"\n", "<", ">", "://", "\x1b", "\u202e", " **", "![", "[a]"} {
			if strings.Contains(text, forbidden) {
				t.Errorf("%q is left in %q", forbidden, text)
			}
		}
		if strings.Count(text, "|") != strings.Count(text, `\|`) {
			t.Errorf("a bar can end the cell: %q", text)
		}
	}
	if got := code("doubao-seed_1.6"); got != "`doubao-seed_1.6`" {
		t.Errorf("an identifier is %q", got)
	}
}

func TestAHostileServerCannotChangeThePage(t *testing.T) {
	shape := func(text string) string {
		run := benchtest.New(bench.Prefix, bench.Quick, "en")
		run.Target.Model, run.Target.Label, run.Target.Asked = text, text, text
		run.Touch = func(c *benchtest.Call) {
			s := c.Sample
			s.Model, s.ServiceTier, s.RequestID, s.LogID, s.FinishReason = text, text, text, text, text
			if c.N == 2 {
				c.Fail, c.Failure = bench.FailServerError, &bench.Failure{Status: 500, Code: text, Message: text}
			}
		}
		record := run.Record()
		record.Header.Proxy, record.Header.Notes = text, []string{text}
		page, err := Markdown(run.Result(record), record, []string{text})
		if err != nil {
			t.Fatal(err)
		}
		return structure(string(page))
	}
	if benign, attacked := shape("x"), shape(hostile); benign != attacked {
		t.Errorf("the page has another structure:\n%s\nwant\n%s", attacked, benign)
	}
}

// structure is the cells, headings, images and tags of each line.
func structure(page string) string {
	var b strings.Builder
	for line := range strings.Lines(page) {
		line = strings.ReplaceAll(line, `\|`, "")
		b.WriteString(strings.Repeat("|", strings.Count(line, "|")))
		b.WriteString(strings.Repeat("<", strings.Count(line, "<")))
		b.WriteString(strings.Repeat("!", strings.Count(line, "![")))
		if strings.HasPrefix(line, "#") {
			b.WriteString("#")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestTheGistFitsItsLimits(t *testing.T) {
	t.Parallel()
	for name, run := range runs() {
		result := run.Result(run.Record())
		for _, lang := range Languages() {
			result.Spec.Lang = lang
			excerpt, summary := Excerpt(result, lang, 1500), Summary(result)
			if n := utf8.RuneCountInString(excerpt); n > 1500 || n == 0 {
				t.Errorf("%s %s: the excerpt has %d characters", name, lang, n)
			}
			if n := utf8.RuneCountInString(summary); n > SummaryLimit*len(result.Targets) || n == 0 {
				t.Errorf("%s %s: the summary has %d characters", name, lang, n)
			}
			if strings.ContainsAny(summary, "*`|\n") {
				t.Errorf("%s %s: the summary has markup: %s", name, lang, summary)
			}
			golden(t, name+"."+lang+".gist.md", []byte(summary+"\n\n---\n\n"+excerpt+"\n"))
		}
	}
}

func TestTheSummaryOfADoubtedOpenLoopKeepsItsFigures(t *testing.T) {
	run := runs()["open_loop"]
	result := run.Result(run.Record())
	for _, lang := range Languages() {
		result.Spec.Lang, result.Simulated, result.Targets[0].Measurement.Verdict = lang, true, bench.Degraded
		if summary := Summary(result); !strings.Contains(summary, "TPOT") || !strings.Contains(summary, "E2E") {
			t.Errorf("%s: no figures in %q", lang, summary)
		}
	}
}

func TestAHitRateAboveItsCeilingIsNotCalledAtMostTheCeiling(t *testing.T) {
	run := runs()["prefix"]
	result := run.Result(run.Record())
	rate, ceiling := 0.76, 0.75
	result.Spec.Lang, result.Targets[0].Summary.Cache.HitRate, result.Targets[0].Summary.Cache.Ceiling = "en", &rate, &ceiling
	if summary := Summary(result); !strings.Contains(summary, "76.0 %, above the 75.0 %") {
		t.Errorf("%q", summary)
	}
}

func TestAGistTooLongForItsLimitEndsWithAWholePart(t *testing.T) {
	for _, c := range []struct {
		limit int
		want  string
	}{{3, "ab…"}, {5, "abcde"}, {8, "abcde fg"}, {100, "abcde fg hijk"}} {
		if got := fit([]string{"abcde", "fg", "hijk"}, " ", c.limit); got != c.want {
			t.Errorf("%d characters: %q, want %q", c.limit, got, c.want)
		}
	}
}

func TestSeveralTargetsStandSideBySide(t *testing.T) {
	run := runs()["targets"]
	result := run.Result(run.Record())
	if excerpt := Excerpt(result, "en", 1500); !strings.Contains(excerpt, "| Model | `doubao-seed-2-0-mini-260428` | `qwen3-32b` |") {
		t.Errorf("the excerpt doesn't compare: %s", excerpt)
	}
}

func TestEachTargetIsInTheHeadlineWithItsFiguresAndVerdict(t *testing.T) {
	run := runs()["targets"]
	record := run.Record()
	result := run.Result(record)
	result.Spec.Lang, result.Simulated = "en", true
	result.Targets[1].Measurement.Verdict = bench.Degraded
	page, err := Markdown(result, record, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"report.md": bare(md(page)), "summary": Summary(result), "excerpt": bare(md(Excerpt(result, "en", 700)))} {
		for _, want := range []string{"ark (measurement: trusted): All 6 requests succeeded. TTFT 146 ms", "vllm (measurement: degraded): All 6 requests succeeded. TTFT 147 ms"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s doesn't say %q:\n%s", name, want, text)
			}
		}
	}
}

func pageOf(t *testing.T, run *benchtest.Run) string {
	t.Helper()
	record := run.Record()
	text, err := Markdown(run.Result(record), record, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func requireAll(t *testing.T, page string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(page, part) {
			t.Errorf("the report lacks %q", part)
		}
	}
}

func TestTheHitRateIsWeightedByTokensAndSaysWhatWasNotReported(t *testing.T) {
	run := benchtest.New(bench.Prefix, bench.Quick, "en")
	run.Spec.NumRequests = 3
	run.Touch = func(c *benchtest.Call) {
		switch c.N {
		case 1:
			c.Prompt, c.Cached = 100, 0
		case 2:
			c.Prompt, c.Cached = 900, 900
		case 3:
			c.Prompt, c.Cached, c.Uncount = 500, 0, true
		}
	}
	requireAll(t, pageOf(t, run), "| **60.0 %** |", "1 of 3 answers had no cached field")
}

func TestMoreCachedThanPromptIsLeftOutOfTheRateAlone(t *testing.T) {
	run := benchtest.New(bench.Prefix, bench.Quick, "en")
	run.Spec.NumRequests = 2
	run.Touch = func(c *benchtest.Call) {
		c.TTFT, c.Prompt, c.Cached = 1e9, 100, 50
		if c.N == 1 {
			c.Cached = 140
			c.Sample.Warn(bench.WarnCachedExceedsPrompt)
		}
	}
	requireAll(t, pageOf(t, run), "| **50.0 %** |", "1 answer claims more cached", "`cached_exceeds_prompt` more cached than prompt tokens | 1 | `021785000001` |", "| **TTFT** first token (s) | 2 |")
}

func TestABufferedStreamMarksTPOTAsUnreliable(t *testing.T) {
	run := benchtest.New(bench.Connectivity, bench.Standard, "en")
	run.Touch = func(c *benchtest.Call) { c.Burst = 60; c.Sample.Warn(bench.WarnBuffered) }
	requireAll(t, pageOf(t, run), "The stream looks buffered: 98.4 % of the output events came within 1 ms", "(ms) ‡ |", "‡ Unreliable")
}

func TestAnInterruptedOrCanceledRunSaysHowFarItCame(t *testing.T) {
	for state, says := range map[bench.State]string{
		bench.StateInterrupted: "interrupted, 120 of 200 (interrupt signal received)", bench.StateCanceled: "canceled, 120 of 200 (by cancel\\_run)",
	} {
		run := benchtest.New(bench.Prefix, bench.Standard, "en")
		run.Stop, run.State = 120, state
		requireAll(t, pageOf(t, run), "· INCOMPLETE", says, "200 planned = **120 succeeded** + 0 failed + 0 canceled + 80 not run.")
	}
}

func TestTooManyFailuresAreTheFirstThingSaid(t *testing.T) {
	run := benchtest.New(bench.Prefix, bench.Standard, "en")
	run.Touch = failing
	lines := strings.Split(pageOf(t, run), "\n")
	if want := "> **19 of 200 failed: not a valid baseline**"; lines[4] != want {
		t.Errorf("the first line is %q, want %q", lines[4], want)
	}
}

func TestP99SaysOnHowManySamplesItRests(t *testing.T) {
	run := benchtest.New(bench.Prefix, bench.Quick, "en")
	run.Spec.NumRequests, run.Spec.NumPrefixes = 4, 1
	requireAll(t, pageOf(t, run), "※ P99 rests on 4 samples", "368 samples would bound it")
}

func TestAResumedRunSaysHowLongItStoodStill(t *testing.T) {
	run := benchtest.New(bench.Prefix, bench.Quick, "en")
	record := run.Record()
	last := record.Finish.At.At()
	record.Resumes = []bench.Resume{{At: bench.MarkAt(last + 90e9), Resumed: benchtest.Began().Add(last + 90e9), Restarted: []bench.SessionID{{Session: 2}}}}
	text, err := Markdown(run.Result(record), record, nil)
	if err != nil {
		t.Fatal(err)
	}
	requireAll(t, string(text), "after a gap of 90.0 s; 1 session began anew")
}

func TestProbesStandApart(t *testing.T) {
	run := benchtest.New(bench.Connectivity, bench.Standard, "en")
	record := run.Record()
	record.Finish.Probes = []bench.Probe{{Setting: "thinking=auto", Outcome: bench.Succeeded, Reasoned: true, RequestID: "p1"}}
	text, err := Markdown(run.Result(record), record, nil)
	if err != nil {
		t.Fatal(err)
	}
	requireAll(t, string(text), "| `thinking=auto` | `succeeded` | seen | – | `p1` |", "1 planned = **1 succeeded**")
}

func TestWhatDecidesTheVerdictStandsBesideItsLimit(t *testing.T) {
	run := runs()["prefix"]
	record := run.Record()
	result := run.Result(record)
	m, late := &result.Targets[0].Measurement, 3.0
	m.TTFTErrorMS, m.Verdict = &late, bench.Degraded
	for _, c := range m.Checks(&result.Targets[0].Summary) {
		if c.Exceeded() {
			m.Reasons = append(m.Reasons, c)
		}
	}
	for lang, want := range map[string]string{
		"en": "| The program's own delays in TTFT, P99 | 3.00 ms (1.4 %) | 1.06 ms (0.5 %) | **above: degraded** |",
		"zh": "| TTFT 中程序自身的滞后（P99） | 3.00 ms（1.4 %） | 1.06 ms（0.5 %） | **超出：有保留** |",
	} {
		result.Spec.Lang = lang
		page, err := Markdown(result, record, nil)
		if err != nil {
			t.Fatal(err)
		}
		requireAll(t, string(page), want)
		if n := len(m.Reasons); n != 1 {
			t.Errorf("%d reasons: %v", n, m.Reasons)
		}
	}
}

func TestOneThingIsNotNamedAsSeveral(t *testing.T) {
	l := languageFor(t, "en")
	for want, got := range map[string]md{
		"The only request succeeded.":          l.say("headline.all", "n", 1),
		"All 11 requests succeeded.":           l.say("headline.all", "n", 11),
		"0 of 1 request succeeded.":            l.say("headline.some", "n", 0, "planned", 1),
		"1 of 21 requests succeeded.":          l.say("headline.some", "n", 1, "planned", 21),
		"P99 rests on 1 sample":                l.say("finding.few_samples", "n", 1),
		"open loop: Poisson, 1 requests/s":     l.say("arrival.poisson", "rate", md("1")),
		"1 prefix × (9 + 1) tokens, 1 request": l.say("line.prefix", "prefixes", 1, "prefix", 9, "suffix", 1, "requests", 1),
	} {
		if string(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestNotesOfTheJournalAreInTheReportsLanguage(t *testing.T) {
	note := "lengths are estimated: calibration, probe 2 (length): the server reports no prompt tokens"
	for text, want := range map[string]md{
		note: "长度为估算值：校准探测 2（length）：服务端未上报输入 token 数（usage）",
		"m*1 is being retired: a baseline taken on it will soon have nothing to be compared with": `m\*1 即将下线：以它测得的基线很快将无从对照`,
		"5 consecutive failures": "连续 5 次失败",
		"something <new>":        "something &lt;new&gt;",
	} {
		if got := languageFor(t, "zh").remark(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := languageFor(t, "en").remark(note); got != md(note) {
		t.Errorf("%q, want %q", got, note)
	}
}
