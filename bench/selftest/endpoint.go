package selftest

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/chat"
)

// endpoint answers chat completions with the times of their sending.
type endpoint struct {
	config  *Config
	clock   bench.Clock
	pacer   *pacer
	tls     *tls.Config // nil: plain
	answers atomic.Int64
}

// greeting is what the endpoint's process says of itself, as one line of JSON.
type greeting struct {
	Address     string `json:"address"`
	Certificate string `json:"certificate,omitempty"` // PEM
}

// Serve is the endpoint's process: it listens on loopback, says where on
// stdout, and serves until stdin ends.
func Serve(c *Config, stdin io.Reader, stdout io.Writer) error {
	if err := c.Validate(); err != nil {
		return err
	}
	defer chat.KeepStamping()() // before the first request comes
	e := &endpoint{config: c, clock: bench.NewClock()}
	e.pacer = newPacer(c, e.clock)
	hello := greeting{}
	if c.TLS {
		certificate, pem, err := throwAway()
		if err != nil {
			return err
		}
		e.tls = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
		hello.Certificate = pem
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen on loopback: %w", err)
	}
	hello.Address = listener.Addr().String()
	if err := json.NewEncoder(stdout).Encode(hello); err != nil {
		return fmt.Errorf("say the address: %w", err)
	}
	go e.pacer.run()
	go e.accept(listener)
	_, _ = io.Copy(io.Discard, stdin)
	e.pacer.close()
	return listener.Close()
}

func (e *endpoint) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			go e.connection(c)
		}
	}
}

// connection answers the requests of one connection, one after the other.
func (e *endpoint) connection(raw net.Conn) {
	defer raw.Close()
	stamped := chat.Stamp(raw, e.clock)
	var conn net.Conn = stamped
	if e.tls != nil {
		conn = tls.Server(conn, e.tls)
	}
	reader := bufio.NewReader(conn)
	for {
		tokens, err := readRequest(reader)
		if err != nil {
			return
		}
		if e.answer(conn, stamped.Arrival(), tokens) != nil {
			return
		}
	}
}

// readRequest reads a request to its end and gives the tokens it asks for.
func readRequest(r *bufio.Reader) (int, error) {
	request, err := http.ReadRequest(r)
	if err != nil {
		return 0, err
	}
	var body struct {
		Tokens int `json:"max_completion_tokens"`
	}
	data, err := io.ReadAll(io.LimitReader(request.Body, 64<<20))
	if err != nil {
		return 0, err
	}
	if err := json.Unmarshal(data, &body); err != nil || body.Tokens < 1 {
		return 0, fmt.Errorf("a request for %d tokens: %w", body.Tokens, err)
	}
	return body.Tokens, nil
}

// answer sends the opening at once and leaves the tokens to the pacer. The
// phases of the answers are spread over the gap between tokens.
func (e *endpoint) answer(to io.Writer, arrived time.Duration, tokens int) error {
	if _, err := io.WriteString(to, opening(e.pacer.zero+int64(arrived))); err != nil {
		return err
	}
	_, phase := math.Modf(float64(e.answers.Add(1)) * math.Phi)
	a := &answer{to: to, left: tokens, tokens: tokens, done: make(chan error, 1)}
	a.due = arrived + e.config.ttft() + time.Duration(phase*float64(e.pacer.gap))
	e.pacer.add(a)
	return <-a.done
}
