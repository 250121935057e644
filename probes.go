package main

import (
	"fmt"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/rundir"
)

// sayProbes says which settings work, where a connectivity run has found that
// those asked for don't.
func (s *session) sayProbes(r *bench.Result) {
	record, err := rundir.Open(r.RunDir)
	if r.Scenario != bench.Connectivity || err != nil || record.Finish == nil {
		return
	}
	probes := record.Finish.Probes
	for i := range probes {
		if probes[i].Works(r.Spec.Thinking) {
			fmt.Fprintf(s.std.err, "  this works: %s\n", probes[i].Setting)
			return
		}
	}
	for _, p := range probes {
		if p.Outcome == bench.Succeeded {
			fmt.Fprintf(s.std.err, "  this is answered, but thinking is not as asked for: %s\n", p.Setting)
		}
	}
}
