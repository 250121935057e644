package chat

import (
	"io"
	"net"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/llm-bench/llm-bench/bench"
)

// kernelReader reads a TCP connection by recvmsg, which tells at what time the
// kernel received the segment that the read ends with (SO_TIMESTAMPNS).
type kernelReader struct {
	raw      syscall.RawConn
	try      func(fd uintptr) bool // made once, so that no read allocates
	message  unix.Msghdr
	into     unix.Iovec
	control  [64]byte
	n        int
	errno    syscall.Errno
	arrivals arrivals
}

// KeepStamping makes the kernel stamp what it receives from now on. It begins
// some milliseconds after the first socket asks for it and ends with the last,
// so that every client has one socket ask for as long as it lives.
func KeepStamping() (end func()) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return func() {}
	}
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	return func() { _ = unix.Close(fd) }
}

// newKernelReader returns nil where the connection can't be stamped.
func newKernelReader(c net.Conn, clock bench.Clock) *kernelReader {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	var set error
	if raw.Control(func(fd uintptr) {
		set = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	}) != nil || set != nil {
		return nil
	}
	k := &kernelReader{raw: raw, arrivals: newArrivals(func() instant {
		now := time.Now()
		return instant{wall: now.UnixNano(), run: int64(now.Sub(clock.Began()))}
	})}
	k.try = k.receive
	k.message.Iov, k.message.Control = &k.into, &k.control[0]
	k.message.SetIovlen(1)
	return k
}

func (k *kernelReader) receive(fd uintptr) bool {
	for {
		k.message.SetControllen(len(k.control))
		n, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&k.message)), 0)
		if errno != unix.EINTR {
			k.n, k.errno = int(n), errno
			return errno != unix.EAGAIN
		}
	}
}

// read returns what came, when it had arrived on the run's clock, and how long
// ago that was when the read returned.
func (k *kernelReader) read(p []byte) (n int, at, lag time.Duration, err error) {
	if len(p) == 0 {
		return 0, 0, 0, nil
	}
	k.into.Base = &p[0]
	k.into.SetLen(len(p))
	err = k.raw.Read(k.try)
	k.into.Base = nil
	switch {
	case err != nil:
		return 0, 0, 0, err
	case k.errno != 0:
		return 0, 0, 0, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("recvmsg", k.errno)}
	case k.n == 0:
		return 0, 0, 0, io.EOF
	}
	received, ok := k.received()
	if !ok { // no stamp: the present stands in
		received = k.arrivals.now().wall
	}
	arrived, late := k.arrivals.convert(received)
	return k.n, time.Duration(arrived), time.Duration(late), nil
}

// received finds the kernel's wall time in the control message.
func (k *kernelReader) received() (int64, bool) {
	if int(k.message.Controllen) < unix.CmsgLen(int(unsafe.Sizeof(unix.Timespec{}))) {
		return 0, false
	}
	h := (*unix.Cmsghdr)(unsafe.Pointer(&k.control[0]))
	if h.Level != unix.SOL_SOCKET || h.Type != unix.SO_TIMESTAMPNS {
		return 0, false
	}
	ts := (*unix.Timespec)(unsafe.Pointer(&k.control[unix.CmsgLen(0)]))
	return ts.Nano(), true
}
