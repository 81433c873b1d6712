package commit

import "github.com/coherer/coherer/rpcenv"

// Name is the endpoint's name.
const Name = "OutputCommitCoordinator"

// Coordinator is the endpoint. The zero Coordinator is ready.
type Coordinator struct{}

// Receive is a callback of the endpoint.
func (*Coordinator) Receive(c *rpcenv.Context, m rpcenv.Message) { c.Unsupported(m) }
