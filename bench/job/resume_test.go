package job

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
	"github.com/llm-bench/llm-bench/bench/sim"
)

// withoutCharts is the result of a run, of which nothing is rendered.
func withoutCharts(_ context.Context, dir string) (*bench.Result, error) {
	record, err := rundir.Open(dir)
	if err != nil {
		return nil, err
	}
	result := bench.NewResult(filepath.Base(dir), dir, record, bench.StateInterrupted)
	return &result, nil
}

// interrupted carries a run out against a stand-in endpoint, breaks it off
// after a while, takes it up again later, and returns what is left of it.
func interrupted(t *testing.T, spec bench.Spec, points []bench.Point, after, pause time.Duration) (*bench.Result, *bench.Record) {
	t.Helper()
	server, err := sim.New(timetable)
	if err != nil {
		t.Fatal(err)
	}
	network := sim.NewPipeNet()
	served := make(chan error, 1)
	go func() { served <- server.Serve(network) }()
	defer func() {
		_ = server.Close()
		<-served
	}()
	j, err := New(Order{
		Spec: spec, OutputDir: t.TempDir(), Version: "test", Sim: &SimOptions{TPOT: 20}, Points: points,
		Target: bench.Target{Label: "stand-in", BaseURL: network.BaseURL(), Model: server.Config().Models[0].ID, Dialect: bench.Ark(), Source: bench.SourceSim},
	}, rundir.Index{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	j.dial, j.render = network.DialContext, withoutCharts
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	if result, err := j.Run(ctx, nil); err != nil || result.State != bench.StateInterrupted {
		t.Fatalf("%v, %v", result, err)
	}
	time.Sleep(pause)
	dir := j.Dir().Path
	if j, err = Resume(t.Context(), dir, Means{Version: "test"}); err != nil {
		t.Fatal(err)
	}
	j.dial, j.render = network.DialContext, withoutCharts
	result, err := j.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Resume(t.Context(), dir, Means{Version: "test"}); !errors.Is(err, ErrNothingToResume) {
		t.Errorf("a second time: %v", err)
	}
	record, err := rundir.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return result, record
}

func TestABrokenRunIsBroughtToItsEndOnTheSameInputsAndClock(t *testing.T) {
	for _, scenario := range []bench.Scenario{bench.Prefix, bench.Multiturn} {
		t.Run(string(scenario), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				spec := bench.NewSpec(scenario, bench.Quick)
				spec.NumRequests, spec.NumSessions = max(spec.NumRequests, 0)*5, spec.NumSessions*4
				result, record := interrupted(t, spec, nil, 12*time.Second, time.Hour)
				exact(t, record, timetable, spec.MaxOutputTokens)
				s := &result.Targets[0].Summary
				if result.State != bench.StateSucceeded || s.Requests.Succeeded != s.Requests.Planned || s.Requests.Retries != 0 {
					t.Errorf("state %s, requests %+v", result.State, s.Requests)
				}
				resume := record.Resumes[0]
				if gap, _ := resume.At.Since(resume.Since); gap < time.Hour || gap > time.Hour+time.Minute || len(resume.Restarted) != 2 {
					t.Errorf("a gap of %v, %d sessions began anew, want the two in flight", gap, len(resume.Restarted))
				}
				if *s.DurationS > 120 {
					t.Errorf("the run took %v s: the gap is in it", *s.DurationS)
				}
				for _, sample := range record.Samples {
					if after := sample.Start.At() >= resume.At.At(); !after && sample.End.At() > resume.Since.At() {
						t.Errorf("session %d lies across the gap", sample.Session)
					}
				}
			})
		})
	}
}

func TestABrokenSweepIsBroughtToItsEndLoadByLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := bench.NewSpec(bench.Prefix, bench.Quick)
		result, record := interrupted(t, spec, []bench.Point{{MaxConcurrency: 2}, {MaxConcurrency: 1}, {MaxConcurrency: 3}}, 9*time.Second, time.Minute)
		for i, p := range result.Targets[0].Points {
			if p.Summary.Requests.Succeeded != 6 || p.Summary.Requests.Planned != 6 {
				t.Errorf("load %d: requests %+v", i+1, p.Summary.Requests)
			}
		}
		if restarted := record.Resumes[0].Restarted; len(restarted) != 1 || restarted[0].Point != 2 {
			t.Errorf("%v began anew, want the one in flight at the second load", restarted)
		}
	})
}

func TestOtherInputsAreNeverMixedIntoARun(t *testing.T) {
	corpus := filepath.Join(t.TempDir(), "corpus.txt")
	text := strings.Repeat("The harbour was quiet, and the boats lay side by side in the evening light. ", 4000)
	write := func(text string) {
		if err := os.WriteFile(corpus, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(text)
	order := Order{Spec: bench.NewSpec(bench.Prefix, bench.Quick), Corpus: corpus, AllowCorpusReuse: true, Version: "2"}
	order.Spec.LengthUnit, order.Spec.Seed, order.Spec.Nonce = bench.LengthLocal, 7, "n"
	options, err := order.inputOptions()
	if err != nil {
		t.Fatal(err)
	}
	plans, err := order.build(options)
	if err != nil {
		t.Fatal(err)
	}
	a := &again{record: &bench.Record{Header: bench.Header{InputHash: plans[0].InputHash, Tool: bench.Tool{Version: "1"}}}}
	if err := a.plan(&order); err != nil {
		t.Errorf("the same inputs: %v", err)
	}
	write(strings.ReplaceAll(text, "boats", "ships"))
	if err := a.plan(&order); err == nil || !strings.Contains(err.Error(), corpus) || !strings.Contains(err.Error(), "would not be those of the run") {
		t.Errorf("another corpus: %v", err)
	}
	if err := os.Remove(corpus); err != nil {
		t.Fatal(err)
	}
	if err := a.plan(&order); err == nil || !strings.Contains(err.Error(), corpus) {
		t.Errorf("no corpus: %v", err)
	}
}

// oneProfile is an Ark CLI with one profile.
type oneProfile struct{ now bench.Target }

func (p oneProfile) Target(context.Context, string, string) (bench.Target, []string, error) {
	return p.now, nil, nil
}

func TestAKeyGoesWhereItBelongsAndNowhereElse(t *testing.T) {
	const ark, other = "https://ark.cn-beijing.volces.com/api/v3", "https://other.invalid/v1"
	key := bench.NewSecret("k-0123456789")
	env := func(name string) (string, bool) {
		value, set := map[string]string{"MINE_API_KEY": "k-0123456789", "AWS_SECRET": "k-0123456789", "ARK_API_KEY": "k-0123456789", "ARK_BASE_URL": ark + "/"}[name]
		return value, set
	}
	profile := oneProfile{bench.Target{BaseURL: ark, Model: "m", Key: key}}
	for _, c := range []struct {
		name   string
		target bench.Target
		here   bool
		given  bool
		says   string
	}{
		{"the stand-in needs none", bench.Target{Source: bench.SourceSim}, false, false, ""},
		{"a server without one", bench.Target{Source: bench.SourceBaseURL, BaseURL: other}, false, false, ""},
		{"a variable of a key's name", bench.Target{Source: bench.SourceBaseURL, BaseURL: other, KeyEnv: "MINE_API_KEY"}, false, true, ""},
		{"a variable that isn't set", bench.Target{Source: bench.SourceBaseURL, BaseURL: other, KeyEnv: "GONE_API_KEY"}, false, false, "GONE_API_KEY"},
		{"any secret, in a journal from elsewhere", bench.Target{Source: bench.SourceTargetFile, BaseURL: other, KeyEnv: "AWS_SECRET"}, false, false, "AWS_SECRET"},
		{"a target file's variable, in a run that was made here", bench.Target{Source: bench.SourceTargetFile, BaseURL: other, KeyEnv: "AWS_SECRET"}, true, true, ""},
		{"any variable for this machine", bench.Target{Source: bench.SourceBaseURL, BaseURL: "http://127.0.0.1:8000/v1", KeyEnv: "AWS_SECRET"}, false, true, ""},
		{"Ark's variables", bench.Target{Source: bench.SourceEnv, BaseURL: ark, KeyEnv: "ARK_API_KEY"}, false, true, ""},
		{"Ark's key to another address", bench.Target{Source: bench.SourceEnv, BaseURL: other, KeyEnv: "ARK_API_KEY"}, true, false, "ARK_BASE_URL"},
		{"the profile's key", bench.Target{Source: bench.SourceArkCLI, BaseURL: ark, Model: "m"}, false, true, ""},
		{"the profile's key to another address", bench.Target{Source: bench.SourceArkCLI, BaseURL: other, Model: "m"}, true, false, "now gives"},
		{"a profile that gives another model", bench.Target{Source: bench.SourceArkCLI, BaseURL: ark, Model: "m2"}, true, false, "now gives"},
	} {
		means := Means{Env: env, Ark: profile}
		got, err := means.key(t.Context(), c.target, c.here)
		if (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) || (got.Key == key) != c.given {
			t.Errorf("%s: a key %v, %v", c.name, !got.Key.IsZero(), err)
		}
	}
}

func TestJournalAndStateHoldAllThatTakingARunUpNeeds(t *testing.T) {
	corpus := filepath.Join(t.TempDir(), "c.txt")
	order := Order{Sim: &SimOptions{TPOT: 7, Limit: 3, Fault: "429@n=1"}, Corpus: corpus, AllowCorpusReuse: true, Insecure: true}
	spec := bench.NewSpec(bench.Prefix, bench.Quick)
	record := &bench.Record{Header: bench.Header{Spec: spec, InputHash: "x", Targets: []bench.Target{{Label: "a", Source: bench.SourceSim}}, Setup: order.setup()}}
	state := &rundir.State{Places: order.places()}
	got, err := orderOf(record, state, Means{Version: "2"})
	if err != nil || !reflect.DeepEqual(got.Sim, order.Sim) || got.Corpus != corpus || !got.AllowCorpusReuse || !got.Insecure || got.Version != "2" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, without := range []*rundir.State{nil, {}, {Places: rundir.Places{Corpus: "/other.txt"}}} {
		if _, err := orderOf(record, without, Means{}); err == nil || !strings.Contains(err.Error(), `"c.txt"`) {
			t.Errorf("the state %+v: %v", without, err)
		}
	}
	record.Header.Setup.CAFile = "ca.pem"
	if _, err := orderOf(record, state, Means{}); err == nil || !strings.Contains(err.Error(), `"ca.pem"`) {
		t.Errorf("without the place of the certificates: %v", err)
	}
	record.Header.Setup.CAFile, record.Header.Setup.Sim = "", nil
	if _, err := orderOf(record, state, Means{}); err == nil || !strings.Contains(err.Error(), "stand-in") {
		t.Errorf("without the settings: %v", err)
	}
	record.Header.InputHash = ""
	if _, err := orderOf(record, state, Means{}); err == nil || !strings.Contains(err.Error(), "start it anew") {
		t.Errorf("without inputs: %v", err)
	}
	record.Header.Targets = nil
	if _, err := orderOf(record, state, Means{}); err == nil || !strings.Contains(err.Error(), "no target") {
		t.Errorf("without targets: %v", err)
	}
}
