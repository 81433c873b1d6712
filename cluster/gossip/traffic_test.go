package gossip_test

import (
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/memberlist"
)

// traffic counts what members send at their sockets: packets, and the bytes in them and in streams, without the headers of UDP and TCP.
type traffic struct{ packets, bytes atomic.Int64 }

// transport is memberlist's own for a member, at any free port, with the counts.
func (t *traffic) transport(b *testing.B, host string) memberlist.Transport {
	var err error
	for range 10 { // the port that TCP got may be taken over UDP
		var n *memberlist.NetTransport
		if n, err = memberlist.NewNetTransport(&memberlist.NetTransportConfig{BindAddrs: []string{host}, Logger: quiet}); err == nil {
			return countedTransport{n, t}
		}
	}
	b.Error(err)
	return nil // memberlist makes one
}

type countedTransport struct {
	*memberlist.NetTransport
	*traffic
}

func (c countedTransport) WriteTo(p []byte, to string) (time.Time, error) {
	return c.WriteToAddress(p, memberlist.Address{Addr: to})
}

func (c countedTransport) WriteToAddress(p []byte, to memberlist.Address) (time.Time, error) {
	c.packets.Add(1)
	c.bytes.Add(int64(len(p)))
	return c.NetTransport.WriteToAddress(p, to)
}

func (c countedTransport) DialTimeout(to string, timeout time.Duration) (net.Conn, error) {
	return c.DialAddressTimeout(memberlist.Address{Addr: to}, timeout)
}

// DialAddressTimeout counts both directions of a stream here, so that each byte counts once.
func (c countedTransport) DialAddressTimeout(to memberlist.Address, timeout time.Duration) (net.Conn, error) {
	conn, err := c.NetTransport.DialAddressTimeout(to, timeout)
	if err != nil {
		return nil, err
	}
	return countedConn{conn, c.traffic}, nil
}

type countedConn struct {
	net.Conn
	*traffic
}

func (c countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.bytes.Add(int64(n))
	return n, err
}

func (c countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.bytes.Add(int64(n))
	return n, err
}
