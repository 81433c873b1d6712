package bus

import (
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Name is the endpoint's name.
const Name = "LiveListenerBus"

// Stop posts the end of the application, and is answered when the event log has all events and is closed. A second one is answered at
// once.
type Stop struct {
	rpcenv.Local
	// Code is the exit code of the program.
	Code int
}

// ReplyType makes the answer's type known to the compiler.
func (Stop) ReplyType() *rpc.Bool { return nil }
