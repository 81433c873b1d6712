package yarnscheduler

import (
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Name is what the endpoint is called.
const Name = ids.YarnScheduler

// ClusterManagerRegistered reports a new ApplicationMaster to CoarseGrainedScheduler: the executors of the one before are gone.
type ClusterManagerRegistered struct{ rpcenv.Local }

// RetrieveLastExecutorID asks CoarseGrainedScheduler for the highest executor id that was ever registered.
type RetrieveLastExecutorID struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (RetrieveLastExecutorID) ReplyType() LastExecutorID { return LastExecutorID{} }

// LastExecutorID is the answer; 0 before the first executor.
type LastExecutorID struct {
	rpcenv.Local
	ID int32
}

// DecommissionHost asks CoarseGrainedScheduler to decommission the executors on a host: they finish their tasks.
type DecommissionHost struct {
	rpcenv.Local
	Host string
}

// StopBackend is the end of the driver: the ApplicationMaster gets the application's exit code and a request for no executors.
// The answer says whether an ApplicationMaster has heard it; it comes when one has, or cannot. From then on losses of executors
// are not passed on.
type StopBackend struct {
	rpcenv.Local
	Code int
}

// ReplyType makes the answer's type known to the compiler.
func (StopBackend) ReplyType() *rpc.Bool { return nil }
