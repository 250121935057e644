package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
)

func TestEveryChartOfASimulatedRunIsMarkedAndNoOther(t *testing.T) {
	for _, scenario := range []bench.Scenario{bench.Prefix, bench.Multiturn} {
		for _, simulated := range []bool{true, false} {
			result, record := madeRun(quick(scenario), doubao())
			result.Simulated = simulated
			for _, texts := range textsOf(t, result, record) {
				if _, marked := texts["SIMULATED ENDPOINT 模拟端点"]; marked != simulated {
					t.Errorf("%s: simulated %t, marked %t", scenario, simulated, marked)
				}
			}
		}
	}
}

func TestEveryChartSaysThatItsFiguresAreDoubtfulOrIncomplete(t *testing.T) {
	for _, c := range []struct {
		verdict bench.Verdict
		state   bench.State
		want    []string
	}{
		{bench.Trusted, bench.StateSucceeded, nil},
		{bench.Degraded, bench.StateSucceeded, []string{"测量有保留"}},
		{bench.Invalid, bench.StateCanceled, []string{"测量无效", "INCOMPLETE 未完成"}},
	} {
		result, record := madeRun(quick(bench.Prefix), doubao())
		result.Simulated, result.State, result.Targets[0].Measurement.Verdict = false, c.state, c.verdict
		for name, texts := range textsOf(t, result, record) {
			for _, badge := range []string{"测量有保留", "测量无效", "INCOMPLETE 未完成"} {
				if _, marked := texts[badge]; marked != slices.Contains(c.want, badge) {
					t.Errorf("%s of a run that is %s, %s: %s is there: %t", name, c.verdict, c.state, badge, marked)
				}
			}
		}
		page, err := HTML(result, record)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(c.want)
		if err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(string(page), `"badges":`+string(want)); has != (c.want != nil) {
			t.Errorf("the page of a run that is %s, %s has its badges: %t", c.verdict, c.state, has)
		}
	}
}

func TestChineseTextsHaveOneTermForEachThing(t *testing.T) {
	losing := map[string]string{
		"时延": "延迟", "首字": "首 token", "您": "（无）", "测试": "压测", "服务档位": "服务等级", "思考强度": "思考等级",
		"提示缓存": "缓存", "token/秒": "token/s", "会话/秒": "会话/s", "请求方言": "方言", "不完整": "未完成", "第几次分组": "复用次序",
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, path := range append(sources, "phrases/zh.json", "page/report.js", "page/report.html.tmpl", "templates/report.md.tmpl") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		read++
		for term, better := range losing {
			if strings.Contains(string(data), term) {
				t.Errorf("%s says %s, not %s", path, term, better)
			}
		}
	}
	if read < 20 {
		t.Errorf("only %d files were read", read)
	}
}

// textsOf draws every chart and returns the texts on each, with their boxes.
func textsOf(t *testing.T, result *bench.Result, record *bench.Record) map[string]map[string][]box {
	t.Helper()
	charts := map[string]map[string][]box{}
	for name := range draughtsmen() {
		charts[name] = textsOn(t, name, result, record)
	}
	return charts
}

// textsOn draws one chart.
func textsOn(t *testing.T, name string, result *bench.Result, record *bench.Record) map[string][]box {
	t.Helper()
	face, err := loadTypeface()
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]box{}
	face.written = func(text string, b box) { texts[text] = append(texts[text], b) }
	if _, _, err := draughtsmen()[name](face, wordsOf(result.Spec.Lang), result, record); err != nil {
		t.Fatal(name, err)
	}
	return texts
}

func TestNoTextTouchesAnotherOrLeavesThePicture(t *testing.T) {
	t.Parallel()
	long := doubao()
	long.label, long.model = strings.Repeat("豆包种子二点零生产环", 6), strings.Repeat("ep-2026080", 6)
	other := imagined{label: strings.Repeat("deepseek-v", 6), model: strings.Repeat("WWWWWWWWWW", 6), prefill: 9000, tpot: 700, spread: 0.5, failEvery: 3, retryEvery: 4}
	var many []imagined
	for _, c := range "ABCDEFGHI" {
		m := other
		m.label = string(c)
		many = append(many, m)
	}
	for _, c := range []struct {
		name   string
		spec   bench.Spec
		lang   string
		models []imagined
	}{
		{"one", middling(bench.Prefix), "zh", []imagined{doubao()}},
		{"long", quick(bench.Multiturn), "en", []imagined{long}},
		{"slow", middling(bench.Prefix), "en", []imagined{other}},
		{"slow", middling(bench.Multiturn), "zh", []imagined{other}},
		{"two", quick(bench.Prefix), "zh", []imagined{long, other}},
		{"two", middling(bench.Multiturn), "en", []imagined{long, other}},
		{"nine", quick(bench.Prefix), "en", many},
		{"nine", quick(bench.Multiturn), "zh", many},
	} {
		c.spec.Lang = c.lang
		result, record := madeRun(c.spec, c.models...)
		result.Simulated, result.State, result.Targets[0].Measurement.Verdict = true, bench.StateInterrupted, bench.Invalid
		for chart, texts := range textsOf(t, result, record) {
			checkApart(t, strings.Join([]string{c.name, string(c.spec.Scenario), c.lang, chart}, "/"), texts)
		}
	}
}

func checkApart(t *testing.T, where string, texts map[string][]box) {
	t.Helper()
	type placed struct {
		text string
		box
	}
	var all []placed
	for text, boxes := range texts {
		for _, b := range boxes {
			all = append(all, placed{text, b})
		}
	}
	for i, a := range all {
		if a.left < 0 || a.right > pictureWidth || a.top < 0 {
			t.Errorf("%s: %q leaves the picture: %v", where, a.text, a.box)
		}
		for _, b := range all[:i] {
			if a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom {
				t.Errorf("%s: %q %v touches %q %v", where, a.text, a.box, b.text, b.box)
			}
		}
	}
}

func TestTheFontHasEveryCharacterOfTheCharts(t *testing.T) {
	face, err := loadTypeface()
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range []string{"zh", "en"} {
		w := wordsOf(lang)
		v := reflect.ValueOf(*w)
		for i := range v.NumField() {
			if v.Field(i).Kind() != reflect.String {
				continue
			}
			text := v.Field(i).String()
			if text == "" {
				t.Errorf("%s: %s is empty", lang, v.Type().Field(i).Name)
			}
			if got := face.printable(text); got != text {
				t.Errorf("%s: %q is shown as %q", lang, text, got)
			}
		}
	}
	if got := face.printable("龘—·\U0001F600a"); got != "?-.?a" {
		t.Errorf("what the font lacks is shown as %q", got)
	}
}

func TestTheAxisOfConcurrencyHasWholeNumbersAndRoomForWhatWasReached(t *testing.T) {
	result, record := madeRun(quick(bench.Prefix), doubao())
	for asked, want := range map[int]string{result.Spec.MaxConcurrency: "设定并发 2", 10_000: "设定并发 10,000（超出坐标范围）"} {
		result.Spec.MaxConcurrency = asked
		texts := textsOn(t, "timeline", result, record)
		if _, there := texts[want]; !there {
			t.Errorf("%q isn't on the timeline: %v", want, texts)
		}
		if len(texts["10,000"]) > 0 {
			t.Error("the axis goes up to 10,000")
		}
	}
	result.Spec.RequestRate, result.Spec.MaxConcurrency = 8, 10_000
	if texts := textsOn(t, "timeline", result, record); len(texts["设定并发 10,000（超出坐标范围）"])+len(texts["设定并发 2"]) > 0 {
		t.Errorf("an open loop that never reached its limit asks for a concurrency: %v", texts)
	}
	for _, tick := range countAxis(2, box{0, 0, 100, 100}).ticks {
		if strings.Contains(tick.label, ".") {
			t.Errorf("a count of %s", tick.label)
		}
	}
}
