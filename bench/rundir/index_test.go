package rundir

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

func TestTheIndexStandsInLLMBenchHome(t *testing.T) {
	t.Setenv("LLM_BENCH_HOME", "/somewhere/else")
	if x, err := DefaultIndex(); err != nil || x.Home != "/somewhere/else" {
		t.Errorf("%+v, %v", x, err)
	}
	t.Setenv("LLM_BENCH_HOME", "")
	t.Setenv("HOME", "/home/of/user")
	t.Setenv("USERPROFILE", "/home/of/user")
	if x, err := DefaultIndex(); err != nil || x.Home != filepath.Join("/home/of/user", ".llm-bench") {
		t.Errorf("%+v, %v", x, err)
	}
}

func TestANameIsTakenInTheIndexOnce(t *testing.T) {
	x, dir := index(t), filepath.Join(t.TempDir(), "prefix_1")
	must(t, x.Add("prefix_1", dir))
	wantError(t, x.Add("prefix_1", dir+"x"), fs.ErrExist)
	if got, err := x.read("prefix_1"); err != nil || got != dir {
		t.Errorf("holds %q, %v", got, err)
	}
}

func TestFindingSaysWhatIsWrong(t *testing.T) {
	x := index(t)
	_, err := x.Find("prefix_1")
	wantError(t, err, ErrUnknownRun, "prefix_1")
	_, err = x.Find("../prefix_1")
	wantError(t, err, nil, "run_id", "allowed")
	must(t, x.Add("prefix_1", filepath.Join(t.TempDir(), "prefix_1")))
	_, err = x.Find("prefix_1")
	wantError(t, err, ErrRunGone, "prefix_1")
	_, err = Index{}.Find("prefix_1")
	wantError(t, err, nil, "no home folder")
}

func TestEntriesThatPointElsewhereAreRefused(t *testing.T) {
	x := index(t)
	must(t, os.MkdirAll(x.folder(), 0o755))
	for i, text := range []string{"", "/etc", "relative/prefix_1", "/etc/../etc/passwd\n", "/tmp/prefix_9\n\n"} {
		id := fmt.Sprintf("prefix_%d", i)
		must(t, os.WriteFile(filepath.Join(x.folder(), id), []byte(text), 0o600))
		_, err := x.Find(id)
		wantError(t, err, nil, "holds no path of that run")
	}
	if entries, err := x.List(0); err != nil || len(entries) > 0 {
		t.Errorf("listed %v, %v", entries, err)
	}
}

func TestAHomeThatCannotBeReadIsAnError(t *testing.T) {
	home := t.TempDir()
	must(t, os.WriteFile(filepath.Join(home, "runs"), nil, 0o644))
	_, err := Index{home}.List(0)
	wantError(t, err, nil, "index of runs", home)
	_, err = Index{home}.Find("prefix_1")
	wantError(t, err, nil, "index of runs")
	wantError(t, Index{home}.Add("prefix_1", "/x/prefix_1"), nil, "index of runs", home)
}

func TestAnIndexWithoutRunsIsEmpty(t *testing.T) {
	if entries, err := index(t).List(5); err != nil || len(entries) > 0 {
		t.Errorf("listed %v, %v", entries, err)
	}
}

func TestRunsAreListedNewestFirstWithoutThoseThatAreGone(t *testing.T) {
	x, out := index(t), t.TempDir()
	var ids []string
	for i := range 5 {
		dir, err := Create(x, out, bench.Prefix, began)
		must(t, err)
		at := began.Add(time.Duration(i/2) * time.Hour) // two share a time each
		must(t, os.Chtimes(filepath.Join(x.folder(), dir.RunID), at, at))
		ids = append(ids, dir.RunID)
	}
	must(t, os.Remove(filepath.Join(out, ids[3])))
	must(t, os.WriteFile(filepath.Join(x.folder(), "note.txt"), nil, 0o644))
	slices.Reverse(ids)
	listed := func(limit int) []string {
		entries, err := x.List(limit)
		must(t, err)
		var got []string
		for _, e := range entries {
			got = append(got, e.RunID)
			if e.Dir != filepath.Join(out, e.RunID) {
				t.Errorf("%s is in %s", e.RunID, e.Dir)
			}
		}
		return got
	}
	want := slices.Delete(ids, 1, 2)
	if got := listed(0); !slices.Equal(got, want) {
		t.Errorf("listed %v, want %v", got, want)
	}
	if got := listed(2); !slices.Equal(got, want[:2]) {
		t.Errorf("listed %v, want %v", got, want[:2])
	}
}
