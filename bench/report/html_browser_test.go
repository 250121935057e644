//go:build browser

package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/benchtest"
)

// pageFile renders a run's page into a file.
func pageFile(t *testing.T, run *benchtest.Run) string {
	t.Helper()
	record := run.Record()
	page, err := HTML(run.Result(record), record)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), HTMLFile)
	if err := os.WriteFile(path, page, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// picturesIn is a folder for pictures of what was tested; "" keeps none.
func picturesIn(name string) string {
	dir := os.Getenv("LLM_BENCH_SCREENSHOTS")
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// complaints are errors and warnings of the page, and what it tried to load.
func (b *browser) complaints(path string) []string {
	found := append(b.seen("Runtime.exceptionThrown"), b.seen("Runtime.consoleAPICalled")...)
	found = append(found, b.seen("Log.entryAdded")...)
	for _, text := range b.seen("Network.requestWillBeSent") {
		var sent struct {
			Request struct{ URL string } `json:"request"`
		}
		if json.Unmarshal([]byte(text), &sent) != nil || sent.Request.URL != "file://"+path && !strings.HasPrefix(sent.Request.URL, "data:") {
			found = append(found, "request: "+text)
		}
	}
	return found
}

func TestBrowserShowsEveryPageWithoutComplaintAndLoadsNothing(t *testing.T) {
	b := startBrowser(t)
	for name, run := range runs() {
		for _, lang := range Languages() {
			run.Spec.Lang = lang
			path := pageFile(t, run)
			for _, width := range []int{390, 1360} {
				b.open(path, width, 900)
				for _, c := range b.complaints(path) {
					t.Errorf("%s %s: %s", name, lang, c)
				}
				if wide := b.eval("document.documentElement.scrollWidth - innerWidth"); wide != "0" {
					t.Errorf("%s %s: the page is %s pixels wider than a window of %d", name, lang, wide, width)
				}
			}
			if file := picturesIn(name + "." + lang + ".png"); file != "" {
				b.picture(file)
			}
		}
	}
}

func TestBrowserShowsValuesUnderThePointerAndTheKeys(t *testing.T) {
	b := startBrowser(t)
	for name, want := range map[string]string{"prefix": "Use of a prefix 2", "multiturn": "Turn 2", "targets": "Use of a prefix 2", "sweep": "Concurrency 5"} {
		b.open(pageFile(t, runs()[name]), 1360, 900)
		b.eval("document.querySelector('svg.plot').scrollIntoView({block: 'center', behavior: 'instant'})")
		b.eval("document.querySelector('svg.plot').focus()")
		b.key("ArrowRight")
		b.key("ArrowRight")
		spoken := b.eval("document.getElementById('spoken').textContent")
		shown := b.eval("document.querySelector('.tip:not([hidden])')?.innerText")
		if !strings.HasPrefix(spoken, want) || !strings.Contains(spoken, "ms") || !strings.HasPrefix(shown, want) {
			t.Errorf("%s: after two steps it says %q and shows %q, want %q", name, spoken, shown, want)
		}
		b.key("Escape")
		var at struct{ X, Y float64 }
		place := "(() => { const r = document.querySelector('svg.plot').getBoundingClientRect(); return JSON.stringify({X: r.left + r.width / 2, Y: r.top + r.height / 2}) })()"
		if err := json.Unmarshal([]byte(b.eval(place)), &at); err != nil {
			t.Fatal(err)
		}
		b.call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": at.X, "y": at.Y}, nil)
		beside := "(() => { const t = document.querySelector('.tip:not([hidden])').getBoundingClientRect(), f = document.querySelector('svg.plot').closest('figure').getBoundingClientRect(); return t.top >= f.top && t.bottom <= f.bottom + 1 && t.left >= f.left })()"
		if got := b.eval(beside); got != "true" {
			t.Errorf("%s: the values don't stand within their chart", name)
		}
		if shown := b.eval("document.querySelector('.tip:not([hidden])')?.innerText"); !strings.Contains(shown, "n = ") {
			t.Errorf("%s: the pointer shows %q", name, shown)
		}
		if file := picturesIn(name + ".hover.png"); file != "" {
			b.picture(file)
		}
	}
}

func TestBrowserFiltersByOrdinalAndByTarget(t *testing.T) {
	b := startBrowser(t)
	run := runs()["prefix"]
	summary := run.Result(run.Record()).Targets[0].Summary
	b.open(pageFile(t, run), 1360, 900)
	rows := func() string {
		return b.eval("[...document.querySelectorAll('#selection tbody tr')].map((r) => [...r.children].map((c) => c.textContent).join('|')).join(';')")
	}
	press := func(text string) {
		b.eval("[...document.querySelectorAll('#tools button')].find((b) => b.textContent === '" + text + "').click()")
	}
	line := func(ttft, tpot, e2e bench.Dist, hits string) string {
		return strings.Join([]string{"ark", count(ttft.N), duration(ttft.P50), duration(ttft.P99), duration(tpot.P50), duration(e2e.P50), hits}, "|")
	}
	if got, want := rows(), line(summary.TTFT, summary.TPOT, summary.E2E, percent(*summary.Cache.HitRate)); got != want {
		t.Errorf("all requests: %q, want the report's figures %q", got, want)
	}
	press("Later only")
	if got, want := rows(), line(summary.Warm.TTFT, summary.Warm.TPOT, summary.Warm.E2E, "85.5 %"); got != want {
		t.Errorf("later uses: %q, want %q", got, want)
	}
	b.eval("(() => { const to = document.getElementById('to'); to.value = 3; to.dispatchEvent(new Event('change')) })()")
	if got := b.eval("document.getElementById('tally').textContent"); got != "20 of 200 requests" {
		t.Errorf("uses 2 to 3: %q", got)
	}
	b.open(pageFile(t, runs()["targets"]), 1360, 900)
	b.eval("document.querySelector('#tools input[value=ark]').click()")
	if got := rows(); !strings.HasPrefix(got, "vllm|6|") || strings.Contains(got, "ark") {
		t.Errorf("one target: %q", got)
	}
}

func TestBrowserShowsThePageInTheDarkAndOnPaper(t *testing.T) {
	b := startBrowser(t)
	for _, name := range []string{"prefix", "sweep", "targets"} {
		path := pageFile(t, runs()[name])
		b.open(path, 1360, 900)
		ground := "getComputedStyle(document.body).backgroundColor"
		if got := b.eval(ground); got != "rgb(255, 255, 255)" {
			t.Errorf("light ground is %s", got)
		}
		scheme := func(value string) {
			b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": value}}}, nil)
		}
		scheme("dark")
		if got := b.eval(ground); got != "rgb(15, 20, 25)" {
			t.Errorf("dark ground is %s", got)
		}
		if file := picturesIn(name + ".dark.png"); file != "" {
			b.picture(file)
		}
		b.eval("document.getElementById('theme').click()")
		if got := b.eval(ground); got != "rgb(255, 255, 255)" {
			t.Errorf("the button leaves the ground %s", got)
		}
		b.eval("document.getElementById('theme').click()")
		var paper struct {
			Data string `json:"data"`
		}
		b.call("Page.printToPDF", map[string]any{"preferCSSPageSize": true, "printBackground": true}, &paper)
		pdf := b.store(picturesIn(name+".pdf"), paper.Data)
		if !strings.Contains(string(pdf), "/MediaBox [0 0 594.95996 841.91998]") && !strings.Contains(string(pdf), "/MediaBox [0 0 595") {
			t.Errorf("%s: the paper is not A4", name)
		}
		scheme("light")
		for _, c := range b.complaints(path) {
			t.Errorf("%s: %s", name, c)
		}
	}
}
