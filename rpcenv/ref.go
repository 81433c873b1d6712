package rpcenv

import (
	"github.com/coherer/coherer/messages/rpc"
)

// Ref is a reference to an endpoint: a value, comparable, usable as a map key. It says where messages go and does not
// promise that an endpoint is there. It mirrors org.apache.spark.rpc.RpcEndpointRef.
//
// A Ref to an endpoint in client mode means one connection and dies with it. The zero Ref is no endpoint.
type Ref struct {
	// Address is where the endpoint's Env listens; in client mode that of its end of the connection.
	Address Address
	// Name is the endpoint's name there.
	Name string

	conn uint64 // the connection to a peer in client mode, else 0
}

// IsZero reports whether r is no endpoint.
func (r Ref) IsZero() bool { return r.Name == "" }

// String is spark://Name@host:port, or spark-client://Name for an endpoint in client mode.
func (r Ref) String() string {
	if r.conn != 0 || r.Address.IsZero() {
		return "spark-client://" + r.Name
	}
	return "spark://" + r.Name + "@" + r.Address.String()
}

// Proto is r as it travels inside messages. Only references to endpoints of the sending Env, or of listening ones, should
// travel: one in client mode is of use at the two ends of its connection, and fails in the hands of third parties.
func (r Ref) Proto() *rpc.EndpointRef {
	if r.IsZero() {
		return nil
	}
	if r.conn != 0 {
		return &rpc.EndpointRef{Name: r.Name, Connection: r.conn}
	}
	return &rpc.EndpointRef{Name: r.Name, Address: r.Address.Proto()}
}
