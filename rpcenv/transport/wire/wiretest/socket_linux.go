package wiretest

import (
	"errors"
	"net"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/rpcenv"
)

// WantKeepAlive wants that a connection finds out in a minute and a half that its peer's machine is gone.
func WantKeepAlive(t *testing.T, name string, conn net.Conn) {
	t.Helper()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for _, option := range []struct{ level, name, want int }{
		{unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1},
		{unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, 30},
		{unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, 10},
		{unix.IPPROTO_TCP, unix.TCP_KEEPCNT, 6},
	} {
		var got int
		if err := errors.Join(raw.Control(func(fd uintptr) { got, err = unix.GetsockoptInt(int(fd), option.level, option.name) }), err); err != nil {
			t.Fatal(err)
		}
		if got != option.want {
			t.Errorf("%s: option %d is %d, want %d", name, option.name, got, option.want)
		}
	}
}

// Busy is an address at which no more connections are taken: its queue is full, and nobody accepts.
func Busy(t *testing.T) rpcenv.Address {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	if err := errors.Join(unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), unix.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	at := rpcenv.Address{Host: "127.0.0.1", Port: name.(*unix.SockaddrInet4).Port}
	conn, err := net.Dial("tcp", at.String()) // the one that fills the queue
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return at
}
