package nodemanager

import (
	"time"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// beatIn sends the next heartbeat in d.
func (n *ContainerManager) beatIn(c *rpcenv.Context, d time.Duration) {
	c.Cancel(n.beat)
	n.beat = c.After(d, Heartbeat{})
}

// beatNow sends a heartbeat at once, as a container has ended. It mirrors the out-of-band heartbeat.
func (n *ContainerManager) beatNow(c *rpcenv.Context) {
	switch {
	case !n.reg.registered: // the registration, or the first heartbeat after it, reports the end
	case n.reg.asked != nil:
		n.reg.again = true // one at a time: the next goes out behind the answer
	default:
		n.beatIn(c, 0)
	}
}

// sendHeartbeat sends the heartbeat that was not answered again, or a new one.
func (n *ContainerManager) sendHeartbeat(c *rpcenv.Context) {
	g := &n.reg
	// A repeated heartbeat is not built anew: the ResourceManager may have taken note of it and then answers its response id
	// without reading newer statuses, which would be lost.
	if g.asked == nil {
		n.books.expire(c.Now())
		g.ends, g.again = n.books.ended(), false
		g.asked = &yarn.NodeHeartbeatRequest{NodeStatus: &yarn.NodeStatus{
			NodeId: n.nodeIDProto(), ResponseId: g.responseID, ContainersStatuses: n.books.statuses(), NodeHealthStatus: n.node.status(),
		}, LastKnownContainerTokenMasterKey: g.containers.known(), LastKnownNmTokenMasterKey: g.nodes.known()}
	}
	try := g.try
	rpcenv.Ask(c, g.tracker, g.asked, func(r *yarn.NodeHeartbeatResponse, err error) {
		if try != g.try { // of a registration that is over
			return
		}
		if err != nil {
			n.unreachable(c, err)
			return
		}
		g.failing = time.Time{}
		n.heartbeatAnswered(c, r)
	})
}

// heartbeatAnswered does what the ResourceManager says. It mirrors the loop of NodeStatusUpdaterImpl's thread.
func (n *ContainerManager) heartbeatAnswered(c *rpcenv.Context, r *yarn.NodeHeartbeatResponse) {
	g := &n.reg
	g.containers.roll(r.GetContainerTokenMasterKey())
	g.nodes.roll(r.GetNmTokenMasterKey())
	switch r.GetNodeAction() {
	case yarn.NodeAction_RESYNC:
		n.resync(c, r.GetDiagnosticsMessage())
		return
	case yarn.NodeAction_NODE_SHUTDOWN:
		c.Log().Warnf("Received SHUTDOWN signal from Resourcemanager as part of heartbeat, hence shutting down. Message from ResourceManager: %s",
			r.GetDiagnosticsMessage())
		n.end(c, 0, "the ResourceManager says so: "+r.GetDiagnosticsMessage())
		return
	}
	g.responseID = r.GetResponseId()
	// Only now, with the answer, the ends count as heard.
	n.books.acknowledged(g.ends, n.rememberUntil(c))
	g.asked, g.ends = nil, nil
	for _, id := range containersOf(c, r.GetContainersToBeRemovedFromNm()) {
		if x := n.books.container(id); x != nil && x.reported { // else its end is still to be reported
			n.books.forget(x, n.rememberUntil(c))
		}
	}
	for _, id := range containersOf(c, r.GetContainersToCleanup()) {
		if x := n.books.container(id); x != nil {
			n.killContainer(c, x, exitstatus.KilledByResourceManager, "Container Killed by ResourceManager\n")
		}
	}
	for _, s := range r.GetContainersToSignal() {
		n.signalToContainer(c, s)
	}
	for _, m := range r.GetApplicationsToCleanup() {
		if id, err := ids.ApplicationFrom(m); err != nil {
			c.Log().WithError(err).Warn("The ResourceManager asks to clean up an application that cannot be")
		} else if a := n.books.app(id); a != nil {
			n.finishApplication(c, a, "Application killed by ResourceManager")
		}
	}
	if size := r.GetResource(); size != nil {
		n.cfg.MemoryMB, n.cfg.VCores = size.GetMemory(), int(size.GetVirtualCores())
	}
	if ms := r.GetNextHeartBeatInterval(); ms > 0 && ms <= maxInterval.Milliseconds() {
		n.interval = time.Duration(ms) * time.Millisecond
	}
	// A container may have ended while this heartbeat was out, or by what the answer asked for.
	next := n.interval
	if g.again {
		next = 0
	}
	n.beatIn(c, next)
}

// maxInterval bounds what a ResourceManager may make of the period of heartbeats.
const maxInterval = 24 * time.Hour

func (n *ContainerManager) rememberUntil(c *rpcenv.Context) time.Time {
	return c.Now().Add(nodeManagerContainerStatuses.Get(c.Conf()))
}

// containersOf are the valid ids; the log has the others.
func containersOf(c *rpcenv.Context, list []*yarn.ContainerId) (out []ids.Container) {
	for _, m := range list {
		id, err := ids.ContainerFrom(m)
		if err != nil {
			c.Log().WithError(err).Warn("The ResourceManager names a container that cannot be")
			continue
		}
		out = append(out, id)
	}
	return out
}

// noHardEnd is the grace of a container that is asked to end and never forced.
const noHardEnd = 365 * 24 * time.Hour

// signalToContainer sends a container the signal that a client asked for.
func (n *ContainerManager) signalToContainer(c *rpcenv.Context, s *yarn.SignalContainer) {
	id, _ := ids.ContainerFrom(s.GetContainerId()) // no container here has the id of an error
	x := n.books.container(id)
	if x == nil || x.process == nil {
		c.Log().Infof("Container %s to signal does not run here", id)
		return
	}
	switch s.GetCommand() {
	case yarn.SignalContainerCommand_GRACEFUL_SHUTDOWN:
		x.process.Kill(noHardEnd)
	case yarn.SignalContainerCommand_FORCEFUL_SHUTDOWN:
		x.process.Kill(0)
	default:
		c.Log().Warnf("Container %s is to be signalled by %s, which cannot be done here", id, s.GetCommand())
	}
}
