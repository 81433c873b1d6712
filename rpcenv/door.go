package rpcenv

import (
	"net"
	"net/netip"
	"strings"

	"github.com/sirupsen/logrus"
)

// Door is a place where a process listens. Callers are not authenticated there: what protects a door is that few reach it.
type Door struct {
	// Name is what listens, such as "the RPC port".
	Name string
	// At is HOST:PORT of the listener.
	At string
	// Lets says what a caller that reaches it can do: it follows "can".
	Lets string
	// Close says how to close it to the network: it follows "to close it,".
	Close string
}

// Warn warns of a door that is open to the network. One on loopback is not.
func (d Door) Warn(log *logrus.Entry) {
	if d.open() && log != nil {
		log.Warnf("%s is open to the network at %s: anybody who reaches it can %s; to close it, %s", d.Name, d.At, d.Lets, d.Close)
	}
}

// open reports whether other machines may reach the door. A host name but localhost counts as open: it may resolve to any address.
func (d Door) open() bool {
	host, _, err := net.SplitHostPort(d.At)
	if err != nil || strings.EqualFold(host, "localhost") {
		return false
	}
	ip, _ := netip.ParseAddr(host)
	return !ip.Unmap().IsLoopback()
}
