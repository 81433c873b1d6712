package appclient

import (
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Connected reports to the listener that the application is registered, once. It mirrors
// StandaloneAppClientListener.connected.
type Connected struct {
	rpcenv.Local
	AppID string
}

// Disconnected reports to the listener that the connection to the Master ended, once. Executors that run go on. It mirrors
// StandaloneAppClientListener.disconnected.
type Disconnected struct{ rpcenv.Local }

// Forgotten reports to the listener that the Master is back and does not know the application, with what to do; without a
// Reason, that another Master knows it after all. Spark's client waits in silence.
type Forgotten struct {
	rpcenv.Local
	Reason string
}

// CheckStanding is the tick at which a client whose Master is gone asks whether it is back without its records.
type CheckStanding struct{ rpcenv.Local }

// Dead reports to the listener that the application failed for good, once: no Master answered, or the Master removed it. It
// mirrors StandaloneAppClientListener.dead.
type Dead struct {
	rpcenv.Local
	Reason string
}

// ExecutorAdded reports an ordered executor to the listener. It mirrors StandaloneAppClientListener.executorAdded.
type ExecutorAdded struct {
	rpcenv.Local
	// FullID is APP/ID.
	FullID   string
	WorkerID string
	// HostPort is the Worker's address.
	HostPort        string
	Cores, MemoryMB int
}

// ExecutorRemoved reports to the listener that an executor has ended. It mirrors StandaloneAppClientListener.executorRemoved.
type ExecutorRemoved struct {
	rpcenv.Local
	// FullID is APP/ID.
	FullID string
	// Message says how; it may be empty.
	Message string
	// ExitStatus is the process's exit code; nil when it is unknown.
	ExitStatus *int32
	// WorkerHost is where the whole Worker was lost; nil when only the executor was.
	WorkerHost *string
}

// ExecutorDecommissioned reports to the listener that an executor's Worker is to go: the executor gets no more work. It mirrors
// StandaloneAppClientListener.executorDecommissioned.
type ExecutorDecommissioned struct {
	rpcenv.Local
	// FullID is APP/ID.
	FullID string
	// Message says why.
	Message string
	// WorkerHost is where the Worker is; nil when only the executor goes.
	WorkerHost *string
}

// WorkerRemoved reports to the listener that a Worker is gone, and with it what its machine stored. It mirrors
// StandaloneAppClientListener.workerRemoved.
type WorkerRemoved struct {
	rpcenv.Local
	ID, Host, Message string
}

// StopAppClient unregisters the application and stops the client; the answer is true. It mirrors
// DeployMessages.StopAppClient.
type StopAppClient struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (StopAppClient) ReplyType() *rpc.Bool { return nil }

// RequestExecutors asks the Master for as many executors of each profile as the application wants in all. The answer is the
// Master's; false when the application is not registered. It mirrors StandaloneAppClient.requestTotalExecutors.
type RequestExecutors struct {
	rpcenv.Local
	Totals []*deploy.ProfileTarget
}

// ReplyType makes the answer's type known to the compiler.
func (RequestExecutors) ReplyType() *rpc.Bool { return nil }

// KillExecutors asks the Master to end executors of the application, by their ids without the application's. The answer
// is the Master's; false when the application is not registered. It mirrors StandaloneAppClient.killExecutors.
type KillExecutors struct {
	rpcenv.Local
	IDs []string
}

// ReplyType makes the answer's type known to the compiler.
func (KillExecutors) ReplyType() *rpc.Bool { return nil }

// RegisterWithMaster is the tick after which a registration try is over. It mirrors
// StandaloneAppClient.ClientEndpoint.registerWithMaster's timer.
type RegisterWithMaster struct{ rpcenv.Local }
