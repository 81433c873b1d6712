package driver

import (
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Name is the name of the endpoint Scheduler.
const Name = "CoarseGrainedScheduler"

// ReviveOffers is the timer that offers free cores again, each spark.scheduler.revive.interval.
type ReviveOffers struct{ rpcenv.Local }

// StarvationCheck is the timer that warns while no task was ever started.
type StarvationCheck struct{ rpcenv.Local }

// RemoveDisconnected is the timer that removes an executor whose connection ended when no reason has come.
type RemoveDisconnected struct {
	rpcenv.Local
	ExecutorID string
}

// StopExecutors sends StopExecutor to all executors. From then on the end of their connections is no loss.
type StopExecutors struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (StopExecutors) ReplyType() *rpc.Bool { return nil }

// StopDriver stops the endpoint CoarseGrainedScheduler.
type StopDriver struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (StopDriver) ReplyType() *rpc.Bool { return nil }
