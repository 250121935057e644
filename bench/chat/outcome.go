package chat

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"

	"github.com/llm-bench/llm-bench/bench"
)

// finish decides the outcome.
func (a *attempt) finish(user, ctx context.Context, err error) {
	s := &a.sample
	if a.conn != nil {
		s.SentFirst, s.SentLast = a.conn.sent()
	}
	s.Client.Reads = a.reads
	s.End = a.client.clock.Mark()
	if s.Outcome == "" {
		a.fold.into(s, a.client.spec.Thinking)
		a.conclude(user, ctx, err)
	}
	if s.Outcome == bench.Succeeded {
		a.checkTier()
	}
}

func (a *attempt) conclude(user, ctx context.Context, err error) {
	f := &a.fold
	ended := f.done || f.finish != ""
	switch {
	case f.failure != nil:
		a.failEvent(bench.FailServerErrorEvent, f.failure)
	case ended && f.outputs > 0 && f.malformed == nil && f.finish != "content_filter" && !errors.Is(err, errEventTooLarge):
		a.sample.Outcome = bench.Succeeded
		if !f.done {
			a.sample.Warn(bench.WarnNoDone)
		}
	case user.Err() != nil:
		a.sample.Outcome = bench.Canceled
		a.sample.Failure = nil
	case err != nil:
		a.failError(ctx, err)
	case f.malformed != nil:
		a.fail(bench.FailMalformedEvent, bench.Failure{Status: http.StatusOK, Message: "an event is not a JSON object", Body: string(f.malformed)})
	case f.finish == "content_filter":
		a.fail(bench.FailContentFilter, bench.Failure{Status: http.StatusOK, Code: f.finish, Message: "the answer was cut by a content filter"})
	case !ended:
		a.fail(bench.FailStreamTruncated, bench.Failure{Status: http.StatusOK, Message: "the stream ended without [DONE] and without a finish_reason"})
	default:
		a.fail(bench.FailEmptyOutput, bench.Failure{Status: http.StatusOK, Message: "the stream held no output"})
	}
}

func (a *attempt) failEvent(o bench.Outcome, data []byte) {
	r := parseRefusal(data)
	message := r.Message
	if message == "" {
		message = "the stream held an error event"
	}
	a.fail(o, bench.Failure{Status: r.Status, Code: r.Code, Type: r.Type, Message: message, Body: string(data)})
}

// failError names the failure behind an error of the transport or the reader.
func (a *attempt) failError(ctx context.Context, err error) {
	limits := map[error]bench.Outcome{errFirstToken: bench.FailFirstTokenTimeout, errIdle: bench.FailIdleTimeout, errTotal: bench.FailTotalTimeout}
	if o, ok := limits[context.Cause(ctx)]; ok {
		a.fail(o, bench.Failure{Message: context.Cause(ctx).Error()})
		return
	}
	var dial *dialError
	var cut *truncatedError
	f := bench.Failure{Message: err.Error()}
	switch {
	case errors.Is(err, errEventTooLarge):
		a.fail(bench.FailEventTooLarge, f)
	case errors.As(err, &dial) && !dial.tls:
		a.fail(bench.FailConnect, f)
	case errors.As(err, &dial), isTLS(err):
		a.fail(bench.FailTLS, f)
	case errors.As(err, &cut):
		f.Body = cut.tail
		a.fail(bench.FailStreamTruncated, f)
	case a.sample.Connection.Protocol != "":
		a.fail(bench.FailStreamTruncated, f)
	default:
		a.fail(bench.FailConnect, f)
	}
}

func isTLS(err error) bool {
	var record tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var alert tls.AlertError
	return errors.As(err, &record) || errors.As(err, &verify) || errors.As(err, &authority) || errors.As(err, &alert)
}

// fail sets the outcome; texts are made safe here and nowhere else.
func (a *attempt) fail(o bench.Outcome, f bench.Failure) {
	key := a.client.target.Key
	safe := func(text string, limit int) string { return safe(text, limit, key) }
	f.Message, f.Body = safe(f.Message, bodyExcerpt), safe(f.Body, bodyExcerpt)
	f.Code, f.Type = safe(f.Code, 100), safe(f.Type, 100)
	f.At = a.client.clock.Mark()
	a.sample.Outcome, a.sample.Failure = o, &f
}

func (a *attempt) checkTier() {
	asked, served := a.client.spec.ServiceTier, a.sample.ServiceTier
	if asked != "" && asked != "auto" && served != "" && asked != served {
		a.sample.Warn(bench.WarnTierChanged)
	}
}

// safe is text of the server's, fit to be kept: without the key, which goes
// before the text is cut, without control characters, and bounded.
func safe(text string, limit int, key bench.Secret) string {
	return bench.Clean(bench.Redact(text, key), limit)
}
