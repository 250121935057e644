package bench

import (
	"cmp"
	"slices"
	"time"
)

// Outcome is how one request ended: [Succeeded], [Canceled], or the class of
// its failure.
type Outcome string

// Success is HTTP 200, an event stream without an error event, at least one
// output event, and an end ([DONE], a finish_reason, or both).
const (
	Succeeded Outcome = "succeeded"
	Canceled  Outcome = "canceled" // interrupted by the user: neither success nor failure of the server

	FailAuth              Outcome = "auth"
	FailBadRequest        Outcome = "bad_request"
	FailNotFound          Outcome = "not_found"
	FailRateLimited       Outcome = "rate_limited" // 429 that waiting helps
	FailQuota             Outcome = "quota"        // 429 that waiting doesn't help
	FailServerError       Outcome = "server_error" // 5xx
	FailServerErrorEvent  Outcome = "server_error_event"
	FailBadContentType    Outcome = "bad_content_type"
	FailConnect           Outcome = "connect"
	FailTLS               Outcome = "tls"
	FailFirstTokenTimeout Outcome = "first_token_timeout"
	FailIdleTimeout       Outcome = "idle_timeout"
	FailTotalTimeout      Outcome = "total_timeout"
	FailStreamTruncated   Outcome = "stream_truncated"
	FailMalformedEvent    Outcome = "malformed_event"
	FailEventTooLarge     Outcome = "event_too_large"
	FailEmptyOutput       Outcome = "empty_output"
	FailContentFilter     Outcome = "content_filter"
)

// Failed reports whether the outcome is a class of failure.
func (o Outcome) Failed() bool { return o != Succeeded && o != Canceled }

// Fatal reports whether every later request would fail in the same way.
func (o Outcome) Fatal() bool {
	return o == FailAuth || o == FailNotFound || o == FailBadRequest || o == FailQuota
}

// Retriable reports whether a session may try the turn again.
func (o Outcome) Retriable() bool { return o == FailRateLimited || o == FailConnect }

// Failure is what is known of a request that failed. All texts are cleaned,
// bounded and without secrets.
type Failure struct {
	Status     int    `json:"http_status,omitempty"`
	Code       string `json:"code,omitempty"`
	Type       string `json:"type,omitempty"`
	Message    string `json:"message"`
	Body       string `json:"body,omitempty"` // at most 300 bytes of what the server sent
	RetryAfter Millis `json:"retry_after_ms,omitempty"`
	At         Mark   `json:"at_ms,omitzero"` // when it failed
}

// Warning is the name of something odd about a request that succeeded.
type Warning string

// The warnings that a request can carry.
const (
	WarnNoDone              Warning = "no_done"            // the stream ended without [DONE]
	WarnUnterminatedEvent   Warning = "unterminated_event" // the last event lacked its blank line
	WarnUsageInconsistent   Warning = "usage_inconsistent"
	WarnUsageMissing        Warning = "usage_missing"
	WarnCachedExceedsPrompt Warning = "cached_exceeds_prompt"
	WarnBuffered            Warning = "buffered"       // output events came in a burst
	WarnReasoningSeen       Warning = "reasoning_seen" // though thinking was asked to be off
	WarnModelChanged        Warning = "model_changed"
	WarnTierChanged         Warning = "tier_changed"
)

// Usage is the server's own count of a request's tokens. A nil field was not
// reported.
type Usage struct {
	Prompt     *int `json:"prompt_tokens,omitempty"`
	Completion *int `json:"completion_tokens,omitempty"` // reasoning included
	Cached     *int `json:"cached_tokens,omitempty"`
	Reasoning  *int `json:"reasoning_tokens,omitempty"`
	// Derived says that Completion was not in the usage but follows from it.
	Derived bool `json:"derived,omitempty"`
}

// Connection is the connection that carried a request. The phases of a new one
// lie inside TTFT; they are 0 for a reused one.
type Connection struct {
	Reused   bool   `json:"reused"`
	DNS      Millis `json:"dns_ms,omitempty"`
	Connect  Millis `json:"connect_ms,omitempty"`
	TLS      Millis `json:"tls_ms,omitempty"`
	Protocol string `json:"protocol,omitempty"` // "HTTP/1.1"
	Remote   string `json:"remote,omitempty"`   // address of the peer
}

// Sample is one attempt at one request: what was asked, when what arrived, and
// how it ended. Every figure of a report follows from a run's samples.
type Sample struct {
	Target  string `json:"target,omitempty"`
	Point   int    `json:"point,omitempty"` // of a sweep, from 1
	Session int    `json:"session"`         // from 1; the request's number where sessions have one turn
	Turn    int    `json:"turn"`            // from 1
	Attempt int    `json:"attempt"`         // from 1; a turn's last attempt is the one that counts

	Prefix        int    `json:"prefix,omitempty"`                // number of the shared prefix, from 1; 0 where there is none
	Ordinal       int    `json:"ordinal,omitempty"`               // this is the n-th request of its prefix; 1 is cold
	PlannedPrompt int    `json:"planned_prompt_tokens,omitempty"` // length asked for; 0 where unknown
	PromptBytes   int    `json:"prompt_bytes,omitempty"`
	PromptHash    string `json:"prompt_sha256,omitempty"` // of the messages' roles and contents
	PromptText    string `json:"prompt_text,omitempty"`   // only when texts are kept
	BodyBytes     int    `json:"body_bytes,omitempty"`    // of the request

	Intended    Mark       `json:"intended_ms,omitzero"` // when it was to start, in open loop
	Start       Mark       `json:"start_ms,omitzero"`
	SentFirst   Mark       `json:"sent_first_ms,omitzero"`
	SentLast    Mark       `json:"sent_last_ms,omitzero"`
	FirstByte   Mark       `json:"first_byte_ms,omitzero"`
	FirstToken  Mark       `json:"first_token_ms,omitzero"`
	FirstAnswer Mark       `json:"first_answer_ms,omitzero"`
	LastToken   Mark       `json:"last_token_ms,omitzero"`
	End         Mark       `json:"end_ms,omitzero"` // the body is read to its end, or the failure is known
	Events      Events     `json:"events,omitempty"`
	Connection  Connection `json:"connection"`
	Client      Reading    `json:"client,omitzero"`

	Outcome  Outcome   `json:"outcome"`
	Failure  *Failure  `json:"failure,omitempty"`
	Warnings []Warning `json:"warnings,omitempty"`

	Usage        *Usage `json:"usage,omitempty"`
	OutputEvents int    `json:"output_events,omitempty"`
	FinishReason string `json:"finish_reason,omitempty"`
	Reasoned     bool   `json:"reasoned,omitempty"` // reasoning was seen, in events or in usage
	AnswerBytes  int    `json:"answer_bytes,omitempty"`
	AnswerHash   string `json:"answer_sha256,omitempty"`
	AnswerText   string `json:"answer_text,omitempty"` // only when texts are kept
	Answer       string `json:"-"`                     // content alone: what goes back as the assistant's message

	Model       string `json:"served_model,omitempty"`
	ServiceTier string `json:"service_tier,omitempty"`
	RequestID   string `json:"request_id,omitempty"`
	LogID       string `json:"log_id,omitempty"`
	Simulated   bool   `json:"simulated,omitempty"`
}

// Reading is how the client read one stream: the material of the verdict on
// the measurement.
type Reading struct {
	Clock  string `json:"clock,omitempty"`  // "kernel" or "user": what stamped the arrivals
	Reads  int    `json:"reads,omitempty"`  // reads that brought bytes
	Merged int    `json:"merged,omitempty"` // output events that shared their read with a later one
	LagMax Millis `json:"lag_max_ms,omitempty"`
	LagSum Millis `json:"lag_sum_ms,omitempty"` // over the reads
	Lags   Lags   `json:"lags,omitempty"`       // of the reads, by size
}

// Late counts one read that returned a time after its bytes had arrived.
func (r *Reading) Late(lag time.Duration) {
	r.LagSum += Millis(lag)
	r.LagMax = max(r.LagMax, Millis(lag))
	r.Lags.Add(lag)
}

// TTFT is the time to first token. It is undefined unless a token came.
func (s *Sample) TTFT() (time.Duration, bool) { return s.FirstToken.Since(s.Start) }

// E2E is the time from start to the last output event. It is undefined unless
// a token came.
func (s *Sample) E2E() (time.Duration, bool) { return s.LastToken.Since(s.Start) }

// TimeToAnswer is the time to the first content. It is undefined when the model gave none.
func (s *Sample) TimeToAnswer() (time.Duration, bool) { return s.FirstAnswer.Since(s.Start) }

// Wait is the time from the intended start to the actual one, in open loop.
func (s *Sample) Wait() (time.Duration, bool) { return s.Start.Since(s.Intended) }

// IntendedTTFT is the time to first token from the intended start, so that a
// stalled server can't hide its queue. It is defined in open loop alone.
func (s *Sample) IntendedTTFT() (time.Duration, bool) { return s.FirstToken.Since(s.Intended) }

// IntendedE2E is the end-to-end time from the intended start.
func (s *Sample) IntendedE2E() (time.Duration, bool) { return s.LastToken.Since(s.Intended) }

// OutputTokens is the server's count of output tokens, reasoning included. It
// is undefined without usage.
func (s *Sample) OutputTokens() (int, bool) {
	if s.Usage == nil || s.Usage.Completion == nil {
		return 0, false
	}
	return *s.Usage.Completion, true
}

// TPOT is (E2E − TTFT) / (output tokens − 1). It is undefined without usage,
// under two output tokens, and where all output events share one arrival.
func (s *Sample) TPOT() (time.Duration, bool) {
	tokens, known := s.OutputTokens()
	span, arrived := s.LastToken.Since(s.FirstToken)
	if !known || !arrived || tokens < 2 || span <= 0 {
		return 0, false
	}
	return span / time.Duration(tokens-1), true
}

// ITL returns the gaps between consecutive output events; none when there are fewer than two.
func (s *Sample) ITL() []time.Duration {
	var gaps []time.Duration
	var before *Event
	for i := range s.Events {
		e := &s.Events[i]
		if !e.Kind.Output() {
			continue
		}
		if before != nil {
			gaps = append(gaps, e.At-before.At)
		}
		before = e
	}
	return gaps
}

// Warn adds a warning once.
func (s *Sample) Warn(w Warning) {
	if !slices.Contains(s.Warnings, w) {
		s.Warnings = append(s.Warnings, w)
	}
}

// Compare orders samples by target, session, turn and attempt.
func (s *Sample) Compare(t *Sample) int {
	return cmp.Or(cmp.Compare(s.Target, t.Target), cmp.Compare(s.Point, t.Point), cmp.Compare(s.Session, t.Session),
		cmp.Compare(s.Turn, t.Turn), cmp.Compare(s.Attempt, t.Attempt))
}
