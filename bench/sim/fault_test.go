package sim

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

// faultCase is how a fault is shown in its golden file. The zero value is the
// fault with its default argument on the plain request.
type faultCase struct {
	arg    string
	body   string        // default: thinkless, three tokens
	header []string      // further request headers
	leave  time.Duration // the client leaves after that long
	times  int           // requests of the same kind, default 1
}

const plainQuestion = `{"model":"glm-5-2-260617","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true},"max_completion_tokens":3`

func faultCases() map[string]faultCase {
	const off, on = `,"thinking":{"type":"disabled"}}`, `,"thinking":{"type":"enabled"}}`
	plain := strings.Replace(plainQuestion, `:3`, `:4`, 1)
	return map[string]faultCase{
		"thinks_anyway":            {body: plainQuestion + off},
		"thinking_forced":          {body: plainQuestion + off},
		"no_temperature":           {body: plainQuestion + `,"temperature":0` + off},
		"fixed_temperature":        {body: plainQuestion + `,"temperature":0` + off},
		"no_stream_options":        {body: plainQuestion + off},
		"refuse_reasoning_history": {body: strings.Replace(plainQuestion, `"hi"}`, `"hi"},{"role":"assistant","content":"a","reasoning_content":"r"},{"role":"user","content":"go on"}`, 1) + off},
		"reasoning_field":          {body: plainQuestion + on},
		"hidden_thinking":          {body: plain + on},
		"encrypted_content":        {body: plain + on},
		"usage_every":              {body: plain + on},
		"one_chunk":                {body: plain + on},
		"tokens_per_chunk":         {arg: "2", body: strings.Replace(plainQuestion, `:3`, `:7`, 1) + on},
		"auth_switch":              {header: []string{"Authorization", "Bearer one"}, times: 2},
		"tier_downgrade":           {times: 2},
		"keepalive_only":           {leave: time.Second},
		"silence":                  {leave: time.Second},
		"stall":                    {leave: time.Second},
		"cut":                      {arg: "1"},
		"big_chunk":                {arg: "50"},
		"gzip":                     {header: []string{"Accept-Encoding", "gzip"}},
		"retry_after":              {arg: "7+http_429"},
		"buffered":                 {arg: "2"},
	}
}

// transcript is an exchange as a client sees it: status, headers that matter,
// and each read with its time.
func (l *lab) transcript(c faultCase, spec string) string {
	body := c.body
	if body == "" {
		body = plainQuestion + `,"thinking":{"type":"disabled"}}`
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if c.leave > 0 {
		time.AfterFunc(c.leave, cancel)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.base+"/chat/completions", strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	req.Header.Set(HeaderFault, spec)
	for i := 0; i < len(c.header); i += 2 {
		req.Header.Set(c.header[i], c.header[i+1])
	}
	start := time.Now()
	resp, err := l.client.Do(req)
	if err != nil {
		return fmt.Sprintf("@%v no answer: %v\n", time.Since(start), errors.Unwrap(err))
	}
	defer func() { _ = resp.Body.Close() }()
	return transcribe(resp, start)
}

func transcribe(resp *http.Response, start time.Time) string {
	var out strings.Builder
	fmt.Fprintf(&out, "@%v %s\n", time.Since(start), resp.Status)
	for _, name := range []string{"Content-Type", "Content-Encoding", "Retry-After", "Location"} {
		if value := resp.Header.Get(name); value != "" {
			fmt.Fprintf(&out, "%s: %s\n", name, value)
		}
	}
	buf := make([]byte, 1<<16)
	for {
		n, err := resp.Body.Read(buf)
		if n > 0 {
			fmt.Fprintf(&out, "@%v %d bytes\n%s", time.Since(start), n, readable(buf[:n]))
		}
		if err != nil {
			if err != io.EOF {
				fmt.Fprintf(&out, "@%v %v\n", time.Since(start), err)
			} else {
				fmt.Fprintf(&out, "@%v end\n", time.Since(start))
			}
			return out.String()
		}
	}
}

// readable shows bytes line by line: a missing line end as "\", CR as "\r",
// and bytes that are no text as their number alone.
func readable(b []byte) string {
	if b[0] == 0x1f {
		return "(compressed)\n"
	}
	text := strings.ReplaceAll(string(b), "\r", `\r`)
	if !strings.HasSuffix(text, "\n") {
		text += "\\\n"
	}
	return text
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "faults", name+".golden")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n%s\nwant:\n%s", file, got, want)
	}
}

func TestEveryFaultSendsItsGoldenBytes(t *testing.T) {
	cases := faultCases()
	for name := range cases {
		if !slices.ContainsFunc(Faults(), func(f FaultInfo) bool { return f.Name == name }) {
			t.Errorf("a case for %q, which is no fault", name)
		}
	}
	names := []string{""}
	for _, f := range Faults() {
		names = append(names, f.Name)
	}
	for _, name := range names {
		t.Run(nameOr(name, "none"), func(t *testing.T) {
			c := cases[name]
			spec := name
			if c.arg != "" {
				spec += ":" + c.arg
			}
			inBubble(t, Config{ThinkTokens: 2}, func(l *lab) {
				var got strings.Builder
				for range max(c.times, 1) {
					got.WriteString(l.transcript(c, spec))
				}
				compareGolden(t, nameOr(name, "none"), got.String())
			})
		})
	}
}

func TestEveryVendorSendsItsGoldenBytes(t *testing.T) {
	body := strings.Replace(plainQuestion, `max_completion_tokens":3`, `max_tokens":2`, 1) + `}`
	for _, name := range VendorNames() {
		t.Run(name, func(t *testing.T) {
			c := faultCase{body: body}
			if name == "openai" {
				c.body = strings.Replace(body, "max_tokens", "max_completion_tokens", 1)
			}
			inBubble(t, Config{Vendor: name, ThinkTokens: 1}, func(l *lab) {
				compareGolden(t, "vendor_"+name, l.transcript(c, ""))
			})
		})
	}
}

func TestSelectorsPickTheRequestsThatFail(t *testing.T) {
	for spec, want := range map[string]string{
		"http_500":                    "500 500 500 500 500 500",
		"http_500@2":                  "200 500 200 200 200 200",
		"http_500@2-4":                "200 500 500 500 200 200",
		"http_500%3":                  "200 200 500 200 200 500",
		"http_500^2":                  "500 500 500 500 200 200", // bodies a b a b a b
		"rpm@1+http_500%2":            "429 500 200 500 200 500",
		"http_429:ServerOverloaded@6": "200 200 200 200 200 429",
	} {
		inBubble(t, Config{Fault: spec}, func(l *lab) {
			var got []string
			for i := range 6 {
				got = append(got, fmt.Sprint(l.post(ask(mini, []string{"a", "b"}[i%2], 1)).status))
			}
			if have := strings.Join(got, " "); have != want {
				t.Errorf("%s: %s, want %s", spec, have, want)
			}
		})
	}
}

func TestFaultsComeFromModelNameHeaderConfigAndHook(t *testing.T) {
	hook := func(r *Request) string {
		if r.Messages == 3 && strings.Contains(string(r.Body), "session 3") {
			return "http_500"
		}
		return ""
	}
	for _, c := range []struct {
		cfg    Config
		body   string
		header []string
	}{
		{Config{}, ask("sim-http_500", "hi", 1), nil},
		{Config{}, ask(mini+"+http_500", "hi", 1), nil},
		{Config{}, ask(DefaultEndpoint+"+keepalive+http_500", "hi", 1), nil},
		{Config{}, ask(mini, "hi", 1), []string{HeaderFault, "http_500"}},
		{Config{Fault: "http_500"}, ask(mini, "hi", 1), nil},
		{Config{FaultFor: hook}, chat(1, "session 3", "fine", "next"), nil},
	} {
		inBubble(t, c.cfg, func(l *lab) {
			if r := l.post(c.body, c.header...); r.status != 500 {
				t.Errorf("%s %v: status %d, want 500", c.body, c.header, r.status)
			}
		})
	}
	inBubble(t, Config{FaultFor: hook}, func(l *lab) {
		if r := l.post(chat(1, "session 4", "fine", "next")); r.status != 200 {
			t.Errorf("another session: status %d, want 200", r.status)
		}
	})
}

func TestWrongFaultsAreRefusedWithTheReason(t *testing.T) {
	for spec, want := range map[string]string{
		"nonsense":      `no fault is named "nonsense"`,
		"late_end:fast": `late_end: argument "fast": must be a duration`,
		"cut:-1":        `cut: argument "-1": must be a count`,
		"crlf:1":        "crlf: takes no argument",
		"crlf@0":        `selector "@0"`,
		"crlf%2-3":      `selector "%2-3"`,
		"crlf@5-2":      `selector "@5-2"`,
		"crlf+":         `no fault is named ""`,
	} {
		_, err := New(Config{Fault: spec})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", spec, err, want)
		}
	}
}

func TestFaultTableIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Faults() {
		if f.Doc == "" || seen[f.Name] || strings.ContainsAny(f.Name, " :+@%^-") {
			t.Errorf("fault %+v: needs a line of documentation and a name of its own", f)
		}
		seen[f.Name] = true
	}
	for _, v := range vendors() {
		if _, err := parseFaults(v.always); err != nil {
			t.Errorf("vendor %s: %v", v.name, err)
		}
	}
}

func TestRateLimitsOfEachClassKeepTheirCode(t *testing.T) {
	for _, code := range []string{"RateLimitExceeded.EndpointRPMExceeded", "RateLimitExceeded.EndpointFlexTPMExceeded", "QuotaExceeded", "ServerOverloaded", "ModelAccountTpmRateLimitExceeded"} {
		inBubble(t, Config{Fault: "http_429:" + code}, func(l *lab) {
			r := l.post(ask(mini, "hi", 1))
			if r.status != 429 || !strings.Contains(r.body, `"code":"`+code+`"`) || !strings.Contains(r.body, "TooManyRequests") {
				t.Errorf("%s: %d %s", code, r.status, r.body)
			}
		})
	}
}

func TestAnotherKeyOpensTheSwitch(t *testing.T) {
	inBubble(t, Config{Fault: "auth_switch"}, func(l *lab) {
		var got []int
		for _, key := range []string{"one", "one", "two", "one"} {
			got = append(got, l.post(ask(mini, "hi", 1), "Authorization", "Bearer "+key).status)
		}
		if !slices.Equal(got, []int{401, 401, 200, 401}) {
			t.Errorf("statuses %v, want 401 401 200 401", got)
		}
	})
}

func TestALateEndKeepsTheConnectionUsable(t *testing.T) {
	inBubble(t, Config{Fault: "late_end"}, func(l *lab) {
		for range 20 {
			l.post(ask(mini, "hi", 2))
		}
		if s := l.s.Stats(); s.Connections != 1 {
			t.Errorf("%d connections for 20 requests read to the end, want 1", s.Connections)
		}
	})
}
