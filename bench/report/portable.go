package report

import (
	"path/filepath"

	"github.com/llm-bench/llm-bench/bench"
)

// Portable is result.json without the place that the run lay in: run_dir is
// the run's name, and the files are named within its folder. It is the same
// wherever a run is rendered.
func Portable(result *bench.Result) ([]byte, error) {
	own := *result
	own.RunDir = own.RunID
	f := &own.Files
	for _, path := range []*string{&f.ReportMD, &f.ReportHTML, &f.ResultJSON, &f.RequestsJSONL, &f.RequestsCSV, &f.RunLog} {
		if *path != "" {
			*path = filepath.Base(*path)
		}
	}
	charts := make([]string, len(f.Charts))
	for i, path := range f.Charts {
		charts[i] = filepath.Base(path)
	}
	f.Charts = charts
	return resultJSON(&own)
}
