package arkcli

import (
	"strings"
	"testing"
)

func TestARefreshGivesTheNewKeyOnce(t *testing.T) {
	f := newFake(t, "rotated_key", "FAKE_ARKCLI_KEY=ark-old-0000", "FAKE_ARKCLI_KEY2=ark-new-1111")
	a, err := f.Access(t.Context(), "")
	if err != nil || a.Key.Reveal() != "ark-old-0000" {
		t.Fatalf("got %v before the refresh", err)
	}
	fresh, err := f.RefreshKey(t.Context(), a.Profile)
	if err != nil || fresh.Reveal() != "ark-new-1111" {
		t.Fatalf("got %v after the refresh", err)
	}
	if n := count(f.commands(t), "keys refresh"); n != 1 {
		t.Errorf("%d refreshes, want 1", n)
	}
	again, err := f.Access(t.Context(), "")
	if err != nil || again.Key.Reveal() != "ark-new-1111" {
		t.Errorf("the old key is still handed out: %v", err)
	}
}

func TestAReadKeyIsNeverRefreshedInAdvance(t *testing.T) {
	f := newFake(t, "logged_in")
	if _, _, _, err := outcome(t.Context(), f, "doubao seed 2.0 mini"); err != nil {
		t.Fatal(err)
	}
	if n := count(f.commands(t), "refresh"); n > 0 {
		t.Errorf("%d refreshes without a refusal", n)
	}
}

func TestARefreshThatDidNothingIsSaid(t *testing.T) {
	f := newFake(t, "refresh_fails")
	if _, err := f.RefreshKey(t.Context(), ""); problemOf(t, err) != NoKey || !strings.Contains(err.Error(), "skipped") {
		t.Errorf("got %v", err)
	}
}

func TestOddKeysAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "is empty",
		"ark-****9964":                         "is masked",
		"ark-a b":                              "odd form",
		"ark-a\nark-b":                         "odd form",
		"ark-\x00abcdef":                       "odd form",
		"钥匙钥匙钥匙钥匙":                             "odd form",
		"short":                                "odd form",
		strings.Repeat("k", 600):               "odd form",
		"ark-test-0000-1111":                   "",
		"6f1c2d3e-4b5a-4968-8776-655443322110": "",
	} {
		if got := refuse(text); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestRedactionCoversEveryFormOfKeyAndSparesNames(t *testing.T) {
	cli := New(Options{Environ: []string{"PATH="}})
	cli.keep("odd.key+in/the=wild")
	text := "key odd.key+in/the=wild, ark-abc-123, sk-LEAKTEST-0123456789abcdef, Bearer xyz.abc, AKLTabcdef0123, " +
		"6f1c2d3e-4b5a-4968-8776-655443322110, eyJhbGciOi.eyJzdWIi.sig; run npm install -g @volcengine/ark-cli@latest for benchmark-tool"
	got := cli.say(text, 1000)
	want := "key [redacted], [redacted], [redacted], [redacted], [redacted], [redacted], [redacted]; " +
		"run npm install -g @volcengine/ark-cli@latest for benchmark-tool"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := cli.say("ark-\x00abc\x1b[31m-1\x1b[0m23\u202e \n x", 100); got != "[redacted] x" {
		t.Errorf("control characters hide a key: %q", got)
	}
}
