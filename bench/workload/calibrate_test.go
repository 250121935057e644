package workload

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
)

// deviation is how far what a server counts is from what was asked for.
type deviation struct {
	worst, mean float64 // of whole requests
	followUp    float64 // worst of what a follow-up adds, the answer left out
}

// run plays a plan, with answers of one token, and measures it.
func (t *tokenizer) run(plan *Plan, questionLen int) (d deviation) {
	n := 0
	for _, s := range plan.Sessions {
		var history []bench.Message
		before := 0
		for i, turn := range s.Turns {
			history = append(history, bench.Message{Role: bench.RoleUser, Prefix: turn.Prefix, Text: turn.Text})
			prompt := t.prompt(history) - i
			off := float64(prompt)/float64(turn.PromptTokens) - 1
			d.worst, d.mean = max(d.worst, math.Abs(off)), d.mean+off
			if n++; i > 0 {
				d.followUp = max(d.followUp, math.Abs(float64(prompt-before)/float64(questionLen)-1))
			}
			before = prompt
			history = append(history, bench.Message{Role: bench.RoleAssistant, Text: "OK"})
		}
	}
	d.mean /= float64(n)
	return d
}

func (t *tokenizer) calibrated(tb testing.TB, spec bench.Spec) deviation {
	tb.Helper()
	spec.LengthUnit = bench.LengthServer
	var probed [][]bench.Message
	cal, err := Calibrate(context.Background(), &spec, Options{}, t.prober(&probed))
	if err != nil {
		tb.Fatal(err)
	}
	if len(probed) > 4 || len(cal.Probes) != len(probed) {
		tb.Errorf("%s: %d probes, %d noted", t.name, len(probed), len(cal.Probes))
	}
	return t.run(mustBuild(tb, spec, Options{Calibration: cal}), spec.QuestionLen)
}

// sized is a spec with lengths of its own.
func sized(s bench.Scenario, first, own int) bench.Spec {
	spec := specOf(s, bench.Standard)
	if s == bench.Prefix {
		spec.PrefixLen, spec.SuffixLen, spec.NumRequests = first, own, 30
		return spec
	}
	spec.InitialLen, spec.QuestionLen, spec.MaxTurns = first, own, 8
	return spec
}

func TestCalibratedLengthsAreTheServersOwn(t *testing.T) {
	for _, tok := range tokenizers() {
		t.Run(tok.name, func(t *testing.T) {
			for _, spec := range []bench.Spec{
				sized(bench.Prefix, 12000, 2000), sized(bench.Prefix, 2000, 256), sized(bench.Prefix, 12000, 256),
				sized(bench.Multiturn, 3000, 256),
			} {
				d := tok.calibrated(t, spec)
				t.Logf("%s %d+%d: worst %.2f %%, mean %+.2f %%, follow-up %.2f %%", spec.Scenario,
					spec.PrefixLen+spec.InitialLen, spec.SuffixLen+spec.QuestionLen, 100*d.worst, 100*d.mean, 100*d.followUp)
				if d.worst > 0.02 || math.Abs(d.mean) > 0.005 || d.followUp > 0.02 {
					t.Error("too far from what was asked for")
				}
			}
		})
	}
}

func TestShortCalibratedRequestsAreWithinTwoPercent(t *testing.T) {
	for _, tok := range tokenizers() {
		t.Run(tok.name, func(t *testing.T) {
			for _, length := range []int{320, 512, 1000} {
				d := tok.calibrated(t, sized(bench.Prefix, length/2, length/2))
				t.Logf("prefix %d: worst %.2f %%, mean %+.2f %%", length, 100*d.worst, 100*d.mean)
				if d.worst > 0.02 || math.Abs(d.mean) > 0.005 {
					t.Error("too far from what was asked for")
				}
			}
		})
	}
}

// The check on the tests above: without calibration the same servers are far
// from what was asked for.
func TestLocalLengthsAreNotTheServers(t *testing.T) {
	far := 0
	for _, tok := range tokenizers() {
		plan := mustBuild(t, sized(bench.Prefix, 12000, 2000), Options{})
		if d := tok.run(plan, 0); math.Abs(d.mean) > 0.05 {
			far++
		}
	}
	if far < 5 {
		t.Errorf("only %d tokenizers differ from the local rule", far)
	}
}

func TestTokenizersUnderTestDifferByScript(t *testing.T) {
	low, high := math.Inf(1), 0.0
	for _, tok := range tokenizers() {
		a := newAuthor(5, 5)
		c := &composer{meter: localMeter(), author: a, src: a.src}
		var perKind [kinds]float64
		for k := range perKind {
			var text []byte
			for range 200 {
				text, _ = c.paragraph(text, kind(k), math.MaxInt64)
			}
			perKind[k] = float64(len([]rune(string(text)))) / float64(tok.count(string(text)))
			low, high = min(low, perKind[k]), max(high, perKind[k])
		}
		t.Logf("%-12s characters per token: Chinese %.2f, English %.2f, code %.2f", tok.name, perKind[chinese], perKind[english], perKind[code])
	}
	if low > 1.3 || high < 4.5 {
		t.Errorf("%.2f to %.2f characters per token", low, high)
	}
}

func TestAPlanIsAFunctionOfItsCalibration(t *testing.T) {
	tok := tokenizers()[0]
	spec := sized(bench.Multiturn, 1000, 256)
	spec.LengthUnit = bench.LengthServer
	var probed [][]bench.Message
	cal, err := Calibrate(t.Context(), &spec, Options{}, tok.prober(&probed))
	if err != nil {
		t.Fatal(err)
	}
	a, b := mustBuild(t, spec, Options{Calibration: cal}), mustBuild(t, spec, Options{Calibration: cal})
	if a.InputHash != b.InputHash {
		t.Error("two plans of one calibration differ")
	}
}

func TestConnectivityNeedsNoProbe(t *testing.T) {
	spec := specOf(bench.Connectivity, bench.Standard)
	cal, err := Calibrate(t.Context(), &spec, Options{}, func(context.Context, []bench.Message) (int, error) {
		return 0, errors.New("probed")
	})
	if err != nil || len(cal.Probes) != 0 {
		t.Errorf("%v, error %v", cal, err)
	}
}

func TestCalibrationRefusesCountsThatNoTokenizerGives(t *testing.T) {
	for _, c := range []struct {
		count int
		want  error
	}{{0, ErrNoUsage}, {7, ErrImplausible}, {50_000_000, ErrImplausible}, {math.MaxInt, ErrImplausible}, {-1, ErrNoUsage}} {
		for _, scenario := range []bench.Scenario{bench.Prefix, bench.Multiturn} {
			spec := specOf(scenario, bench.Quick)
			_, err := Calibrate(t.Context(), &spec, Options{}, func(context.Context, []bench.Message) (int, error) { return c.count, nil })
			if !errors.Is(err, c.want) {
				t.Errorf("%s, always %d tokens: error %v, want %v", scenario, c.count, err, c.want)
			}
		}
	}
}

func TestACalibrationThatNoServerGaveIsRefused(t *testing.T) {
	sound := Calibration{Chinese: token, English: token, Code: token, Reading: 2 * token, Message: 60 * token}
	for name, spoil := range map[string]func(*Calibration){
		"nothing":      func(c *Calibration) { *c = Calibration{} },
		"no reading":   func(c *Calibration) { c.Reading = 0 },
		"small rate":   func(c *Calibration) { c.Code = 1 },
		"large rate":   func(c *Calibration) { c.Chinese = math.MaxInt64 },
		"no template":  func(c *Calibration) { c.Message = math.MinInt64 },
		"correction":   func(c *Calibration) { c.Own.Correction = math.MinInt64 },
		"many clauses": func(c *Calibration) { c.First.Counts[code] = 1 << 30 },
		"fewer than 0": func(c *Calibration) { c.Own.Counts[english] = -1 },
	} {
		spec, cal := specOf(bench.Prefix, bench.Quick), sound
		spec.LengthUnit = bench.LengthServer
		if _, err := Build(&spec, Options{Calibration: &cal}); err != nil {
			t.Fatal(err)
		}
		spoil(&cal)
		if _, err := Build(&spec, Options{Calibration: &cal}); !errors.Is(err, ErrImplausible) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCalibrationLearnsNothingFromCutProbes(t *testing.T) {
	for _, tok := range tokenizers() {
		t.Run(tok.name, func(t *testing.T) {
			for _, spec := range []bench.Spec{
				sized(bench.Prefix, 2000, 300), sized(bench.Prefix, 500, 500), sized(bench.Prefix, 12000, 2000), sized(bench.Multiturn, 10000, 1000),
			} {
				for _, to := range []int{900, 4000} {
					if spec.PrefixLen+spec.SuffixLen < to*11/10 && spec.Scenario == bench.Prefix {
						continue
					}
					_, err := Calibrate(t.Context(), &spec, Options{}, func(_ context.Context, m []bench.Message) (int, error) {
						return min(to, tok.prompt(m)), nil
					})
					var cut *CutError
					if !errors.As(err, &cut) || cut.Tokens != to || !errors.Is(err, ErrImplausible) {
						t.Errorf("%s %d, cut to %d tokens: error %v", spec.Scenario, spec.PrefixLen+spec.InitialLen, to, err)
					}
				}
			}
		})
	}
}

func TestCalibrationNoticesACutByCharacters(t *testing.T) {
	tok := tokenizers()[6]
	spec := sized(bench.Prefix, 2000, 300)
	_, err := Calibrate(t.Context(), &spec, Options{}, func(_ context.Context, m []bench.Message) (int, error) {
		text := []rune(m[0].Content())
		return tok.prompt([]bench.Message{user(string(text[max(0, len(text)-3600):]))}), nil
	})
	if cut := (*CutError)(nil); !errors.As(err, &cut) {
		t.Errorf("error %v, want one of a cut", err)
	}
}

func TestCalibrationEndsAtTheFirstProbeThatFails(t *testing.T) {
	spec := specOf(bench.Multiturn, bench.Standard)
	tok, sent := tokenizers()[0], 0
	boom := errors.New("boom")
	_, err := Calibrate(t.Context(), &spec, Options{}, func(_ context.Context, m []bench.Message) (int, error) {
		if sent++; sent == 3 {
			return 0, boom
		}
		return tok.prompt(m), nil
	})
	if !errors.Is(err, boom) || sent != 3 || err.Error() != "calibration, probe 3 (clauses of all kinds): boom" {
		t.Errorf("after %d probes: %v", sent, err)
	}
}

type callerFunc func(*bench.Request) bench.Sample

func (f callerFunc) Call(_ context.Context, r *bench.Request) bench.Sample { return f(r) }

func TestProbeThroughReadsTheUsageOfACaller(t *testing.T) {
	count := 123
	usage := &bench.Usage{Prompt: &count}
	for _, c := range []struct {
		sample bench.Sample
		tokens int
		want   string
	}{
		{bench.Sample{Outcome: bench.Succeeded, Usage: usage}, 123, ""},
		{bench.Sample{Outcome: bench.FailEmptyOutput, Usage: usage}, 123, ""},
		{bench.Sample{Outcome: bench.Succeeded}, 0, ErrNoUsage.Error()},
		{bench.Sample{Outcome: bench.Succeeded, Usage: &bench.Usage{}}, 0, ErrNoUsage.Error()},
		{bench.Sample{Outcome: bench.FailAuth, Failure: &bench.Failure{Message: "bad key"}}, 0, "auth: bad key"},
		{bench.Sample{Outcome: bench.FailConnect}, 0, "connect"},
	} {
		probe := ProbeThrough(callerFunc(func(r *bench.Request) bench.Sample {
			if len(r.Messages) != 1 || r.Target != "a" {
				t.Errorf("request %+v", r)
			}
			return c.sample
		}), "a")
		got, err := probe(t.Context(), []bench.Message{user("hello")})
		if got != c.tokens || err == nil && c.want != "" || err != nil && err.Error() != c.want {
			t.Errorf("%s: %d tokens, error %v", c.sample.Outcome, got, err)
		}
	}
}

func ExampleEstimate() {
	fmt.Println(Estimate("中文中文中文中文"), Estimate("four letters"), Estimate("2026"))
	// Output: 5 3 2
}
