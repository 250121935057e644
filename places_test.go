package main

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// handOver writes the files that a user names, into a folder of a telling name.
func handOver(t *testing.T, url string) (place, corpus, authorities, target string) {
	t.Helper()
	trusted := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(trusted.Close)
	place = filepath.Join(t.TempDir(), "home-of-somebody")
	corpus, authorities, target = filepath.Join(place, "mine.txt"), filepath.Join(place, "roots.pem"), filepath.Join(place, "target.yaml")
	if err := os.Mkdir(place, 0o755); err != nil {
		t.Fatal(err)
	}
	appendTo(t, corpus, strings.Repeat("A sentence of my own, which says little but fills a line.\n", 200))
	appendTo(t, authorities, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: trusted.Certificate().Raw})))
	appendTo(t, target, "label: mine\nmodel: m\nbase_url: "+url+"\n")
	return place, corpus, authorities, target
}

func TestWhatIsHandedOnNamesNoPlaceOfTheMachineAndARunGoesOnNonetheless(t *testing.T) {
	alone(t)
	var g gate
	place, corpus, authorities, target := handOver(t, g.serve(t, 3))
	dir := broken(t, &g, "prefix", "--target", target, "--corpus", corpus, "--allow-corpus-reuse", "--ca-file", authorities,
		"--prefix-len", "100", "--suffix-len", "100", "--num-requests", "8")
	if c := call("resume", dir); c.code != exitDone {
		t.Fatalf("exit code %d\n%s", c.code, c.err)
	}
	file := filepath.Join(t.TempDir(), "b.zip")
	if c := call("package", dir, "-o", file); c.code != exitDone {
		t.Fatalf("exit code %d\n%s", c.code, c.err)
	}
	_, files := contents(t, file)
	for name, text := range files {
		if strings.Contains(text, filepath.Base(place)) {
			t.Errorf("%s names %s", name, place)
		}
	}
	for _, name := range []string{"requests.jsonl", "result.json", "run.log", "report.md", "report.html", "requests.csv"} {
		if strings.Contains(read(t, filepath.Join(dir, name)), filepath.Base(place)) {
			t.Errorf("%s in the run's folder names %s", name, place)
		}
	}
	if !strings.Contains(files["requests.jsonl"], `"corpus":"mine.txt"`) {
		t.Error("the journal doesn't name the corpus")
	}
	if err := os.Remove(filepath.Join(dir, "state.json")); err != nil {
		t.Fatal(err)
	}
	if c := call("resume", dir); c.code != exitFailed || !strings.Contains(c.err, "mine.txt") {
		t.Errorf("without a state: exit code %d\n%s", c.code, c.err)
	}
}
