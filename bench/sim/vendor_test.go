package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// sending is a request with further fields.
func sending(fields string) string {
	return `{"model":"` + mini + `","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true}` + fields + `}`
}

func TestVendorsRefuseFieldsThatTheyDoNotHave(t *testing.T) {
	for fields, takes := range map[string]string{ // the vendors that take them
		`,"thinking":{"type":"disabled"}`:                   "ark aliyun bigmodel deepseek kimi tencent vllm sglang any",
		`,"enable_thinking":false`:                          "aliyun vllm sglang any",
		`,"chat_template_kwargs":{"enable_thinking":false}`: "vllm sglang any",
		`,"ignore_eos":true`:                                "vllm sglang any",
		`,"max_completion_tokens":2`:                        "ark aliyun deepseek kimi tencent openai vllm sglang any",
		`,"max_tokens":2`:                                   "ark aliyun bigmodel deepseek kimi tencent vllm sglang any",
		`,"max_tokens":2,"max_completion_tokens":2`:         "",
		`,"temperature":0`:                                  "ark aliyun bigmodel deepseek tencent openai vllm sglang any",
		`,"temperature":0.6,"thinking":{"type":"disabled"}`: "ark aliyun bigmodel deepseek kimi tencent vllm sglang any",
		`,"seed":1`:                 "aliyun tencent openai vllm sglang any",
		`,"service_tier":"auto"`:    "ark openai vllm sglang any",
		`,"reasoning_effort":"low"`: "ark aliyun bigmodel deepseek kimi tencent openai vllm sglang any",
	} {
		var took []string
		for _, name := range VendorNames() {
			inBubble(t, Config{Vendor: name, AnswerTokens: 1}, func(l *lab) {
				if l.post(sending(fields)).status == 200 {
					took = append(took, name)
				}
			})
		}
		if !slices.Equal(took, strings.Fields(takes)) {
			t.Errorf("%s: taken by %v, want %s", fields, took, takes)
		}
	}
}

func TestThinkingIsTurnedOffInEachSpelling(t *testing.T) {
	for fields, vendor := range map[string]string{
		`,"thinking":{"type":"disabled"}`:                   "deepseek",
		`,"enable_thinking":false`:                          "aliyun",
		`,"chat_template_kwargs":{"enable_thinking":false}`: "vllm",
		`,"chat_template_kwargs":{"thinking":false}`:        "sglang",
		`,"reasoning_effort":"none"`:                        "openai",
	} {
		inBubble(t, Config{Vendor: vendor, AnswerTokens: 2, ThinkTokens: 5, Fault: "cached_absent"}, func(l *lab) {
			if got := l.post(sending(fields)).told(t); got.completion != 2 {
				t.Errorf("%s to %s: %d tokens, want 2", fields, vendor, got.completion)
			}
		})
	}
}

func TestCapsThatAVendorIgnoresHaveNoEffect(t *testing.T) {
	for vendor, want := range map[string]int{"ark": 3, "deepseek": 9} {
		inBubble(t, Config{Vendor: vendor, AnswerTokens: 9}, func(l *lab) {
			got := l.post(sending(`,"max_completion_tokens":3,"thinking":{"type":"disabled"}`)).told(t)
			if got.completion != want {
				t.Errorf("%s: %d tokens, want %d", vendor, got.completion, want)
			}
		})
	}
}

func TestAVendorsErrorsAreNoStreams(t *testing.T) {
	for _, name := range VendorNames() {
		inBubble(t, Config{Vendor: name, Fault: "quota+keepalive"}, func(l *lab) {
			if r := l.post(sending("")); r.status != 429 || !strings.HasPrefix(r.body, `{"error":`) {
				t.Errorf("%s: %d %s", name, r.status, r.body)
			}
		})
	}
}

func TestCacheFaultsChangeWhatTheModelCaches(t *testing.T) {
	for fault, want := range map[string]int{"": 1506, "cache_min:1506": 1506, "cache_min:1507": 0, "no_cache": 0} {
		inBubble(t, Config{Fault: fault}, func(l *lab) {
			body := chat(1, textOf("资料", 1500))
			l.post(body)
			if got := l.post(body).told(t); got.cached != want {
				t.Errorf("%q: cached %d of %d, want %d", fault, got.cached, got.prompt, want)
			}
		})
	}
}

func TestFaultsCombine(t *testing.T) {
	inBubble(t, Config{Fault: "slow_first:1s+keepalive:400ms+crlf+late_end:3ms+no_done"}, func(l *lab) {
		start := time.Now()
		r := l.post(ask(mini, "hi", 2))
		var comments []string
		for _, line := range r.lines {
			if strings.HasPrefix(line.text, ":") {
				comments = append(comments, fmt.Sprint(line.at))
			}
		}
		if fmt.Sprint(comments) != "[0s 400ms 800ms]" || r.told(t).first != 1120320*time.Microsecond {
			t.Errorf("comments at %v, first token at %v", comments, r.told(t).first)
		}
		if strings.Contains(r.body, "[DONE]") || strings.Count(r.body, "\n") != strings.Count(r.body, "\r\n") {
			t.Errorf("body %q", r.body)
		}
		if took := time.Since(start); took != 1133320*time.Microsecond {
			t.Errorf("took %v, want 1.120320s + 10 ms + 3 ms", took)
		}
	})
	inBubble(t, Config{Fault: "http_500+slow_first:1s"}, func(l *lab) {
		start := time.Now()
		if r := l.post(ask(mini, "hi", 1)); r.status != 500 || time.Since(start) != time.Second {
			t.Errorf("status %d after %v, want 500 after 1s", r.status, time.Since(start))
		}
	})
}

func TestAutoLetsTheModelDecideByThePrompt(t *testing.T) {
	inBubble(t, Config{AnswerTokens: 1, ThinkTokens: 1}, func(l *lab) {
		seen := map[int]bool{}
		for i := range 20 {
			body := strings.Replace(sending(`,"thinking":{"type":"auto"}`), `"hi"`, fmt.Sprintf(`"hi %d"`, i), 1)
			got := l.post(body).told(t)
			if again := l.post(body).told(t); again.thinkingChunks != got.thinkingChunks {
				t.Errorf("prompt %d: decided both ways", i)
			}
			seen[got.thinkingChunks] = true
		}
		if !seen[0] || !seen[1] {
			t.Errorf("20 prompts all decided alike: %v", seen)
		}
	})
}
