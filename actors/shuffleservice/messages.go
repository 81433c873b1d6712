package shuffleservice

import (
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// InitializeApplication names an application of which the daemon is about to start an executor. A second one changes nothing. It mirrors
// AuxiliaryService.initializeApplication.
type InitializeApplication struct {
	rpcenv.Local
	App string
}

// ExecutorRemoved reports that an executor has ended: its files are removed, but for map outputs, which are served on. An executor that
// never registered is ignored. It mirrors ExternalShuffleService.executorRemoved.
type ExecutorRemoved struct {
	rpcenv.Local
	App, Executor string
}

// StopApplication ends the serving of an application. With CleanUp the directories of its executors are removed. The answer comes when that
// is done: then others may remove what lies around them. An unknown application is answered at once. It mirrors
// ExternalShuffleService.applicationRemoved and AuxiliaryService.stopApplication.
type StopApplication struct {
	rpcenv.Local
	App     string
	CleanUp bool
}

// ReplyType makes the answer's type known to the compiler.
func (StopApplication) ReplyType() *rpc.Bool { return nil }
