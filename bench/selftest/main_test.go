package selftest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/llm-bench/llm-bench/bench/selftest"
)

// roleVariable makes the test's own program an endpoint (its value is a
// config), or one that keeps all processors busy.
const roleVariable = "LLM_BENCH_SELFTEST_ROLE"

const burner = "burn"

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVariable); role {
	case "":
		os.Exit(m.Run())
	case burner:
		burn()
	default:
		var c selftest.Config
		if err := json.Unmarshal([]byte(role), &c); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := selftest.Serve(&c, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// burn spins on every processor until stdin ends.
func burn() {
	for range runtime.NumCPU() {
		go func() {
			for n := 0; ; n++ {
			}
		}()
	}
	_, _ = os.Stdin.Read(make([]byte, 1))
}

// endpoint is the command of an endpoint's process.
func endpoint(t testing.TB, c *selftest.Config) *exec.Cmd {
	t.Helper()
	role, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return child(t, string(role))
}

// child is this program in another role.
func child(t testing.TB, role string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), roleVariable+"="+role)
	c.Stderr = os.Stderr
	return c
}

// startBurner loads all processors until the test ends.
func startBurner(t testing.TB) {
	t.Helper()
	c := child(t, burner)
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = c.Wait()
	})
}
