package rundir

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// roleVariable makes the test binary act as another process.
const roleVariable = "LLM_BENCH_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "writer":
		writeUntilKilled(os.Args[1])
	case "creator":
		createSome(os.Args[1], os.Args[2])
	case "sleeper":
		_, _ = io.Copy(io.Discard, os.Stdin)
	default:
		os.Exit(m.Run())
	}
}

// another starts the test binary in a role.
func another(t *testing.T, role string, arguments ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	must(t, err)
	command := exec.Command(binary, arguments...)
	command.Env = append(os.Environ(), roleVariable+"="+role)
	command.Stderr = os.Stderr
	return command
}

// writeUntilKilled appends attempts without end and prints the number of each
// once it is written; the state goes along.
func writeUntilKilled(dir string) {
	j, err := Begin(dir, header())
	for n := 1; err == nil; n++ {
		s := &State{RunID: "prefix_1", State: bench.StateRunning, Process: ThisProcess(), Succeeded: n, HeartbeatAt: time.Now()}
		if err = errors.Join(j.Attempt(sample(n)), WriteState(dir, s)); err == nil {
			fmt.Println(n)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func TestAKilledProcessLosesNothingThatHadEnded(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		dir := runDir(t)
		acknowledged := killAfter(t, another(t, "writer", dir), random.IntN(40), time.Duration(random.IntN(3000))*time.Microsecond)
		record := open(t, dir)
		if n := len(record.Samples); n < acknowledged || n > acknowledged+1 {
			t.Errorf("%d attempts had ended, %d are on disk", acknowledged, n)
		}
		for i, got := range record.Samples {
			if want := sample(i + 1); !reflect.DeepEqual(got, want) {
				t.Fatalf("attempt %d differs:\n%+v\n%+v", i+1, got, want)
			}
		}
		stateOfKilled(t, dir, acknowledged)
	}
}

// killAfter kills the writer once it has written so many attempts and some
// time has passed. It returns how many it had written by then.
func killAfter(t *testing.T, writer *exec.Cmd, attempts int, later time.Duration) (acknowledged int) {
	t.Helper()
	pipe, err := writer.StdoutPipe()
	must(t, err)
	must(t, writer.Start())
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		acknowledged, err = strconv.Atoi(lines.Text())
		must(t, err)
		if acknowledged == attempts+1 {
			time.AfterFunc(later, func() { _ = writer.Process.Kill() })
		}
	}
	_ = writer.Wait()
	return acknowledged
}

func stateOfKilled(t *testing.T, dir string, acknowledged int) {
	t.Helper()
	s, err := ReadState(dir)
	must(t, err)
	if s.Succeeded < acknowledged || s.Succeeded > acknowledged+1 {
		t.Errorf("the state counts %d of %d attempts", s.Succeeded, acknowledged)
	}
	if now := s.Now(s.HeartbeatAt.Add(time.Minute)); now != bench.StateInterrupted {
		t.Errorf("the run is %s", now)
	}
}

// createSome makes runs of one second and prints their paths.
func createSome(home, out string) {
	for range 10 {
		dir, err := Create(Index{home}, out, bench.Prefix, began)
		if err != nil || dir.Unlisted != nil {
			fmt.Println("failed:", err, dir)
			return
		}
		fmt.Println(dir.Path)
	}
}

func TestProcessesThatStartRunsAtOnceNeverShareADirectory(t *testing.T) {
	home, out := t.TempDir(), t.TempDir()
	seen := map[string]bool{}
	var outputs []io.Reader
	var running []*exec.Cmd
	for range 4 {
		command := another(t, "creator", home, out)
		pipe, err := command.StdoutPipe()
		must(t, err)
		must(t, command.Start())
		outputs, running = append(outputs, pipe), append(running, command)
	}
	lines := bufio.NewScanner(io.MultiReader(outputs...))
	for lines.Scan() {
		if seen[lines.Text()] || !isDir(lines.Text()) {
			t.Errorf("twice, or not there: %s", lines.Text())
		}
		seen[lines.Text()] = true
	}
	for _, command := range running {
		must(t, command.Wait())
	}
	if entries, err := (Index{home}).List(0); err != nil || len(entries) != 40 || len(seen) != 40 {
		t.Errorf("%d directories, %d in the index, %v", len(seen), len(entries), err)
	}
}
