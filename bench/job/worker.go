package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// maxParcel bounds what a worker reads of its order.
const maxParcel = 4 << 20

// Work is the life of a worker: it reads the order that [Detach] wrote to its
// standard input and carries it out in dir, until it is done or asked to end;
// a run that is asked to end leaves a partial report and is no error. version
// is that of this program; keys, if not nil, gives a refused key of Ark CLI's
// anew.
func Work(ctx context.Context, dir string, stdin io.Reader, version string, keys Keys) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("directory of the run: %w", err)
	}
	if err := adopt(dir); err != nil {
		return err
	}
	ctx, stop := askedToEnd(ctx, dir)
	defer stop()
	if err := work(ctx, dir, stdin, version, keys); err != nil {
		failState(dir, "run_failed", err)
		return err
	}
	return nil
}

func work(ctx context.Context, dir string, stdin io.Reader, version string, keys Keys) error {
	var p parcel
	if err := json.NewDecoder(io.LimitReader(stdin, maxParcel)).Decode(&p); err != nil {
		return fmt.Errorf("read the order: %w", err)
	}
	order, err := p.unpack()
	if err != nil {
		return err
	}
	if order.Version == "" {
		order.Version = version
	}
	j, err := New(order, rundir.Index{}, &rundir.Dir{Path: dir, RunID: filepath.Base(dir)})
	if err != nil {
		return err
	}
	if keys != nil {
		j.RefreshWith(keys)
	}
	_, err = j.Run(ctx, nil)
	return err
}

// adopt makes this process the one that carries out the run in dir.
func adopt(dir string) error {
	s, err := rundir.ReadState(dir)
	if err != nil {
		return err
	}
	if s.State.Ended() || s.Phase != phaseStart {
		return fmt.Errorf("run %s in %s is not one that waits for a worker: its state is %s", s.RunID, dir, s.State)
	}
	s.Phase, s.Process, s.HeartbeatAt = "prepare", rundir.ThisProcess(), time.Now()
	return rundir.WriteState(dir, s)
}

// failState marks a run that could not be carried out, unless its end is
// written already.
func failState(dir, code string, cause error) {
	s, err := rundir.ReadState(dir)
	if err != nil || s.State.Ended() {
		return
	}
	now := time.Now()
	s.State, s.HeartbeatAt, s.EndedAt = bench.StateFailed, now, &now
	s.Error = &rundir.Fault{Code: code, Message: bench.Clean(bench.Redact(cause.Error()), 400)}
	var field *bench.FieldError
	if errors.As(cause, &field) {
		s.Error.Code, s.Error.Hint = "invalid_argument", field.Field+" may be "+field.Allowed
	}
	_ = rundir.WriteState(dir, s)
}
