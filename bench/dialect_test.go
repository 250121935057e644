package bench_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
)

func TestEachVendorHasItsDialectByHost(t *testing.T) {
	for host, want := range map[string]string{
		"ark.cn-beijing.volces.com": "ark", "ark.ap-southeast.bytepluses.com": "ark",
		"dashscope.aliyuncs.com": "aliyun", "dashscope-intl.aliyuncs.com": "aliyun",
		"open.bigmodel.cn": "bigmodel", "api.z.ai": "bigmodel",
		"api.deepseek.com": "deepseek", "API.DeepSeek.com.": "deepseek",
		"api.moonshot.cn": "kimi", "api.moonshot.ai": "kimi",
		"tokenhub.tencentmaas.com": "tencent", "tokenhub-intl.tencentcloudmaas.com": "tencent",
		"api.openai.com": "openai",
		"localhost":      "generic", "notdeepseek.com": "generic", "deepseek.com.evil.example": "generic",
		"service.pai-eas.aliyuncs.com": "generic", "": "generic",
	} {
		if got := bench.DialectOfHost(host).Name; got != want {
			t.Errorf("%q speaks %s, want %s", host, got, want)
		}
	}
}

func TestDialectsAskForThinkingInTheWordsOfTheVendor(t *testing.T) {
	type row struct{ disabled, enabled, auto, cap string }
	for name, want := range map[string]row{
		"ark":      {`{"thinking":{"type":"disabled"}}`, `{"thinking":{"type":"enabled"}}`, `{"thinking":{"type":"auto"}}`, "max_completion_tokens"},
		"aliyun":   {`{"enable_thinking":false}`, `{"enable_thinking":true}`, "not sent", "max_tokens"},
		"bigmodel": {`{"thinking":{"type":"disabled"}}`, `{"thinking":{"type":"enabled"}}`, "not sent", "max_tokens"},
		"deepseek": {`{"thinking":{"type":"disabled"}}`, `{"thinking":{"type":"enabled"}}`, "not sent", "max_tokens"},
		"kimi":     {`{"thinking":{"type":"disabled"}}`, `{"thinking":{"type":"enabled"}}`, "not sent", "max_completion_tokens"},
		"tencent":  {`{"thinking":{"type":"disabled"}}`, `{"thinking":{"type":"enabled"}}`, "not sent", "max_tokens"},
		"openai":   {`{"reasoning_effort":"none"}`, `{"reasoning_effort":"medium"}`, "not sent", "max_completion_tokens"},
		"vllm": {`{"chat_template_kwargs":{"enable_thinking":false,"thinking":false},"ignore_eos":true}`,
			`{"chat_template_kwargs":{"enable_thinking":true,"thinking":true},"ignore_eos":true}`, "not sent", "max_tokens"},
		"sglang": {`{"chat_template_kwargs":{"enable_thinking":false,"thinking":false},"ignore_eos":true}`,
			`{"chat_template_kwargs":{"enable_thinking":true,"thinking":true},"ignore_eos":true}`, "not sent", "max_tokens"},
		"generic": {"not sent", "not sent", "not sent", "max_completion_tokens"},
	} {
		d, err := bench.DialectNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		said := func(state bench.Thinking) string {
			fields, sent := d.Body(state)
			if !sent {
				return "not sent"
			}
			data, _ := json.Marshal(fields)
			return string(data)
		}
		if got := (row{said(bench.ThinkingDisabled), said(bench.ThinkingEnabled), said(bench.ThinkingAuto), d.OutputCap}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestOnlyServersOfOnesOwnAreToldToIgnoreTheEnd(t *testing.T) {
	var told []string
	for _, name := range bench.DialectNames() {
		d, _ := bench.DialectNamed(name)
		if fields, _ := d.Body(bench.ThinkingAuto); fields["ignore_eos"] == true {
			told = append(told, name)
		}
	}
	if want := []string{"vllm", "sglang"}; !slices.Equal(told, want) {
		t.Errorf("ignore_eos goes to %v, want %v", told, want)
	}
}

func TestADialectNeverSendsWhatItSaysMustNotBeSent(t *testing.T) {
	for _, name := range bench.DialectNames() {
		d, _ := bench.DialectNamed(name)
		for _, state := range []bench.Thinking{bench.ThinkingDisabled, bench.ThinkingEnabled, bench.ThinkingAuto} {
			fields, _ := d.Body(state)
			fields[d.OutputCap] = 1
			for field := range fields {
				if d.Refuses(field) {
					t.Errorf("%s sends %s", name, field)
				}
			}
		}
	}
}

func TestAnUnknownDialectIsRefusedWithTheNamesThatThereAre(t *testing.T) {
	_, err := bench.DialectNamed("azure")
	want := `dialect is "azure": allowed is ark, aliyun, bigmodel, deepseek, kimi, tencent, openai, vllm, sglang, generic`
	if err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

func TestAnEffortThatTheUserNamesStandsInForTheDialects(t *testing.T) {
	d, _ := bench.DialectNamed("openai")
	fields, sent := d.WithEffort("high").Body(bench.ThinkingEnabled)
	if !sent || len(fields) != 0 {
		t.Errorf("fields %v (%v), want none beside the user's own", fields, sent)
	}
	if fields, _ := d.Body(bench.ThinkingEnabled); fields["reasoning_effort"] != "medium" {
		t.Errorf("the dialect itself has changed: %v", fields)
	}
	ark := bench.Ark()
	if got := ark.WithEffort("high"); !reflect.DeepEqual(got, ark) {
		t.Errorf("ark with an effort is %+v", got)
	}
}

func TestParametersThatADialectCannotSendAreSaidBefore(t *testing.T) {
	for _, c := range []struct {
		dialect string
		change  func(*bench.Spec)
		field   string // "" is none
	}{
		{"openai", func(s *bench.Spec) { s.ReasoningEffort = "high" }, "reasoning_effort"},
		{"openai", func(s *bench.Spec) { s.ReasoningEffort = "none" }, ""},
		{"openai", func(s *bench.Spec) { s.ReasoningEffort, s.Thinking = "high", bench.ThinkingEnabled }, ""},
		{"openai", func(s *bench.Spec) { s.ServiceTier = "flex" }, ""},
		{"ark", func(s *bench.Spec) { s.ReasoningEffort, s.ServiceTier = "low", "fast" }, ""},
		{"deepseek", func(s *bench.Spec) { s.ServiceTier = "fast" }, "service_tier"},
		{"generic", func(s *bench.Spec) { s.ReasoningEffort, s.ServiceTier = "low", "fast" }, ""},
	} {
		d, err := bench.DialectNamed(c.dialect)
		if err != nil {
			t.Fatal(err)
		}
		spec := bench.NewSpec(bench.Prefix, bench.Standard)
		c.change(&spec)
		var fault *bench.FieldError
		got := ""
		if errors.As(d.Check(&spec), &fault) {
			got = fault.Field
		}
		if got != c.field {
			t.Errorf("%s: refused is %q, want %q", c.dialect, got, c.field)
		}
	}
}

func TestThinkingIsMetOrNot(t *testing.T) {
	for _, c := range []struct {
		asked    bench.Thinking
		reasoned bool
		met      bool
	}{
		{bench.ThinkingDisabled, false, true},
		{bench.ThinkingDisabled, true, false},
		{bench.ThinkingEnabled, true, true},
		{bench.ThinkingEnabled, false, false},
		{bench.ThinkingAuto, true, true},
		{bench.ThinkingAuto, false, true},
	} {
		if got := c.asked.Met(&bench.Sample{Reasoned: c.reasoned}); got != c.met {
			t.Errorf("asked %s, reasoned %v: met is %v", c.asked, c.reasoned, got)
		}
	}
}
