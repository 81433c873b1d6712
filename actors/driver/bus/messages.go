package bus

import (
	"github.com/coherer/coherer/actors/driver/status"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Name is the endpoint's name.
const Name = "LiveListenerBus"

// Query asks for a part of the status store. The answer shares nothing with the store that changes.
type Query struct {
	rpcenv.Local
	Of status.Query
}

// ReplyType makes the answer's type known to the compiler.
func (Query) ReplyType() Status { return Status{} }

// Status answers Query; Err is a *status.NotFound.
type Status struct {
	rpcenv.Local
	Value any
	Err   error
}

// Stop posts the end of the application, and is answered when the event log has all events and is closed. A second one is answered at
// once.
type Stop struct {
	rpcenv.Local
	// Code is the exit code of the program.
	Code int
}

// ReplyType makes the answer's type known to the compiler.
func (Stop) ReplyType() *rpc.Bool { return nil }
