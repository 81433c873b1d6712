package ids

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/coherer/coherer/messages/yarn"
)

// Node is YARN's NodeId: where a NodeManager listens. Its text is HOST:PORT; the zero Node has none.
type Node struct {
	Host string
	Port int32
}

// maxHost bounds the name of a host, in bytes.
const maxHost = 255

// NodeFrom reads a node's id; one that is no address is an error.
func NodeFrom(m *yarn.NodeId) (Node, error) {
	id := Node{m.GetHost(), m.GetPort()}
	bad := func(r rune) bool { return r <= ' ' || r == '/' || r == '\\' || r == 0x7f }
	if id.Host == "" || len(id.Host) > maxHost || strings.ContainsFunc(id.Host, bad) || id.Port < 1 || id.Port > 65535 {
		return Node{}, fmt.Errorf("%.64q is no node id: want a host and a port from 1 to 65535", id.String())
	}
	return id, nil
}

// Proto is the id as messages carry it.
func (n Node) Proto() *yarn.NodeId { return &yarn.NodeId{Host: n.Host, Port: n.Port} }

func (n Node) String() string {
	if n == (Node{}) {
		return ""
	}
	return net.JoinHostPort(n.Host, strconv.Itoa(int(n.Port)))
}
