package rundir

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/llm-bench/llm-bench/bench"
)

func TestLeaksAreNamedByFileAndLineAndNeverShown(t *testing.T) {
	const key = "0f8c11d2a7-plain-key-of-a-vendor"
	known := []KnownKey{{"MINE_API_KEY", bench.NewSecret(key)}}
	for what, line := range map[string]string{
		"the key in MINE_API_KEY":    "x " + key + " y",
		"the key in MINE_API_KEY ":   "x " + base64.StdEncoding.EncodeToString([]byte(key)),
		"the key in MINE_API_KEY  ":  "cut off: " + key[:12] + "…",
		"what looks like an API key": `{"message":"no such key sk-LEAKTEST-0123456789abcdef"}`,
		"what looks like an API":     "ark-4f6a2e18-77aa-4f6a-9c01-000000000001",
		"an Authorization header":    `{"body":"{\"Authorization\":\"Bearer abcDEF123456\"}"}`,
		"an Authorization header ":   "Authorization: Basic dXNlcjpwYXNzd29yZDE=",
		"a bearer token":             "curl -H 'x: Bearer abcdef0123456789'",
		"a JSON web token":           "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl",
		"an access key":              "id AKLTNjA0ZTQ5ZTQ5ZTQ5 of the account",
		"an access token":            "ghp_0123456789abcdefghijABCDEFGHIJ0123",
		"a private key":              "-----BEGIN RSA PRIVATE KEY-----",
	} {
		found := Leaks("run.log", []byte("first\n"+line+"\nlast"), known)
		if len(found) != 1 || found[0].File != "run.log" || found[0].Line != 2 || !strings.HasPrefix(found[0].What, strings.TrimSpace(what)) {
			t.Errorf("%q gives %v, want %s", line, found, what)
			continue
		}
		if text := LeakError(found).Error(); strings.Contains(text, key[:12]) || !strings.Contains(text, "run.log line 2") {
			t.Errorf("the error is %q", text)
		}
	}
}

func TestWhatIsNoSecretStopsNothing(t *testing.T) {
	known := []KnownKey{{"VLLM_API_KEY", bench.NewSecret("EMPTY")}, {"UNSET_API_KEY", bench.NewSecret("")}}
	for _, line := range []string{
		"the key is EMPTY, or [redacted]",
		"You didn't provide an API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
		`{"authorization":"[redacted]"}`,
		"ark-code-latest, sk-learn-and-others, risk-based",
		"request id 2f1a0c3e-9b1d-4b55-8a53-0d7f0a0c1f11",
		`{"input_sha256":"` + strings.Repeat("9f2c7a1b", 8) + `"}`,
		"the bearer of this letter",
		`"t":"` + strings.Repeat("gx8C4kmB", 200) + `"`,
	} {
		if found := Leaks("a", []byte(line), known); len(found) > 0 {
			t.Errorf("%q gives %v", line, found)
		}
	}
}

func TestAWrittenRunHoldsNoSecret(t *testing.T) {
	dir := written(t, 3, true)
	if found := Leaks(JournalFile, []byte(journalText(t, dir)), []KnownKey{{"ARK_API_KEY", bench.NewSecret(leak)}}); len(found) > 0 {
		t.Error(found)
	}
}
