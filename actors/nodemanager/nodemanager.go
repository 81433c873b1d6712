package nodemanager

import (
	"time"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// Name is what the endpoint is called.
const Name = ids.ContainerManager

// ContainerClass is the class of a container's process: Args are the words of its command, for a world without a shell; a
// Host with one runs the script in Dir.
const ContainerClass = "org.apache.hadoop.yarn.server.nodemanager.containermanager.launcher.ContainerLaunch"

// ContainerManager is the endpoint of a NodeManager: one machine's share of a cluster. It mirrors ContainerManagerImpl,
// NodeStatusUpdaterImpl and the services behind them.
type ContainerManager struct {
	cfg   Config
	addr  rpcenv.Address
	reg   registration
	books *books
	cache *cache
	node  health
	// managers are the ResourceManagers that Membership reported, in the order of their coming.
	managers []membership.Member

	interval time.Duration // between heartbeats
	beat     rpcenv.Timer
	stopping []rpcenv.Call[*rpc.Bool] // calls that wait for the end of all containers
	early    []early                  // requests that came before the keys
	leaving  bool                     // no more containers are taken
	exit     *exit                    // set when the process is to end with the last container
}

// exit is how a process is to end.
type exit struct {
	code int
	why  string
}

// New makes a NodeManager, to be registered as [Name].
func New(cfg Config) *ContainerManager {
	if cfg.Rack == "" {
		cfg.Rack = ids.DefaultRack
	}
	return &ContainerManager{cfg: cfg}
}

// OnStart begins to register. A Config that is not valid ends the process with code 1.
func (n *ContainerManager) OnStart(c *rpcenv.Context) {
	n.books, n.cache, n.node = newBooks(), newCache(), healthy(c.Now())
	if err := n.cfg.Validate(); err != nil {
		c.Exit(1, err.Error())
		return
	}
	n.addr = c.Env().Address()
	n.interval = rmproxy.NMHeartbeatInterval.Get(c.Conf())
	c.SetLog(c.Log().WithField("node", n.nodeID()))
	c.Log().Infof("Starting NodeManager %s with %d MiB RAM, %d vcores", n.nodeID(), n.cfg.MemoryMB, n.cfg.VCores)
	n.startTicks(c)
	n.keepOldLogs(c)
	if n.cfg.ResourceManager.IsZero() {
		c.Log().Info("Waiting for a ResourceManager among the members of the cluster")
		return
	}
	n.connect(c)
}

// OnStop ends the containers. It reports to nobody: the ResourceManager sees the heartbeats end.
func (n *ContainerManager) OnStop(*rpcenv.Context) {
	for _, x := range n.books.containers {
		if x.process != nil {
			x.process.Kill(0)
		}
	}
}

// Receive is a callback of the endpoint.
func (n *ContainerManager) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	// Of ApplicationMasters, and of the ResourceManager for them.
	case *yarn.StartContainersRequest:
		n.startContainers(c, m)
	case *yarn.StopContainersRequest:
		n.stopContainers(c, m)
	case *yarn.GetContainerStatusesRequest:
		n.getContainerStatuses(c, m)
	// Of observers.
	case *yarn.RequestNodeManagerState:
		n.requestNodeManagerState(c, m)
	// The ResourceManager.
	case Reconnect:
		n.reconnect(c)
	case Heartbeat:
		n.sendHeartbeat(c)
	case membership.MemberJoined:
		n.memberJoined(c, m)
	case membership.MemberLeft:
		n.memberGone(c, m.Member)
	case membership.MemberFailed:
		n.memberGone(c, m.Member)
	case membership.MemberSuspected, membership.MemberRefuted: // nothing is sure yet
	// Containers.
	case relaunchContainer:
		n.relaunchContainer(c, m)
	case MonitorContainers:
		n.monitorContainers(c)
	// The node.
	case CheckDisks:
		n.checkDisks(c)
	case RunHealthScript:
		n.runHealthScript(c)
	case CleanUpCache:
		n.cleanUpCache(c)
	case removeLogs:
		n.removeLogs(c, m)
	case Shutdown:
		n.shutdown(c, m)
	default:
		c.Unsupported(m)
	}
}

// startTicks starts the periodic timers.
func (n *ContainerManager) startTicks(c *rpcenv.Context) {
	if n.cfg.Localizer != nil {
		period := nodeManagerCacheCleanupInterval.Get(c.Conf())
		c.Every(period, period, CleanUpCache{})
	}
	// A simulation has no machine to look at.
	if n.cfg.Machine == nil {
		return
	}
	c.Every(0, nodeManagerDiskInterval.Get(c.Conf()), CheckDisks{})
	if NodeManagerHealthScript.Get(c.Conf()) != "" {
		c.Every(0, nodeManagerHealthInterval.Get(c.Conf()), RunHealthScript{})
	}
	if period := nodeManagerMonitorInterval.Get(c.Conf()); watchesMemory(c.Conf()) {
		c.Every(period, period, MonitorContainers{})
	}
}

// nodeID is HOST:PORT of this node.
func (n *ContainerManager) nodeID() string { return n.addr.String() }

func (n *ContainerManager) nodeIDProto() *yarn.NodeId {
	return &yarn.NodeId{Host: n.addr.Host, Port: int32(n.addr.Port)}
}

// shutdown unregisters, ends all containers, and answers when they have ended.
func (n *ContainerManager) shutdown(c *rpcenv.Context, m Shutdown) {
	n.stopping = append(n.stopping, rpcenv.Defer(c, m))
	if !n.leaving {
		n.unregister(c)
		n.leave(c, "Application killed on shutdown")
	}
	n.checkShutdown(c)
}

// leave ends all applications; no more containers are taken.
func (n *ContainerManager) leave(c *rpcenv.Context, why string) {
	n.leaving = true
	n.reg.asking = false
	n.startEarly(c) // no keys will come: the requests that wait are refused
	// A copy: an application without containers is forgotten at once.
	for _, a := range append([]*application(nil), n.books.apps...) {
		n.finishApplication(c, a, why)
	}
}

// checkShutdown answers the calls that wait, and ends the process if it is to end, once no container is left.
func (n *ContainerManager) checkShutdown(c *rpcenv.Context) {
	if !n.leaving || n.books.live() > 0 {
		return
	}
	for _, call := range n.stopping {
		call.Reply(&rpc.Bool{Value: true})
	}
	n.stopping = nil
	if n.exit != nil {
		c.Exit(n.exit.code, n.exit.why)
	}
}
