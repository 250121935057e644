package report

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// timeless draws a run's charts in a time that stands still while they are drawn,
// so that a slow machine leaves none out.
func timeless(t *testing.T, result *bench.Result, record *bench.Record, dir string) (drawn, skipped []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { drawn, skipped = Charts(t.Context(), result, record, dir) })
	return drawn, skipped
}

func inEnglish(s bench.Spec) bench.Spec {
	s.Lang = "en"
	return s
}

func quick(s bench.Scenario) bench.Spec { return bench.NewSpec(s, bench.Quick) }

// decoded reads a chart that must be a PNG as wide as promised and not blank.
func decoded(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if size := img.Bounds().Size(); size.X != pictureWidth || size.Y < 500 || size.Y > 2400 {
		t.Errorf("%s is %v", path, size)
	}
	opaque, is := img.(*image.RGBA)
	if !is {
		t.Fatalf("%s is a %T", path, img)
	}
	checkInked(t, path, opaque)
}

// checkInked fails unless some of the picture is not white, and most of it is.
func checkInked(t *testing.T, name string, img *image.RGBA) {
	t.Helper()
	all, n := 0, 0
	for i := 0; i < len(img.Pix); i += 4 * 7 {
		all++
		if !bytes.Equal(img.Pix[i:i+4], []byte{255, 255, 255, 255}) {
			n++
		}
	}
	if share := float64(n) / float64(all); share < 0.005 || share > 0.5 {
		t.Errorf("%s: %.2f %% of it is not white", name, 100*share)
	}
}

// names checks that paths are absolute, and returns the files' names.
func names(t *testing.T, paths []string) []string {
	t.Helper()
	var bases []string
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			t.Errorf("%s is no absolute path", p)
		}
		bases = append(bases, filepath.Base(p))
	}
	return bases
}

func TestRunsHaveThreeChartsInAFixedOrder(t *testing.T) {
	t.Parallel()
	for scenario, first := range map[bench.Scenario]string{bench.Prefix: "metrics_by_reuse.png", bench.Multiturn: "metrics_by_turn.png"} {
		result, record := madeRun(middling(scenario), doubao())
		drawn, skipped := timeless(t, result, record, t.TempDir())
		if want := []string{first, "latency_distribution.png", "timeline.png"}; !slices.Equal(names(t, drawn), want) || len(skipped) > 0 {
			t.Errorf("%s: drawn %v, skipped %v", scenario, drawn, skipped)
		}
		for _, path := range drawn {
			decoded(t, path)
		}
	}
}

func madeRun(spec bench.Spec, models ...imagined) (*bench.Result, *bench.Record) {
	if spec.Scenario == bench.Multiturn {
		return multiturnRun(spec, models...)
	}
	return prefixRun(spec, models...)
}

func TestConnectivityHasNoCharts(t *testing.T) {
	dir := t.TempDir()
	result := &bench.Result{Scenario: bench.Connectivity, Spec: quick(bench.Connectivity)}
	drawn, skipped := timeless(t, result, &bench.Record{}, dir)
	if len(drawn)+len(skipped) > 0 || len(listed(t, dir)) > 0 {
		t.Errorf("drawn %v, skipped %v, files %v", drawn, skipped, listed(t, dir))
	}
}

func listed(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// degenerate are runs whose figures are as poor as they get.
func degenerate() map[string]func(*bench.Record) {
	each := func(change func(*bench.Sample)) func(*bench.Record) {
		return func(r *bench.Record) {
			for _, s := range r.Samples {
				change(s)
			}
		}
	}
	return map[string]func(*bench.Record){
		"no sample":    func(r *bench.Record) { r.Samples = nil },
		"one sample":   func(r *bench.Record) { r.Samples = r.Samples[:1] },
		"two samples":  func(r *bench.Record) { r.Samples = r.Samples[:2] },
		"equal values": each(func(s *bench.Sample) { s.FirstToken, s.LastToken, s.End = after(s, 100), after(s, 200), after(s, 201) }),
		"all zero":     each(func(s *bench.Sample) { s.FirstToken, s.LastToken, s.End = s.Start, s.Start, s.Start }),
		"one instant": each(func(s *bench.Sample) {
			s.Start, s.FirstToken, s.LastToken, s.End = markAt(0), markAt(0), markAt(0), markAt(0)
		}),
		"no usage":          each(func(s *bench.Sample) { s.Usage = nil }),
		"no tokens":         each(func(s *bench.Sample) { one := 1; s.Usage.Completion, s.Usage.Prompt = &one, new(int) }),
		"no tokens by turn": each(func(s *bench.Sample) { s.Usage.Prompt = nil }),
		"one turn":          func(r *bench.Record) { r.Samples = r.Samples[:1] },
		"no cache field":    each(func(s *bench.Sample) { s.Usage.Cached = nil }),
		"no end":            each(func(s *bench.Sample) { s.End = bench.Mark{} }),
		"no marks": each(func(s *bench.Sample) {
			s.Start, s.FirstToken, s.LastToken, s.End = bench.Mark{}, bench.Mark{}, bench.Mark{}, bench.Mark{}
		}),
		"clock gone mad": each(func(s *bench.Sample) {
			s.FirstToken, s.LastToken = bench.MarkAt(math.MaxInt64), bench.MarkAt(math.MinInt64)
		}),
		"all failed":   each(func(s *bench.Sample) { s.Outcome, s.FirstToken, s.Usage = bench.FailServerError, bench.Mark{}, nil }),
		"all canceled": each(func(s *bench.Sample) { s.Outcome = bench.Canceled }),
		"every other turn failed": each(func(s *bench.Sample) {
			if s.Turn%2 == 0 {
				s.Outcome = bench.FailConnect
			}
		}),
		"no target": func(r *bench.Record) { r.Header.Targets = nil },
	}
}

func after(s *bench.Sample, ms float64) bench.Mark {
	return markAt(bench.Milliseconds(s.Start.At()) + ms)
}

func TestPoorDataGivesAValidChartOrOneLineThatSaysWhy(t *testing.T) {
	t.Parallel()
	for name, spoil := range degenerate() {
		t.Run(name, func(t *testing.T) {
			scenario := bench.Prefix
			if strings.Contains(name, "turn") {
				scenario = bench.Multiturn
			}
			_, record := madeRun(inEnglish(quick(scenario)), doubao())
			spoil(record)
			result := bench.NewResult("run", "", record, bench.StateSucceeded)
			checkAccounted(t, &result, record)
		})
	}
}

// checkAccounted fails unless each chart can be drawn, or says why not.
func checkAccounted(t *testing.T, result *bench.Result, record *bench.Record) {
	t.Helper()
	face, err := loadTypeface()
	if err != nil {
		t.Fatal(err)
	}
	for name, draw := range draughtsmen() {
		c, _, err := draw(face, wordsOf("en"), result, record)
		var nothing nothingToShow
		switch {
		case err == nil:
			checkInked(t, name, c.image)
		case !errors.As(err, &nothing) || nothing == "":
			t.Errorf("%s: %v", name, err)
		}
	}
}

func draughtsmen() map[string]draughtsman {
	return map[string]draughtsman{"groups": drawGroups, "distribution": drawDistribution, "timeline": drawTimeline}
}

func TestARunOfOneSampleOrNoneIsAccountedForChartByChart(t *testing.T) {
	t.Parallel()
	for n, want := range map[int][2]int{0: {0, 3}, 1: {3, 0}} {
		_, record := prefixRun(inEnglish(quick(bench.Prefix)), doubao())
		record.Samples = record.Samples[:n]
		result := bench.NewResult("run", "", record, bench.StateSucceeded)
		drawn, skipped := timeless(t, &result, record, t.TempDir())
		if got := [2]int{len(drawn), len(skipped)}; got != want {
			t.Errorf("%d samples: drawn %v, skipped %q", n, drawn, skipped)
		}
		for _, path := range drawn {
			decoded(t, path)
		}
		for i, f := range chartFiles(wordsOf("en"), &result, record)[len(drawn):] {
			if !strings.HasPrefix(skipped[i], f.name+" was not drawn: no request has ") {
				t.Errorf("skipped: %s", skipped[i])
			}
		}
	}
}

func TestNoValueThatIsNoNumberReachesAChart(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		result, record := multiturnRun(inEnglish(quick(bench.Multiturn)), doubao())
		s := &result.Targets[0].Summary
		s.TTFT.Avg, s.TPOT.Avg, s.Cache.HitRate = bad, bad, &bad
		for i := range s.Breakdown {
			g := &s.Breakdown[i]
			g.TTFT.Avg, g.TTFTPer1K.P5, g.TPOT.P95, g.Prompt.Avg, g.HitRate = bad, bad, bad, bad, &bad
		}
		drawn, skipped := timeless(t, result, record, t.TempDir())
		if want := []string{"latency_distribution.png", "timeline.png"}; !slices.Equal(names(t, drawn), want) || len(skipped) != 1 {
			t.Errorf("%v: drawn %v, skipped %v", bad, drawn, skipped)
		}
	}
}

func TestMissingFiguresAreNamedInTheReportsLanguage(t *testing.T) {
	t.Parallel()
	for lang, want := range map[string][]string{
		"en": {"metrics_by_reuse.png is without TPOT: no request has this figure", "latency_distribution.png is without TPOT: no request has this figure"},
		"zh": {"metrics_by_reuse.png 不含“每输出 token 间隔 TPOT”：没有请求具备该指标", "latency_distribution.png 不含“每输出 token 间隔 TPOT”：没有请求具备该指标"},
	} {
		spec := quick(bench.Prefix)
		spec.Lang = lang
		_, record := prefixRun(spec, doubao())
		for _, s := range record.Samples {
			s.Usage.Completion = nil
		}
		result := bench.NewResult("run", "", record, bench.StateSucceeded)
		if drawn, skipped := timeless(t, &result, record, t.TempDir()); len(drawn) != 3 || !slices.Equal(skipped, want) {
			t.Errorf("%s: drawn %v, skipped %q", lang, drawn, skipped)
		}
	}
}

func TestOneDrawingThatHangsFailsOrCrashesCostsNoOtherItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, release := t.TempDir(), make(chan struct{})
		good := func() (picture, error) { return picture{png: []byte("drawn")}, nil }
		files := []chartFile{
			{"first.png", good},
			{"hangs.png", func() (picture, error) { <-release; return good() }},
			{"fails.png", func() (picture, error) { return picture{}, errors.New("zero x-range delta") }},
			{"crashes.png", func() (picture, error) { panic("index out of range") }},
			{"last.png", good},
		}
		began := time.Now()
		drawn, skipped := drawAll(context.Background(), wordsOf("en"), dir, files)
		if took := time.Since(began); took != drawLimit {
			t.Errorf("it took %v", took)
		}
		want := []string{
			"hangs.png was not drawn: drawing took too long",
			"fails.png was not drawn: drawing failed (zero x-range delta)",
			"crashes.png was not drawn: drawing failed (draw: index out of range)",
		}
		if !slices.Equal(names(t, drawn), []string{"first.png", "last.png"}) || !slices.Equal(skipped, want) {
			t.Errorf("drawn %v, skipped %q", drawn, skipped)
		}
		close(release)
		synctest.Wait()
		if left := listed(t, dir); !slices.Equal(left, []string{"first.png", "last.png"}) {
			t.Errorf("files: %v", left)
		}
	})
}

func TestChartsAreBackBeforeTheCallersDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		began := time.Now()
		drawAll(ctx, wordsOf("en"), t.TempDir(), []chartFile{{"hangs.png", func() (picture, error) { <-release; return picture{}, nil }}})
		if took := time.Since(began); took != 4500*time.Millisecond {
			t.Errorf("it took %v", took)
		}
	})
}

func TestACanceledCallDrawsNothingAndSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	result, record := prefixRun(quick(bench.Prefix), doubao())
	drawn, skipped := Charts(ctx, result, record, dir)
	if len(drawn) > 0 || len(skipped) != 3 || skipped[2] != "未绘制 timeline.png：没有剩余时间" || len(listed(t, dir)) > 0 {
		t.Errorf("drawn %v, skipped %q, files %v", drawn, skipped, listed(t, dir))
	}
}

func TestAnUnwritableFolderIsNamedForEachChart(t *testing.T) {
	result, record := prefixRun(inEnglish(quick(bench.Prefix)), doubao())
	drawn, skipped := timeless(t, result, record, filepath.Join(t.TempDir(), "missing"))
	if len(drawn) > 0 || len(skipped) != 3 || !strings.HasPrefix(skipped[0], "metrics_by_reuse.png was not drawn: the file could not be written (") {
		t.Errorf("drawn %v, skipped %q", drawn, skipped)
	}
}

func TestAPictureOfAnEarlierStateDoesNotOutliveItsData(t *testing.T) {
	dir := t.TempDir()
	result, record := prefixRun(quick(bench.Prefix), doubao())
	timeless(t, result, record, dir)
	record.Samples = nil
	empty := bench.NewResult("run", "", record, bench.StateInterrupted)
	if timeless(t, &empty, record, dir); len(listed(t, dir)) > 0 {
		t.Errorf("files: %v", listed(t, dir))
	}
}

func TestTheSameRunIsDrawnToTheSameBytes(t *testing.T) {
	t.Parallel()
	result, record := multiturnRun(middling(bench.Multiturn), doubao())
	a, b := t.TempDir(), t.TempDir()
	drawn, _ := timeless(t, result, record, a)
	timeless(t, result, record, b)
	for _, name := range names(t, drawn) {
		one, _ := os.ReadFile(filepath.Join(a, name))
		two, _ := os.ReadFile(filepath.Join(b, name))
		if !bytes.Equal(one, two) {
			t.Errorf("%s differs", name)
		}
	}
}
