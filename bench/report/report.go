package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// The names of the files in a run's folder that a report is made of or names.
const (
	MarkdownFile = "report.md"
	ResultFile   = "result.json"
	CSVFile      = "requests.csv"
	journalFile  = "requests.jsonl"
	logFile      = "run.log"
)

// drawingTime bounds the drawing of all charts; what isn't back by then is
// left out. A drawer is told to end a second earlier, so that it can hand over
// what it has.
const drawingTime = 10 * time.Second

// drawer draws charts into dir; see [Charts].
type drawer func(ctx context.Context, result *bench.Result, record *bench.Record, dir string) (drawn, skipped []string)

// Render writes result.json, report.md, requests.csv, report.html and the charts of a run
// into its folder dir, and notes in result.Files what is there. All but the
// charts are written before any chart is drawn: a chart that fails, panics or
// hangs costs only itself. An error says which file could not be written; the
// files before it stand.
func Render(ctx context.Context, dir string, record *bench.Record, result *bench.Result) error {
	return render(ctx, dir, record, result, Charts)
}

// RenderWithin is Render with another limit on the drawing of charts, for who
// needs the same files whatever else the machine is busy with.
func RenderWithin(ctx context.Context, dir string, record *bench.Record, result *bench.Result, limit time.Duration) error {
	return renderWithin(ctx, dir, record, result, Charts, limit)
}

func render(ctx context.Context, dir string, record *bench.Record, result *bench.Result, draw drawer) error {
	return renderWithin(ctx, dir, record, result, draw, drawingTime)
}

func renderWithin(ctx context.Context, dir string, record *bench.Record, result *bench.Result, draw drawer, limit time.Duration) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("find the run's folder: %w", err)
	}
	result.RunDir, result.Files = dir, files(dir)
	if err := writeDocuments(dir, record, result, nil); err != nil {
		return err
	}
	table, err := requestsCSV(record)
	if err != nil {
		return fmt.Errorf("write %s: %w", CSVFile, err)
	}
	if err := writeFile(filepath.Join(dir, CSVFile), table); err != nil {
		return err
	}
	site, err := HTML(result, record)
	if err != nil {
		return fmt.Errorf("write %s: %w", HTMLFile, err)
	}
	if err := writeFile(filepath.Join(dir, HTMLFile), site); err != nil {
		return err
	}
	drawn, skipped := drawCharts(ctx, draw, result, record, dir, limit)
	if len(drawn) == 0 && len(skipped) == 0 {
		return nil
	}
	for _, name := range drawn {
		result.Files.Charts = append(result.Files.Charts, filepath.Join(dir, filepath.Base(name)))
	}
	return writeDocuments(dir, record, result, skipped)
}

// files lists what a rendering writes, and what of the run it finds in dir.
func files(dir string) bench.Files {
	f := bench.Files{
		ReportMD:    filepath.Join(dir, MarkdownFile),
		ReportHTML:  filepath.Join(dir, HTMLFile),
		ResultJSON:  filepath.Join(dir, ResultFile),
		RequestsCSV: filepath.Join(dir, CSVFile),
		Charts:      []string{},
	}
	for name, place := range map[string]*string{journalFile: &f.RequestsJSONL, logFile: &f.RunLog} {
		if path := filepath.Join(dir, name); exists(path) {
			*place = path
		}
	}
	return f
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// writeDocuments writes result.json and report.md.
func writeDocuments(dir string, record *bench.Record, result *bench.Result, skipped []string) error {
	document, err := resultJSON(result)
	if err != nil {
		return fmt.Errorf("write %s: %w", ResultFile, err)
	}
	if err := writeFile(filepath.Join(dir, ResultFile), document); err != nil {
		return err
	}
	page, err := Markdown(result, record, skipped)
	if err != nil {
		return fmt.Errorf("write %s: %w", MarkdownFile, err)
	}
	return writeFile(filepath.Join(dir, MarkdownFile), page)
}

func resultJSON(result *bench.Result) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(result); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// drawCharts draws within the time that charts may take. A drawer that hangs
// is left behind with a copy of the result, so that nothing waits for it.
func drawCharts(ctx context.Context, draw drawer, result *bench.Result, record *bench.Record, dir string, limit time.Duration) (drawn, skipped []string) {
	ctx, cancel := context.WithTimeout(ctx, limit-time.Second)
	defer cancel()
	late := time.NewTimer(limit)
	defer late.Stop()
	type charts struct{ drawn, skipped []string }
	done := make(chan charts, 1)
	own := *result
	own.Files.Charts = slices.Clone(result.Files.Charts)
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				done <- charts{nil, []string{chartFault(&own, "charts.failed")}}
			}
		}()
		drawn, skipped := draw(ctx, &own, record, dir)
		done <- charts{drawn, skipped}
	}()
	select {
	case c := <-done:
		return c.drawn, c.skipped
	case <-late.C:
		return nil, []string{chartFault(result, "charts.late")}
	}
}

func chartFault(result *bench.Result, key string) string {
	l, err := languageOf(result.Spec.Lang)
	if err != nil {
		return key
	}
	return string(l.say(key, "limit", durationOf(drawingTime)))
}

// writeFile replaces the file as a whole or not at all.
func writeFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // no file of that name is left after the rename
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
