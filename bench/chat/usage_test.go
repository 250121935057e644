package chat_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
)

// counted is a stream whose usage is the given JSON.
func counted(usage string) answer {
	return stream(at(100, C("A")), at(200, C("B"), F("stop"), usageChunk(usage), Z))
}

// summed is the summary of one request for each answer.
func summed(t *testing.T, answers ...answer) (bench.Summary, []*bench.Sample) {
	t.Helper()
	p := play(t, scene{answers: answers, sessions: singles(len(answers))})
	spec := bench.NewSpec(bench.Prefix, bench.Standard)
	return bench.Summarize(&spec, len(answers), p.samples), p.samples
}

func TestCachedTokensAreReadInEachVendorsWords(t *testing.T) {
	for _, c := range []struct {
		vendor, usage string
		rate          float64
	}{
		{"Ark, OpenAI", `{"prompt_tokens":100,"completion_tokens":2,"total_tokens":102,"prompt_tokens_details":{"cached_tokens":64}}`, 0.64},
		{"DeepSeek", `{"prompt_tokens":100,"completion_tokens":2,"total_tokens":102,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}`, 0.64},
		{"DeepSeek with both, where the nested field wins", `{"prompt_tokens":100,"completion_tokens":2,"total_tokens":102,"prompt_tokens_details":{"cached_tokens":60},"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}`, 0.60},
		{"Kimi", `{"prompt_tokens":100,"completion_tokens":2,"total_tokens":102,"cached_tokens":64}`, 0.64},
		{"TokenHub", `{"prompt_tokens":100,"completion_tokens":2,"total_tokens":102,"cache_read_tokens":64}`, 0.64},
	} {
		sum, samples := summed(t, counted(c.usage))
		if sum.Cache.HitRate == nil || *sum.Cache.HitRate != c.rate || *samples[0].Usage.Prompt != 100 || len(samples[0].Warnings) > 0 {
			t.Errorf("%s: cache %+v, usage %+v, warnings %v", c.vendor, sum.Cache, samples[0].Usage, samples[0].Warnings)
		}
	}
}

func TestKeysOfUsageCountAsTheyAreSpelled(t *testing.T) {
	sum, samples := summed(t, counted(`{"prompt_tokens":100,"Prompt_Tokens":7,"completion_tokens":2,"COMPLETION_TOKENS":9,"prompt_tokens_details":{"Cached_Tokens":64}}`))
	if u := samples[0].Usage; sum.Cache.HitRate != nil || *u.Prompt != 100 || *u.Completion != 2 || u.Cached != nil {
		t.Errorf("cache %+v, usage %+v", sum.Cache, u)
	}
}

func TestMoreCachedThanPromptIsLeftOutOfTheRateAndKeptForLatency(t *testing.T) {
	sum, _ := summed(t,
		stream(at(100, C("A")), at(200, C("B"), F("stop"), U(100, 5, 140), Z)),
		stream(at(300, C("A")), at(400, C("B"), F("stop"), U(100, 5, 50), Z)))
	if sum.Cache.HitRate == nil || *sum.Cache.HitRate != 0.5 || sum.TTFT.N != 2 || sum.TTFT.Avg != 200 {
		t.Errorf("rate %v, TTFT %+v, want 0.5 and both requests", sum.Cache.HitRate, sum.TTFT)
	}
	if len(sum.Warnings) != 1 || sum.Warnings[0].Warning != bench.WarnCachedExceedsPrompt || sum.Warnings[0].Count != 1 || len(sum.Warnings[0].RequestIDs) != 1 {
		t.Errorf("warnings %+v", sum.Warnings)
	}
	data, err := json.Marshal(sum)
	if err != nil || strings.Contains(string(data), ":-") {
		t.Errorf("a negative number stands in %s (%v)", data, err)
	}
}

func TestAPromptCountSurvivesACompletionCountThatIsAbsentOrAbsurd(t *testing.T) {
	for _, c := range []struct {
		usage   string
		output  int
		derived bool
	}{
		{`{"prompt_tokens":7180,"total_tokens":7193,"completion_tokens_details":{"reasoning_tokens":13}}`, 13, true},
		{`{"prompt_tokens":7180,"completion_tokens":0,"total_tokens":7180}`, 0, false},
	} {
		_, samples := summed(t, counted(c.usage))
		u := samples[0].Usage
		if u == nil || u.Prompt == nil || *u.Prompt != 7180 || u.Completion == nil || *u.Completion != c.output || u.Derived != c.derived {
			t.Errorf("%s: usage %+v", c.usage, u)
		}
	}
}

func TestFilteredAnswersAreAClassOfTheirOwnAndOutOfLatency(t *testing.T) {
	sum, _ := summed(t,
		stream(at(10, C("A"), F("content_filter"), U(10, 3, 0), Z)),
		answer{status: 400, writes: []write{at(5, `{"error":{"code":"InputTextSensitiveContentDetected","message":"m"}}`)}},
		stream(at(100, C("A")), at(200, C("B"), F("stop"), U(10, 2, 0), Z)))
	if sum.Requests.Succeeded != 1 || sum.Requests.Failed != 2 || sum.TTFT.N != 1 || sum.TTFT.Avg != 100 || sum.E2E.N != 1 {
		t.Errorf("requests %+v, TTFT %+v, E2E %+v", sum.Requests, sum.TTFT, sum.E2E)
	}
	codes := map[string]int{}
	for _, f := range sum.Failures {
		if f.Class != bench.FailContentFilter {
			t.Errorf("class %s", f.Class)
		}
		codes[f.Code] += f.Count
	}
	if codes["content_filter"] != 1 || codes["InputTextSensitiveContentDetected"] != 1 {
		t.Errorf("codes %v", codes)
	}
}
