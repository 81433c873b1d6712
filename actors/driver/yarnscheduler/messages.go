package yarnscheduler

import (
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Name is what the endpoint is called.
const Name = ids.YarnScheduler

// ClusterManagerRegistered tells CoarseGrainedScheduler of an ApplicationMaster: the executors of the one before are gone.
type ClusterManagerRegistered struct{ rpcenv.Local }

// RetrieveLastExecutorID asks CoarseGrainedScheduler for the highest executor id that was ever registered.
type RetrieveLastExecutorID struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (RetrieveLastExecutorID) ReplyType() LastExecutorID { return LastExecutorID{} }

// LastExecutorID is the answer; 0 when there was none.
type LastExecutorID struct {
	rpcenv.Local
	ID int32
}

// DecommissionHost tells CoarseGrainedScheduler that the executors on a host are to finish what they run.
type DecommissionHost struct {
	rpcenv.Local
	Host string
}

// StopBackend is the end of the driver: the ApplicationMaster is told, with the application's exit code, and that nothing is
// wanted any more. The answer, whether an ApplicationMaster has heard it, comes when it has, or cannot. Loss of executors is not
// passed on from then on.
type StopBackend struct {
	rpcenv.Local
	Code int
}

// ReplyType makes the answer's type known to the compiler.
func (StopBackend) ReplyType() *rpc.Bool { return nil }
