package chat

import (
	"io"
	"net"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kernelReader reads a TCP connection by recvmsg, which tells at what time the
// kernel received the segment that the read ends with (SO_TIMESTAMPNS).
type kernelReader struct {
	raw     syscall.RawConn
	try     func(fd uintptr) bool // made once, so that no read allocates
	into    []byte
	n, oobn int
	err     error
	oob     [64]byte
	offset  time.Duration // wall clock minus monotonic clock at the read before
	began   time.Time     // zero of the offsets
}

// newKernelReader returns nil where the connection can't be stamped.
func newKernelReader(c net.Conn) *kernelReader {
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
	k := &kernelReader{raw: raw, began: time.Now()}
	k.try = k.receive
	return k
}

func (k *kernelReader) receive(fd uintptr) bool {
	for {
		k.n, k.oobn, _, _, k.err = unix.Recvmsg(int(fd), k.into, k.oob[:], 0)
		if k.err != unix.EINTR {
			return k.err != unix.EAGAIN
		}
	}
}

// read returns what arrived and how long ago it did.
func (k *kernelReader) read(p []byte) (n int, lag time.Duration, err error) {
	if len(p) == 0 {
		return 0, 0, nil
	}
	k.into = p
	err = k.raw.Read(k.try)
	k.into = nil
	switch {
	case err != nil:
		return 0, 0, err
	case k.err != nil:
		return 0, 0, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("recvmsg", k.err)}
	case k.n == 0:
		return 0, 0, io.EOF
	}
	return k.n, k.lag(), nil
}

// maxStep is the change of the wall clock against the monotonic one, between
// two reads, above which the wall clock is taken to have been set.
const maxStep = time.Millisecond

// lag is the time since the kernel received the segment. It is 0, so that the
// user-space stamp stands, when the kernel gave no time or the wall clock was
// set since the read before.
func (k *kernelReader) lag() time.Duration {
	now := time.Now()
	offset := now.Round(0).Sub(k.began.Round(0)) - now.Sub(k.began)
	step := (offset - k.offset).Abs()
	k.offset = offset
	received, ok := k.received()
	if !ok || step > maxStep {
		return 0
	}
	return max(now.Round(0).Sub(received), 0)
}

// received finds the kernel's time in the control message.
func (k *kernelReader) received() (time.Time, bool) {
	const header = unix.SizeofCmsghdr
	if k.oobn < header+int(unsafe.Sizeof(unix.Timespec{})) {
		return time.Time{}, false
	}
	h := (*unix.Cmsghdr)(unsafe.Pointer(&k.oob[0]))
	if h.Level != unix.SOL_SOCKET || h.Type != unix.SO_TIMESTAMPNS {
		return time.Time{}, false
	}
	ts := (*unix.Timespec)(unsafe.Pointer(&k.oob[unix.CmsgLen(0)]))
	return time.Unix(ts.Unix()), true
}
