//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAPipeIsRefusedWithoutWaitingForItsWriter(t *testing.T) {
	alone(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--sim", "--corpus", pipe}, {"--sim", "--ca-file", pipe}, {"--target", pipe}} {
		got := call(append([]string{"prefix", "--dry-run"}, args...)...)
		if got.code != exitUsage || !strings.Contains(got.err, pipe) {
			t.Errorf("%s: exit code %d, %s", args, got.code, got.err)
		}
	}
}
