package job

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
	"github.com/llm-bench/llm-bench/bench/sim"
)

// Order is one run, fully decided: what a door hands over to have it carried
// out, in this process or in a worker. Its JSON has no key; that of the
// target travels beside it.
type Order struct {
	Spec   bench.Spec   `json:"spec"`
	Target bench.Target `json:"target"`
	// Others are measured in the same window on the same inputs, each with its
	// own connections and concurrency.
	Others []bench.Target `json:"others,omitempty"`
	// Points make the run a sweep: the workload is sent once for each, with
	// texts of its own.
	Points []bench.Point `json:"points,omitempty"`

	Sim              *SimOptions `json:"sim,omitempty"`                // the stand-in endpoint is the target
	OutputDir        string      `json:"output_dir"`                   // the run's directory is made below it
	Corpus           string      `json:"corpus,omitempty"`             // file of the user's own text
	AllowCorpusReuse bool        `json:"allow_corpus_reuse,omitempty"` // a corpus that is too small starts again
	CAFile           string      `json:"ca_file,omitempty"`
	Insecure         bool        `json:"insecure,omitempty"`
	Warnings         []string    `json:"warnings,omitempty"` // for the report, such as those of model resolution
	Checked          bool        `json:"checked,omitempty"`  // the endpoint was seen to answer: no check before the run
	Version          string      `json:"version"`            // of this program

	// Given is the [Order.Hash] from before the run drew what the user left open.
	Given string `json:"given,omitempty"`
}

// SimOptions are the settings of the stand-in endpoint that a user may choose.
type SimOptions struct {
	BaseTTFT bench.Millis `json:"ttft_ms,omitempty"`
	Prefill  bench.Millis `json:"prefill_ms_per_1k,omitempty"`
	TPOT     bench.Millis `json:"tpot_ms,omitempty"`
	Limit    int          `json:"limit,omitempty"`
	Seed     uint64       `json:"seed,omitempty"`
	Fault    string       `json:"fault,omitempty"`
}

// Config is the stand-in endpoint's configuration.
func (o *SimOptions) Config() sim.Config {
	return sim.Config{
		BaseTTFT: zeroAsDefault(o.BaseTTFT), PrefillPer1000: zeroAsDefault(o.Prefill), TPOT: zeroAsDefault(o.TPOT),
		Limit: o.Limit, Seed: o.Seed, Fault: o.Fault,
	}
}

// setup is what taking the run up again will need, beside its places.
func (o *Order) setup() bench.Setup {
	s := bench.Setup{Corpus: base(o.Corpus), CorpusReuse: o.AllowCorpusReuse, CAFile: base(o.CAFile), Insecure: o.Insecure}
	if o.Sim != nil {
		s.Sim, _ = json.Marshal(o.Sim) // numbers and a text: it can't fail
	}
	return s
}

// places are where the files lie that the order names.
func (o *Order) places() rundir.Places {
	return rundir.Places{Corpus: absolute(o.Corpus), CAFile: absolute(o.CAFile)}
}

// base is the name of a file without its folders; "" for none.
func base(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Base(path)
}

// absolute is the absolute path of a file; "" for none.
func absolute(path string) string {
	if path == "" {
		return ""
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// Validate reports everything that is wrong with the order. It asks nobody.
func (o *Order) Validate() error {
	faults := []error{o.Spec.Validate()}
	if o.OutputDir == "" {
		faults = append(faults, &bench.FieldError{Field: "output_dir", Value: `""`, Allowed: "a folder"})
	}
	labels := map[string]bool{}
	for _, t := range o.targets() {
		if labels[t.Label] {
			faults = append(faults, &bench.FieldError{Field: "label", Value: fmt.Sprintf("%q", t.Label), Allowed: "a different label for each target"})
		}
		labels[t.Label] = true
		faults = append(faults, t.Dialect.Check(&o.Spec))
	}
	for i := range o.Points {
		spec := o.Points[i].Apply(o.Spec)
		faults = append(faults, spec.Validate())
		for _, t := range o.targets() {
			faults = append(faults, t.Terms.Check(&spec))
		}
	}
	if o.CAFile != "" {
		_, err := roots(o.CAFile)
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// targets are all that the order measures, the first one first.
func (o *Order) targets() []bench.Target { return append([]bench.Target{o.Target}, o.Others...) }

// Targets are what the job measures, the first one first.
func (j *Job) Targets() []bench.Target { return j.order.targets() }

// loads are the points of the sweep, or the one that the spec itself is.
func (o *Order) loads() []bench.Point {
	if len(o.Points) > 0 {
		return o.Points
	}
	return []bench.Point{{MaxConcurrency: o.Spec.MaxConcurrency, RequestRate: o.Spec.RequestRate}}
}

// keys are the keys of all targets.
func (o *Order) keys() []bench.Secret {
	var keys []bench.Secret
	for _, t := range o.targets() {
		keys = append(keys, t.Key)
	}
	return keys
}

// Hash is equal for orders of equal parameters on an equal target, wherever the
// report goes. A seed or nonce that the user gave is one of the parameters; one
// that the run has drawn is none.
func (o *Order) Hash() string {
	if o.Given != "" {
		return o.Given
	}
	spec := o.Spec
	spec.Lang = ""
	data, _ := json.Marshal([]any{spec, o.Target.BaseURL, o.Target.Model, o.Target.Dialect, o.Sim, o.Others, o.Points, o.Corpus})
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// maxCertificates bounds a file of certificates, in bytes.
const maxCertificates = 16 << 20

// roots reads a file of PEM certificates on top of the system's.
func roots(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("read ca_file: %w", err)
	}
	refused := &bench.FieldError{Field: "ca_file", Value: file, Allowed: "a file of PEM certificates"}
	if !info.Mode().IsRegular() || info.Size() > maxCertificates {
		return nil, refused
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read ca_file: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, refused
	}
	return pool, nil
}

// zeroAsDefault keeps 0 for the default and turns a negative value into none.
func zeroAsDefault(m bench.Millis) time.Duration {
	if m < 0 {
		return sim.Zero
	}
	return time.Duration(m)
}
