package rpcenv

import (
	"fmt"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv/conf"
)

// verifier is the endpoint of each listening Env that says which endpoints there are, and which connections are its own. It mirrors
// org.apache.spark.rpc.netty.RpcEndpointVerifier.
type verifier struct{}

func (verifier) Receive(c *Context, m Message) {
	switch m := m.(type) {
	case *rpc.CheckExistence:
		Reply(c, m, &rpc.Bool{Value: c.Env().endpoints.find(m.GetName()) != nil})
	case *rpc.CheckConnection:
		Reply(c, m, &rpc.Bool{Value: c.Env().connections.owns(m.GetConnection())})
	default:
		c.Unsupported(m)
	}
}

// Resolve asks the peer's verifier for the endpoint of a URI, spark://Name@host:port, and gives its reference to then. A caller that
// looks an endpoint up does so before anything else on a connection. No endpoint of that name is ErrRefusedNotFound; a malformed
// URI is ErrInvalidURL, which then gets too. It may take spark.rpc.lookupTimeout, unless opts say otherwise. It mirrors
// RpcEnv.asyncSetupEndpointRefByURI.
func Resolve(c *Context, uri string, then func(Ref, error), opts ...AskOption) {
	addr, name, err := ParseURI(uri)
	if err != nil {
		c.later("look up", func() { then(Ref{}, err) })
		return
	}
	Ask(c, Ref{Address: addr, Name: VerifierName}, &rpc.CheckExistence{Name: name}, func(found *rpc.Bool, err error) {
		then(resolved(addr, name, found, err))
	}, append([]AskOption{lookupTimeout(c.Conf())}, opts...)...)
}

// ResolveWait is Resolve for a body.
func ResolveWait(b *Blocking, uri string) (Ref, error) {
	addr, name, err := ParseURI(uri)
	if err != nil {
		return Ref{}, err
	}
	found, err := AskWait(b, Ref{Address: addr, Name: VerifierName}, &rpc.CheckExistence{Name: name}, lookupTimeout(b.env.cfg.Conf))
	return resolved(addr, name, found, err)
}

func resolved(addr Address, name string, found *rpc.Bool, err error) (Ref, error) {
	ref := Ref{Address: addr, Name: name}
	switch {
	case err != nil:
		return Ref{}, fmt.Errorf("look up %s: %w", ref, err)
	case !found.GetValue():
		return Ref{}, fmt.Errorf("%w: Cannot find endpoint: %s", ErrRefusedNotFound, ref)
	}
	return ref, nil
}

func lookupTimeout(c *conf.Conf) AskOption {
	return Timeout(RPCLookupTimeout.Source(c), RPCLookupTimeout.Get(c))
}
