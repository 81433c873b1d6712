package yarnclient

import (
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// Name is what the endpoint is called.
const Name = "YarnClient"

// Report is the tick at which the client asks the ResourceManager for a report of the application.
type Report struct{ rpcenv.Local }

// Poll is the tick at which it asks whether the submission was accepted, or the end stored.
type Poll struct{ rpcenv.Local }

// GiveUp ends the application, if it has been submitted and has not ended: its driver, in client mode, is over. It is
// answered when that is stored, or cannot be.
type GiveUp struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (GiveUp) ReplyType() *rpc.Bool { return nil }

// Submitted reports to a listener that the ResourceManager took the application.
type Submitted struct {
	rpcenv.Local
	AppID string
}

// Running reports to a listener that the application's ApplicationMaster has registered.
type Running struct{ rpcenv.Local }

// Ended reports the application's end to a listener: one that never began has no id.
type Ended struct {
	rpcenv.Local
	AppID       string
	State       yarn.YarnApplicationState
	Final       yarn.FinalApplicationStatus
	Diagnostics string
}

// Err is nil when the application succeeded, else why not.
func (m Ended) Err() error { return outcome(m.AppID, m.State, m.Final, m.Diagnostics) }
