//go:build !linux

package chat

import (
	"net"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// kernelReader gives kernel receive times; this system has none.
type kernelReader struct{}

func newKernelReader(net.Conn, bench.Clock) *kernelReader { return nil }

// KeepStamping does nothing on this system.
func KeepStamping() (end func()) { return func() {} }

func (*kernelReader) read([]byte) (int, time.Duration, time.Duration, error) {
	return 0, 0, 0, net.ErrClosed
}
