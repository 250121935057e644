package chat

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"sync"

	"github.com/llm-bench/llm-bench/bench"
)

// SimulatedHeader marks the answers of the stand-in endpoint.
const SimulatedHeader = "X-Llm-Bench-Simulated"

// Options are what a client is made of.
type Options struct {
	Target   bench.Target
	Spec     *bench.Spec // its MaxConcurrency is the most that the client carries at a time
	Clock    bench.Clock
	Version  string         // of this program, for the User-Agent
	Dial     DialFunc       // nil: net.Dialer; with another no proxy is used
	Roots    *x509.CertPool // nil: the system's
	Insecure bool           // certificates aren't checked
	// UserClock stamps arrivals in user space, even where the kernel would give
	// their times.
	UserClock bool
	Direct    bool // no proxy, whatever the environment says
}

// Client calls one target. It implements [bench.Caller] and is safe for
// concurrent use.
type Client struct {
	target    bench.Target
	spec      *bench.Spec
	clock     bench.Clock
	builder   builder
	dialer    *dialer
	proxy     func(*http.Request) (*url.URL, error)
	transport *http.Transport
	tunnels   bool // TLS goes through a proxy
	buffers   sync.Pool
	gate      gate
	close     func() // once
}

var _ bench.Caller = (*Client)(nil)

// New makes a client. Nothing is connected yet.
func New(o Options) (*Client, error) {
	u, err := url.Parse(o.Target.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &bench.FieldError{Field: "base_url", Value: fmt.Sprintf("%q", o.Target.BaseURL), Allowed: "an http or https URL"}
	}
	c := &Client{target: o.Target, spec: o.Spec, clock: o.Clock, gate: make(gate, runtime.GOMAXPROCS(0))}
	c.builder = builder{target: &c.target, spec: o.Spec, agent: "llm-bench/" + o.Version}
	c.dialer = &dialer{dial: o.Dial, clock: o.Clock, user: o.UserClock, limit: o.Spec.Limits.Connect, tls: tlsConfig(o.Roots, o.Insecure), ready: map[string][]net.Conn{}}
	c.proxy = func(*http.Request) (*url.URL, error) { return nil, nil }
	if o.Dial == nil {
		c.dialer.dial = (&net.Dialer{}).DialContext
	}
	if o.Dial == nil && !o.Direct {
		c.proxy = environmentProxy()
	}
	c.tunnels = tunneled(u, c.proxy)
	c.transport = newTransport(c.dialer, c.proxy, o.Spec.MaxConcurrency)
	c.close = sync.OnceFunc(KeepStamping())
	c.buffers.New = func() any { return new(streamBuffer) }
	return c, nil
}

// Opened is the number of connections opened so far.
func (c *Client) Opened() int {
	c.dialer.mu.Lock()
	defer c.dialer.mu.Unlock()
	return c.dialer.opened
}

// Close closes the idle connections. It may be called again.
func (c *Client) Close() {
	c.close()
	c.dialer.closeReady()
	c.transport.CloseIdleConnections()
}

// streamBuffer takes what one read of a stream brings.
type streamBuffer [4 << 10]byte

// Call implements [bench.Caller].
func (c *Client) Call(ctx context.Context, request *bench.Request) bench.Sample {
	a := attempt{client: c, fold: fold{key: c.target.Key}}
	request.Identify(&a.sample)
	describe(&a.sample, request.Messages)
	if c.spec.SaveText {
		a.sample.PromptText = request.Messages[len(request.Messages)-1].Content()
	}
	a.run(ctx, request.Messages)
	if c.spec.SaveText {
		a.sample.AnswerText = a.sample.Answer
	}
	return a.sample
}
