package job

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/sim"
)

// tried is a probe in short.
func tried(probes []bench.Probe) []string {
	var lines []string
	for _, p := range probes {
		line := p.Setting + ": " + string(p.Outcome)
		if p.Reasoned {
			line += ", reasoned"
		}
		lines = append(lines, line)
	}
	return lines
}

func TestConnectivityFindsTheSettingThatWorks(t *testing.T) {
	for _, c := range []struct {
		name     string
		dialect  string
		config   sim.Config
		asked    bench.Thinking
		change   func(*bench.Dialect)
		probes   []string
		works    string
		findings []string
	}{
		{
			name: "a model that always thinks, but at low effort does not", dialect: "ark", config: sim.Config{Fault: "thinking_forced"}, asked: bench.ThinkingDisabled,
			probes: []string{"thinking: enabled, reasoning_effort: low: succeeded"},
			works:  "thinking: enabled, reasoning_effort: low", findings: []string{"thinking_refused"},
		},
		{
			name: "a model of OpenAI's that always thinks", dialect: "openai", config: sim.Config{Vendor: "openai", Fault: "thinking_forced"}, asked: bench.ThinkingDisabled,
			probes: []string{"thinking: enabled, reasoning_effort: minimal: succeeded"},
			works:  "thinking: enabled, reasoning_effort: minimal", findings: []string{"thinking_refused"},
		},
		{
			name: "a server that ignores the switch", dialect: "deepseek", config: sim.Config{Vendor: "deepseek", Fault: "thinks_anyway"}, asked: bench.ThinkingDisabled,
			probes:   []string{"thinking: enabled, reasoning_effort: low: succeeded, reasoned", "thinking: auto (not sent): succeeded, reasoned"},
			findings: []string{"thinking_seen"},
		},
		{
			name: "a model that cannot think", dialect: "ark", config: sim.Config{Models: []sim.Model{{ID: "m", Thinking: sim.ThinkingNever}}}, asked: bench.ThinkingEnabled,
			probes:   []string{"thinking: enabled, reasoning_effort: high: bad_request", "thinking: not sent: succeeded", "output cap: max_tokens: bad_request"},
			findings: []string{"thinking_refused"},
		},
		{
			name: "a gateway that takes the other cap alone", dialect: "ark", config: sim.Config{Vendor: "bigmodel"}, asked: bench.ThinkingDisabled,
			probes: []string{"thinking: enabled, reasoning_effort: low: bad_request", "thinking: not sent: bad_request", "output cap: max_tokens: succeeded"},
			works:  "output cap: max_tokens",
		},
		{
			name: "an unknown server that thinks by default", dialect: "generic", config: sim.Config{Vendor: "vllm"}, asked: bench.ThinkingDisabled,
			probes: []string{"dialect: vllm: succeeded"},
			works:  "dialect: vllm", findings: []string{"thinking_not_sent"},
		},
		{
			name: "an unknown gateway before Model Studio", dialect: "generic", config: sim.Config{Vendor: "aliyun"}, asked: bench.ThinkingDisabled,
			probes: []string{"dialect: vllm: bad_request", "dialect: ark: succeeded"},
			works:  "dialect: ark", findings: []string{"thinking_not_sent"},
		},
		{name: "all as asked for", dialect: "ark", asked: bench.ThinkingDisabled},
		{name: "thinking as asked for", dialect: "ark", asked: bench.ThinkingEnabled},
		{name: "a wrong key", dialect: "ark", config: sim.Config{APIKey: "another"}, asked: bench.ThinkingDisabled},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dialect, err := bench.DialectNamed(c.dialect)
				if err != nil {
					t.Fatal(err)
				}
				spec := bench.NewSpec(bench.Connectivity, bench.Standard)
				spec.Thinking = c.asked
				c.config.ThinkTokens = 8
				result, record := spoken(t, spec, c.config, bench.Target{Dialect: dialect})
				if got := tried(record.Finish.Probes); !slices.Equal(got, c.probes) {
					t.Errorf("probes %q, want %q", got, c.probes)
				}
				works := ""
				for _, p := range record.Finish.Probes {
					if p.Works(c.asked) {
						works = p.Setting
					}
				}
				if works != c.works {
					t.Errorf("works: %q, want %q", works, c.works)
				}
				for _, rule := range c.findings {
					if !slices.ContainsFunc(result.Targets[0].Findings, func(f bench.Finding) bool { return f.Rule == rule && len(f.RequestIDs) == 1 }) {
						t.Errorf("findings %+v, want %s with the request's id", result.Targets[0].Findings, rule)
					}
				}
			})
		})
	}
}

func TestThinkingThatIsMissingIsListedWithItsRequests(t *testing.T) {
	for _, c := range []struct {
		asked bench.Thinking
		fault string
		rule  string
	}{
		{bench.ThinkingDisabled, "thinks_anyway@6-7", "thinking_seen"},
		{bench.ThinkingEnabled, "thinks_not@6-7", "thinking_mixed"},
		{bench.ThinkingEnabled, "thinks_not", "thinking_missing"},
	} {
		synctest.Test(t, func(t *testing.T) {
			spec := bench.NewSpec(bench.Prefix, bench.Quick)
			spec.Thinking, spec.LengthUnit, spec.MaxConcurrency = c.asked, bench.LengthLocal, 1
			result, record := spoken(t, spec, sim.Config{ThinkTokens: 8, Fault: c.fault}, bench.Target{Dialect: bench.Ark()})
			var violations []string
			for _, s := range record.Samples {
				if !c.asked.Met(s) {
					violations = append(violations, s.RequestID)
				}
			}
			found := result.Targets[0].Findings
			i := slices.IndexFunc(found, func(f bench.Finding) bool { return f.Rule == c.rule })
			if i < 0 || len(violations) == 0 || !slices.Equal(found[i].RequestIDs, violations) {
				t.Errorf("%s: violations %v, findings %+v", c.fault, violations, found)
			}
		})
	}
}

func TestATargetsOwnTermsHoldForItsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := bench.NewSpec(bench.Prefix, bench.Quick)
		spec.LengthUnit, spec.MaxConcurrency = bench.LengthLocal, 4
		terms := bench.Terms{MaxConcurrency: 1, Limits: bench.Limits{FirstToken: 50 * time.Millisecond}, Prices: bench.Prices{In: 1, Out: 2}}
		result, record := spoken(t, spec, sim.Config{BaseTTFT: 10 * time.Millisecond, PrefillPer1000: sim.Zero, Fault: "slow_first:1s@5"}, bench.Target{Dialect: bench.Ark(), Terms: terms})
		s := &result.Targets[0].Summary
		if s.Concurrency.Peak != 1 {
			t.Errorf("%d requests at once, want 1", s.Concurrency.Peak)
		}
		var late []bench.Outcome
		for _, sample := range record.Samples {
			if sample.Outcome != bench.Succeeded {
				late = append(late, sample.Outcome)
			}
		}
		if !slices.Equal(late, []bench.Outcome{bench.FailFirstTokenTimeout}) {
			t.Errorf("failures %v, want one that ran into the target's own limit", late)
		}
		if s.Cost == nil || s.Cost.Amount <= 0 {
			t.Errorf("cost %+v, want one by the target's prices", s.Cost)
		}
	})
}

func TestAnOrderThatATargetCannotCarryOutIsRefusedBeforeAnythingIsSent(t *testing.T) {
	dialect, err := bench.DialectNamed("openai")
	if err != nil {
		t.Fatal(err)
	}
	o := Order{Spec: bench.NewSpec(bench.Prefix, bench.Quick), OutputDir: t.TempDir(), Target: bench.Target{Label: "a", Dialect: dialect, Terms: bench.Terms{MaxConcurrency: 1}}}
	o.Spec.ReasoningEffort = "high"
	o.Points = []bench.Point{{MaxConcurrency: 1}, {MaxConcurrency: 2}}
	err = o.Validate()
	for _, want := range []string{"reasoning_effort is ", "max_concurrency is 2: allowed is 1 to 1, the limit of the target"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestTheOrderThatAWorkerReadsHasTheDialectAndTermsAndNoKey(t *testing.T) {
	target, err := parseTarget("t.yaml", []byte(wholeFile))
	if err != nil {
		t.Fatal(err)
	}
	target.Key = bench.NewSecret("k-secret-0123456789")
	data, err := json.Marshal(Order{Target: target})
	if err != nil || strings.Contains(string(data), "k-secret") {
		t.Fatalf("order %s, %v", data, err)
	}
	var got Order
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Target.Dialect.Name != "vllm+custom" || got.Target.Dialect.ExtraHeaders["X-Route"] != "blue" || got.Target.Terms.MaxConcurrency != 8 || got.Target.Terms.Limits != target.Terms.Limits {
		t.Errorf("read back %+v", got.Target)
	}
}
