package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// textOf returns a text of exactly n tokens of the standard tokenizer that
// begins with head.
func textOf(head string, n int) string {
	tok := tokenizerNamed("standard")
	teller := newTeller(&tok, chinese, hash64(head), 0)
	text := head
	for {
		missing := n - CountTokens("standard", text)
		if missing <= 0 {
			return strings.Join(cutAll(&tok, text)[:n], "")
		}
		for range missing {
			text += teller.next()
		}
	}
}

func hash64(s string) uint64 { return uint64(hash32(s)) }

// chat is a body with alternating user and assistant messages.
func chat(tokens int, texts ...string) string {
	var msgs []map[string]string
	for i, text := range texts {
		msgs = append(msgs, map[string]string{"role": []string{"user", "assistant"}[i%2], "content": text})
	}
	b, err := json.Marshal(map[string]any{
		"model": mini, "messages": msgs, "stream": true, "max_completion_tokens": tokens,
		"stream_options": map[string]bool{"include_usage": true}, "thinking": map[string]string{"type": "disabled"},
	})
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// chunk is what the tests read of a chunk.
type chunk struct {
	Choices []struct {
		Delta struct {
			Content   string `json:"content"`
			Reasoning string `json:"reasoning_content"`
		} `json:"delta"`
		Finish *string `json:"finish_reason"`
	} `json:"choices"`
	Model string `json:"model"`
	Tier  string `json:"service_tier"`
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Prompts    struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		Completions struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	} `json:"usage"`
}

// told is an answer put together.
type told struct {
	content, reasoning, finish    string
	prompt, cached                int
	completion, reasoningTokens   int
	usages                        int
	first, firstContent, last     time.Duration
	contentChunks, thinkingChunks int
	model, tier                   string
}

func (r reply) told(t *testing.T) told {
	t.Helper()
	var all told
	for _, l := range r.lines {
		data, ok := strings.CutPrefix(l.text, "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var c chunk
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		all.add(c, l.at)
	}
	return all
}

func (a *told) add(c chunk, at time.Duration) {
	a.model, a.tier = c.Model, c.Tier
	if c.Usage != nil {
		a.usages++
		a.prompt, a.cached, a.completion, a.reasoningTokens = c.Usage.Prompt, c.Usage.Prompts.Cached, c.Usage.Completion, c.Usage.Completions.Reasoning
	}
	for _, choice := range c.Choices {
		if choice.Finish != nil {
			a.finish = *choice.Finish
		}
		d := choice.Delta
		if d.Content == "" && d.Reasoning == "" {
			continue
		}
		if a.last = at; a.first == 0 {
			a.first = at
		}
		if d.Reasoning != "" {
			a.thinkingChunks++
		}
		if d.Content != "" {
			if a.contentChunks++; a.firstContent == 0 {
				a.firstContent = at
			}
		}
		a.content, a.reasoning = a.content+d.Content, a.reasoning+d.Reasoning
	}
}

func TestPrefillTimeGrowsWithUncachedTokensOnly(t *testing.T) {
	inBubble(t, Config{}, func(l *lab) {
		shared := textOf("资料一", 3000)
		first := l.post(chat(2, shared+"\n\n"+textOf("甲", 500))).told(t)
		second := l.post(chat(2, shared+"\n\n"+textOf("乙", 500))).told(t)
		// 3 opening tokens of the message, the shared text, a break, the
		// question, 1 closing token, 3 opening tokens of the answer.
		if first.prompt != 3508 || first.cached != 0 {
			t.Errorf("first: prompt %d cached %d, want 3508 and 0", first.prompt, first.cached)
		}
		if second.prompt != 3508 || second.cached != 3+3000+1 {
			t.Errorf("second: prompt %d cached %d, want 3508 and 3004", second.prompt, second.cached)
		}
		for _, got := range []told{first, second} {
			want := 120*time.Millisecond + 40*time.Millisecond*time.Duration(got.prompt-got.cached)/1000
			if got.first != want || got.last != want+10*time.Millisecond {
				t.Errorf("tokens at %v and %v, want %v and 10 ms later", got.first, got.last, want)
			}
		}
	})
}

func TestMatchBelowTheMinimumIsAMiss(t *testing.T) {
	for shared, want := range map[int]int{1019: 0, 1020: 1024} {
		inBubble(t, Config{}, func(l *lab) {
			text := textOf("资料", shared)
			l.post(chat(1, text+"x y"))
			// Shared are 3 opening tokens, the text and the x.
			got := l.post(chat(1, text+"x z")).told(t)
			if got.cached != want {
				t.Errorf("%d shared tokens of text: %d cached, want %d", shared, got.cached, want)
			}
		})
	}
}

func TestAnIdenticalPromptStillComputesItsLastToken(t *testing.T) {
	inBubble(t, Config{}, func(l *lab) {
		body := chat(1, textOf("资料", 2000))
		l.post(body)
		if got := l.post(body).told(t); got.cached != got.prompt-1 {
			t.Errorf("cached %d of %d, want all but one", got.cached, got.prompt)
		}
	})
}

func TestSimultaneousFirstUsesMissAndLaterOnesHit(t *testing.T) {
	inBubble(t, Config{}, func(l *lab) {
		body := chat(50, textOf("资料", 2000))
		ttft := 120*time.Millisecond + 40*time.Millisecond*2007/1000
		starts := []time.Duration{0, 0, ttft - 1, ttft}
		cached := make([]int, len(starts))
		var wg sync.WaitGroup
		for i, start := range starts {
			wg.Go(func() {
				time.Sleep(start)
				cached[i] = l.post(body).told(t).cached
			})
		}
		wg.Wait()
		if fmt.Sprint(cached) != "[0 0 0 2006]" {
			t.Errorf("cached %v, want only the request after the first prefill to hit", cached)
		}
	})
}

func TestHistoryHitsOnPromptAndAnswer(t *testing.T) {
	inBubble(t, Config{}, func(l *lab) {
		history := []string{textOf("长篇材料", 1500)}
		reach := 0 // tokens of the last turn's prompt and answer
		for turn := range 4 {
			got := l.post(chat(60, history...)).told(t)
			if got.cached != reach {
				t.Errorf("turn %d: cached %d, want %d", turn+1, got.cached, reach)
			}
			if got.completion != 60 || CountTokens("standard", got.content) != 60 {
				t.Errorf("turn %d: %d tokens, text has %d, want 60", turn+1, got.completion, CountTokens("standard", got.content))
			}
			reach = got.prompt + 60
			history = append(history, got.content, textOf(fmt.Sprint("追问", turn), 40))
		}
	})
}

func TestAfterThinkingOnlyThePromptIsFoundAgain(t *testing.T) {
	inBubble(t, Config{}, func(l *lab) {
		text := textOf("长篇材料", 1500)
		thinking := strings.Replace(chat(200, text), `"disabled"`, `"enabled"`, 1)
		first := l.post(thinking).told(t)
		second := l.post(chat(5, text, first.content, "继续")).told(t)
		if second.cached != first.prompt {
			t.Errorf("cached %d, want the first prompt's %d", second.cached, first.prompt)
		}
	})
}

func TestRequestsBeyondTheLimitQueueInOrder(t *testing.T) {
	inBubble(t, Config{Limit: 2, BaseTTFT: 100 * time.Millisecond, PrefillPer1000: Zero}, func(l *lab) {
		var wg sync.WaitGroup
		first := make([]time.Duration, 6)
		for i := range first {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * time.Microsecond)
				start := time.Duration(i) * time.Microsecond
				first[i] = start + l.post(ask(mini, "hello", 11)).told(t).first
			})
		}
		wg.Wait()
		// Each generation takes 100 ms + 10 × 10 ms.
		for i, got := range first {
			want := 100*time.Millisecond + time.Duration(i/2)*200*time.Millisecond + time.Duration(i%2)*time.Microsecond
			if got != want {
				t.Errorf("request %d: first token at %v, want %v", i, got, want)
			}
		}
		if s := l.s.Stats(); s.MaxInFlight != 6 || s.MaxGenerating != 2 {
			t.Errorf("in flight %d, generating %d, want 6 and 2", s.MaxInFlight, s.MaxGenerating)
		}
	})
}

func TestAClientThatLeavesGivesItsPlaceBack(t *testing.T) {
	inBubble(t, Config{Limit: 1}, func(l *lab) {
		var wg sync.WaitGroup
		leave := func(after time.Duration, tokens int) {
			ctx, cancel := context.WithTimeout(context.Background(), after)
			defer cancel()
			l.postWithin(ctx, ask(mini, "hello", tokens))
		}
		wg.Go(func() { leave(500*time.Millisecond, 1000) }) // generating
		synctest.Wait()
		wg.Go(func() { leave(300*time.Millisecond, 1000) }) // queued
		synctest.Wait()
		start := time.Now()
		l.post(ask(mini, "hello", 1))
		if got, least := time.Since(start), 500*time.Millisecond; got < least || got > least+121*time.Millisecond {
			t.Errorf("third request took %v, want 500 ms in the queue and a TTFT", got)
		}
		wg.Wait()
		if s := l.s.Stats(); s.InFlight != 0 {
			t.Errorf("%d still in flight", s.InFlight)
		}
	})
}

func TestThinkingComesFirstAndCounts(t *testing.T) {
	inBubble(t, Config{ThinkTokens: 20, AnswerTokens: 10}, func(l *lab) {
		for fields, want := range map[string][3]int{ // thinking chunks, content chunks, completion tokens
			``:                                {20, 10, 30},
			`,"thinking":{"type":"enabled"}`:  {20, 10, 30},
			`,"thinking":{"type":"disabled"}`: {0, 10, 10},
			`,"reasoning_effort":"high"`:      {40, 10, 50},
			`,"reasoning_effort":"low"`:       {10, 10, 20},
			`,"reasoning_effort":"minimal"`:   {0, 10, 10},
			`,"max_tokens":4`:                 {20, 4, 24},
			`,"max_completion_tokens":25`:     {20, 5, 25},
			`,"max_completion_tokens":15`:     {15, 0, 15},
			`,"max_tokens":4,"thinking":{"type":"disabled"},"reasoning_effort":"high"`: {0, 4, 4},
		} {
			body := `{"model":"` + mini + `","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true}` + fields + `}`
			got := l.post(body).told(t)
			if have := [3]int{got.thinkingChunks, got.contentChunks, got.completion}; have != want {
				t.Errorf("%s: thinking, content, completion %v, want %v", fields, have, want)
			}
			if got.reasoningTokens != want[0] {
				t.Errorf("%s: reasoning tokens %d, want %d", fields, got.reasoningTokens, want[0])
			}
			if wantFinish := map[bool]string{true: "stop", false: "length"}[want[1] == 10]; got.finish != wantFinish {
				t.Errorf("%s: finish %q, want %q", fields, got.finish, wantFinish)
			}
			if want[0] > 0 && want[1] > 0 && got.firstContent-got.first != time.Duration(want[0])*10*time.Millisecond {
				t.Errorf("%s: content begins %v after thinking", fields, got.firstContent-got.first)
			}
		}
	})
}

func TestRefusals(t *testing.T) {
	const rest = `"messages":[{"role":"user","content":"hi"}]`
	model := `{"model":"` + mini + `",`
	for body, want := range map[string]string{
		`{`:                                   "400 InvalidParameter ",
		`[]`:                                  "400 InvalidParameter ",
		`{` + rest + `}`:                      "400 MissingParameter.model model",
		model + `"messages":[]}`:              "400 MissingParameter.messages messages",
		model + `"messages":7}`:               "400 InvalidParameter messages",
		`{"model":"nobody",` + rest + `}`:     "404 InvalidEndpointOrModel.NotFound model",
		`{"model":"ep-unknown",` + rest + `}`: "404 InvalidEndpointOrModel.NotFound model",
		model + rest + `,"max_tokens":5,"max_completion_tokens":5}`:       "400 InvalidParameter max_tokens",
		model + rest + `,"max_tokens":0}`:                                 "400 InvalidParameter max_tokens",
		model + rest + `,"max_completion_tokens":65537}`:                  "400 InvalidParameter max_completion_tokens",
		model + rest + `,"thinking":{"type":"perhaps"}}`:                  "400 InvalidParameter thinking.type",
		model + rest + `,"reasoning_effort":"huge"}`:                      "400 InvalidParameter reasoning_effort",
		model + rest + `,"ignore_eos":true}`:                              "400 InvalidParameter.UnsupportedParameter ignore_eos",
		model + `"messages":[{"role":"developer","content":"hi"}]}`:       "400 InvalidArgumentError.UnknownRole messages",
		model + `"messages":[{"role":"user","content":5}]}`:               "400 InvalidParameter messages",
		`{"model":"glm-5-3",` + rest + `,"thinking":{"type":"disabled"}}`: "400 InvalidParameter thinking.type",
		`{"model":"glm-5-3",` + rest + `,"reasoning_effort":"none"}`:      "400 InvalidParameter reasoning_effort",
		`{"model":"` + mini + `+nonsense",` + rest + `}`:                  "400 InvalidParameter ",
		`{"model":"sim-nonsense",` + rest + `}`:                           "404 InvalidEndpointOrModel.NotFound model",
	} {
		inBubble(t, Config{}, func(l *lab) {
			r := l.post(body)
			var e struct {
				Error struct{ Code, Message, Param string }
			}
			if err := json.Unmarshal([]byte(r.body), &e); err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			if got := fmt.Sprint(r.status, " ", e.Error.Code, " ", e.Error.Param); got != want {
				t.Errorf("%s: %s, want %s", body, got, want)
			}
			if !strings.Contains(e.Error.Message, "Request id: 02") {
				t.Errorf("%s: no request id in %q", body, e.Error.Message)
			}
		})
	}
}

func TestContentPartsAreTheSameAsText(t *testing.T) {
	inBubble(t, Config{}, func(l *lab) {
		plain := l.post(ask(mini, "hello world", 3)).told(t)
		parts := l.post(strings.Replace(ask(mini, "hello world", 3), `"hello world"`, `[{"type":"text","text":"hello "},{"type":"text","text":"world"}]`, 1)).told(t)
		if plain.content == "" || plain.content != parts.content || plain.prompt != parts.prompt {
			t.Errorf("parts: %+v, text: %+v", parts, plain)
		}
	})
}

func TestUsageIsSentOnlyWhenAskedForOrByHabit(t *testing.T) {
	inBubble(t, Config{}, func(l *lab) {
		without := func(model string) string {
			return strings.Replace(ask(model, "hi", 3), `"stream_options":{"include_usage":true},`, ``, 1)
		}
		for body, want := range map[string]int{
			ask(mini, "hi", 3):        1,
			without(mini):             0,
			without("glm-5-2-260617"): 1,
			strings.Replace(ask(mini, "hi", 3), `{"include_usage":true}`, `{"chunk_include_usage":true}`, 1): 4,
		} {
			if got := l.post(body).told(t); got.usages != want {
				t.Errorf("%s: %d usages, want %d", body, got.usages, want)
			}
		}
	})
}

func TestAnAnswerMayComeWhole(t *testing.T) {
	inBubble(t, Config{BaseTTFT: 100 * time.Millisecond, PrefillPer1000: Zero}, func(l *lab) {
		streamed := l.post(ask(mini, "hello", 5)).told(t)
		start := time.Now()
		r := l.post(strings.Replace(ask(mini, "hello", 5), `"stream":true,"stream_options":{"include_usage":true},`, "", 1))
		if took := time.Since(start); took != 140*time.Millisecond {
			t.Errorf("took %v, want 140ms", took)
		}
		var whole struct {
			Object  string
			Choices []struct {
				Message struct{ Role, Content string }
				Finish  string `json:"finish_reason"`
			}
			Usage struct {
				Completion int `json:"completion_tokens"`
			}
		}
		if err := json.Unmarshal([]byte(r.body), &whole); err != nil {
			t.Fatal(err)
		}
		if whole.Object != "chat.completion" || whole.Usage.Completion != 5 || whole.Choices[0].Message.Content != streamed.content {
			t.Errorf("whole answer %+v, streamed %q", whole, streamed.content)
		}
	})
}

func TestEndpointIDsAnswerWithTheModelBehindThem(t *testing.T) {
	inBubble(t, Config{}, func(l *lab) {
		if got := l.post(ask(DefaultEndpoint, "hi", 1)).told(t); got.model != mini {
			t.Errorf("model %q, want %q", got.model, mini)
		}
	})
}

func TestTierFastIsEchoedWhereTheModelHasIt(t *testing.T) {
	inBubble(t, Config{}, func(l *lab) {
		for model, want := range map[string]string{mini: "fast", "doubao-seed-1-8-251228": "default"} {
			body := strings.Replace(ask(model, "hi", 1), `"stream"`, `"service_tier":"fast","stream"`, 1)
			if got := l.post(body).told(t); got.tier != want {
				t.Errorf("%s: tier %q, want %q", model, got.tier, want)
			}
		}
	})
}

func TestModelsHaveTheirOwnCacheMinimum(t *testing.T) {
	for model, want := range map[string]bool{mini: true, "glm-5-2-260617": false, "doubao-seed-1-8-251228": false} {
		inBubble(t, Config{}, func(l *lab) {
			body := strings.Replace(chat(1, textOf("资料", 1500)), mini, model, 1)
			l.post(body)
			if got := l.post(body).told(t); (got.cached > 0) != want {
				t.Errorf("%s: cached %d of %d", model, got.cached, got.prompt)
			}
		})
	}
}

func TestTemplateAndCacheCanBeSwitchedOff(t *testing.T) {
	inBubble(t, Config{TemplateTokens: Off, CacheCapacityTokens: Off}, func(l *lab) {
		body := chat(1, textOf("资料", 1500))
		l.post(body)
		if got := l.post(body).told(t); got.prompt != 1500 || got.cached != 0 {
			t.Errorf("prompt %d cached %d, want 1500 and 0", got.prompt, got.cached)
		}
	})
}
