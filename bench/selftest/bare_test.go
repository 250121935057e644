package selftest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/llm-bench/llm-bench/bench"
	"github.com/llm-bench/llm-bench/bench/chat"
)

// bare is the measure of what can be reached: a reader that stamps every read
// by the kernel's time, copies the bytes away and parses nothing until the
// stream has ended. It reads the same bytes from the same endpoint.
type bare struct {
	clock bench.Clock
	zero  int64
	mu    sync.Mutex
	chunk histogram
	n     int
	fault error
}

// run keeps the given number of streams, each over several answers.
func (b *bare) run(ctx context.Context, c *Config, p *process) {
	var reading sync.WaitGroup
	for range c.Streams {
		reading.Go(func() {
			if err := b.stream(ctx, c, p); err != nil {
				b.mu.Lock()
				b.fault = err
				b.mu.Unlock()
			}
		})
	}
	reading.Wait()
}

func (b *bare) stream(ctx context.Context, c *Config, p *process) error {
	var d net.Dialer
	raw, err := d.DialContext(ctx, "tcp", p.address)
	if err != nil {
		return err
	}
	defer raw.Close()
	stamped := chat.Stamp(raw, b.clock)
	var conn net.Conn = stamped
	if p.roots != nil {
		conn = tls.Client(stamped, &tls.Config{RootCAs: p.roots, ServerName: "127.0.0.1"})
	}
	body := fmt.Sprintf(`{"max_completion_tokens":%d}`, c.chunks())
	request := fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	buffer := make([]byte, 512*(c.chunks()+8))
	for range c.rounds() {
		if _, err := io.WriteString(conn, request); err != nil {
			return err
		}
		if err := b.answer(conn, stamped, buffer); err != nil {
			return err
		}
	}
	return nil
}

// readEnd is the end of what one read brought, and its stamp.
type readEnd struct {
	end int
	at  time.Duration
}

func (b *bare) answer(conn io.Reader, stamped *chat.Conn, buffer []byte) error {
	var reads []readEnd
	filled := 0
	for !bytes.HasSuffix(buffer[:filled], []byte("\r\n0\r\n\r\n")) {
		n, err := conn.Read(buffer[filled:])
		if err != nil {
			return err
		}
		filled += n
		reads = append(reads, readEnd{filled, stamped.Arrival()})
	}
	return b.hold(buffer[:filled], reads)
}

// hold compares the stamp of the read that completed a chunk with the time in it.
func (b *bare) hold(answer []byte, reads []readEnd) error {
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(answer)), nil)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	mark := []byte(`"content":"0`)
	for at := 0; ; {
		i := bytes.Index(answer[at:], mark)
		if i < 0 {
			return nil
		}
		at += i + len(mark) - 1
		sent, err := timesOf(string(answer[at : at+width]))
		if err != nil {
			return err
		}
		end := at + bytes.Index(answer[at:], []byte("\n\n"))
		for reads[0].end < end {
			reads = reads[1:]
		}
		b.chunk.add(time.Duration(b.zero + int64(reads[0].at) - sent[0]))
		b.n++
	}
}
