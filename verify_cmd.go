package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/llm-bench/llm-bench/bench/job"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

func newVerify(std streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "verify ZIP", Short: "Check a zip of runs: hashes, and every figure from the journals", Args: oneArg("ZIP"),
		Long: `Checks a zip that llm-bench package has written: the hashes of its manifest, and every printed figure.
Under the version that packed it, the report is rendered again from requests.jsonl and compared byte for byte; under
another, the numbers of result.json are computed again. Each mismatch is named; the exit code is then 1.
A journal that was forged throughout, with every mark, event and count in agreement, can't be told from a true one.`,
		Example: "  llm-bench verify llm-bench_doubao-seed-2-0-mini_20260701_120000.zip",
		RunE: func(c *cobra.Command, args []string) error {
			v, err := job.Verify(c.Context(), version, args[0])
			if errors.Is(err, rundir.ErrNoBundle) || errors.Is(err, fs.ErrNotExist) {
				return &usageError{err}
			}
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(std.out, v)
			} else {
				sayVerified(std, v)
			}
			if err == nil && !v.OK {
				err = &outcomeError{exitFailed}
			}
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}

func sayVerified(std streams, v *job.Verified) {
	w := std.out
	for _, m := range v.Mismatches {
		fmt.Fprintf(w, "MISMATCH %s\n", m)
	}
	if v.Simulated {
		fmt.Fprintln(w, "SIMULATED ENDPOINT: at least one run measured the stand-in endpoint")
	}
	how := map[job.Method]string{
		job.MethodRendered:   "reports were rendered again and compared byte for byte",
		job.MethodTexts:      "reports were rendered again and compared; charts by their hash, as they were drawn on another platform",
		job.MethodRecomputed: fmt.Sprintf("it was packed with version %s and is checked with %s: the numbers of result.json were computed again, report.md was checked by its hash", orElse(v.PackedWith.Version, "(unknown)"), v.Version),
		job.MethodNone:       "nothing in it was looked at",
	}
	fmt.Fprintf(w, "%s, %s, %s; %s\n", counted(len(v.Runs), "run"), counted(v.Attempts, "attempt"), counted(v.Files, "file"), how[v.Method])
	for _, r := range v.Remarks {
		fmt.Fprintln(w, "note: "+r)
	}
	if v.OK {
		fmt.Fprintln(w, "ok: every figure follows from requests.jsonl")
		return
	}
	fmt.Fprintf(w, "%d mismatches: this zip is not what was packed\n", len(v.Mismatches))
}
