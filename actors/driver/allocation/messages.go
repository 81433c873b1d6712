package allocation

import (
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Name is the endpoint's name.
const Name = "ExecutorAllocationManager"

// Schedule is the timer by which the manager looks, each 100 ms (ExecutorAllocationManager.intervalMillis).
type Schedule struct{ rpcenv.Local }

// Reset says that another cluster manager has come, which knows nothing of executors: the manager sends it the target. It
// mirrors ExecutorAllocationManager.reset.
type Reset struct{ rpcenv.Local }

// Ready says that tasks may start: enough executors can take tasks, or the application has waited for long enough. A Spark
// context returns then, and no job was submitted before.
type Ready struct{ rpcenv.Local }

// RequestTotalExecutors asks CoarseGrainedScheduler for so many executors in all, running ones included. The answer is the
// cluster manager's. It mirrors ExecutorAllocationClient.requestTotalExecutors.
type RequestTotalExecutors struct {
	rpcenv.Local
	Total int
}

// ReplyType makes the answer's type known to the compiler.
func (RequestTotalExecutors) ReplyType() *rpc.Bool { return nil }

// KillExecutors asks CoarseGrainedScheduler to end executors that are idle. The answer has those that will end: an
// executor that is unknown, busy or ending already is left out. It mirrors ExecutorAllocationClient.killExecutors with
// adjustTargetNumExecutors, countFailures and force false.
type KillExecutors struct {
	rpcenv.Local
	IDs []string
}

// ReplyType makes the answer's type known to the compiler.
func (KillExecutors) ReplyType() Removed { return Removed{} }

// DecommissionExecutors is KillExecutors with spark.decommission.enabled: the executors move their blocks away and end of
// themselves. It mirrors ExecutorAllocationClient.decommissionExecutors.
type DecommissionExecutors struct {
	rpcenv.Local
	IDs []string
}

// ReplyType makes the answer's type known to the compiler.
func (DecommissionExecutors) ReplyType() Removed { return Removed{} }

// Removed are the executors that will end.
type Removed struct {
	rpcenv.Local
	IDs []string
}

// ExecutorDecommissioning reports that an executor is to end of itself, whatever the cause: it is not idle, and not counted as
// one that remains. Spark reports only executors that ExecutorAllocationManager itself had decommissioned.
type ExecutorDecommissioning struct {
	rpcenv.Local
	ExecutorID string
}
