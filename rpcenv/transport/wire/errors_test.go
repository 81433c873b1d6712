package wire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

func TestErrorsSayWhatFailedWhyAndWhatToDo(t *testing.T) {
	at := rpcenv.Address{Host: "h", Port: 7077}
	op := func(err error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{Port: 7077}, Err: os.NewSyscallError("connect", err)}
	}
	other := errors.New("something else")
	dns := &net.DNSError{Err: "no such host", Name: "h"}
	for _, c := range []struct {
		err  error
		want string
		is   error
	}{
		{ReadError(syscall.ECONNRESET), "connection reset by peer: connection reset by peer", ErrPeerReset},
		{ReadError(syscall.EPIPE), "connection reset by peer: broken pipe", ErrPeerReset},
		{ReadError(syscall.ETIMEDOUT), "connection reset by peer: connection timed out", ErrPeerReset},
		{ReadError(io.ErrUnexpectedEOF), "connection ended within a frame", ErrTruncated},
		{ReadError(fmt.Errorf("read: %w", os.ErrDeadlineExceeded)), "peer is silent: read: i/o timeout", ErrIdle},
		{ReadError(io.EOF), "EOF", io.EOF},
		{ReadError(nil), "", nil},
		{ReadError(other), "something else", other},

		{
			dialError(at, op(syscall.ECONNREFUSED)),
			"connect to h:7077: nobody listens there: start the process first, or check host and port: connect: connection refused", ErrRefused,
		},
		{
			dialError(at, &net.OpError{Op: "dial", Net: "tcp", Err: dns}),
			"connect to h:7077: the host name is unknown: check its spelling, or use an IP address: lookup h: no such host", dns,
		},
		{
			dialError(at, op(syscall.EHOSTUNREACH)),
			"connect to h:7077: check that the host is up and no firewall is between: connect: no route to host", syscall.EHOSTUNREACH,
		},
		{dialError(at, other), "connect to h:7077: check that the host is up and no firewall is between: something else", other},

		{
			listenError(at, syscall.EADDRINUSE),
			"listen at h:7077: port 7077 is taken by another process: stop that, or choose another port (0: any free one): address already in use",
			syscall.EADDRINUSE,
		},
		{listenError(at, syscall.EACCES), "listen at h:7077: port 7077 is reserved: choose one above 1023: permission denied", syscall.EACCES},
		{
			listenError(at, syscall.EADDRNOTAVAIL),
			`listen at h:7077: "h" is not an address of this machine: cannot assign requested address`, syscall.EADDRNOTAVAIL,
		},
		{listenError(at, other), "listen at h:7077: something else", other},
	} {
		if got := wiretest.Says(c.err); got != c.want || !errors.Is(c.err, c.is) {
			t.Errorf("%q\nwant %q", got, c.want)
		}
	}
}
