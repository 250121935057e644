package chat

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// bodyExcerpt bounds what is kept of a failed response, in bytes.
const bodyExcerpt = 300

// refusal is the error object of a chat API, as far as it is there.
type refusal struct {
	Code    string
	Message string
	Type    string
	Status  int // where the code is an HTTP status
}

// parseRefusal reads {"error": {...}}, {"error": "text"} or {"code", "message"}.
func parseRefusal(body []byte) refusal {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Code    json.RawMessage `json:"code"`
		Message string          `json:"message"`
		Type    string          `json:"type"`
	}
	body = bytes.TrimPrefix(bytes.TrimSpace(body), bom)
	if json.Unmarshal(body, &outer) != nil {
		return refusal{}
	}
	var text string
	if json.Unmarshal(outer.Error, &text) == nil && text != "" {
		return refusal{Message: text}
	}
	inner := struct {
		Code    json.RawMessage `json:"code"`
		Message string          `json:"message"`
		Type    string          `json:"type"`
	}{outer.Code, outer.Message, outer.Type}
	_ = json.Unmarshal(outer.Error, &inner)
	r := refusal{Code: literal(inner.Code), Message: inner.Message, Type: inner.Type}
	if n, err := strconv.Atoi(r.Code); err == nil && n >= 400 && n < 600 {
		r.Status = n
	}
	return r
}

// literal is a JSON string's or number's text; "" for anything else.
func literal(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return ""
}

// quotaCodes are the codes of a 429 that no waiting helps.
var quotaCodes = []string{
	"QuotaExceeded", "SetLimitExceeded", "InflightBatchsizeExceeded",
	"insufficient_quota", "exceeded_current_quota_error", "billing_hard_limit_reached", "Arrearage",
}

// filterMarks are the parts of codes by which a content filter is known.
var filterMarks = []string{"SensitiveContentDetected", "RiskDetection", "content_filter", "data_inspection_failed"}

// classify names the failure that an HTTP status and an error code stand for.
func classify(status int, r refusal) bench.Outcome {
	switch {
	case status == http.StatusTooManyRequests:
		if containsAny(r.Code+" "+r.Type, quotaCodes) {
			return bench.FailQuota
		}
		return bench.FailRateLimited
	case status >= 500:
		return bench.FailServerError
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return bench.FailAuth
	case status == http.StatusNotFound:
		return bench.FailNotFound
	case status == http.StatusBadRequest && containsAny(r.Code, filterMarks):
		return bench.FailContentFilter
	}
	return bench.FailBadRequest
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// retryAfter reads a Retry-After header: seconds or a date. It is 0 for none,
// and bounded to an hour.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := h.Get("Retry-After")
	if value == "" {
		return 0
	}
	var d time.Duration
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		d = time.Duration(min(seconds, 3600) * float64(time.Second))
	} else if at, err := http.ParseTime(value); err == nil {
		d = at.Sub(now)
	}
	return min(max(d, 0), time.Hour)
}
