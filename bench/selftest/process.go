package selftest

import (
	"bufio"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// process is a running endpoint.
type process struct {
	command *exec.Cmd
	stdin   io.Closer
	address string // host and port
	url     string
	roots   *x509.CertPool // nil: plain
}

// start runs a command that ends in [Serve], and waits for its greeting.
func start(command *exec.Cmd) (*process, error) {
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the endpoint: %w", err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the endpoint: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start the endpoint: %w", err)
	}
	p := &process{command: command, stdin: stdin}
	if err := p.greet(stdout); err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

func (p *process) greet(stdout io.Reader) error {
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the endpoint ended before it said its address: %w", err)
	}
	var hello greeting
	if err := json.Unmarshal(line, &hello); err != nil {
		return fmt.Errorf("the endpoint's greeting: %w", err)
	}
	p.address = hello.Address
	p.url = "http://" + hello.Address + "/v1"
	if hello.Certificate == "" {
		return nil
	}
	p.url, p.roots = "https://"+hello.Address+"/v1", x509.NewCertPool()
	if !p.roots.AppendCertsFromPEM([]byte(hello.Certificate)) {
		return errors.New("the endpoint's certificate can't be read")
	}
	return nil
}

// stop ends the endpoint by closing its stdin, and waits for it.
func (p *process) stop() {
	_ = p.stdin.Close()
	_ = p.command.Wait()
}
