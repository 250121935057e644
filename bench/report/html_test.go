package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
)

func htmlOf(t *testing.T, run *benchtest.Run, lang string) string {
	t.Helper()
	record := run.Record()
	result := run.Result(record)
	result.Spec.Lang = lang
	page, err := HTML(result, record)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// inside is what stands between two texts, the first of which may end anywhere.
func inside(t *testing.T, page, open, end string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, open)
	inner, _, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("the page has no %s…%s", open, end)
	}
	return inner
}

func TestThePageSaysAllThatTheMarkdownSays(t *testing.T) {
	t.Parallel()
	tags, marks := regexp.MustCompile(`<[^>]*>`), regexp.MustCompile(`</?(strong|code)>`)
	for name, run := range runs() {
		record := run.Record()
		result := run.Result(record)
		for _, lang := range Languages() {
			result.Spec.Lang = lang
			text, err := Markdown(result, record, nil)
			if err != nil {
				t.Fatal(err)
			}
			page, err := HTML(result, record)
			if err != nil {
				t.Fatal(err)
			}
			words := html.UnescapeString(tags.ReplaceAllString(marks.ReplaceAllString(string(page), ""), "\n"))
			for _, part := range partsOf(string(text)) {
				if !strings.Contains(words, part) {
					t.Errorf("%s %s: the page lacks %q", name, lang, part)
				}
			}
		}
	}
}

// partsOf is the cells, lines and headings of a Markdown page as plain text.
func partsOf(page string) []string {
	var parts []string
	for line := range strings.Lines(page) {
		line = strings.TrimLeft(strings.TrimSpace(strings.ReplaceAll(line, `\|`, "\x00")), "#>- ")
		line = strings.NewReplacer("<details>", "", "<summary>", "", "</summary>", "", "</details>", "").Replace(line)
		if strings.HasPrefix(line, "![") || strings.Trim(line, "|-: ") == "" || strings.HasSuffix(line, ">") {
			continue
		}
		for cell := range strings.SplitSeq(line, "|") {
			for piece := range strings.SplitSeq(cell, "<br>") {
				if text := bare(md(strings.TrimSpace(strings.ReplaceAll(piece, "\x00", `\|`)))); text != "" {
					parts = append(parts, text)
				}
			}
		}
	}
	return parts
}

func TestThePageLoadsNothingAndRunsItsOwnScriptAlone(t *testing.T) {
	t.Parallel()
	outside := regexp.MustCompile(`(?i)(src|href|action|data|poster|srcset)="([^"]*)"|url\(|@import|fetch\(|XMLHttpRequest|WebSocket|sendBeacon|import\(`)
	for name, run := range runs() {
		page := htmlOf(t, run, "en")
		for _, found := range outside.FindAllStringSubmatch(page, -1) {
			if to := found[2]; to != "data:," && !strings.HasPrefix(to, "#") && to != ConsolePage {
				t.Errorf("%s: the page reaches outside: %s", name, found[0])
			}
		}
		policy := html.UnescapeString(inside(t, page, `Content-Security-Policy" content="`, `"`))
		for _, part := range []string{inside(t, page, "<style>", "</style>"), inside(t, page, "<script>", "</script>")} {
			sum := sha256.Sum256([]byte(part))
			if !strings.Contains(policy, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
				t.Errorf("%s: the policy %q doesn't allow what the page has of its own", name, policy)
			}
		}
		if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy is %q", name, policy)
		}
	}
}

func TestAHostileServerCannotChangeThePageInTheBrowser(t *testing.T) {
	attack := hostile + `</script><script>alert(1)</script><!--<script>"'&quot;</style></title>` + "\u2028"
	tags := regexp.MustCompile(`<[^>]*>`)
	shape := func(text string) (string, plots) {
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
		page, err := HTML(run.Result(record), record)
		if err != nil {
			t.Fatal(err)
		}
		var data plots
		if err := json.Unmarshal([]byte(inside(t, string(page), `id="data">`, "</script>")), &data); err != nil {
			t.Fatal(err)
		}
		names := regexp.MustCompile(`</?(code)>| (content|aria-label)="[^"]*"`)
		return names.ReplaceAllString(strings.Join(tags.FindAllString(string(page), -1), "\n"), ""), data
	}
	benign, _ := shape("x")
	attacked, data := shape(attack)
	if strip := strings.NewReplacer("\n\n", "\n"); collapse(strip.Replace(benign)) != collapse(strip.Replace(attacked)) {
		t.Errorf("the page has other elements:\n%s\nwant\n%s", attacked, benign)
	}
	if want := bench.Clean(attack, 200); data.Series[0].Name != want {
		t.Errorf("the charts name the target %q, want %q", data.Series[0].Name, want)
	}
}

// collapse leaves out empty lines.
func collapse(text string) string {
	return regexp.MustCompile(`\n+`).ReplaceAllString(text, "\n")
}

func TestAPageOfAStandInEndpointSaysSoOnEachChart(t *testing.T) {
	run := runs()["not_reported"]
	page := htmlOf(t, run, "en")
	var data plots
	if err := json.Unmarshal([]byte(inside(t, page, `id="data">`, "</script>")), &data); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(data.Badges, "SIMULATED ENDPOINT") || !strings.Contains(inside(t, page, "<title>", "</title>"), "SIMULATED ENDPOINT") {
		t.Error("the page could be taken for one of a real endpoint")
	}
}

func TestEveryTextOfTheChartsIsInBothLanguages(t *testing.T) {
	for _, lang := range Languages() {
		l, err := languageOf(lang)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range pageWords() {
			if !l.has("html." + key) {
				t.Errorf("%s: no phrase html.%s", lang, key)
			}
		}
	}
	script, err := pageFiles.ReadFile("page/report.js")
	if err != nil {
		t.Fatal(err)
	}
	_, result := small(bench.Prefix)
	l, err := languageOf("en")
	if err != nil {
		t.Fatal(err)
	}
	words := (&page{l: l, result: result, record: &bench.Record{}}).plotWords()
	for _, used := range regexp.MustCompile(`\bW\.(\w+)`).FindAllStringSubmatch(string(script), -1) {
		if words[used[1]] == "" {
			t.Errorf("the script says W.%s, which has no words", used[1])
		}
	}
}

func TestMarkupOfALineIsBoldCodeAndBreaksAlone(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`**a** b`, `<strong>a</strong> b`}, {"`x<y` **", "<code>x&lt;y</code> <strong></strong>"}, {`\*\*a\*\* \_ \| \# \$`, `**a** _ | # $`},
		{`a &lt;b&gt; &amp; c`, `a &lt;b&gt; &amp; c`}, {`<br><img src=x>&quot;`, `<br>&lt;img src=x&gt;&amp;quot;`}, {"`open", "`open"}, {`https:\//e www\.e`, `https://e www.e`},
	} {
		if got := string(markup(md(c.in))); got != c.want {
			t.Errorf("%q gives %q, want %q", c.in, got, c.want)
		}
	}
}

func TestTilesSayMedianOnlyOfSeveralSamplesAndCarryNoUnitThatOverflows(t *testing.T) {
	for name, want := range map[string]tile{"connectivity": {"TTFT", "", []md{"n = 1"}}, "prefix": {"TTFT P50", "", nil}} {
		run := runs()[name]
		record := run.Record()
		l, err := languageOf("en")
		if err != nil {
			t.Fatal(err)
		}
		p := &page{l: l, result: run.Result(record), record: record}
		tiles := p.Blocks()[0].Tiles()
		if got := tiles[0]; got.Name != want.Name || want.More != nil && !slices.Equal(got.More, want.More) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		for _, got := range tiles {
			if strings.Contains(string(got.Value), "/s") {
				t.Errorf("%s: the value %q holds its unit", name, got.Value)
			}
		}
	}
}
