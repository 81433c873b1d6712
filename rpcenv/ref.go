package rpcenv

import (
	"github.com/coherer/coherer/messages/rpc"
)

// Ref is a reference to an endpoint: a value, comparable, usable as a map key. It says where messages go and promises
// nothing about who is there. It mirrors org.apache.spark.rpc.RpcEndpointRef.
//
// A Ref to an endpoint in client mode means one connection and dies with it. The zero Ref is nobody.
type Ref struct {
	// Address is where the endpoint's Env listens; in client mode that of its end of the connection.
	Address Address
	// Name is the endpoint's name there.
	Name string

	conn uint64 // the connection to a peer in client mode, else 0
}

// IsZero reports whether r is nobody.
func (r Ref) IsZero() bool { return r.Name == "" }

// String is spark://Name@host:port, or spark-client://Name for an endpoint in client mode.
func (r Ref) String() string {
	if r.conn != 0 || r.Address.IsZero() {
		return "spark-client://" + r.Name
	}
	return "spark://" + r.Name + "@" + r.Address.String()
}

// Proto is r as it travels inside messages. Only references to endpoints of the sending Env, or of listening ones, may
// travel: one in client mode means nothing to third parties.
func (r Ref) Proto() *rpc.EndpointRef {
	if r.IsZero() {
		return nil
	}
	p := &rpc.EndpointRef{Name: r.Name}
	if r.conn == 0 {
		p.Address = r.Address.Proto()
	}
	return p
}
