package rundir

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
)

func TestFilesAreThoseThatExistWithAbsolutePaths(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(filepath.Dir(dir))
	relative := filepath.Base(dir)
	for _, name := range []string{ReportMD, ResultFile, JournalFile, LogFile, StateFile, "ttft.png", "ecdf.png", "x.txt"} {
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	must(t, os.Mkdir(filepath.Join(dir, ReportHTML), 0o755))
	must(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link.png")))
	at := func(name string) string { return filepath.Join(dir, name) }
	want := bench.Files{
		ReportMD: at("report.md"), ResultJSON: at("result.json"), RequestsJSONL: at("requests.jsonl"), RunLog: at("run.log"),
		Charts: []string{at("ecdf.png"), at("ttft.png")},
	}
	if got := Files(relative); !reflect.DeepEqual(got, want) {
		t.Errorf("files %+v, want %+v", got, want)
	}
}

func TestAPlaceThatIsNotThereHasNoFiles(t *testing.T) {
	if got, want := Files(filepath.Join(t.TempDir(), "none")), (bench.Files{Charts: []string{}}); !reflect.DeepEqual(got, want) {
		t.Errorf("files %+v", got)
	}
}
