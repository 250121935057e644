package job

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// BusyError says that another run goes on against the endpoint: two at once
// would spoil both.
type BusyError struct {
	RunID    string
	Dir      string
	Scenario bench.Scenario
}

// Error implements error.
func (e *BusyError) Error() string {
	return fmt.Sprintf("run %s with other parameters is going on against the same endpoint and model", e.RunID)
}

// Occupant names the run that a worker carries out against the order's
// endpoint and model at the moment; "" if there is none.
func Occupant(index rundir.Index, order *Order) string {
	slot, err := openSlot(index, order)
	if err != nil {
		return ""
	}
	defer slot.close()
	if holder := slot.holder(); holder != nil {
		return holder.RunID
	}
	return ""
}

// slot is the one place that an endpoint with a model has for a run. It is
// held across processes while it is open. What it says of a run that has ended
// since doesn't count, so nobody has to clear it.
type slot struct {
	path  string
	guard *os.File
}

// occupancy is what stands in a slot.
type occupancy struct {
	RunID      string `json:"run_id"`
	Dir        string `json:"dir"`
	ParamsHash string `json:"params_hash"`
	scenario   bench.Scenario
}

// openSlot waits for its turn at the slot of the order's endpoint and model.
func openSlot(index rundir.Index, order *Order) (*slot, error) {
	if index.Home == "" {
		return nil, errors.New("no home folder for locks")
	}
	folder := filepath.Join(index.Home, "locks")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("folder of locks: %w", err)
	}
	path := filepath.Join(folder, slotName(order))
	guard, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if err := lockFile(guard); err != nil {
		return nil, errors.Join(fmt.Errorf("lock: %w", err), guard.Close())
	}
	return &slot{path, guard}, nil
}

// slotName is the same for orders that would load the same model at the same place.
func slotName(order *Order) string {
	base := strings.ToLower(order.Target.BaseURL)
	if order.Sim != nil {
		base = "stand-in"
	}
	sum := sha256.Sum256([]byte(base + "\x00" + order.Target.Model))
	return hex.EncodeToString(sum[:12])
}

// close gives the slot free for the next who wants to look at it.
func (s *slot) close() { _ = s.guard.Close() }

// holder is the run that goes on in the slot, nil if there is none.
func (s *slot) holder() *occupancy {
	text, err := os.ReadFile(s.path)
	if err != nil {
		return nil
	}
	var o occupancy
	if err := json.Unmarshal(text, &o); err != nil || rundir.CheckRunID(o.RunID) != nil {
		return nil
	}
	state, err := rundir.ReadState(o.Dir)
	if err != nil || state.RunID != o.RunID || state.Now(time.Now()).Ended() {
		return nil
	}
	o.scenario = state.Scenario
	return &o
}

// attach joins the run if its parameters are the same.
func (o *occupancy) attach(paramsHash string) (*Detached, error) {
	if o.ParamsHash != paramsHash {
		return nil, &BusyError{RunID: o.RunID, Dir: o.Dir, Scenario: o.scenario}
	}
	return &Detached{&rundir.Dir{Path: o.Dir, RunID: o.RunID}, true}, nil
}

// take enters a run. Without a slot there is nothing to enter it in.
func (s *slot) take(dir *rundir.Dir, hash string) error {
	if s == nil {
		return nil
	}
	text, err := json.Marshal(occupancy{RunID: dir.RunID, Dir: dir.Path, ParamsHash: hash})
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.path, text, 0o600); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	return nil
}
