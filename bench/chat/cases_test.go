package chat_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// at puts pieces of a stream at one time.
func at(ms int, pieces ...string) write { return write{ms, strings.Join(pieces, "")} }

// plain is a stream of two tokens that nothing is odd about.
func plain() answer { return stream(at(50, C("A")), at(80, C("B"), F("stop"), U(10, 2, 0), Z)) }

func TestStreams(t *testing.T) {
	crlf := plain()
	lone := plain()
	for i := range crlf.writes {
		crlf.writes = slices.Clone(crlf.writes)
		lone.writes = slices.Clone(lone.writes)
		crlf.writes[i].data = strings.ReplaceAll(crlf.writes[i].data, "\n", "\r\n")
		lone.writes[i].data = strings.ReplaceAll(lone.writes[i].data, "\n", "\r")
	}
	long := strings.Repeat("x", 102400)
	for _, c := range []struct {
		name     string
		answer   answer
		want     string
		answerIs string
		warnings []bench.Warning
	}{
		{name: "a plain stream", answer: plain(), want: "succeeded ttft=50 e2e=80 tpot=30 n=2", answerIs: "AB"},
		{name: "lines end in CR LF", answer: crlf, want: "succeeded ttft=50 e2e=80 tpot=30 n=2", answerIs: "AB"},
		{name: "lines end in a lone CR", answer: lone, want: "succeeded ttft=50 e2e=80 tpot=30 n=2", answerIs: "AB"},
		{name: "a byte order mark", answer: stream(at(50, "\ufeff", C("A")), at(80, C("B"), F("stop"), U(10, 2, 0), Z)), want: "succeeded ttft=50 e2e=80 tpot=30 n=2", answerIs: "AB"},
		{
			name:   "comments and blank lines while queued",
			answer: stream(at(0, ": keep-alive\n\n"), at(100, ": keep-alive\n\n"), at(200, ": keep-alive\n\n"), at(250, "\n"), at(300, C("A")), at(350, C("B"), F("stop"), U(10, 2, 0), Z)),
			want:   "succeeded ttft=300 e2e=350 tpot=50 n=2", answerIs: "AB",
		},
		{
			name: "other fields and data over several lines",
			answer: stream(at(20, "id: 7\nevent: message\nretry: 10\ndata: {\"id\":\"x\",\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"A\"}}]}\n\n"),
				at(40, F("stop"), U(10, 1, 0), Z)),
			want: "succeeded ttft=20 e2e=20 tpot=none n=1", answerIs: "A",
		},
		{
			name:   "data: with no space, and with two",
			answer: stream(at(20, strings.Replace(C("A"), "data: ", "data:", 1)), at(40, strings.Replace(C("B"), "data: ", "data:  ", 1), F("stop"), U(10, 2, 0), "data:[DONE]\n\n")),
			want:   "succeeded ttft=20 e2e=40 tpot=20 n=2", answerIs: "AB",
		},
		{
			name:   "the last event lacks its blank line",
			answer: stream(at(50, C("A")), at(80, C("B"), F("stop"), strings.TrimRight(U(10, 2, 4), "\n"))),
			want:   "succeeded ttft=50 e2e=80 tpot=30 n=2", answerIs: "AB",
			warnings: []bench.Warning{bench.WarnUnterminatedEvent, bench.WarnNoDone},
		},
		{
			name: "an event cut between reads, then several in one",
			answer: stream(at(20, `data: {"id":"x","choices":[{"index":0,"delta":{"cont`),
				at(60, `ent":"A"}}]}`+"\n\n", C("B"), F("stop"), U(10, 2, 0), Z)),
			want: "succeeded ttft=60 e2e=60 tpot=none n=2", answerIs: "AB",
		},
		{
			name:   "a line of 100 KiB",
			answer: stream(at(50, C(long)), at(80, C("B"), F("stop"), U(10, 2, 0), Z)),
			want:   "succeeded ttft=50 e2e=80 tpot=30 n=2", answerIs: long + "B",
		},
		{name: "an end by [DONE] alone", answer: stream(at(50, C("A")), at(80, C("B"), U(10, 2, 0), Z)), want: "succeeded ttft=50 e2e=80 tpot=30 n=2", answerIs: "AB"},
		{
			name: "an end by finish_reason alone", answer: stream(at(50, C("A")), at(80, C("B"), F("stop"), U(10, 2, 0))),
			want: "succeeded ttft=50 e2e=80 tpot=30 n=2", answerIs: "AB", warnings: []bench.Warning{bench.WarnNoDone},
		},
		{
			name: "error fields that say nothing",
			answer: stream(at(50, strings.Replace(C("A"), `"created":1`, `"created":1,"error":null`, 1)),
				at(80, strings.Replace(C("B"), `"created":1`, `"created":1,"error":{ }`, 1), F("stop"), U(10, 2, 0), Z)),
			want: "succeeded ttft=50 e2e=80 tpot=30 n=2", answerIs: "AB",
		},
		{
			name:   "a role-only opener",
			answer: stream(at(5, K(`{"role":"assistant","content":""}`)), at(200, C("A")), at(240, C("B"), F("stop"), U(10, 2, 0), Z)),
			want:   "succeeded ttft=200 e2e=240 tpot=40 n=2", answerIs: "AB",
		},
		{
			name:   "a role-only opener with null",
			answer: stream(at(5, K(`{"role":"assistant","content":null}`)), at(200, C("A")), at(240, C("B"), F("stop"), U(10, 2, 0), Z)),
			want:   "succeeded ttft=200 e2e=240 tpot=40 n=2", answerIs: "AB",
		},
		{
			name:   "encrypted content is no output",
			answer: stream(at(5, K(`{"role":"assistant","content":"","encrypted_content":"zzz","reasoning_content":""}`)), at(200, C("A")), at(240, C("B"), F("stop"), U(10, 2, 0), Z)),
			want:   "succeeded ttft=200 e2e=240 tpot=40 n=2", answerIs: "AB",
		},
		{
			name: "reasoning before the answer",
			answer: stream(at(5, K(`{"role":"assistant","content":""}`)), at(100, K(`{"reasoning_content":"t","content":null}`)),
				at(300, K(`{"reasoning_content":"u"}`)), at(900, C("A")), at(1000, C("B"), F("stop"), U(10, 5, 0), Z)),
			want: "succeeded ttft=100 e2e=1000 tpot=225 n=5", answerIs: "AB", warnings: []bench.Warning{bench.WarnReasoningSeen},
		},
		{
			name:   "reasoning under its newer name",
			answer: stream(at(100, K(`{"reasoning":"t","reasoning_content":""}`)), at(900, C("A"), F("stop"), U(10, 5, 0), Z)),
			want:   "succeeded ttft=100 e2e=900 tpot=200 n=5", answerIs: "A", warnings: []bench.Warning{bench.WarnReasoningSeen},
		},
		{
			name:   "tool-call fragments",
			answer: stream(at(100, K(`{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]}`)), at(200, K(`{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}`)), at(210, K(`{"tool_calls":[{"index":0,"function":{"arguments":""}}]}`), F("tool_calls"), U(10, 5, 0), Z)),
			want:   "succeeded ttft=100 e2e=200 tpot=25 n=5",
		},
		{
			name:   "a refusal",
			answer: stream(at(100, K(`{"refusal":"no"}`)), at(200, K(`{"refusal":"pe"}`), F("stop"), U(10, 2, 0), Z)),
			want:   "succeeded ttft=100 e2e=200 tpot=100 n=2",
		},
		{
			name:   "a late usage chunk",
			answer: stream(at(100, C("A")), at(200, C("B"), F("stop")), at(700, U(10, 2, 0), Z)),
			want:   "succeeded ttft=100 e2e=200 tpot=100 n=2", answerIs: "AB",
		},
		{
			name: "everything in one chunk",
			answer: stream(at(250, `data: {"id":"x","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":4}}}`+"\n\n"),
				at(260, Z)),
			want: "succeeded ttft=250 e2e=250 tpot=none n=2", answerIs: "Hi",
		},
		{
			name:   "several tokens a chunk",
			answer: stream(at(100, C("A")), at(200, C("B")), at(300, C("C"), F("stop"), U(10, 21, 0), Z)),
			want:   "succeeded ttft=100 e2e=300 tpot=10 n=21", answerIs: "ABC",
		},
		{name: "an answer of one token", answer: stream(at(100, C("A"), F("length"), U(10, 1, 0), Z)), want: "succeeded ttft=100 e2e=100 tpot=none n=1", answerIs: "A"},
		{
			name: "usage that is null until the end",
			answer: stream(at(100, strings.Replace(C("A"), `"created":1`, `"created":1,"usage":null`, 1)),
				at(200, strings.Replace(C("B"), `"created":1`, `"created":1,"usage":null`, 1), F("stop"), U(10, 2, 4), Z)),
			want: "succeeded ttft=100 e2e=200 tpot=100 n=2", answerIs: "AB",
		},
		{
			name:   "usage in every chunk: the last wins",
			answer: stream(at(100, C("A"), usageChunk(`{"prompt_tokens":10,"completion_tokens":1}`)), at(200, C("B"), F("stop"), U(10, 2, 4), Z)),
			want:   "succeeded ttft=100 e2e=200 tpot=100 n=2", answerIs: "AB",
		},
		{
			name: "usage inside the choice",
			answer: stream(at(100, C("A")), at(200, C("B")),
				at(210, `data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop","usage":{"prompt_tokens":10,"completion_tokens":2,"cached_tokens":4}}]}`+"\n\n", Z)),
			want: "succeeded ttft=100 e2e=200 tpot=100 n=2", answerIs: "AB",
		},
		{
			name:   "no usage",
			answer: stream(at(100, C("A")), at(200, C("B"), F("stop"), Z)),
			want:   "succeeded ttft=100 e2e=200 tpot=none n=none", answerIs: "AB", warnings: []bench.Warning{bench.WarnUsageMissing},
		},
		{
			name:   "a count of output tokens that follows from the total",
			answer: stream(at(100, K(`{"reasoning_content":"t"}`)), at(220, K(`{"reasoning_content":"u"}`), F("length"), usageChunk(`{"prompt_tokens":7180,"total_tokens":7193,"completion_tokens_details":{"reasoning_tokens":13}}`), Z)),
			want:   "succeeded ttft=100 e2e=220 tpot=10 n=13", warnings: []bench.Warning{bench.WarnReasoningSeen},
		},
		{
			name:   "zero output tokens for an answer",
			answer: stream(at(100, C("A")), at(200, C("B"), F("stop"), U(10, 0, 0), Z)),
			want:   "succeeded ttft=100 e2e=200 tpot=none n=0", answerIs: "AB", warnings: []bench.Warning{bench.WarnUsageInconsistent},
		},
		{
			name:   "more cached than prompt",
			answer: stream(at(100, C("A")), at(200, C("B"), F("stop"), U(100, 2, 140), Z)),
			want:   "succeeded ttft=100 e2e=200 tpot=100 n=2", answerIs: "AB", warnings: []bench.Warning{bench.WarnCachedExceedsPrompt},
		},
		{
			name:   "escapes and surrogate pairs",
			answer: stream(at(100, C(`\n\u65b9`)), at(200, C(`\ud83d\ude00\"`), F("stop"), U(10, 2, 0), Z)),
			want:   "succeeded ttft=100 e2e=200 tpot=100 n=2", answerIs: "\n方😀\"",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := one(t, c.answer)
			if got := figures(s); got != c.want {
				t.Errorf("got  %s\nwant %s\nfailure %+v", got, c.want, s.Failure)
			}
			if s.Answer != c.answerIs {
				t.Errorf("answer of %d bytes %.40q, want %d bytes %.40q", len(s.Answer), s.Answer, len(c.answerIs), c.answerIs)
			}
			slices.Sort(s.Warnings)
			slices.Sort(c.warnings)
			if !slices.Equal(s.Warnings, c.warnings) {
				t.Errorf("warnings %v, want %v", s.Warnings, c.warnings)
			}
		})
	}
}

func TestReasoningGivesATimeToAnswerOfItsOwn(t *testing.T) {
	s := one(t, stream(at(100, K(`{"reasoning_content":"t"}`)), at(900, C("A")), at(1000, C("B"), F("stop"), U(10, 5, 0), Z)))
	if got := ms(s.TimeToAnswer()); got != "900" {
		t.Errorf("time to answer %s ms, want 900", got)
	}
}

func TestFailures(t *testing.T) {
	sse := map[string]string{}
	json500 := `{"error":{"code":"X","message":"m","type":"T"}}`
	for _, c := range []struct {
		name    string
		answer  answer
		outcome bench.Outcome
		code    string
		message string
		body    string
	}{
		{name: "a stream cut within an event", answer: stream(at(50, C("A")), at(60, `data: {"id":"x","cho`)), outcome: bench.FailStreamTruncated, body: `{"id":"x","cho`},
		{name: "a connection cut between events", answer: answer{header: sse, writes: []write{at(50, C("A"))}, cut: true}, outcome: bench.FailStreamTruncated},
		{name: "an end without a sign of it", answer: stream(at(50, C("A")), at(60, C("B"))), outcome: bench.FailStreamTruncated},
		{
			name: "an error in mid-stream", answer: stream(at(50, C("A")), at(60, `data: {"error":{"message":"engine died","type":"InternalServerError","code":500}}`+"\n\n", Z)),
			outcome: bench.FailServerErrorEvent, code: "500", message: "engine died",
		},
		{
			name: "an error in mid-stream without data:", answer: stream(at(50, C("A")), at(60, `{"error":{"message":"engine died","type":"InternalServerError","code":"InternalServiceError"}}`+"\n\n")),
			outcome: bench.FailServerErrorEvent, code: "InternalServiceError", message: "engine died",
		},
		{
			name: "an error event by its name", answer: stream(at(50, C("A")), at(60, "event: error\n"+`data: {"code":"E1","message":"engine died"}`+"\n\n")),
			outcome: bench.FailServerErrorEvent, code: "E1", message: "engine died",
		},
		{name: "an event that is no JSON", answer: stream(at(50, C("A")), at(60, "data: {oops}\n\n", F("stop"), Z)), outcome: bench.FailMalformedEvent, body: "{oops}"},
		{name: "a stream without output", answer: stream(at(5, K(`{"role":"assistant","content":""}`)), at(20, F("stop"), U(10, 0, 0), Z)), outcome: bench.FailEmptyOutput},
		{name: "an empty body", answer: stream(), outcome: bench.FailStreamTruncated},
		{name: "content filter", answer: stream(at(100, C("A"), F("content_filter"), U(10, 3, 0), Z)), outcome: bench.FailContentFilter, code: "content_filter"},
		{
			name: "a login page", answer: answer{header: map[string]string{"Content-Type": "text/html"}, writes: []write{at(5, "<html>sign in</html>")}},
			outcome: bench.FailBadContentType, body: "<html>sign in</html>",
		},
		{
			name: "a JSON error under 200", answer: answer{header: map[string]string{"Content-Type": "application/json"}, writes: []write{at(5, json500)}},
			outcome: bench.FailBadContentType, code: "X", message: `the answer is "application/json", not an event stream: m`,
		},
		{name: "a bad gateway in HTML", answer: answer{status: 502, header: map[string]string{"Content-Type": "text/html"}, writes: []write{at(5, "<html>502</html>")}}, outcome: bench.FailServerError, message: "Bad Gateway", body: "<html>502</html>"},
		{name: "a wrong key", answer: answer{status: 401, writes: []write{at(5, `{"error":{"code":"AuthenticationError","message":"the key is wrong","type":"Unauthorized"}}`)}}, outcome: bench.FailAuth, code: "AuthenticationError", message: "the key is wrong"},
		{name: "an overdue account", answer: answer{status: 403, writes: []write{at(5, `{"error":{"code":"AccountOverdueError","message":"m"}}`)}}, outcome: bench.FailAuth, code: "AccountOverdueError"},
		{name: "an unknown model", answer: answer{status: 404, writes: []write{at(5, `{"error":{"code":"InvalidEndpointOrModel.NotFound","message":"m"}}`)}}, outcome: bench.FailNotFound, code: "InvalidEndpointOrModel.NotFound"},
		{name: "a bad parameter", answer: answer{status: 400, writes: []write{at(5, `{"error":{"code":"InvalidParameter","message":"m","param":null}}`)}}, outcome: bench.FailBadRequest, code: "InvalidParameter"},
		{name: "sensitive input", answer: answer{status: 400, writes: []write{at(5, `{"error":{"code":"InputTextSensitiveContentDetected","message":"m"}}`)}}, outcome: bench.FailContentFilter, code: "InputTextSensitiveContentDetected"},
		{name: "a rate limit", answer: answer{status: 429, writes: []write{at(5, `{"error":{"code":"RateLimitExceeded.EndpointTPMExceeded","message":"m","type":"TooManyRequests"}}`)}}, outcome: bench.FailRateLimited, code: "RateLimitExceeded.EndpointTPMExceeded"},
		{name: "a quota that is used up", answer: answer{status: 429, writes: []write{at(5, `{"error":{"code":"SetLimitExceeded","message":"m","type":"TooManyRequests"}}`)}}, outcome: bench.FailQuota, code: "SetLimitExceeded"},
		{name: "a quota of OpenAI's", answer: answer{status: 429, writes: []write{at(5, `{"error":{"code":null,"type":"insufficient_quota","message":"m"}}`)}}, outcome: bench.FailQuota},
		{name: "a server error", answer: answer{status: 500, writes: []write{at(5, `{"error":"text alone"}`)}}, outcome: bench.FailServerError, message: "text alone"},
		{name: "a redirect", answer: answer{status: 302, header: map[string]string{"Location": "http://other.invalid/"}}, outcome: bench.FailBadRequest, message: "redirected to http://other.invalid/; redirects are not followed with a key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, scene{answers: []answer{c.answer}})
			s := p.samples[0]
			if s.Outcome != c.outcome || s.Failure == nil {
				t.Fatalf("outcome %s %+v, want %s", s.Outcome, s.Failure, c.outcome)
			}
			if c.code != "" && s.Failure.Code != c.code || c.message != "" && s.Failure.Message != c.message || c.body != "" && s.Failure.Body != c.body {
				t.Errorf("failure %+v, want code %q, message %q, body %q", *s.Failure, c.code, c.message, c.body)
			}
			if p.hits != 1 {
				t.Errorf("the server saw %d requests, want 1", p.hits)
			}
			if !s.Failure.At.Taken() {
				t.Error("the time of the failure is not recorded")
			}
		})
	}
}

func TestACutStreamKeepsWhatHadArrived(t *testing.T) {
	s := one(t, stream(at(50, C("A")), at(60, `data: {"id":"x","cho`)))
	if s.Answer != "A" || s.OutputEvents != 1 || s.Failure.At.At() != 60*time.Millisecond {
		t.Errorf("answer %q, %d events, failed at %v", s.Answer, s.OutputEvents, s.Failure.At.At())
	}
}

func TestAnEventOf33MiBIsRefused(t *testing.T) {
	part := strings.Repeat("x", 1<<20)
	writes := []write{at(0, `data: {"choices":[{"delta":{"content":"`)}
	for range 33 {
		writes = append(writes, at(0, part))
	}
	if s := one(t, answer{writes: append(writes, at(0, `"}}]}`+"\n\n", Z))}); s.Outcome != bench.FailEventTooLarge {
		t.Errorf("outcome %s, want %s", s.Outcome, bench.FailEventTooLarge)
	}
}

func TestTimeLimitsAreFourNumbers(t *testing.T) {
	limits := func(s *bench.Spec) {
		s.Limits.FirstToken, s.Limits.Idle, s.Limits.Total = 5*time.Second, 500*time.Millisecond, 20*time.Second
	}
	var comments []write
	for ms := 0; ms < 8000; ms += 400 {
		comments = append(comments, at(ms, ": keep-alive\n\n"))
	}
	var drip []write
	for ms := 100; ms < 30_000; ms += 400 {
		drip = append(drip, at(ms, C("A")))
	}
	for _, c := range []struct {
		name    string
		answer  answer
		outcome bench.Outcome
		after   time.Duration
	}{
		{"a slow first token is no stall", stream(append(slices.Clone(comments[:8]), at(3000, C("A")), at(3100, C("B"), F("stop"), U(10, 2, 0), Z))...), bench.Succeeded, 3100 * time.Millisecond},
		{"comments don't extend the first-token limit", answer{writes: comments, hang: true}, bench.FailFirstTokenTimeout, 5 * time.Second},
		{"no answer at all", answer{hang: true}, bench.FailFirstTokenTimeout, 5 * time.Second},
		{"a stall in mid-stream", answer{writes: []write{at(100, C("A"))}, hang: true}, bench.FailIdleTimeout, 600 * time.Millisecond},
		{"comments don't extend the idle limit", answer{writes: []write{at(100, C("A")), at(400, ": x\n\n"), at(550, ": x\n\n")}, hang: true}, bench.FailIdleTimeout, 600 * time.Millisecond},
		{"a stream that goes on for ever", answer{writes: drip}, bench.FailTotalTimeout, 20 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, scene{answers: []answer{c.answer}, spec: limits})
			s := p.samples[0]
			if s.Outcome != c.outcome || s.End.At() != c.after {
				t.Errorf("%s at %v, want %s at %v: %+v", s.Outcome, s.End.At(), c.outcome, c.after, s.Failure)
			}
		})
	}
}

func TestAStalledRequestLeavesTheOthersAlone(t *testing.T) {
	p := play(t, scene{
		answers:  []answer{plain(), {writes: []write{at(50, C("A"))}, hang: true}, plain()},
		sessions: singles(3),
		spec:     func(s *bench.Spec) { s.Limits.Idle = 500 * time.Millisecond },
	})
	var outcomes []bench.Outcome
	for _, s := range p.samples {
		outcomes = append(outcomes, s.Outcome)
	}
	if want := []bench.Outcome{bench.Succeeded, bench.FailIdleTimeout, bench.Succeeded}; !slices.Equal(outcomes, want) {
		t.Errorf("outcomes %v, want %v", outcomes, want)
	}
	if want := 80*2*time.Millisecond + 550*time.Millisecond; p.took != want {
		t.Errorf("the run took %v, want %v", p.took, want)
	}
}

func TestNoRequestIsRetriedBehindTheBack(t *testing.T) {
	limited := answer{status: 429, header: map[string]string{"Retry-After": "1"}, writes: []write{at(5, `{"error":{"code":"RateLimitExceeded.EndpointTPMExceeded","message":"m","type":"TooManyRequests"}}`)}}
	p := play(t, scene{answers: []answer{limited}, sessions: singles(8)})
	if p.hits != 8 || len(p.samples) != 8 {
		t.Fatalf("the server saw %d requests for 8, with %d samples", p.hits, len(p.samples))
	}
	for _, s := range p.samples {
		if s.Outcome != bench.FailRateLimited || time.Duration(s.Failure.RetryAfter) != time.Second {
			t.Errorf("outcome %s, retry after %v", s.Outcome, time.Duration(s.Failure.RetryAfter))
		}
		if _, defined := s.TTFT(); defined {
			t.Error("a failed request has a TTFT")
		}
	}
}

func TestATurnThatIsRateLimitedIsTriedAgainAndCountsOnce(t *testing.T) {
	limited := answer{status: 429, header: map[string]string{"Retry-After": "7"}, writes: []write{at(0, `{"error":{"code":"RateLimitExceeded.EndpointTPMExceeded","message":"m"}}`)}}
	p := play(t, scene{
		answers:  []answer{plain(), limited, limited, plain()},
		sessions: []bench.Session{{Number: 1, Turns: []bench.Turn{{Text: "a"}, {Text: "b"}}}},
	})
	// 80 ms, then Retry-After twice (longer than 2 s and 4 s), then 80 ms.
	if want := 160*time.Millisecond + 14*time.Second; p.took != want {
		t.Errorf("the run took %v, want %v", p.took, want)
	}
	spec := bench.NewSpec(bench.Multiturn, bench.Standard)
	summary := bench.Summarize(&spec, 2, p.samples)
	if r := summary.Requests; r.Succeeded != 2 || r.Failed != 0 || r.Retries != 2 || summary.TTFT.N != 2 || summary.TTFT.Avg != 50 {
		t.Errorf("requests %+v, TTFT %+v", r, summary.TTFT)
	}
}

func TestFatalFailuresStopTheRunAtFive(t *testing.T) {
	for status, code := range map[int]string{404: "InvalidEndpointOrModel.NotFound", 401: "AuthenticationError", 403: "AccountOverdueError"} {
		p := play(t, scene{answers: []answer{{status: status, writes: []write{at(5, `{"error":{"code":"`+code+`","message":"m"}}`)}}}, sessions: singles(200)})
		if p.hits != 5 || p.end.Ending != bench.EndStopped {
			t.Errorf("%d: %d requests were sent, end %+v", status, p.hits, p.end)
		}
	}
}

func TestAnInterruptedRequestIsNeitherSuccessNorFailure(t *testing.T) {
	p := play(t, scene{answers: []answer{plain(), plain(), {writes: []write{at(50, C("A"))}, hang: true}}, sessions: singles(10), cancel: 300 * time.Millisecond})
	spec := bench.NewSpec(bench.Prefix, bench.Standard)
	r := bench.Summarize(&spec, 10, p.samples).Requests
	if want := (bench.Requests{Planned: 10, Succeeded: 2, Canceled: 1, NotRun: 7}); r != want {
		t.Errorf("requests %+v, want %+v", r, want)
	}
	if p.end.Ending != bench.EndCanceled || p.took != 300*time.Millisecond {
		t.Errorf("end %+v after %v", p.end, p.took)
	}
}

func TestConnectionsAreReusedThoughTheBodyEndsLate(t *testing.T) {
	late := plain()
	late.endLate = 5 * time.Millisecond
	p := play(t, scene{answers: []answer{late}, sessions: singles(100), spec: func(s *bench.Spec) { s.MaxConcurrency = 5 }})
	if p.opened != 5 {
		t.Errorf("%d connections were opened for concurrency 5", p.opened)
	}
	fresh := 0
	for _, s := range p.samples {
		if !s.Connection.Reused {
			fresh++
		}
	}
	if fresh != 5 {
		t.Errorf("%d samples say that their connection was new, want 5", fresh)
	}
}

func TestFailedAnswersLeaveNoConnectionsBehind(t *testing.T) {
	page := answer{header: map[string]string{"Content-Type": "text/html"}, writes: []write{at(5, "<html>sign in</html>")}}
	if p := play(t, scene{answers: []answer{page}, sessions: singles(100)}); p.opened != 1 {
		t.Errorf("%d connections were opened for 100 pages at concurrency 1", p.opened)
	}
}

func TestConcurrencyIsExact(t *testing.T) {
	for _, c := range []struct {
		concurrency, requests int
		each                  int
		took                  time.Duration
	}{{5, 200, 50, 2 * time.Second}, {150, 300, 200, 400 * time.Millisecond}} {
		p := play(t, scene{
			answers: []answer{stream(at(c.each, C("A"), F("stop"), U(10, 1, 0), Z))}, sessions: singles(c.requests),
			spec: func(s *bench.Spec) { s.MaxConcurrency = c.concurrency },
		})
		spec := bench.NewSpec(bench.Prefix, bench.Standard)
		spec.MaxConcurrency = c.concurrency
		got := bench.Summarize(&spec, c.requests, p.samples).Concurrency
		if p.took != c.took || got.Peak != c.concurrency || got.Mean == nil || *got.Mean != float64(c.concurrency) {
			t.Errorf("concurrency %d: took %v, want %v; reached %d, mean %v", c.concurrency, p.took, c.took, got.Peak, got.Mean)
		}
	}
}

func TestTheRequestHoldsWhatTheDialectSaysAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		name   string
		target func(*bench.Target)
		want   string
	}{
		{"generic", func(t *bench.Target) { t.Dialect = bench.Generic() }, `{"model":"m","messages":[{"content":"hello","role":"user"}],"stream_options":{"include_usage":true},"max_completion_tokens":512,"stream":true}`},
		{"ark", func(t *bench.Target) { t.Dialect = bench.Ark() }, `{"model":"m","messages":[{"content":"hello","role":"user"}],"stream_options":{"include_usage":true},"max_completion_tokens":512,"thinking":{"type":"disabled"},"stream":true}`},
	} {
		p := play(t, scene{answers: []answer{plain()}, target: c.target})
		var got, want any
		if json.Unmarshal([]byte(p.bodies[0]), &got) != nil || json.Unmarshal([]byte(c.want), &want) != nil {
			t.Fatal("not JSON: " + p.bodies[0])
		}
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		if string(a) != string(b) {
			t.Errorf("%s: body %s, want %s", c.name, a, b)
		}
	}
}

func TestForeignEnvironmentStaysOut(t *testing.T) {
	for name, value := range map[string]string{
		"OPENAI_ORG_ID": "org-foreign", "OPENAI_PROJECT_ID": "proj-foreign", "OPENAI_BASE_URL": "http://foreign.invalid",
		"OPENAI_API_KEY": "sk-foreign-000000", "OPENAI_CUSTOM_HEADERS": "X-Foreign: foreign",
	} {
		t.Setenv(name, value)
	}
	p := play(t, scene{answers: []answer{plain()}})
	for name, values := range p.headers[0] {
		if strings.Contains(strings.Join(values, " ")+name, "oreign") || strings.HasPrefix(name, "X-Stainless") {
			t.Errorf("the server got %s: %v", name, values)
		}
	}
	if got := p.headers[0].Get("Authorization"); got != "Bearer sk-LEAKTEST-0123456789abcdef" {
		t.Errorf("Authorization is %q", got)
	}
	if got := p.headers[0].Get("Accept-Encoding"); got != "identity" {
		t.Errorf("Accept-Encoding is %q, want identity", got)
	}
}

func TestTheKeyIsInNoSample(t *testing.T) {
	echo := answer{status: 401, writes: []write{at(5, `{"error":{"code":"AuthenticationError","message":"bad key sk-LEAKTEST-0123456789abcdef"}}`)}}
	s := one(t, echo)
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "LEAKTEST") {
		t.Errorf("the key is in %s", data)
	}
}

func TestHistoryHoldsTheAnswersAndNoReasoning(t *testing.T) {
	thinking := stream(at(10, K(`{"reasoning_content":"secret thought"}`)), at(20, C("A")), at(30, C("B"), F("stop"), U(10, 5, 0), Z))
	onlyThinking := stream(at(10, K(`{"reasoning_content":"secret thought"}`), F("length"), U(10, 5, 0), Z))
	p := play(t, scene{
		answers:  []answer{thinking, onlyThinking, plain()},
		sessions: []bench.Session{{Number: 1, Turns: []bench.Turn{{Text: "one"}, {Text: "two"}, {Text: "three"}}}},
	})
	var body struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal([]byte(p.bodies[2]), &body); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range body.Messages {
		got = append(got, m.Role+":"+m.Content)
	}
	want := []string{"user:one", "assistant:AB", "user:two", "assistant:" + bench.EmptyAnswer, "user:three"}
	if !slices.Equal(got, want) {
		t.Errorf("history %q, want %q", got, want)
	}
}

func TestAFailedTurnEndsItsSessionAndNoOther(t *testing.T) {
	var answers []answer
	for i := range 15 {
		answers = append(answers, plain())
		if i == 6 { // session 2, turn 2
			answers[i] = answer{status: 500, writes: []write{at(5, `{"error":{"message":"m"}}`)}}
		}
	}
	var sessions []bench.Session
	for i := range 3 {
		sessions = append(sessions, bench.Session{Number: i + 1, Turns: []bench.Turn{{Text: "a"}, {Text: "b"}, {Text: "c"}, {Text: "d"}, {Text: "e"}}})
	}
	p := play(t, scene{answers: answers, sessions: sessions})
	spec := bench.NewSpec(bench.Multiturn, bench.Standard)
	r := bench.Summarize(&spec, 15, p.samples).Requests
	if want := (bench.Requests{Planned: 15, Succeeded: 11, Failed: 1, NotRun: 3}); r != want {
		t.Errorf("requests %+v, want %+v", r, want)
	}
}

func TestNoPartOfAKeyIsLeftWhereATextIsCut(t *testing.T) {
	const key = "sk-LEAKTEST-0123456789abcdef"
	for pad := 70; pad < 100; pad++ {
		a := plain()
		a.header = map[string]string{"X-Request-Id": strings.Repeat("r", pad) + key}
		a.writes = []write{at(50, strings.ReplaceAll(C("A"), `"model":"m"`, `"model":"`+strings.Repeat("m", pad+100)+key+`"`)), at(80, F("stop"), U(10, 1, 0), Z)}
		data, err := json.Marshal(one(t, a))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "LEAK") {
			t.Fatalf("a part of the key is left behind %d characters: %.600s", pad, data)
		}
	}
}

func TestWhatFollowsDoneCountsForNothing(t *testing.T) {
	s := one(t, stream(at(50, C("A")), at(80, C("B"), F("stop"), U(10, 2, 0), Z, U(10, 900, 0), C("C"))))
	if got := figures(s); got != "succeeded ttft=50 e2e=80 tpot=30 n=2" || s.Answer != "AB" {
		t.Errorf("got %s with answer %q", got, s.Answer)
	}
}
