package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestHelpIsAsItWasRead holds what every command says of itself.
func TestHelpIsAsItWasRead(t *testing.T) {
	alone(t)
	var b strings.Builder
	for _, command := range newRoot(streams{}).Commands() {
		if command.Hidden {
			continue
		}
		c := call(command.Name(), "--help")
		if c.code != exitDone || c.err != "" {
			t.Fatalf("%s --help: exit code %d\n%s", command.Name(), c.code, c.err)
		}
		fmt.Fprintf(&b, "$ llm-bench %s --help\n%s\n", command.Name(), c.out)
	}
	golden := filepath.Join("skill", "testdata", "help.txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, golden); b.String() != want {
		t.Errorf("the help texts differ from %s; read them, then run the test with -update", golden)
	}
}

func TestEveryCommandShowsHowItIsUsed(t *testing.T) {
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if sub.Hidden {
				continue
			}
			if sub.Example == "" {
				t.Errorf("%s has no example", sub.CommandPath())
			}
			visit(sub)
		}
	}
	visit(newRoot(streams{}))
}

func TestShellsCanCompleteCommands(t *testing.T) {
	alone(t)
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if c := call("completion", shell); c.code != exitDone || len(c.out) < 1000 {
			t.Errorf("%s: exit code %d with %d bytes", shell, c.code, len(c.out))
		}
	}
}
