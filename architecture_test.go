package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/llm-bench/llm-bench"

// goPackage is what `go list -json` says of a package.
type goPackage struct {
	ImportPath   string
	Standard     bool
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// ofOurs maps each package to those of this module that it may import.
func ofOurs() map[string][]string {
	return map[string][]string{
		"bench":              {},
		"bench/workload":     {"bench"},
		"bench/chat":         {"bench"},
		"bench/rundir":       {"bench"},
		"bench/report":       {"bench"},
		"bench/sim":          {},
		"bench/meter":        {"bench"},
		"bench/selftest":     {"bench", "bench/chat", "bench/meter"},
		"bench/job":          {"bench", "bench/workload", "bench/chat", "bench/rundir", "bench/report", "bench/sim", "bench/meter"},
		"bench/benchtest":    {"bench"},
		"arkcli":             {"bench"},
		"arkcli/fake":        {},
		"arkcli/fake/arkcli": {"arkcli/fake"},
		"server":             {"bench", "bench/job", "bench/report", "bench/rundir", "bench/sim", "arkcli"},
		"server/setup":       {"bench", "arkcli"},
		"": {
			"bench", "bench/workload", "bench/chat", "bench/rundir", "bench/report", "bench/sim", "bench/job", "bench/selftest",
			"arkcli", "server", "server/setup",
		},
	}
}

// homes maps each library that only one package may import to that package.
func homes() map[string]string {
	return map[string]string{
		"github.com/mark3labs/mcp-go":      "server",
		"github.com/openai/openai-go":      "bench/chat",
		"github.com/wcharczuk/go-chart":    "bench/report",
		"github.com/spf13/cobra":           "",
		"github.com/schollz/progressbar":   "",
		"github.com/goccy/go-yaml":         "bench/job",
		"github.com/google/renameio":       "bench/rundir",
		"github.com/golang/freetype":       "bench/report",
		"golang.org/x/net/http/httpproxy":  "bench/chat",
		"golang.org/x/term":                "",
		"github.com/modelcontextprotocol/": "server",
	}
}

func TestImportsPointDown(t *testing.T) {
	allowed := ofOurs()
	for _, p := range listPackages(t, "./...") {
		name := local(p.ImportPath)
		ours, known := allowed[name]
		if !known && len(p.Imports) > 0 {
			t.Errorf("package %q has no place in the architecture: say here what it may import", name)
			continue
		}
		for _, path := range p.Imports {
			if isOurs(path) && !slices.Contains(ours, local(path)) {
				t.Errorf("%q imports %q", name, local(path))
			}
		}
	}
}

func TestCoreAndStandInImportTheStandardLibraryAlone(t *testing.T) {
	for _, p := range listPackages(t, "./bench", "./bench/sim", "./arkcli/fake") {
		for _, path := range p.Imports {
			if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") && !isOurs(path) {
				t.Errorf("%q imports %q", local(p.ImportPath), path)
			}
		}
	}
}

func TestEachLibraryHasOneHome(t *testing.T) {
	for _, p := range listPackages(t, "./...") {
		for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			for library, home := range homes() {
				if strings.HasPrefix(path, library) && local(p.ImportPath) != home {
					t.Errorf("%q imports %s, which belongs to %q alone", local(p.ImportPath), path, home)
				}
			}
		}
	}
}

func TestNoProgramCodeImportsTestHelpers(t *testing.T) {
	for _, p := range listPackages(t, ".", "./bench/...", "./arkcli", "./server/...") {
		for _, path := range p.Imports {
			if path == "testing" && local(p.ImportPath) != "bench/benchtest" || path == module+"/bench/benchtest" || strings.HasPrefix(path, module+"/arkcli/fake") {
				t.Errorf("%q imports %q", local(p.ImportPath), path)
			}
		}
	}
}

// local is an import path of this module without the module's; "" is main.
func local(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
}

func isOurs(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

func listPackages(t *testing.T, patterns ...string) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=ImportPath,Standard,Imports,TestImports,XTestImports"}, patterns...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []goPackage
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("go list printed something else: %v", err)
		}
		packages = append(packages, p)
	}
	if len(packages) == 0 {
		t.Fatal("go list found no package")
	}
	return packages
}
