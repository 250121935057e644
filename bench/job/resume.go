package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
	"github.com/llm-bench/llm-bench/bench/workload"
)

// ErrNothingToResume says that a run lacks nothing.
var ErrNothingToResume = errors.New("there is nothing to resume")

// RefusedError says that the endpoint refused a run that was to be taken up
// again. The run is left as it was.
type RefusedError struct{ End bench.End }

// Error implements error.
func (e *RefusedError) Error() string {
	return "the endpoint can't be measured: " + e.End.Reason
}

// Means are what a run that is taken up again needs beside its directory.
type Means struct {
	Version string       // of this program
	Env     Environment  // of the keys; nil: that of the process
	Ark     Ark          // for targets that came from Ark CLI
	Index   rundir.Index // of the runs made here
}

// again is a broken run that is taken up.
type again struct {
	record    *bench.Record
	plans     []*workload.Plan
	missing   map[lot][]bench.Session
	restarted []bench.SessionID
	elapsed   time.Duration // on the clock of the run
	before    *rundir.State // nil: there was none
	begun     bool          // the journal says that the run goes on
}

// lot is one target at one point of a sweep, from 1; 0 where there is none.
type lot struct {
	target string
	point  int
}

// Resume prepares to run what the run in dir still lacks. Everything is taken
// from its journal: the targets with the names of their keys, the parameters,
// and the calibration, so that the inputs are the same byte for byte. Nothing
// is sent yet and nothing written. The error is [ErrNothingToResume] for a run
// that has come to its end.
func Resume(ctx context.Context, dir string, means Means) (*Job, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the run's folder: %w", err)
	}
	record, err := rundir.Open(dir)
	if err != nil {
		return nil, err
	}
	a := &again{record: record}
	if a.before, err = standing(dir); err != nil {
		return nil, err
	}
	order, err := orderOf(record, a.before, means)
	if err != nil {
		return nil, err
	}
	if err := a.plan(&order); err != nil {
		return nil, err
	}
	a.compare(&order)
	if finish := record.Finish; len(a.missing) == 0 && finish != nil && finish.End.Ending == bench.EndComplete {
		return nil, ErrNothingToResume
	}
	a.elapsed = max(time.Since(record.Header.Began), record.Last().At()+time.Millisecond)
	if err := order.unlock(ctx, dir, means); err != nil {
		return nil, err
	}
	return &Job{order: order, dir: &rundir.Dir{Path: dir, RunID: filepath.Base(dir)}, again: a, render: Render}, nil
}

// standing is the state of a run that no process carries out; nil if it has none.
func standing(dir string) (*rundir.State, error) {
	s, err := rundir.ReadState(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !s.State.Ended() && s.Alive() {
		return nil, fmt.Errorf("the run in %s goes on in process %d: there is nothing to resume", dir, s.PID)
	}
	return s, err
}

// orderOf is the order that a run was carried out by, but for the keys.
func orderOf(record *bench.Record, state *rundir.State, means Means) (Order, error) {
	h := &record.Header
	if len(h.Targets) == 0 {
		return Order{}, errors.New("the journal names no target: start the run anew")
	}
	if h.InputHash == "" {
		return Order{}, errors.New("the run ended before its inputs were made: start it anew")
	}
	places, err := placesOf(&h.Setup, state)
	if err != nil {
		return Order{}, err
	}
	order := Order{
		Spec: h.Spec, Target: h.Targets[0], Others: h.Targets[1:], Points: h.Points, OutputDir: ".",
		Corpus: places.Corpus, AllowCorpusReuse: h.Setup.CorpusReuse, CAFile: places.CAFile, Insecure: h.Setup.Insecure, Version: means.Version,
	}
	if h.Setup.Sim != nil {
		order.Sim = &SimOptions{}
		if err := json.Unmarshal(h.Setup.Sim, order.Sim); err != nil {
			return Order{}, fmt.Errorf("settings of the stand-in endpoint in the journal: %w", err)
		}
	} else if order.Target.Source == bench.SourceSim {
		return Order{}, errors.New("the journal doesn't hold the settings of the stand-in endpoint: start the run anew")
	}
	return order, order.Validate()
}

// placesOf are where the files lie that the run used. The journal has their
// names alone.
func placesOf(setup *bench.Setup, state *rundir.State) (rundir.Places, error) {
	var places rundir.Places
	if state != nil {
		places = state.Places
	}
	if name := base(places.Corpus); name != setup.Corpus {
		return places, fmt.Errorf("the run's corpus is %q, and %s doesn't say where it lies: start the run anew", setup.Corpus, rundir.StateFile)
	}
	if name := base(places.CAFile); name != setup.CAFile {
		return places, fmt.Errorf("the run's ca_file is %q, and %s doesn't say where it lies: start the run anew", setup.CAFile, rundir.StateFile)
	}
	return places, nil
}

// plan builds the inputs again and makes sure that they are those of the run.
func (a *again) plan(order *Order) error {
	h := &a.record.Header
	options, err := order.inputOptions()
	if err != nil {
		return fmt.Errorf("inputs of the run: %w", err)
	}
	if h.Calibration != nil {
		options.Calibration = &workload.Calibration{}
		if err := json.Unmarshal(h.Calibration, options.Calibration); err != nil {
			return fmt.Errorf("calibration in the journal: %w", err)
		}
	}
	if a.plans, err = order.build(options); err != nil {
		return fmt.Errorf("inputs of the run: %w", err)
	}
	if got := a.plans[0].InputHash; got != h.InputHash {
		cause := fmt.Sprintf("version %s builds other texts than version %s, which began the run: resume it with that one", order.Version, h.Tool.Version)
		if order.Corpus != "" {
			cause = fmt.Sprintf("the corpus %s is another than when the run began, or %s", order.Corpus, cause)
		}
		return fmt.Errorf("the inputs would not be those of the run (SHA-256 %.16s…, not %.16s…): %s", got, h.InputHash, cause)
	}
	return nil
}

// compare finds what the run lacks.
func (a *again) compare(order *Order) {
	a.missing = map[lot][]bench.Session{}
	of := map[lot][]*bench.Sample{}
	for _, s := range a.record.Samples {
		of[lot{s.Target, s.Point}] = append(of[lot{s.Target, s.Point}], s)
	}
	for _, target := range order.targets() {
		for i, plan := range a.plans {
			l := order.lot(target.Label, i)
			missing, restarted := bench.Missing(plan.Sessions, of[l])
			if len(missing) > 0 {
				a.missing[l] = missing
			}
			for _, n := range restarted {
				a.restarted = append(a.restarted, bench.SessionID{Target: l.target, Point: l.point, Session: n})
			}
		}
	}
}

// lot is a target at the i-th load, from 0.
func (o *Order) lot(label string, i int) lot {
	if len(o.Points) == 0 {
		return lot{label, 0}
	}
	return lot{label, i + 1}
}

// kept are the samples that still count.
func (a *again) kept() []*bench.Sample {
	anew := map[bench.SessionID]bool{}
	for _, id := range a.restarted {
		anew[id] = true
	}
	var kept []*bench.Sample
	for _, s := range a.record.Samples {
		if !anew[bench.SessionID{Target: s.Target, Point: s.Point, Session: s.Session}] {
			kept = append(kept, s)
		}
	}
	return kept
}

// unlock gives the targets their keys, from where the run had them.
func (o *Order) unlock(ctx context.Context, dir string, means Means) error {
	if means.Env == nil {
		means.Env = os.LookupEnv
	}
	made, err := means.Index.Find(filepath.Base(dir))
	here := err == nil && made == dir
	if o.Target, err = means.key(ctx, o.Target, here); err != nil {
		return err
	}
	for i := range o.Others {
		if o.Others[i], err = means.key(ctx, o.Others[i], here); err != nil {
			return err
		}
	}
	return nil
}

// key gives one target its key. A journal may come from elsewhere, so it can't
// have any variable sent anywhere: the rules are those of the flags, and those
// of a target file where the run was made here.
func (m *Means) key(ctx context.Context, t bench.Target, here bool) (bench.Target, error) {
	var err error
	switch {
	case t.Source == bench.SourceSim:
	case t.Source == bench.SourceArkCLI:
		t.Key, err = m.arkKey(ctx, &t)
	case t.KeyEnv == "":
	case t.Source == bench.SourceEnv:
		if t.Key, err = m.envKey(&t); err != nil {
			return t, err
		}
	case strings.HasSuffix(t.KeyEnv, "_API_KEY"), isLoopback(t.BaseURL), here && t.Source == bench.SourceTargetFile:
		t.Key, err = keyFrom(m.Env, t.KeyEnv)
	default:
		err = &bench.FieldError{Field: "api_key_env", Value: shown(t.KeyEnv), Allowed: "the NAME of a variable, which ends in _API_KEY, in a run that was not made here"}
	}
	return t, err
}

// envKey takes the key that belongs to ARK_BASE_URL.
func (m *Means) envKey(t *bench.Target) (bench.Secret, error) {
	value, _ := m.Env(EnvBaseURL)
	base, err := baseURL(value)
	if err != nil || base != t.BaseURL {
		return bench.Secret{}, &CredentialsError{fmt.Sprintf("the run was measured at %s, and %s is not that", t.BaseURL, EnvBaseURL), "export " + EnvBaseURL + "=" + t.BaseURL + " and its " + EnvKey + ", and resume again"}
	}
	return keyFrom(m.Env, EnvKey)
}

// arkKey asks Ark CLI for the profile's key, which goes to that profile's own
// endpoint alone.
func (m *Means) arkKey(ctx context.Context, t *bench.Target) (bench.Secret, error) {
	if m.Ark == nil {
		return bench.Secret{}, &CredentialsError{"the run was measured through Ark CLI, which is not at hand", "install Ark CLI and log in"}
	}
	now, _, err := m.Ark.Target(ctx, t.Profile, t.Model)
	if err != nil {
		return bench.Secret{}, err
	}
	if now.BaseURL != t.BaseURL || now.Model != t.Model {
		return bench.Secret{}, fmt.Errorf("Ark CLI profile %s now gives %s at %s, and the run measured %s at %s: start a new run", t.Profile, now.Model, now.BaseURL, t.Model, t.BaseURL)
	}
	return now.Key, nil
}

// takeUp asks the endpoint whether it still answers and has the journal go on.
func (r *running) takeUp(ctx context.Context) error {
	a := r.job.again
	r.plans = a.plans
	if len(a.missing) > 0 {
		refused, err := r.check(ctx)
		if err != nil {
			return err
		}
		if refused != nil {
			return &RefusedError{*refused}
		}
	}
	resume := &bench.Resume{
		Since: a.record.Last(), At: r.clock.Mark(), Resumed: time.Now(), Restarted: append([]bench.SessionID{}, a.restarted...),
		Tool: thisTool(r.job.order.Version),
	}
	_ = os.Remove(filepath.Join(r.job.dir.Path, cancelFile)) // that of before
	var err error
	r.journal, err = rundir.Continue(r.job.dir.Path, resume, r.job.order.keys()...)
	a.begun = err == nil
	return err
}

// recall counts what was measured before.
func (r *running) recall(a *again) {
	targets := r.job.order.targets()
	for _, s := range a.record.Samples {
		i := slices.IndexFunc(targets, func(t bench.Target) bool { return t.Label == s.Target })
		if s.Usage != nil && i >= 0 {
			r.spent.add(s.Usage, r.job.order.prices(&targets[i]))
		}
	}
	for _, s := range a.kept() {
		r.track.add(s)
	}
}

// restore puts the state back that a run had before it was in vain taken up.
func (a *again) restore(dir string) {
	if a.begun {
		return
	}
	if a.before == nil {
		_ = os.Remove(filepath.Join(dir, rundir.StateFile)) // as it was
		return
	}
	_ = rundir.WriteState(dir, a.before) // else it stays "running" of a process that is gone
}

// clock is that of a new run, or the one that a broken run had, which went on.
func (j *Job) clock() bench.Clock {
	if j.again == nil {
		return bench.NewClock()
	}
	return bench.ClockAt(j.again.elapsed)
}

// Planned is the number of requests of the whole run, at all loads and targets.
func (j *Job) Planned() int {
	return j.order.Spec.Planned() * len(j.order.loads()) * len(j.order.targets())
}

// Left is what a run that is taken up again still lacks: requests, and among
// their sessions those that begin anew.
func (j *Job) Left() (requests, restarted int) {
	if j.again == nil {
		return j.Planned(), 0
	}
	for _, sessions := range j.again.missing {
		load := bench.Load{Sessions: sessions}
		requests += load.Planned()
	}
	return requests, len(j.again.restarted)
}

// Rendered reads the result of a run whose report was rendered after its end.
func Rendered(dir string) (*bench.Result, error) {
	record, err := rundir.Open(dir)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, rundir.ResultFile))
	if err != nil {
		return nil, fmt.Errorf("result of the run: %w", err)
	}
	result := new(bench.Result)
	if err := json.Unmarshal(text, result); err != nil {
		return nil, fmt.Errorf("result of the run: %w", err)
	}
	if result.Journal != record.Journal {
		return nil, errors.New("the journal has gone on since the report was rendered")
	}
	return result, nil
}
