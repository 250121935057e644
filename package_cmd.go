package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

func newPackage(std streams) *cobra.Command {
	var file string
	var asJSON bool
	c := &cobra.Command{
		Use: "package DIR...", Short: "Pack runs into one zip that its reader can check", Args: someArgs("DIR"),
		Long: `Packs runs into one zip for somebody who was not there: journals, reports, charts and a manifest with the
SHA-256 of every file. DIR is a run or a folder of runs. Equal runs give equal bytes.
Every file is searched for secrets first, also those that are left out: the keys in environment variables whose
names end in _API_KEY, whatever has the form of a key, Authorization headers. One that is found stops the zip.`,
		Example: `  llm-bench package reports
  llm-bench package reports/prefix_20260701_120000 reports/multiturn_20260701_121500 -o baseline.zip`,
		RunE: func(c *cobra.Command, args []string) error {
			packed, err := job.Package(c.Context(), version, args, file)
			if errors.Is(err, rundir.ErrNoRun) {
				return &usageError{err}
			}
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(std.out, packed)
			}
			sayPacked(std, packed)
			return nil
		},
	}
	c.Flags().StringVarP(&file, "output", "o", "", "the zip (default: ./llm-bench_<label>_<time>.zip)")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}

func sayPacked(std streams, p *job.Packed) {
	for _, r := range p.Runs {
		line := fmt.Sprintf("%s: %s, %s", r.RunID, r.State, verdictsOf(&r))
		if r.Simulated {
			line += ", SIMULATED ENDPOINT"
		}
		fmt.Fprintln(std.out, line)
	}
	for _, id := range p.Rendered {
		fmt.Fprintf(std.out, "%s: its report was missing, unfinished or of another version, and is rendered again in the zip\n", id)
	}
	for _, name := range p.LeftOut {
		fmt.Fprintf(std.out, "left out: %s\n", name)
	}
	fmt.Fprintf(std.out, "%s, no secret found; check the zip with llm-bench verify\nzip: %s\n", counted(p.Files, "file"), p.File)
}

// verdictsOf says how far the measurement of a run is to be trusted, of several
// targets each.
func verdictsOf(r *rundir.BundledRun) string {
	if len(r.Targets) == 1 && len(r.Verdicts) == 1 {
		return "measurement " + string(r.Verdicts[0])
	}
	var parts []string
	for i, v := range r.Verdicts {
		parts = append(parts, r.Targets[i]+" "+string(v))
	}
	return "measurement: " + strings.Join(parts, ", ")
}

// packingFault is why no zip was written.
func packingFault(err error) (message, advice string, code int) {
	var leaks rundir.LeakError
	if errors.As(err, &leaks) {
		return "no zip was written: " + leaks.Error(),
			"take the secret out of the file, and package again; a key that has been in a file is best replaced at its provider", exitFailed
	}
	return "no zip was written: " + err.Error(), "", exitFailed
}
