//go:build !linux

package chat

import (
	"net"
	"time"
)

// kernelReader gives kernel receive times; this system has none.
type kernelReader struct{}

func newKernelReader(net.Conn) *kernelReader { return nil }

func (*kernelReader) read([]byte) (int, time.Duration, error) { return 0, 0, net.ErrClosed }
