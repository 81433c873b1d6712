package wire

import (
	"context"
	"net"
	"strconv"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// keepAlive finds a peer whose machine went away without a word, in a minute and a half.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 30 * time.Second, Interval: 10 * time.Second, Count: 6}

// Dial connects to an address within a time. Its error says what to do. Go sets TCP_NODELAY on each connection.
func Dial(ctx context.Context, to rpcenv.Address, limit time.Duration) (net.Conn, error) {
	d := net.Dialer{Timeout: limit, KeepAliveConfig: keepAlive}
	conn, err := d.DialContext(ctx, "tcp", join(to))
	if err == nil && conn.LocalAddr().String() == conn.RemoteAddr().String() {
		// A dial to a free port of this machine can meet itself, when the kernel chooses that port for it.
		_ = conn.Close()
		err = ErrRefused
	}
	if err != nil {
		return nil, dialError(to, err)
	}
	return conn, nil
}

// Listen listens at an address; port 0 is any free one. It returns the address bound too, with the host as it was given: the
// kernel knows only the IP address.
func Listen(ctx context.Context, at rpcenv.Address) (net.Listener, rpcenv.Address, error) {
	lc := net.ListenConfig{KeepAliveConfig: keepAlive}
	ln, err := lc.Listen(ctx, "tcp", join(at))
	if err != nil {
		return nil, rpcenv.Address{}, listenError(at, err)
	}
	bound := AddressOf(ln.Addr())
	if at.Host != "" {
		bound.Host = at.Host
	}
	return ln, bound, nil
}

func join(a rpcenv.Address) string { return net.JoinHostPort(a.Host, strconv.Itoa(a.Port)) }

// AddressOf is a TCP address as one of an Env, an IPv4 address in IPv6 as IPv4; zero for another one.
func AddressOf(a net.Addr) rpcenv.Address {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return rpcenv.Address{}
	}
	return rpcenv.Address{Host: tcp.AddrPort().Addr().Unmap().String(), Port: tcp.Port}
}
