package event

import (
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// ExecutorChange reports that an executor came or went. CoarseGrainedScheduler, which owns the executors, sends it to all
// endpoints with books of their own (HeartbeatReceiver, BlockManagerMaster, DAGScheduler, then the listener), to each in the
// same order. In Spark they hear of it by three ways: the listener bus, DAGSchedulerEvents and calls.
type ExecutorChange struct {
	rpcenv.Local
	Kind       ExecutorKind
	ExecutorID string
	Host       string
	// Cores of an executor that was added.
	Cores int
	// Reason why it is lost, and whether the application is to blame, so that its tasks' failures count.
	Reason      string
	CausedByApp bool
	// WholeHost: all executors of the host are to go with an executor that is decommissioned.
	WholeHost bool
}

// ExecutorRegistered has what an executor said of itself when it was added (SparkListenerExecutorAdded).
type ExecutorRegistered struct {
	rpcenv.Local
	Executor *app.RegisterExecutor
}

// WorkerRemoved reports that a cluster gave a whole Worker up.
type WorkerRemoved struct {
	rpcenv.Local
	ID, Host, Message string
}

// ExecutorKind is what happened to an executor. Each goes ExecutorAdded, at most one ExecutorDecommissioned, at most one
// ExecutorLossPending, ExecutorLost.
type ExecutorKind int

const (
	// ExecutorAdded means that it registered. It may not take tasks yet.
	ExecutorAdded ExecutorKind = iota + 1
	// ExecutorLossPending means that its connection ended and the reason has not come yet. It gets no tasks and its map
	// outputs are gone; its running tasks are not given up (Spark's LossReasonPending).
	ExecutorLossPending
	// ExecutorLost means that it is gone for good; its id never comes again.
	ExecutorLost
	// ExecutorDecommissioned means that it finishes what it runs, gets nothing new and then ends.
	ExecutorDecommissioned
)

// String is the kind in logs and traces.
func (k ExecutorKind) String() string {
	switch k {
	case ExecutorAdded:
		return "ADDED"
	case ExecutorLossPending:
		return "LOSS_PENDING"
	case ExecutorLost:
		return "LOST"
	case ExecutorDecommissioned:
		return "DECOMMISSIONED"
	}
	return "UNKNOWN"
}
