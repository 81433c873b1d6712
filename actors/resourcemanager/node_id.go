package resourcemanager

import (
	"fmt"
	"strings"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// nodeID is YARN's NodeId: where a NodeManager listens. Its text is HOST:PORT.
type nodeID struct {
	host string
	port int32
}

// maxHost bounds the name of a host, in bytes.
const maxHost = 255

// nodeFrom reads a node's id; one that is no address is an error.
func nodeFrom(m *yarn.NodeId) (nodeID, error) {
	id := nodeID{m.GetHost(), m.GetPort()}
	bad := func(r rune) bool { return r <= ' ' || r == '/' || r == '\\' || r == 0x7f }
	if id.host == "" || len(id.host) > maxHost || strings.ContainsFunc(id.host, bad) || id.port < 1 || id.port > 65535 {
		return nodeID{}, fmt.Errorf("%.64q is no node id: want a host and a port from 1 to 65535", id.String())
	}
	return id, nil
}

func (n nodeID) proto() *yarn.NodeId { return &yarn.NodeId{Host: n.host, Port: n.port} }

func (n nodeID) String() string { return rpcenv.Address{Host: n.host, Port: int(n.port)}.String() }

// manager is the endpoint of the node's NodeManager.
func (n nodeID) manager() rpcenv.Ref {
	return rpcenv.Ref{Address: rpcenv.Address{Host: n.host, Port: int(n.port)}, Name: ids.ContainerManager}
}
