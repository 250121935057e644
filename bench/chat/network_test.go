package chat_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/chat"
	"github.com/llm-bench/llm-bench/bench/sim"
)

const secret = "sk-LEAKTEST-0123456789abcdef"

// call sends one request to a base URL; touch changes the client's options.
func call(t *testing.T, base string, touch func(*chat.Options)) *bench.Sample {
	t.Helper()
	samples := calls(t, base, 1, 0, touch)
	return samples[0]
}

// calls sends n requests, one after the other, over a pool of so many
// connections that were opened beforehand.
func calls(t *testing.T, base string, n, prepared int, touch func(*chat.Options)) []*bench.Sample {
	t.Helper()
	spec := bench.NewSpec(bench.Prefix, bench.Standard)
	spec.MaxConcurrency = max(prepared, 1)
	o := chat.Options{Target: bench.Target{BaseURL: base, Model: "m", Dialect: bench.Generic(), Key: bench.NewSecret(secret)}, Spec: &spec, Clock: bench.NewClock()}
	if touch != nil {
		touch(&o)
	}
	client, err := chat.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if prepared > 0 {
		if _, err := client.Prepare(t.Context(), prepared); err != nil {
			t.Fatal(err)
		}
	}
	var samples []*bench.Sample
	load := &bench.Load{Sessions: singles(n), Concurrency: spec.MaxConcurrency, Caller: client, Clock: o.Clock}
	bench.Run(t.Context(), load, func(s *bench.Sample) { samples = append(samples, s) })
	return samples
}

// answering serves a short stream, and counts requests and connections.
type answering struct {
	requests, connections atomic.Int32
}

func (a *answering) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.requests.Add(1)
	stream(at(0, C("A"), C("B"), F("stop"), U(10, 2, 0), Z)).serve(w, r)
}

// server is a server on loopback, not yet started.
func (a *answering) server(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(a)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			a.connections.Add(1)
		}
	}
	t.Cleanup(s.Close)
	return s
}

func trusting(s *httptest.Server) *x509.CertPool {
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return roots
}

func TestACertificateIsCheckedAgainstTheRootsUnlessTheUserWaivesIt(t *testing.T) {
	var a answering
	s := a.server(t)
	s.Config.ErrorLog = quiet()
	s.StartTLS()
	for _, c := range []struct {
		name  string
		touch func(*chat.Options)
		want  bench.Outcome
	}{
		{"the system's roots", nil, bench.FailTLS},
		{"its own root", func(o *chat.Options) { o.Roots = trusting(s) }, bench.Succeeded},
		{"another root", func(o *chat.Options) { o.Roots = x509.NewCertPool() }, bench.FailTLS},
		{"no check", func(o *chat.Options) { o.Insecure = true }, bench.Succeeded},
	} {
		if got := call(t, s.URL+"/v1", c.touch); got.Outcome != c.want {
			t.Errorf("%s: %s %+v, want %s", c.name, got.Outcome, got.Failure, c.want)
		}
	}
	wrongHost := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	if got := call(t, wrongHost+"/v1", func(o *chat.Options) { o.Roots = trusting(s) }); got.Outcome != bench.FailTLS {
		t.Errorf("a certificate for another name: %s %+v", got.Outcome, got.Failure)
	}
}

func TestFailuresToConnectHaveTheirClass(t *testing.T) {
	var a answering
	s := a.server(t)
	s.Config.ErrorLog = quiet()
	s.Start()
	if got := call(t, strings.Replace(s.URL, "http:", "https:", 1)+"/v1", nil); got.Outcome != bench.FailTLS {
		t.Errorf("TLS to a server without: %s %+v", got.Outcome, got.Failure)
	}
	hangUp := listen(t, func(c net.Conn) { _ = c.Close() })
	if got := call(t, "https://"+hangUp+"/v1", nil); got.Outcome != bench.FailTLS {
		t.Errorf("a handshake that is cut: %s %+v", got.Outcome, got.Failure)
	}
	if got := call(t, "http://"+hangUp+"/v1", nil); got.Outcome != bench.FailConnect {
		t.Errorf("a connection that is cut before the answer: %s %+v", got.Outcome, got.Failure)
	}
	refuse := func(o *chat.Options) {
		o.Dial = func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
		}
	}
	if got := call(t, "http://server.invalid/v1", refuse); got.Outcome != bench.FailConnect || got.Failure.Message != "connect: dial: connection refused" {
		t.Errorf("a refused connection: %s %+v", got.Outcome, got.Failure)
	}
}

// listen accepts connections and hands each to serve; it returns the address.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return l.Addr().String()
}

func TestTheConnectLimitIsANumberOfItsOwn(t *testing.T) {
	silent := listen(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	got := call(t, "https://"+silent+"/v1", func(o *chat.Options) { o.Spec.Limits.Connect = 30 * time.Millisecond })
	if got.Outcome != bench.FailTLS || got.Failure.At.At() > 10*time.Second {
		t.Errorf("a handshake without an answer: %s %+v", got.Outcome, got.Failure)
	}
}

func TestHandshakesAreRecordedWhereTheyFallIntoTTFT(t *testing.T) {
	var a answering
	s := a.server(t)
	s.StartTLS()
	roots := func(o *chat.Options) { o.Roots = trusting(s) }
	cold := calls(t, s.URL+"/v1", 2, 0, roots)
	first, second := cold[0].Connection, cold[1].Connection
	if first.Reused || first.Connect <= 0 || first.TLS <= 0 {
		t.Errorf("a new connection is recorded as %+v", first)
	}
	if !second.Reused || second.Connect != 0 || second.TLS != 0 {
		t.Errorf("a reused connection is recorded as %+v", second)
	}
	if first.Protocol != "HTTP/1.1" || first.Remote != s.Listener.Addr().String() {
		t.Errorf("connection %+v", first)
	}
	if ttft, _ := cold[0].TTFT(); ttft < time.Duration(first.Connect+first.TLS) {
		t.Errorf("TTFT %v leaves out the handshake of %v", ttft, time.Duration(first.Connect+first.TLS))
	}
}

func TestPreparedConnectionsAreTheOnlyOnes(t *testing.T) {
	for _, secure := range []bool{false, true} {
		var a answering
		s := a.server(t)
		touch := func(*chat.Options) {}
		if secure {
			s.StartTLS()
			touch = func(o *chat.Options) { o.Roots = trusting(s) }
		} else {
			s.Start()
		}
		for _, sample := range calls(t, s.URL+"/v1", 40, 4, touch) {
			if c := sample.Connection; sample.Outcome != bench.Succeeded || !c.Reused || c.Connect+c.TLS+c.DNS != 0 {
				t.Fatalf("TLS %v: %s on %+v", secure, sample.Outcome, c)
			}
		}
		if n := a.connections.Load(); n != 4 || a.requests.Load() != 40 {
			t.Errorf("TLS %v: the server saw %d connections and %d requests, want 4 and 40", secure, n, a.requests.Load())
		}
	}
}

func TestNoRedirectIsFollowedWithTheKey(t *testing.T) {
	var other answering
	away := other.server(t)
	away.Start()
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := httptest.NewServer(http.RedirectHandler(away.URL+"/v1/chat/completions", status))
		got := call(t, s.URL+"/v1", nil)
		s.Close()
		if got.Outcome != bench.FailBadRequest || got.Failure.Status != status {
			t.Errorf("%d: %s %+v", status, got.Outcome, got.Failure)
		}
	}
	if n := other.requests.Load(); n != 0 {
		t.Errorf("%d requests followed a redirect", n)
	}
}

func TestAnIPv6AddressIsDialedAsItStands(t *testing.T) {
	network := sim.NewPipeNet()
	server := &http.Server{Handler: &answering{}}
	go func() { _ = server.Serve(network) }()
	defer server.Close()
	for base, want := range map[string]string{"http://[2001:db8::1]:8080/v1": "[2001:db8::1]:8080", "http://[::1]/v1": "[::1]:80"} {
		var dialed []string
		got := calls(t, base, 2, 1, func(o *chat.Options) {
			o.Dial = func(ctx context.Context, kind, address string) (net.Conn, error) {
				dialed = append(dialed, address)
				return network.DialContext(ctx, kind, address)
			}
		})
		if got[1].Outcome != bench.Succeeded || len(dialed) != 1 || dialed[0] != want {
			t.Errorf("%s: %s, dialed %q, want %q once", base, got[1].Outcome, dialed, want)
		}
	}
}

func TestACompressedStreamIsRefused(t *testing.T) {
	a := plain()
	a.header = map[string]string{"Content-Encoding": "gzip"}
	s := one(t, a)
	if s.Outcome != bench.FailBadContentType || !strings.Contains(s.Failure.Message, `compressed ("gzip")`) {
		t.Errorf("%s %+v", s.Outcome, s.Failure)
	}
}

func TestAProxyIsNamedWithoutItsCredentials(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy"} {
		t.Setenv(name, "")
	}
	t.Setenv("HTTPS_PROXY", "http://user:pw@127.0.0.1:9")
	t.Setenv("NO_PROXY", "direct.invalid,.inner.invalid")
	for base, want := range map[string]string{
		"https://ark.invalid/api/v3": "http://127.0.0.1:9", "http://ark.invalid/api/v3": "",
		"https://direct.invalid/v1": "", "https://a.inner.invalid/v1": "", "https://127.0.0.1:1/v1": "",
	} {
		if got := chat.Proxy(base); got != want {
			t.Errorf("the proxy before %s is %q, want %q", base, got, want)
		}
	}
}

// throughProxy runs one request with a proxy in the environment that tunnels
// to the given address; it returns what the proxy was asked for.
func throughProxy(t *testing.T, base, to string, touch func(*chat.Options)) (*bench.Sample, []*http.Request) {
	t.Helper()
	requests := make(chan *http.Request, 8)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests <- r
		if r.Method != http.MethodConnect {
			(&answering{}).ServeHTTP(w, r)
			return
		}
		far, err := net.Dial("tcp", to)
		if err != nil {
			t.Error(err)
			return
		}
		near, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(far, near); _ = far.Close() }()
		_, _ = io.Copy(near, far)
		_ = near.Close()
	}))
	t.Cleanup(proxy.Close)
	address := strings.Replace(proxy.URL, "http://", "http://user:pw-LEAKTEST@", 1)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		t.Setenv(name, address)
	}
	for _, name := range []string{"http_proxy", "https_proxy", "NO_PROXY", "no_proxy"} {
		t.Setenv(name, "")
	}
	sample := call(t, base, touch)
	var asked []*http.Request
	for len(requests) > 0 {
		asked = append(asked, <-requests)
	}
	return sample, asked
}

func TestAProxyInForceIsUsedAndItsCredentialsStayOutOfTheSample(t *testing.T) {
	s, asked := throughProxy(t, "http://server.invalid/v1", "", nil)
	if s.Outcome != bench.Succeeded || len(asked) != 1 || asked[0].URL.Host != "server.invalid" || asked[0].Header.Get("Proxy-Authorization") == "" {
		t.Fatalf("%s %+v; the proxy was asked for %+v", s.Outcome, s.Failure, asked)
	}
	holdsNoSecret(t, s)
}

func TestTLSGoesThroughAProxyUnseen(t *testing.T) {
	var a answering
	server := a.server(t)
	server.StartTLS()
	s, asked := throughProxy(t, "https://example.com/v1", server.Listener.Addr().String(), func(o *chat.Options) { o.Roots = trusting(server) })
	if s.Outcome != bench.Succeeded || len(asked) != 1 || asked[0].Method != http.MethodConnect || asked[0].Header.Get("Authorization") != "" {
		t.Fatalf("%s %+v; the proxy was asked for %+v", s.Outcome, s.Failure, asked)
	}
	if c := s.Connection; c.Reused || c.TLS <= 0 {
		t.Errorf("the handshake through the proxy is recorded as %+v", c)
	}
	holdsNoSecret(t, s)
}

func TestAProxyThatRefusesIsAFailureToConnect(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "who are you", http.StatusProxyAuthRequired)
	}))
	defer proxy.Close()
	t.Setenv("HTTPS_PROXY", strings.Replace(proxy.URL, "http://", "http://user:pw-LEAKTEST@", 1))
	for _, name := range []string{"https_proxy", "NO_PROXY", "no_proxy"} {
		t.Setenv(name, "")
	}
	s := call(t, "https://example.com/v1", nil)
	if s.Outcome != bench.FailConnect {
		t.Errorf("%s %+v", s.Outcome, s.Failure)
	}
	holdsNoSecret(t, s)
}

func holdsNoSecret(t *testing.T, s *bench.Sample) {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "LEAKTEST") {
		t.Errorf("a secret is in %s", data)
	}
}
