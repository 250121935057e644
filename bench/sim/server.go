package sim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
)

// HeaderSimulated is set to "true" on every answer of a [Server].
const HeaderSimulated = "X-Llm-Bench-Simulated"

const (
	headerRequestID = "X-Client-Request-Id"
	headerLogID     = "X-Tt-Logid"
	basePath        = "/api/v3"
)

// Server is a stand-in endpoint. It is an [http.Handler] for POST
// …/chat/completions and GET …/models under any prefix.
type Server struct {
	cfg       Config
	vendor    vendor
	tokenizer tokenizer
	cache     *prefixCache
	gate      *gate
	counters  counters

	mu       sync.Mutex
	open     []listening
	closed   bool
	serving  sync.WaitGroup // listeners and chat requests
	firstKey *string        // the first Authorization header that authSwitch saw
	tries    map[uint64]int // requests per body, for selectors
	seed     maphash.Seed
}

// New returns a server that serves nothing yet.
func New(cfg Config) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("stand-in endpoint: %w", err)
	}
	cfg = cfg.withDefaults()
	return &Server{
		cfg: cfg, vendor: vendorNamed(cfg.Vendor), tokenizer: tokenizerNamed(cfg.Tokenizer),
		cache: newPrefixCache(cfg.CacheCapacityTokens), gate: newGate(cfg.Limit),
		tries: map[uint64]int{}, seed: maphash.MakeSeed(),
	}, nil
}

// Config returns the configuration with its defaults filled in, without the
// key.
func (s *Server) Config() Config {
	c := s.cfg
	c.APIKey = ""
	return c
}

// Stats returns what the server has seen so far.
func (s *Server) Stats() Stats {
	stats := s.counters.read()
	stats.CachedTokens = s.cache.held()
	return stats
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(HeaderSimulated, "true")
	switch {
	case strings.HasSuffix(r.URL.Path, "/chat/completions") && r.Method == http.MethodPost:
		s.chat(w, r)
	case strings.HasSuffix(r.URL.Path, "/models") && r.Method == http.MethodGet:
		s.list(w, r)
	default:
		s.answer(w, refusal("NotFound", "There is nothing at %s %s.", clip(r.Method, 16), clip(r.URL.Path, 100)))
	}
}

func (s *Server) answer(w http.ResponseWriter, e *apiError) {
	w.Header().Set("Content-Type", contentJSON)
	w.WriteHeader(e.status)
	_, _ = w.Write([]byte(e.body("0")))
}

// list answers with the served models.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	if !s.allows(r.Header.Get("Authorization")) {
		s.answer(w, standard("AuthenticationError"))
		return
	}
	type entry struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		OwnedBy string `json:"owned_by"`
	}
	list := struct {
		Object string  `json:"object"`
		Data   []entry `json:"data"`
	}{"list", []entry{}}
	for _, m := range s.cfg.Models {
		list.Data = append(list.Data, entry{m.ID, "model", 1790000000, "simulated"})
	}
	w.Header().Set("Content-Type", contentJSON)
	_ = json.NewEncoder(w).Encode(list)
}

// begin counts a request as being served. It reports false after Close.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.serving.Add(1)
	}
	return !s.closed
}

// isFirstKey reports whether authorization is the first one that it was ever
// called with.
func (s *Server) isFirstKey(authorization string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.firstKey == nil {
		s.firstKey = &authorization
	}
	return *s.firstKey == authorization
}

// maxTries bounds the bodies that are remembered for selectors.
const maxTries = 1 << 17

// try counts the requests with the same body.
func (s *Server) try(body []byte) int {
	h := maphash.Bytes(s.seed, body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tries) >= maxTries {
		clear(s.tries)
	}
	s.tries[h]++
	return s.tries[h]
}

// listening is an HTTP server on one listener.
type listening struct {
	*http.Server
	stop func() // ends the clock and the requests' contexts
}

// Serve answers on l until Close. It closes l. A TCP listener gets a clock of
// the system's best precision, any other the runtime's timers.
func (s *Server) Serve(l net.Listener) error {
	server, err := s.add(l)
	if err != nil {
		_ = l.Close()
		return err
	}
	defer s.serving.Done()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("stand-in endpoint on %s: %w", l.Addr(), err)
	}
	return nil
}

// add makes the HTTP server for l.
func (s *Server) add(l net.Listener) (listening, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return listening{}, http.ErrServerClosed
	}
	base, stop := s.base(l)
	server := listening{&http.Server{
		Handler:     s,
		BaseContext: func(net.Listener) context.Context { return base },
		ConnState:   s.watch,
		ErrorLog:    log.New(io.Discard, "", 0), // a broken connection is a client's or a fault's doing
	}, stop}
	s.open = append(s.open, server)
	s.serving.Add(1)
	return server, nil
}

// base is the context of all requests through l. It carries their clock.
func (s *Server) base(l net.Listener) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	if !strings.HasPrefix(l.Addr().Network(), "tcp") {
		return ctx, cancel
	}
	a, err := newAlarm()
	if err != nil || a == nil {
		return ctx, cancel
	}
	return context.WithValue(ctx, clockKey{}, clock(a)), func() { cancel(); a.close() }
}

func (s *Server) watch(_ net.Conn, state http.ConnState) {
	if state == http.StateNew {
		s.counters.connect()
	}
}

// ListenLoopback serves on a free port of 127.0.0.1 until ctx ends or Close,
// and returns the base URL, which ends in /api/v3 as Ark's does.
func (s *Server) ListenLoopback(ctx context.Context) (baseURL string, err error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("stand-in endpoint: %w", err)
	}
	go func() { _ = s.Serve(l) }()
	context.AfterFunc(ctx, func() { _ = s.Close() })
	return "http://" + l.Addr().String() + basePath, nil
}

// Close ends all listeners and connections, and with them every answer that is
// under way. It returns when nothing is served any more.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	open := s.open
	s.open = nil
	s.mu.Unlock()
	for _, server := range open {
		_ = server.Close()
		server.stop()
	}
	s.serving.Wait()
	return nil
}
