package job

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// phaseStart is the phase of a run whose worker hasn't taken over yet: the
// process in its state is the one that started the worker.
const phaseStart = "start"

// parcel is what a worker reads from its standard input: the order, and the
// keys of its targets, which the order's JSON leaves out.
type parcel struct {
	Order Order    `json:"order"`
	Keys  []string `json:"keys"`
}

func pack(order *Order) parcel {
	p := parcel{Order: *order}
	for _, key := range order.keys() {
		p.Keys = append(p.Keys, key.Reveal())
	}
	return p
}

// unpack gives the order with its keys.
func (p *parcel) unpack() (Order, error) {
	order := p.Order
	if len(p.Keys) != 1+len(order.Others) {
		return order, fmt.Errorf("read the order: %d keys for %d targets", len(p.Keys), 1+len(order.Others))
	}
	order.Target.Key = bench.NewSecret(p.Keys[0])
	for i, key := range p.Keys[1:] {
		order.Others[i].Key = bench.NewSecret(key)
	}
	return order, nil
}

// Detached is a run that a worker carries out.
type Detached struct {
	Dir *rundir.Dir
	// Attached says that the run was there already: one with equal parameters
	// on the same endpoint, which goes on.
	Attached bool
}

// Detach has the order carried out by a process of its own, which outlives
// this one: `<executable> worker DIR`, where DIR is a new run directory below
// the order's output folder. The order and the key reach the worker through a
// pipe, and no variable that may hold a secret is handed down. While another
// run on the same endpoint and model goes on, one with equal parameters is
// attached to, and any other refused with a [*BusyError]. Everything that can
// be checked without asking the endpoint is checked first.
func Detach(ctx context.Context, order Order, index rundir.Index, executable string) (*Detached, error) {
	if err := order.Validate(); err != nil {
		return nil, err
	}
	order.draw()
	if err := order.checkInputs(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slot, err := openSlot(index, &order)
	if err == nil {
		defer slot.close()
		if holder := slot.holder(); holder != nil {
			return holder.attach(order.Hash())
		}
	} else {
		slot = nil // no place for locks: a run without one is better than none
	}
	dir, err := queue(&order, index)
	if err != nil {
		return nil, err
	}
	err = slot.take(dir, order.Hash())
	if err == nil {
		err = startWorker(dir.Path, &order, executable)
	}
	if err != nil {
		err = fmt.Errorf("start the worker: %w", err)
		failState(dir.Path, "worker_not_started", err)
		return nil, err
	}
	return &Detached{Dir: dir}, nil
}

// queue makes the run's directory with its first state.
func queue(order *Order, index rundir.Index) (*rundir.Dir, error) {
	now := time.Now()
	dir, err := rundir.Create(index, order.OutputDir, order.Spec.Scenario, now)
	if err != nil {
		return nil, err
	}
	planned := order.Spec.Planned()
	return dir, rundir.WriteState(dir.Path, &rundir.State{
		RunID: dir.RunID, Scenario: order.Spec.Scenario, State: bench.StateQueued, Phase: phaseStart, Process: rundir.ThisProcess(),
		Planned: planned, NotRun: planned, StartedAt: now, HeartbeatAt: now, ParamsHash: order.Hash(),
	})
}

// startWorker starts the process and hands it the order. What it prints goes
// to the run's log: a pipe would tie it to this process.
func startWorker(dir string, order *Order, executable string) error {
	log, err := os.OpenFile(filepath.Join(dir, rundir.LogFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(executable, "worker", dir)
	cmd.Dir, cmd.Env = filepath.Dir(dir), workerEnviron(os.Environ())
	cmd.Stdout, cmd.Stderr = log, log
	setDetached(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go reap(cmd, dir)
	err = json.NewEncoder(stdin).Encode(pack(order))
	if closed := stdin.Close(); err == nil {
		err = closed
	}
	return err
}

// reap waits for a worker, so that its end is known at once and it doesn't
// stay behind as a zombie. One that left its run open was killed.
func reap(cmd *exec.Cmd, dir string) {
	_ = cmd.Wait()
	if s, err := rundir.ReadState(dir); err == nil && !s.State.Ended() {
		ctx, cancel := context.WithTimeout(context.Background(), renderLimit)
		defer cancel()
		_, _ = settle(ctx, dir, bench.StateInterrupted)
	}
}

// workerEnviron keeps what a worker needs, and nothing else: any other
// variable may hold a secret.
func workerEnviron(environ []string) []string {
	kept := []string{
		"HOME", "PATH", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "LLM_BENCH_HOME", "XDG_CONFIG_HOME",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR",
		"GODEBUG", "GOMAXPROCS", "GOMEMLIMIT", "GOGC", "GOTRACEBACK", "GORACE", "GOCOVERDIR",
		// where Ark CLI is looked for
		"LLM_BENCH_ARKCLI", "NVM_BIN", "NVM_DIR", "NVM_HOME", "NVM_SYMLINK", "FNM_DIR", "FNM_MULTISHELL_PATH", "VOLTA_HOME", "ASDF_DATA_DIR",
		"MISE_DATA_DIR", "N_PREFIX", "PNPM_HOME", "BUN_INSTALL", "NPM_CONFIG_PREFIX", "PROGRAMFILES",
		"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA",
	}
	env := []string{}
	for _, entry := range environ {
		name, _, ok := strings.Cut(entry, "=")
		name = strings.ToUpper(name)
		if ok && (slices.Contains(kept, name) || strings.HasPrefix(name, "LC_")) {
			env = append(env, entry)
		}
	}
	return env
}
