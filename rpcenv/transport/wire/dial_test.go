package wire

import (
	"net"
	"testing"

	"github.com/coherer/coherer/rpcenv"
)

func TestAnIPv4AddressInIPv6IsOneOfIPv4(t *testing.T) {
	mapped := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1).To16(), Port: 7077}
	if got := AddressOf(mapped); got != (rpcenv.Address{Host: "10.0.0.1", Port: 7077}) {
		t.Errorf("an IPv4 address in IPv6 is %s", got)
	}
}
