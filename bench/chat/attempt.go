package chat

import (
	"context"
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
			a.sample.RequestID = safe(id, 100, a.client.target.Key)
			break
		}
	}
	a.sample.LogID = safe(h.Get("X-Tt-Logid"), 100, a.client.target.Key)
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
