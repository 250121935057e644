package chat

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/llm-bench/llm-bench/bench"
)

// DialFunc opens a connection; its default is that of [net.Dialer].
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// dialer opens stamped connections, and holds those that were opened before
// the measured window until the transport asks for them.
type dialer struct {
	dial  DialFunc
	clock bench.Clock
	limit time.Duration // of opening one connection
	tls   *tls.Config
	user  bool // stamps are taken in user space

	mu     sync.Mutex
	ready  map[string][]net.Conn // by address, "tls " before it where TLS is on
	opened int
}

// dialError is a connection that could not be opened.
type dialError struct {
	tls bool // the failure is the handshake's
	err error
}

func (e *dialError) Error() string {
	if e.tls {
		return "TLS handshake: " + e.err.Error()
	}
	return "connect: " + e.err.Error()
}

func (e *dialError) Unwrap() error { return e.err }

// plain serves as the transport's DialContext.
func (d *dialer) plain(ctx context.Context, network, address string) (net.Conn, error) {
	if c := d.take(address); c != nil {
		return c, nil
	}
	return d.open(ctx, network, address)
}

// secure serves as the transport's DialTLSContext.
func (d *dialer) secure(ctx context.Context, network, address string) (net.Conn, error) {
	if c := d.take("tls " + address); c != nil {
		return c, nil
	}
	return d.openTLS(ctx, network, address)
}

func (d *dialer) take(key string) net.Conn {
	d.mu.Lock()
	defer d.mu.Unlock()
	conns := d.ready[key]
	if len(conns) == 0 {
		return nil
	}
	d.ready[key] = conns[1:]
	return conns[0]
}

func (d *dialer) open(ctx context.Context, network, address string) (*Conn, error) {
	passOf(ctx).leave()
	ctx, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	var dnsStart, dnsDone time.Time
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { dnsStart = time.Now() },
		DNSDone:  func(httptrace.DNSDoneInfo) { dnsDone = time.Now() },
	})
	began := time.Now()
	raw, err := d.dial(ctx, network, address)
	if err != nil {
		return nil, &dialError{err: err}
	}
	d.mu.Lock()
	d.opened++
	d.mu.Unlock()
	stamp := Stamp
	if d.user {
		stamp = stampUser
	}
	c := stamp(raw, d.clock)
	if !dnsDone.IsZero() {
		c.phases.dns = dnsDone.Sub(dnsStart)
	}
	c.phases.connect = time.Since(began) - c.phases.dns
	return c, nil
}

func (d *dialer) openTLS(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := d.open(ctx, network, address)
	if err != nil {
		return nil, err
	}
	config := d.tls.Clone()
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(address)
	}
	ctx, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	began := time.Now()
	conn := tls.Client(c, config)
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = c.Close()
		return nil, &dialError{tls: true, err: err}
	}
	c.phases.tls = time.Since(began)
	return conn, nil
}

// closeReady closes the connections that nobody asked for.
func (d *dialer) closeReady() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, conns := range d.ready {
		for _, c := range conns {
			_ = c.Close()
		}
	}
	d.ready = map[string][]net.Conn{}
}

// newTransport makes a transport for at most so many requests at a time.
func newTransport(d *dialer, proxy func(*http.Request) (*url.URL, error), connections int) *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	readBuffer, writeBuffer := 16<<10, 64<<10
	if connections >= 500 { // each connection has its own
		readBuffer, writeBuffer = 4<<10, 16<<10
	}
	return &http.Transport{
		Proxy: proxy, DialContext: d.plain, DialTLSContext: d.secure, TLSClientConfig: d.tls,
		Protocols: &protocols, DisableCompression: true,
		// Without the bound, a request that finds no idle connection would open
		// one beside those that others are about to get or to give back.
		MaxConnsPerHost: connections, MaxIdleConns: 0, MaxIdleConnsPerHost: connections, IdleConnTimeout: 0,
		WriteBufferSize: writeBuffer, ReadBufferSize: readBuffer,
		MaxResponseHeaderBytes: 256 << 10,
	}
}

func tlsConfig(roots *x509.CertPool, insecure bool) *tls.Config {
	return &tls.Config{
		RootCAs: roots, InsecureSkipVerify: insecure, //nolint:gosec // the user's own choice, marked in the report
		NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12,
		ClientSessionCache: tls.NewLRUClientSessionCache(256),
	}
}

// Proxy names the proxy that the environment puts before a base URL, without
// credentials; "" is none.
func Proxy(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	proxy, err := httpproxy.FromEnvironment().ProxyFunc()(u)
	if err != nil || proxy == nil {
		return ""
	}
	return proxy.Scheme + "://" + proxy.Host
}

func environmentProxy() func(*http.Request) (*url.URL, error) {
	find := httpproxy.FromEnvironment().ProxyFunc()
	return func(r *http.Request) (*url.URL, error) { return find(r.URL) }
}

// tunnel times the TLS handshake that the transport makes itself, behind a
// proxy's CONNECT. Its times are taken by whatever goroutine opens connections.
type tunnel struct {
	clock    bench.Clock
	began    atomic.Int64 // on the clock
	duration atomic.Int64
}

func (t *tunnel) begin() { t.began.Store(int64(t.clock.Now())) }

func (t *tunnel) end(tls.ConnectionState, error) {
	t.duration.Store(int64(t.clock.Now()) - t.began.Load())
}

func (t *tunnel) took() time.Duration { return time.Duration(t.duration.Load()) }

// tunneled reports whether TLS to the target goes through a proxy.
func tunneled(target *url.URL, proxy func(*http.Request) (*url.URL, error)) bool {
	through, err := proxy(&http.Request{URL: target})
	return err == nil && through != nil && target.Scheme == "https"
}

// Prepare opens n connections before the measured window, and says how long
// their phases took (medians). Behind a proxy the connections lead to it; a
// tunnel through it is opened by the first request.
func (c *Client) Prepare(ctx context.Context, n int) (bench.Warmth, error) {
	began := time.Now()
	key, open, err := c.opener()
	if err != nil {
		return bench.Warmth{}, err
	}
	const side = 32 // connections opened side by side
	conns := make([]net.Conn, n)
	faults := make([]error, n)
	var opening sync.WaitGroup
	slots := make(chan struct{}, side)
	for i := range n {
		opening.Go(func() {
			slots <- struct{}{}
			conns[i], faults[i] = open(ctx)
			<-slots
		})
	}
	opening.Wait()
	warmth := c.keep(key, conns)
	warmth.Seconds = time.Since(began).Seconds()
	if warmth.Connections < n {
		return warmth, fmt.Errorf("open %d connections to %s: %w", n, c.target.BaseURL, errors.Join(firstOf(faults)))
	}
	return warmth, nil
}

func firstOf(faults []error) error {
	i := slices.IndexFunc(faults, func(err error) bool { return err != nil })
	return faults[i]
}

// opener finds out what the transport will dial for the target.
func (c *Client) opener() (key string, open func(context.Context) (net.Conn, error), err error) {
	u, err := url.Parse(c.target.BaseURL)
	if err != nil {
		return "", nil, err
	}
	proxy, err := c.proxy(&http.Request{URL: u})
	if err != nil {
		return "", nil, err
	}
	secure := u.Scheme == "https"
	if proxy != nil {
		u, secure = proxy, proxy.Scheme == "https"
	}
	address := hostPort(u)
	if secure {
		return "tls " + address, func(ctx context.Context) (net.Conn, error) { return c.dialer.openTLS(ctx, "tcp", address) }, nil
	}
	return address, func(ctx context.Context) (net.Conn, error) {
		conn, err := c.dialer.open(ctx, "tcp", address)
		if err != nil {
			return nil, err
		}
		return conn, nil
	}, nil
}

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// keep puts the open connections where the transport will ask for them.
func (c *Client) keep(key string, conns []net.Conn) bench.Warmth {
	var dns, connect, shake []float64
	c.dialer.mu.Lock()
	defer c.dialer.mu.Unlock()
	for _, conn := range conns {
		if conn == nil {
			continue
		}
		s := stamped(conn)
		s.prepared = true
		dns, connect, shake = append(dns, float64(s.phases.dns)), append(connect, float64(s.phases.connect)), append(shake, float64(s.phases.tls))
		c.dialer.ready[key] = append(c.dialer.ready[key], conn)
	}
	median := func(values []float64) bench.Millis { return bench.Millis(bench.Describe(values).P50) }
	return bench.Warmth{Connections: len(dns), DNS: median(dns), Connect: median(connect), TLS: median(shake)}
}
