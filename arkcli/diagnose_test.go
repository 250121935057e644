package arkcli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestADiagnosisHoldsNamesAndNoValue(t *testing.T) {
	for _, scenario := range []string{"logged_in", "ok_envelope", "logged_out", "stale_login", "very_old", "banner", "garbage", "old_no_plain", "chinese_project", "key_on_stderr", "plain_error"} {
		f := newFake(t, scenario, "ARK_API_KEY=ark-poison", "ARK_SECRET_9=1", "FAKE_ARKCLI_BASE_URL=https://private.example.com/api/v3")
		d, err := f.Diagnose(t.Context())
		if err != nil || !d.Found || len(d.Commands) < 4 {
			t.Fatalf("%s: got %+v, %v", scenario, d, err)
		}
		record, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range []string{"alice", "2100000001", "trn:", "ark-test", "ark-****", "392*", "platform_cn", "账号", "private.example", "poison", "ep-2026", "doubao", "Bad Gateway", f.opts.Home} {
			if strings.Contains(string(record), value) {
				t.Errorf("%s: the value %q is in the record %s", scenario, value, record)
			}
		}
		for _, line := range f.commands(t) {
			if strings.Contains(line, "login") || strings.Contains(line, "refresh") {
				t.Errorf("%s: a diagnosis ran %q", scenario, line)
			}
		}
	}
}

func TestTheRecordOfAWorkingProgram(t *testing.T) {
	f := newFake(t, "logged_in", "ARK_PROFILE=x")
	d, err := f.Diagnose(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d.OS, d.Arch, d.Program = "OS", "ARCH", "arkcli"
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "diagnosis.json", string(text)+"\n")
}

func TestADiagnosisWithoutAProgramOrAnAnswerEnds(t *testing.T) {
	missing := New(Options{Environ: []string{"PATH=/usr/bin"}, Home: "/home/a", GOOS: "linux", files: drawnDisk{}})
	if d, err := missing.Diagnose(t.Context()); err != nil || d.Found || d.Problem != CLIMissing {
		t.Errorf("got %+v, %v", d, err)
	}
	f := newProcess(t, "hang", Options{CallTimeout: 100 * time.Millisecond})
	if d, err := f.Diagnose(t.Context()); err != nil || len(d.Commands) != maxTimeouts || d.Problem != Timeout {
		t.Errorf("got %+v, %v", d, err)
	}
}
