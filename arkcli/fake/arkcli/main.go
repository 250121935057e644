// Command arkcli is the stand-in for Ark CLI as a program.
package main

import (
	"os"

	"github.com/llm-bench/llm-bench/arkcli/fake"
)

func main() { os.Exit(fake.Main()) }
