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
	folder := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(folder, "requests.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"prefix", "--dry-run", "--sim", "--corpus", pipe}, {"prefix", "--dry-run", "--sim", "--ca-file", pipe},
		{"prefix", "--dry-run", "--target", pipe}, {"verify", pipe}, {"report", pipe}, {"report", folder},
	} {
		got := call(args...)
		if got.code != exitUsage || !strings.Contains(got.err, args[len(args)-1]) {
			t.Errorf("%s: exit code %d, %s", args, got.code, got.err)
		}
	}
}
