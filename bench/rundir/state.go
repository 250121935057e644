package rundir

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// heartbeatLimit is the age from which a heartbeat no longer proves life.
const heartbeatLimit = 15 * time.Second

// maxState bounds what is read of a state file.
const maxState = 1 << 20

// State is how a run stands, as the process that carries it out last wrote it.
// Other processes read it at any time.
type State struct {
	RunID    string         `json:"run_id"`
	Scenario bench.Scenario `json:"scenario"`
	State    bench.State    `json:"state"`
	Phase    string         `json:"phase,omitempty"` // what the worker is at: "warm-up", "measuring", "report"
	Process                 // the worker

	Planned   int           `json:"planned"` // requests; the four that follow are parts of it
	Succeeded int           `json:"succeeded"`
	Failed    int           `json:"failed"`
	Canceled  int           `json:"canceled"`
	NotRun    int           `json:"not_run"`
	TTFTP50   *bench.Millis `json:"ttft_p50_ms,omitempty"` // nil until there is one
	ETA       *float64      `json:"eta_s,omitempty"`       // seconds; nil where unknown

	StartedAt   time.Time  `json:"started_at"`
	HeartbeatAt time.Time  `json:"heartbeat_at"`
	EndedAt     *time.Time `json:"ended_at,omitempty"`
	ParamsHash  string     `json:"params_hash,omitempty"` // equal for runs of equal parameters on equal targets

	Summary string `json:"summary,omitempty"` // one sentence of result
	Error   *Fault `json:"error,omitempty"`   // why the run failed

	Places Places `json:"places,omitzero"`
}

// Places are files on the user's machine that taking the run up again needs.
// They stand here alone, as a state is never handed on.
type Places struct {
	Corpus string `json:"corpus,omitempty"`  // absolute path of the user's own text
	CAFile string `json:"ca_file,omitempty"` // absolute path
}

// Done is the number of requests that have succeeded or failed.
func (s *State) Done() int { return s.Succeeded + s.Failed }

// Fault is why a run failed and what to do about it.
type Fault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// WriteState puts a state in place of the one before, at once.
func WriteState(dir string, s *State) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	if err := replaceFile(filepath.Join(dir, StateFile), append(text, '\n')); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return nil
}

// ReadState reads a run's state as it was last written; see [State.Now]. The
// error is [io/fs.ErrNotExist] when none was.
func ReadState(dir string) (*State, error) {
	text, err := readBounded(filepath.Join(dir, StateFile), maxState)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	s, err := decode[State](text)
	if err != nil {
		return nil, fmt.Errorf("state: %s is damaged: %w", StateFile, err)
	}
	return s, nil
}

// Now is how the run stands at the given time: what was written, or
// interrupted if the worker has died since, that is, its heartbeat is older
// than 15 s and its process gone.
func (s *State) Now(now time.Time) bench.State {
	if s.State.Ended() || now.Sub(s.HeartbeatAt) <= heartbeatLimit || s.Alive() {
		return s.State
	}
	return bench.StateInterrupted
}
