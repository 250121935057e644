package bench

import (
	"encoding/json"
	"time"
)

// Record is all that a run has left on disk: every figure of its report
// follows from it.
type Record struct {
	Header  Header
	Samples []*Sample
	Ticks   []Tick
	Resumes []Resume
	Finish  *Finish // nil while the run goes on, and for ever if it was killed
	Journal string  // SHA-256, in hex, of the journal that was read; "" where there was none
}

// Header is what is known before the first request.
type Header struct {
	Schema    string    `json:"schema"` // of the journal
	Tool      Tool      `json:"tool"`
	Host      Host      `json:"host"`
	Began     time.Time `json:"began"` // wall time of the run clock's zero
	Spec      Spec      `json:"spec"`
	Targets   []Target  `json:"targets"`
	Planned   int       `json:"planned"`          // requests for each target and point
	Points    []Point   `json:"points,omitempty"` // of a sweep
	InputHash string    `json:"input_sha256"`
	// MaterialHash is InputHash without the nonces: equal for runs of one seed.
	MaterialHash string `json:"material_sha256,omitempty"`
	// CorpusReused says that the user's text was too short and was used again.
	CorpusReused bool            `json:"corpus_reused,omitempty"`
	Calibration  json.RawMessage `json:"calibration,omitempty"` // how the server counts tokens; absent: not asked
	CutTokens    int             `json:"cut_tokens,omitempty"`  // prompt tokens to which the server cuts, as its calibration showed; 0: not seen
	Notes        []string        `json:"notes,omitempty"`       // what the reader should know: insecure TLS, proxy in force
	Proxy        string          `json:"proxy,omitempty"`       // name of the proxy in force, without credentials
	Setup        Setup           `json:"setup,omitzero"`        // what taking the run up again needs beside all this
}

// Setup is what a run was given and no figure shows. Without it a broken run
// could not be taken up again. It holds no secret and, as it is handed on with
// the journal, no place on the user's machine.
type Setup struct {
	Sim         json.RawMessage `json:"sim,omitempty"`    // settings of the stand-in endpoint; absent: another endpoint
	Corpus      string          `json:"corpus,omitempty"` // base name of the file of the user's own text
	CorpusReuse bool            `json:"allow_corpus_reuse,omitempty"`
	CAFile      string          `json:"ca_file,omitempty"` // base name
	Insecure    bool            `json:"insecure,omitempty"`
}

// JournalSchema names the format of a run's journal.
const JournalSchema = "llm-bench/journal/1"

// Tool is the program that measured.
type Tool struct {
	Version string `json:"version"`
	Go      string `json:"go"`
}

// Host is the machine that measured.
type Host struct {
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	CPU      string `json:"cpu,omitempty"` // model name, where known
	CPUs     int    `json:"cpus"`          // that the process may use
	TimeZone string `json:"time_zone"`
}

// Tick is one reading, about each second, of the client itself.
type Tick struct {
	At        Mark    `json:"at_ms"`
	CPUShare  float64 `json:"cpu_share"` // of the cores that the process may use, 0 to 1, since the tick before
	RSSMiB    float64 `json:"rss_mib,omitempty"`
	GCPause   Millis  `json:"gc_pause_max_ms"`      // longest since the tick before
	WallDrift Millis  `json:"wall_drift_ms"`        // wall clock minus monotonic clock since the run began
	Lags      Lags    `json:"lags,omitempty"`       // how late the client came to moments known beforehand, since the tick before
	LagMax    Millis  `json:"lag_max_ms,omitempty"` // the latest of them
	Started   int     `json:"started"`              // requests
	Ended     int     `json:"ended"`                // requests
	Conns     int     `json:"connections_opened"`   // so far
}

// Resume is the point at which a broken run was taken up again.
type Resume struct {
	Since   Mark      `json:"since_ms,omitzero"` // the last that is known of the run before the gap
	At      Mark      `json:"at_ms"`             // on the clock of the run, which went on through the gap
	Resumed time.Time `json:"resumed"`
	Tool    Tool      `json:"tool,omitzero"` // the program that went on
	// Restarted are the sessions that began anew: what was measured of them
	// before no longer counts.
	Restarted []SessionID `json:"restarted"`
}

// SessionID names one session of a run.
type SessionID struct {
	Target  string `json:"target,omitempty"` // label
	Point   int    `json:"point,omitempty"`  // of a sweep
	Session int    `json:"session"`
}

// Finish is how and when the run ended.
type Finish struct {
	State State     `json:"state"`
	End   End       `json:"end"`
	At    Mark      `json:"at_ms"`
	Ended time.Time `json:"ended"`
	Warm  Warmth    `json:"preparation,omitzero"`
	// Probes are diagnostic requests of a connectivity run; they are in no figure.
	Probes []Probe `json:"probes,omitempty"`
}

// Probe is one try of other settings than those asked for.
type Probe struct {
	Setting   string  `json:"setting"`
	Outcome   Outcome `json:"outcome"`
	Reasoned  bool    `json:"reasoned,omitempty"`
	Message   string  `json:"message,omitempty"` // of the failure
	RequestID string  `json:"request_id,omitempty"`
}

// Works reports whether the endpoint took the setting and thinking was as
// asked for.
func (p *Probe) Works(asked Thinking) bool {
	return p.Outcome == Succeeded && asked.Met(&Sample{Reasoned: p.Reasoned})
}

// Warmth is what was done before the measured window.
type Warmth struct {
	Connections int     `json:"connections"` // opened beforehand
	DNS         Millis  `json:"dns_ms"`      // medians of the handshake's phases
	Connect     Millis  `json:"connect_ms"`
	TLS         Millis  `json:"tls_ms"`
	Requests    int     `json:"requests,omitempty"` // warm-up requests, not measured
	Failed      int     `json:"failed,omitempty"`
	Seconds     float64 `json:"seconds"`
}

// State says how a run stands, and only that.
type State string

// The states of a run.
const (
	StateQueued      State = "queued"
	StateRunning     State = "running"
	StateSucceeded   State = "succeeded"   // it ran to its end; requests may have failed
	StateFailed      State = "failed"      // it stopped itself, or could not start
	StateCanceled    State = "canceled"    // the user had it stopped through cancel_run
	StateInterrupted State = "interrupted" // a signal ended it, or it was killed
)

// Ended reports whether the state is final.
func (s State) Ended() bool { return s != StateQueued && s != StateRunning }
