package job

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/llm-bench/llm-bench/bench/benchtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		if err := os.RemoveAll(filepath.Dir(built)); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

var (
	building sync.Once
	built    string // path of the program; "" before a test has asked for it
)

// program is the path of llm-bench, which is the worker of the runs of tests.
func program(t testing.TB) string {
	t.Helper()
	building.Do(func() {
		folder, err := os.MkdirTemp("", "llm-bench-job") //nolint:usetesting // shared by all tests, removed by TestMain
		if err == nil {
			built, err = benchtest.BuildProgram(folder, filepath.Join("..", ".."))
		}
		if err != nil {
			t.Error(err)
		}
	})
	if built == "" {
		t.Fatal("the program could not be built")
	}
	return built
}
