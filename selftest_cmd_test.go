package main

import (
	"encoding/json"
	"errors"
	"os/exec"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

func TestSelftestMeasuresThroughAProcessOfItsOwn(t *testing.T) {
	began := time.Now()
	out, err := program(t, "selftest", "--streams", "4", "--duration", "1s", "--rate", "100", "--tls", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 11*time.Second {
		t.Errorf("it took %v for a duration of 1s", took)
	}
	var got struct {
		Streams int                   `json:"streams"`
		Chunk   struct{ P50 float64 } `json:"chunk_error_us"`
		Verdict bench.Verdict         `json:"verdict"`
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if got.Streams != 4 || got.Chunk.P50 <= 0 || got.Verdict == "" {
		t.Errorf("got %+v from %s", got, out)
	}
}

func TestSelftestRefusesWhatMakesNoSense(t *testing.T) {
	for _, flag := range []string{"--streams=0", "--rate=0", "--duration=1ms"} {
		err := program(t, "selftest", flag).Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != exitUsage {
			t.Errorf("%s: %v, want exit code %d", flag, err, exitUsage)
		}
	}
}
