package transport

import (
	"context"
	"errors"
	"net"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/rpcenv"
)

// wantKeepAlive wants that a connection finds out in a minute and a half that its peer's machine is gone.
func wantKeepAlive(t *testing.T, name string, conn net.Conn) {
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

func TestAPeerWhoseMachineIsGoneIsFoundInAMinuteAndAHalf(t *testing.T) {
	h := newHost(t, Options{})
	a, b := pair(t, h)
	wantKeepAlive(t, "the dialler's end", a.Link.(*tcpLink).conn)
	wantKeepAlive(t, "the listener's end", b.Link.(*tcpLink).conn)
	c := newClient(t, BulkOptions{})
	if _, err := fetch(t, c, serve(t, shelf{"a": BytesChunk(nil)}), "a"); err != nil {
		t.Fatal(err)
	}
	for p := range c.all {
		wantKeepAlive(t, "a client's end", p.conn)
	}
}

// busy is an address at which no more connections are taken: its queue is full, and nobody accepts.
func busy(t *testing.T) rpcenv.Address {
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
	stranger(t, at)
	return at
}

func TestADialIsBounded(t *testing.T) {
	at := busy(t)
	h := newHost(t, Options{ConnectTimeout: 10 * time.Millisecond})
	failed := make(chan error, 1)
	h.Dial(at, func(_ rpcenv.Link, err error) rpcenv.Receiver { failed <- err; return nil })
	want := "connect to " + at.String() + ": check that the host is up and no firewall is between: i/o timeout"
	if err := await(t, "failure", failed); saysOf(err) != want {
		t.Errorf("the dial of a link: %v", err)
	}
	c := newClient(t, BulkOptions{ConnectTimeout: 10 * time.Millisecond})
	if _, err := c.dial(t.Context(), at); saysOf(err) != want {
		t.Errorf("the dial of a fetch: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.dial(ctx, at); !errors.Is(err, context.Canceled) && !errors.Is(err, syscall.ECANCELED) {
		t.Errorf("a dial that was cancelled: %v", err)
	}
}
