package chat

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// attempt is one request on its way.
type attempt struct {
	client *Client
	sample bench.Sample
	conn   *Conn
	pass   *pass
	tunnel tunnel
	watch  *watch
	fold   fold
	reads  int   // of the stream, so far
	seen   int64 // reads of the connection, so far
}

// run sends the request and reads the response to its end.
func (a *attempt) run(ctx context.Context, messages []bench.Message) {
	c := a.client
	user := ctx
	ctx, a.watch = newWatch(ctx, c.spec.Limits, c.clock)
	defer a.watch.stop()
	a.pass = c.gate.enter(ctx)
	defer a.pass.leave()
	request, size, err := c.builder.build(ctx, messages)
	a.sample.BodyBytes = size
	if err != nil {
		a.fail(bench.FailBadRequest, bench.Failure{Message: err.Error()})
		return
	}
	ctx = withPass(ctx, a.pass)
	a.tunnel.clock = c.clock
	request = request.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: a.got, TLSHandshakeStart: a.tunnel.begin, TLSHandshakeDone: a.tunnel.end,
	}))

	a.sample.Start = c.clock.Mark()
	a.watch.begin(a.sample.Start.At())
	response, err := c.transport.RoundTrip(request)
	if err == nil {
		a.firstByte()
		err = a.response(response)
		_ = response.Body.Close()
	}
	a.finish(user, ctx, err)
}

// got is called when the request has its connection.
func (a *attempt) got(info httptrace.GotConnInfo) {
	a.conn = stamped(info.Conn)
	if a.conn == nil {
		a.pass.leave()
		return
	}
	a.conn.reset(a.pass)
	fresh := !info.Reused && (!a.conn.prepared || a.client.tunnels)
	a.sample.Connection = bench.Connection{Reused: !fresh, Remote: a.conn.RemoteAddr().String()}
	if !fresh {
		return
	}
	p := a.conn.phases
	if a.conn.prepared { // all but the tunnel was opened beforehand
		p = phases{}
	}
	a.sample.Connection.DNS, a.sample.Connection.Connect, a.sample.Connection.TLS = bench.Millis(p.dns), bench.Millis(p.connect), bench.Millis(p.tls+a.tunnel.took())
}

func (a *attempt) firstByte() {
	if a.conn != nil {
		a.sample.FirstByte = bench.MarkAt(a.conn.Arrival())
		a.sample.Client.Clock = a.conn.ClockName()
	}
}

// response reads what came back; its error is what cut the reading short.
func (a *attempt) response(r *http.Response) error {
	a.sample.Connection.Protocol = r.Proto
	a.headers(r.Header)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.StatusCode != http.StatusOK:
		return a.refused(r)
	case kind != "text/event-stream", compressed(r.Header):
		return a.noStream(r)
	}
	return a.stream(r.Body)
}

// compressed reports whether the body was compressed, though identity alone
// was asked for.
func compressed(h http.Header) bool {
	encoding := h.Get("Content-Encoding")
	return encoding != "" && encoding != "identity"
}

// requestIDHeaders are the names under which servers give a request's id.
var requestIDHeaders = []string{"X-Client-Request-Id", "X-Request-Id", "X-Requestid", "Request-Id", "X-Trace-Id", "Trace-Id"}

func (a *attempt) headers(h http.Header) {
	for _, name := range requestIDHeaders {
		if id := h.Get(name); id != "" {
			a.sample.RequestID = bench.Clean(id, 100)
			break
		}
	}
	a.sample.LogID = bench.Clean(h.Get("X-Tt-Logid"), 100)
	a.sample.Simulated = h.Get(SimulatedHeader) == "true"
}

// refused turns a status other than 200 into a failure.
func (a *attempt) refused(r *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<10))
	refusal := parseRefusal(body)
	f := bench.Failure{
		Status: r.StatusCode, Code: refusal.Code, Type: refusal.Type, Message: refusal.Message, Body: string(body),
		RetryAfter: bench.Millis(retryAfter(r.Header, time.Now())),
	}
	if location := r.Header.Get("Location"); r.StatusCode/100 == 3 {
		f.Message = fmt.Sprintf("redirected to %s; redirects are not followed with a key", location)
	}
	if f.Message == "" {
		f.Message = http.StatusText(r.StatusCode)
	}
	a.fail(classify(r.StatusCode, refusal), f)
	return a.drain(r.Body, err)
}

// noStream turns a 200 that is no event stream into a failure.
func (a *attempt) noStream(r *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<10))
	refusal := parseRefusal(body)
	message := fmt.Sprintf("the answer is %q, not an event stream", r.Header.Get("Content-Type"))
	if compressed(r.Header) {
		message = fmt.Sprintf("the answer is compressed (%q), though that was ruled out", r.Header.Get("Content-Encoding"))
	}
	if refusal.Message != "" {
		message += ": " + refusal.Message
	}
	a.fail(bench.FailBadContentType, bench.Failure{Status: r.StatusCode, Code: refusal.Code, Type: refusal.Type, Message: message, Body: string(body)})
	return a.drain(r.Body, err)
}

// drain reads a little on, so that the connection can be used again.
func (a *attempt) drain(body io.Reader, err error) error {
	if err == nil {
		_, err = io.CopyN(io.Discard, body, 64<<10)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// stream reads the event stream to its end: stamp first, then split and scan.
func (a *attempt) stream(body io.Reader) error {
	framer := framer{sink: &a.fold}
	a.fold.events = make(bench.Events, 0, min(a.client.spec.MaxOutputTokens+8, 1024))
	buffer := a.client.buffers.Get().(*streamBuffer)
	defer a.client.buffers.Put(buffer)
	events := 0
	for {
		n, err := body.Read(buffer[:])
		at := a.arrived(n)
		if n > 0 {
			if err := framer.feed(buffer[:n], at, a.reads-1); err != nil {
				return err
			}
			if seen := a.fold.substantial(); seen > events {
				events = seen
				a.watch.saw(at, a.fold.outputs > 0, a.fold.done)
			}
		}
		if err != nil {
			if err := a.tail(&framer, at); err != nil {
				return err
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// arrived is the arrival of what the latest read of the body brought. What was
// left over from an earlier read of the connection, such as the one that ended
// the headers or brought several TLS records, belongs to that read.
func (a *attempt) arrived(n int) time.Duration {
	if a.conn == nil {
		a.reads += min(n, 1)
		return a.client.clock.Now()
	}
	if reads := a.conn.reads.Load(); n > 0 && reads != a.seen {
		a.seen = reads
		a.reads++
		if a.conn.kernel != nil {
			a.sample.Client.Late(time.Duration(a.conn.lag.Load()))
		}
	}
	return a.conn.Arrival()
}

// tail uses an event that the end of the stream left without its blank line.
func (a *attempt) tail(f *framer, at time.Duration) error {
	name, data, ok := f.end(at, a.reads)
	if !ok {
		return nil
	}
	if _, whole := scan(data); !whole && string(data) != "[DONE]" {
		return &truncatedError{tail: string(data)}
	}
	a.sample.Warn(bench.WarnUnterminatedEvent)
	a.fold.event(at, max(a.reads-1, 0), name, data)
	return nil
}

// truncatedError is a stream that ended within an event.
type truncatedError struct{ tail string }

func (e *truncatedError) Error() string { return "the stream ended within an event" }

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
	safe := func(text string, limit int) string { return bench.Clean(bench.Redact(text, key), limit) }
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

// substantial is the number of events that are no comments.
func (f *fold) substantial() int {
	n := len(f.events)
	for n > 0 && f.events[n-1].Kind == bench.EventComment {
		n--
	}
	return n
}
