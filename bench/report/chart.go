package report

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// drawLimit bounds the time in which all charts of a run are drawn.
const drawLimit = 8 * time.Second

// within bounds drawing by drawLimit or, where the caller sets one, by nine
// tenths of the caller's limit, so that the charts that are done reach a caller with a deadline of its own.
func within(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := drawLimit
	if deadline, set := ctx.Deadline(); set {
		limit = time.Until(deadline) * 9 / 10
	}
	return context.WithTimeout(ctx, limit)
}

// picture is a finished PNG. Absent names the figures that it lacks for want of data.
type picture struct {
	png    []byte
	absent []string
}

// chartFile is one chart of a run: the name of its file, and how it is drawn.
type chartFile struct {
	name string
	draw func() (picture, error)
}

// nothingToShow is the reason for which a chart has no data.
type nothingToShow string

// Error implements error.
func (n nothingToShow) Error() string { return string(n) }

// Charts draws the charts of a run as PNG files in dir: of a sweep latency and
// throughput by load, and of every run the figures by reuse
// ordinal or turn, the distribution of the latencies, and the timeline. It
// returns the absolute paths of the files that it wrote, always in that order,
// and one line for every chart, or figure on a chart, that is left out: why, in
// the language of the report. A chart that fails or hangs costs no other its
// place. Connectivity has no charts.
func Charts(ctx context.Context, result *bench.Result, record *bench.Record, dir string) (drawn, skipped []string) {
	if result.Scenario == bench.Connectivity {
		return nil, nil
	}
	w := wordsOf(result.Spec.Lang)
	return drawAll(ctx, w, dir, chartFiles(w, result, record))
}

// draughtsman draws one chart, and names the figures that it lacks for want of data.
type draughtsman func(*typeface, *chartWords, *bench.Result, *bench.Record) (c *canvas, absent []string, err error)

func (d draughtsman) picture(w *chartWords, result *bench.Result, record *bench.Record) (picture, error) {
	face, err := loadTypeface()
	if err != nil {
		return picture{}, err
	}
	c, absent, err := d(face, w, result, record)
	if err != nil {
		return picture{}, err
	}
	png, err := c.png()
	return picture{png, absent}, err
}

// chartFiles lists the charts of a prefix or multi-turn run.
func chartFiles(w *chartWords, result *bench.Result, record *bench.Record) []chartFile {
	groups := "metrics_by_reuse.png"
	if result.Scenario == bench.Multiturn {
		groups = "metrics_by_turn.png"
	}
	split, own := apart(result, record)
	drawing := func(d draughtsman) func() (picture, error) {
		return func() (picture, error) { return d.picture(w, split, own) }
	}
	var files []chartFile
	if split != result {
		files = append(files, chartFile{"load.png", func() (picture, error) { return draughtsman(drawLoads).picture(w, result, record) }})
	}
	return append(files, []chartFile{
		{groups, drawing(drawGroups)},
		{"latency_distribution.png", drawing(drawDistribution)},
		{"timeline.png", drawing(drawTimeline)},
	}...)
}

// drawAll draws the charts side by side and writes them in their order.
func drawAll(ctx context.Context, w *chartWords, dir string, files []chartFile) (drawn, skipped []string) {
	ctx, cancel := within(ctx)
	defer cancel()
	pending := make([]<-chan ending, len(files))
	for i, f := range files {
		pending[i] = start(ctx, f)
	}
	for i, f := range files {
		path := filepath.Join(dir, f.name)
		p, err := await(ctx, pending[i])
		if err == nil {
			path, err = writeWhole(path, p.png)
		}
		if err != nil {
			_ = os.Remove(path) // an older picture would contradict the report
			skipped = append(skipped, fmt.Sprintf(w.left, f.name, w.reason(err)))
			continue
		}
		drawn = append(drawn, path)
		for _, name := range p.absent {
			skipped = append(skipped, fmt.Sprintf(w.leftPanel, f.name, name))
		}
	}
	return drawn, skipped
}

// ending is the end of one chart's drawing.
type ending struct {
	picture picture
	err     error
}

// start draws in a goroutine of its own. One that hangs is left behind with
// its memory; it can't touch a file.
func start(ctx context.Context, f chartFile) <-chan ending {
	done := make(chan ending, 1)
	if ctx.Err() != nil {
		return done
	}
	go func() {
		var d ending
		defer func() {
			if fault := recover(); fault != nil { // the drawing library indexes and divides without checks
				d = ending{err: crash{fault}}
			}
			done <- d
		}()
		d.picture, d.err = f.draw()
	}()
	return done
}

// await prefers a finished drawing to the end of the time.
func await(ctx context.Context, done <-chan ending) (picture, error) {
	select {
	case d := <-done:
		return d.picture, d.err
	case <-ctx.Done():
	}
	select {
	case d := <-done:
		return d.picture, d.err
	default:
		return picture{}, ctx.Err()
	}
}

// crash is a panic of the drawing library.
type crash struct{ fault any }

// Error implements error.
func (c crash) Error() string { return fmt.Sprintf("draw: %v", c.fault) }

// unwritten is a picture that could not be stored.
type unwritten struct{ error }

func (u unwritten) Unwrap() error { return u.error }

func (w *chartWords) reason(err error) string {
	var nothing nothingToShow
	var file unwritten
	switch {
	case errors.As(err, &nothing):
		return string(nothing)
	case errors.Is(err, context.Canceled):
		return w.noTime
	case errors.Is(err, context.DeadlineExceeded):
		return w.tooLong
	case errors.As(err, &file):
		return fmt.Sprintf(w.notWritten, bench.Clean(file.Error(), 300))
	}
	return fmt.Sprintf(w.crashed, bench.Clean(err.Error(), 300))
}

// writeWhole leaves the whole file at path or nothing, and returns its absolute path.
func writeWhole(path string, data []byte) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path, unwritten{err}
	}
	if err := writeFile(abs, data); err != nil {
		return abs, unwritten{err}
	}
	return abs, nil
}
