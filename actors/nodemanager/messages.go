package nodemanager

import (
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Heartbeat is the tick of the heartbeats, whose period the ResourceManager says. It mirrors NodeStatusUpdaterImpl's thread.
type Heartbeat struct{ rpcenv.Local }

// Reconnect is the tick of the next try to reach the ResourceManager, every yarn.resourcemanager.connect.retry-interval.ms.
type Reconnect struct{ rpcenv.Local }

// MonitorContainers is the tick by which the memory of containers is looked at. It mirrors ContainersMonitorImpl's thread.
type MonitorContainers struct{ rpcenv.Local }

// CheckDisks is the tick by which the node's directories are looked at. It mirrors LocalDirsHandlerService.
type CheckDisks struct{ rpcenv.Local }

// RunHealthScript is the tick by which the node's health script is run. It mirrors NodeHealthScriptRunner.
type RunHealthScript struct{ rpcenv.Local }

// CleanUpCache is the tick at which unused resources are removed. It mirrors LocalizerEventType.CACHE_CLEANUP.
type CleanUpCache struct{ rpcenv.Local }

// relaunchContainer is the end of the wait of a container whose process failed.
type relaunchContainer struct {
	rpcenv.Local
	id ids.Container
}

// Shutdown ends all containers; no more are taken, and the ResourceManager hears that the node ends. It is answered true when
// the containers have ended. A duplicate waits for the same. It does what NodeManager.stop does.
type Shutdown struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (Shutdown) ReplyType() *rpc.Bool { return nil }
