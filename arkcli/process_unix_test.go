//go:build unix

package arkcli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFileThatCannotBeStartedIsSaidAsWhatItIs(t *testing.T) {
	for _, c := range []struct {
		content string
		mode    os.FileMode
		want    Problem
		says    string
	}{
		{"#!/nowhere/node\n", 0o755, CLIMissing, "its first line is gone"},
		{"\x7fELF no program", 0o755, CLIFailed, "cannot be started"},
		{"#!/bin/sh\n", 0o644, CLIMissing, "no program that can be run"},
		{"#!/bin/sh\necho oops >&2\nexit 3\n", 0o755, CLIFailed, "oops"},
		{"#!/bin/sh\nexit 3\n", 0o755, BadOutput, "exit code 3"},
	} {
		path := filepath.Join(t.TempDir(), "arkcli")
		if err := os.WriteFile(path, []byte(c.content), c.mode); err != nil {
			t.Fatal(err)
		}
		_, err := New(Options{Path: path, Environ: []string{"PATH=/usr/bin:/bin"}, Home: t.TempDir()}).Login(t.Context(), "")
		if got := problemOf(t, err); got != c.want || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: got %s: %v, want %s: %q", c.content, got, err, c.want, c.says)
		}
	}
}
