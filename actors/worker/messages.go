package worker

import (
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// SendHeartbeat is the tick of the heartbeats, four in spark.worker.timeout. It mirrors DeployMessages.SendHeartbeat.
type SendHeartbeat struct{ rpcenv.Local }

// ReregisterWithMaster is the tick of the registration's retries. It mirrors DeployMessages.ReregisterWithMaster.
type ReregisterWithMaster struct{ rpcenv.Local }

// ExecutorStateChanged reports to the Worker that an executor's process runs, or has ended. The Worker changes its
// books and reports to the Master by the deploy message of the same name, as Spark's does when its ExecutorRunner thread
// sends it that message. A second end of one executor changes nothing.
type ExecutorStateChanged struct {
	rpcenv.Local
	AppID  string
	ExecID int32
	State  deploy.ExecutorState
	// Message says more; "" for nothing to say.
	Message string
	// ExitStatus is the process's exit code; nil unless it ran and ended.
	ExitStatus *int32
}

// repeatReport is the tick of a report that was refused: it is sent again.
type repeatReport struct {
	rpcenv.Local
	seq uint64
}

// DriverStateChanged reports to the Worker that a driver has ended for good. The Worker changes its books and
// reports to the Master by the deploy message of the same name, as Spark's does when its DriverRunner thread sends it that
// message.
type DriverStateChanged struct {
	rpcenv.Local
	DriverID string
	State    deploy.DriverState_State
	// Exception says why it could not be started; "" when it ran.
	Exception string
	// ExitStatus is the process's exit code, the last one; nil when none ran.
	ExitStatus *int32
	// LastWords is the last error that this process wrote to its stderr before it failed; empty when it wrote none.
	LastWords string
}

// relaunchDriver is the end of the wait of a supervised driver whose process failed.
type relaunchDriver struct {
	rpcenv.Local
	id string
}

// Shutdown ends all executors; the Worker takes no more. The answer is true, when they have ended and the Master, if one is
// connected, has acknowledged that: then the process can end and loses no report. It does what Spark's shutdown hooks do. A
// duplicate waits for the same.
type Shutdown struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (Shutdown) ReplyType() *rpc.Bool { return nil }
