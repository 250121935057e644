package chat_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/chat"
	"github.com/llm-bench/llm-bench/bench/sim"
)

// speak sends two turns of one session in a dialect to a stand-in endpoint
// that plays a vendor, whose default is to think.
func speak(t *testing.T, dialect bench.Dialect, vendor, fault string, asked bench.Thinking) (samples []*bench.Sample, records []*sim.Record) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server, err := sim.New(sim.Config{
			Vendor: vendor, Fault: fault, ThinkTokens: 8, CacheMinTokens: sim.Off,
			Recorder: func(r *sim.Record) { records = append(records, r) },
		})
		if err != nil {
			t.Fatal(err)
		}
		network := sim.NewPipeNet()
		served := make(chan error, 1)
		go func() { served <- server.Serve(network) }()
		spec := bench.NewSpec(bench.Multiturn, bench.Quick)
		spec.Thinking, spec.MaxOutputTokens = asked, 32
		clock := bench.NewClock()
		client, err := chat.New(chat.Options{
			Target: bench.Target{BaseURL: network.BaseURL(), Model: server.Config().Models[0].ID, Dialect: dialect},
			Spec:   &spec, Clock: clock, Dial: network.DialContext,
		})
		if err != nil {
			t.Fatal(err)
		}
		load := &bench.Load{
			Sessions:    []bench.Session{{Number: 1, Turns: []bench.Turn{{Text: strings.Repeat("The same long material. ", 50)}, {Text: "And a question."}}}},
			Concurrency: 1, Caller: client, Clock: clock,
		}
		bench.Run(context.Background(), load, func(s *bench.Sample) { samples = append(samples, s) })
		client.Close()
		_ = server.Close()
		<-served
	})
	return samples, records
}

// sentFields are the names of the fields of a request's body.
func sentFields(t *testing.T, r *sim.Record) []string {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(body))
}

// vendors lists the vendors with what is habit of their servers beside the
// rules of their APIs.
func vendors() map[string]string {
	return map[string]string{
		"ark": "", "aliyun": "", "bigmodel": "", "deepseek": "keepalive", "kimi": "usage_on_finish", "tencent": "",
		"openai": "", "vllm": "cached_nested", "sglang": "cached_nested",
	}
}

func TestEachDialectSuitsItsVendor(t *testing.T) {
	for vendor, habit := range vendors() {
		for _, asked := range []bench.Thinking{bench.ThinkingDisabled, bench.ThinkingEnabled, bench.ThinkingAuto} {
			t.Run(vendor+"/"+string(asked), func(t *testing.T) {
				dialect, err := bench.DialectNamed(vendor)
				if err != nil {
					t.Fatal(err)
				}
				samples, records := speak(t, dialect, vendor, habit, asked)
				if len(samples) != 2 || len(records) != 2 {
					t.Fatalf("%d samples of %d requests, want 2 of 2: %+v", len(samples), len(records), samples[0].Failure)
				}
				for i, s := range samples {
					suits(t, s, records[i], dialect, asked)
				}
				if *samples[1].Usage.Cached == 0 {
					t.Error("the second turn finds nothing cached")
				}
			})
		}
	}
}

// suits checks one request: nothing was refused, thinking is as asked for, the
// cap holds, and the tokens are read as they were counted.
func suits(t *testing.T, s *bench.Sample, r *sim.Record, d bench.Dialect, asked bench.Thinking) {
	t.Helper()
	if s.Outcome != bench.Succeeded {
		t.Fatalf("%s: %+v", s.Outcome, s.Failure)
	}
	if s.Reasoned != (r.Reasoning > 0) || !asked.Met(s) {
		t.Errorf("asked for %s: the server thought %d tokens, reasoning seen: %v", asked, r.Reasoning, s.Reasoned)
	}
	if s.Usage == nil || s.Usage.Prompt == nil || s.Usage.Cached == nil || s.Usage.Completion == nil {
		t.Fatalf("usage %+v", s.Usage)
	}
	if *s.Usage.Prompt != r.PromptTokens || *s.Usage.Cached != r.CachedTokens || *s.Usage.Completion != r.Reasoning+r.Answer {
		t.Errorf("%d prompt, %d cached, %d output tokens, want %d, %d, %d",
			*s.Usage.Prompt, *s.Usage.Cached, *s.Usage.Completion, r.PromptTokens, r.CachedTokens, r.Reasoning+r.Answer)
	}
	if asked == bench.ThinkingDisabled && *s.Usage.Completion != 32 {
		t.Errorf("%d output tokens under a cap of 32", *s.Usage.Completion)
	}
	fields := sentFields(t, r)
	want := map[string]any{"messages": nil, "model": nil, "stream": nil, "stream_options": nil, d.OutputCap: nil}
	own, _ := d.Body(asked)
	maps.Copy(want, own)
	if !slices.Equal(fields, slices.Sorted(maps.Keys(want))) {
		t.Errorf("sent %v, want %v", fields, slices.Sorted(maps.Keys(want)))
	}
	caps := slices.DeleteFunc(fields, func(name string) bool { return name != bench.CapMaxTokens && name != bench.CapMaxCompletionTokens })
	if len(caps) != 1 || caps[0] != d.OutputCap {
		t.Errorf("caps %v, want %s alone", caps, d.OutputCap)
	}
}

func TestAServerThatKeepsItsCacheToItselfReportsNone(t *testing.T) {
	for _, vendor := range []string{"vllm", "sglang"} {
		dialect, err := bench.DialectNamed(vendor)
		if err != nil {
			t.Fatal(err)
		}
		samples, records := speak(t, dialect, vendor, "", bench.ThinkingEnabled)
		if s := samples[1]; s.Usage == nil || s.Usage.Cached != nil || records[1].CachedTokens == 0 || !s.Reasoned {
			t.Errorf("%s: usage %+v, reasoning seen: %v, want no cached tokens, and reasoning", vendor, s.Usage, s.Reasoned)
		}
	}
}

func TestAnotherVendorsDialectIsRefused(t *testing.T) {
	for vendor, foreign := range map[string][]string{
		"ark":      {"aliyun", "vllm"},
		"bigmodel": {"ark", "aliyun", "openai", "generic"},
		"deepseek": {"aliyun", "sglang"},
		"openai":   {"ark", "aliyun", "deepseek", "vllm"},
	} {
		for _, name := range foreign {
			dialect, err := bench.DialectNamed(name)
			if err != nil {
				t.Fatal(err)
			}
			samples, _ := speak(t, dialect, vendor, "", bench.ThinkingDisabled)
			if s := samples[0]; s.Outcome != bench.FailBadRequest {
				t.Errorf("%s took a request in the dialect %s: %s", vendor, name, s.Outcome)
			}
		}
	}
}

func TestThinkingThatIsNotAsAskedForIsSeenEitherWay(t *testing.T) {
	samples, _ := speak(t, bench.Ark(), "ark", "thinks_anyway", bench.ThinkingDisabled)
	for _, s := range samples {
		if !s.Reasoned || !slices.Contains(s.Warnings, bench.WarnReasoningSeen) || s.RequestID == "" {
			t.Errorf("asked for none: reasoning seen %v, warnings %v, request id %q", s.Reasoned, s.Warnings, s.RequestID)
		}
	}
	// Sent in a spelling that the server takes and doesn't know.
	spelling, err := bench.DialectNamed("bigmodel")
	if err != nil {
		t.Fatal(err)
	}
	spelling.Thinking[bench.ThinkingDisabled] = map[string]any{"think": false}
	samples, _ = speak(t, spelling, "any", "", bench.ThinkingDisabled)
	if bench.ThinkingDisabled.Met(samples[0]) {
		t.Error("a field that means nothing to the server has turned thinking off")
	}
}

func TestTheCapOfTheOtherNameLeavesOutputUncapped(t *testing.T) {
	dialect, err := bench.DialectNamed("deepseek")
	if err != nil {
		t.Fatal(err)
	}
	dialect.OutputCap = bench.CapMaxCompletionTokens
	samples, _ := speak(t, dialect, "deepseek", "", bench.ThinkingDisabled)
	if n, _ := samples[0].OutputTokens(); n <= 32 {
		t.Errorf("%d output tokens: the vendor counts a cap that it doesn't have", n)
	}
}
