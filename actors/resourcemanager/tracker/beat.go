package tracker

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/input"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

func (t *ResourceTracker) nodeHeartbeat(c *rpcenv.Context, q *yarn.NodeHeartbeatRequest) {
	id, err := ids.NodeFrom(q.GetNodeStatus().GetNodeId())
	switch {
	case !t.ready:
		err = life.ErrNotReady()
	case err != nil:
		err = fmt.Errorf("%w: heartbeat: %w", exceptions.YARN, err)
	}
	if err != nil {
		rpcenv.Fail(c, q, err)
		return
	}
	n := t.byID[id]
	// An excluded node that is DECOMMISSIONING goes on: its containers may run to their end.
	if !t.hosts.allows(id.Host) && (n == nil || n.machine.State != machine.NodeDecommissioning) {
		why := fmt.Sprintf("Disallowed NodeManager nodeId: %s hostname: %s", id, id.Host)
		c.Log().Info(why)
		rpcenv.Reply(c, q, &yarn.NodeHeartbeatResponse{NodeAction: yarn.NodeAction_NODE_SHUTDOWN, DiagnosticsMessage: why})
		return
	}
	if n == nil || n.machine.State.Over() {
		t.resync(c, q, fmt.Sprintf("Node not found resyncing %s", id))
		return
	}
	n.heard = c.Now()
	switch r := q.GetNodeStatus().GetResponseId(); {
	case n.last != nil && input.NextResponse(r) == n.responseID:
		// The answer was lost, with the orders in it: they have left the queues, and only n.last still has them.
		c.Log().Infof("Received duplicate heartbeat from node %s responseId=%d", id, r)
		rpcenv.Reply(c, q, n.last)
	case r < n.responseID: // it missed more than one answer: its orders are lost, so that it has to begin anew
		why := fmt.Sprintf("Too far behind rm response id:%d nm response id:%d", n.responseID, r)
		t.step(c, n, machine.NodeRebooting, machine.Always, why)
		t.resync(c, q, why)
	default:
		// The status first: it may end the decommissioning, and the answer then orders the node to shut down.
		t.status(c, n, q.GetNodeStatus())
		rpcenv.Reply(c, q, t.beat(c, n, q))
	}
}

// resync makes a node register again.
func (t *ResourceTracker) resync(c *rpcenv.Context, q *yarn.NodeHeartbeatRequest, why string) {
	c.Log().Info(why)
	rpcenv.Reply(c, q, &yarn.NodeHeartbeatResponse{NodeAction: yarn.NodeAction_RESYNC, DiagnosticsMessage: why})
}

// beat is the answer to a heartbeat: the orders for the node.
func (t *ResourceTracker) beat(c *rpcenv.Context, n *node, q *yarn.NodeHeartbeatRequest) *yarn.NodeHeartbeatResponse {
	r := &yarn.NodeHeartbeatResponse{
		ResponseId: input.NextResponse(n.responseID), NodeAction: yarn.NodeAction_NORMAL,
		NextHeartBeatInterval: rmproxy.NMHeartbeatInterval.Get(c.Conf()).Milliseconds(),
	}
	if n.machine.State == machine.NodeDecommissioned { // just now, since nothing runs there any more
		r.NodeAction, r.DiagnosticsMessage = yarn.NodeAction_NODE_SHUTDOWN, "DECOMMISSIONED"
	}
	for _, id := range n.cleanContainers {
		r.ContainersToCleanup = append(r.ContainersToCleanup, id.Proto())
	}
	for _, id := range n.cleanApps {
		r.ApplicationsToCleanup = append(r.ApplicationsToCleanup, id.Proto())
	}
	for _, id := range n.forget {
		r.ContainersToBeRemovedFromNm = append(r.ContainersToBeRemovedFromNm, id.Proto())
		delete(n.ended, id)
		delete(n.cleaned, id)
	}
	// Ordered once: n.last repeats them if the answer is lost, and a new registration lists what the node still has.
	n.cleanContainers, n.cleanApps, n.forget = nil, nil, nil
	if key := t.life.Container; q.GetLastKnownContainerTokenMasterKey().GetKeyId() != key.GetKeyId() {
		r.ContainerTokenMasterKey = key
	}
	if key := t.life.NM; q.GetLastKnownNmTokenMasterKey().GetKeyId() != key.GetKeyId() {
		r.NmTokenMasterKey = key
	}
	n.responseID, n.last = r.GetResponseId(), r
	return r
}

// status lets a heartbeat happen to a node.
func (t *ResourceTracker) status(c *rpcenv.Context, n *node, s *yarn.NodeStatus) {
	when, why := machine.Always, "it reports that it is healthy"
	if h := s.GetNodeHealthStatus(); h != nil {
		n.health = proto.CloneOf(h)
		n.health.HealthReport = input.Cut(h.GetHealthReport(), input.MaxText)
		if !h.GetIsNodeHealthy() {
			when, why = machine.Unhealthy, n.health.GetHealthReport()
		}
	}
	for _, action := range t.step(c, n, machine.NodeStatusUpdate, when, why) {
		switch action {
		case machine.AddNode:
			t.add(c, n, asRegistered(s.GetContainersStatuses()))
		case machine.UpdateNode:
			// drained looks at the queue of ends, which difference fills and sendUpdate empties. A node that it decommissions
			// has left the scheduler, which ignores the update.
			t.difference(n, s.GetContainersStatuses())
			t.drained(c, n)
			t.sendUpdate(c, n)
		}
	}
}

// asRegistered converts a heartbeat's containers to those of a registration.
func asRegistered(statuses []*yarn.ContainerStatus) []*yarn.NMContainerStatus {
	var all []*yarn.NMContainerStatus
	for _, s := range statuses {
		all = append(all, &yarn.NMContainerStatus{
			ContainerId: s.GetContainerId(), ContainerState: s.GetState(), Resource: s.GetCapability(),
			Diagnostics: s.GetDiagnostics(), ContainerExitStatus: s.GetExitStatus(),
		})
	}
	return all
}

// changes are the news of a heartbeat: containers that run now, and those that have ended, also by vanishing from the reports.
// Containers being cleaned up do not count as launched. It mirrors RMNodeImpl.handleContainerStatus.
func (n *node) changes(statuses []*yarn.ContainerStatus) (launched []ids.Container, ended []*yarn.ContainerStatus) {
	reported := map[ids.Container]bool{}
	for _, s := range statuses {
		id, err := ids.ContainerFrom(s.GetContainerId())
		if err != nil {
			continue
		}
		reported[id] = true
		switch {
		case s.GetState() == yarn.ContainerState_C_COMPLETE:
			delete(n.running, id)
			if !n.ended[id] { // each heartbeat repeats it until the node may forget it
				n.ended[id] = true
				ended = append(ended, s)
			}
		case !n.running[id] && !n.cleaned[id]:
			n.running[id] = true
			launched = append(launched, id)
		}
	}
	// A node repeats an end until it may forget it. A running container that it drops without a word would stay in the books for ever.
	for _, id := range slices.SortedFunc(maps.Keys(n.running), ids.CompareContainers) {
		if !reported[id] {
			delete(n.running, id)
			ended = append(ended, &yarn.ContainerStatus{
				ContainerId: id.Proto(), State: yarn.ContainerState_C_COMPLETE, ExitStatus: exitstatus.Aborted, Diagnostics: fair.DiagnosticsLost,
			})
		}
	}
	gone := func(id ids.Container, _ bool) bool { return !reported[id] }
	maps.DeleteFunc(n.ended, gone)
	// An order that has not gone out may concern a container that the node begins to report later.
	maps.DeleteFunc(n.cleaned, func(id ids.Container, _ bool) bool { return gone(id, true) && !slices.Contains(n.cleanContainers, id) })
	return launched, ended
}

func (t *ResourceTracker) difference(n *node, statuses []*yarn.ContainerStatus) {
	launched, ended := n.changes(statuses)
	n.launchedQueue = append(n.launchedQueue, launched...)
	n.endedQueue = append(n.endedQueue, ended...)
}

// sendUpdate sends the scheduler the news of a node. One such message is in flight for a node at a time: a scheduler that is busy
// gets the heartbeats of meanwhile as one, and its mailbox does not grow.
func (t *ResourceTracker) sendUpdate(c *rpcenv.Context, n *node) {
	if n.updating {
		n.again = true
		return
	}
	n.updating, n.again = true, false
	m := scheduler.NodeUpdate{Node: n.id, Launched: n.launchedQueue, Ended: n.endedQueue}
	n.launchedQueue, n.endedQueue = nil, nil
	rpcenv.Ask(c, t.scheduler, m, func(scheduler.NodeUpdated, error) {
		n.updating = false
		if n.again && !n.machine.State.Over() {
			t.sendUpdate(c, n)
		}
	})
}

// drained ends the decommissioning of a node without running containers, or of one whose time is over.
func (t *ResourceTracker) drained(c *rpcenv.Context, n *node) {
	if n.machine.State != machine.NodeDecommissioning {
		return
	}
	late := n.patience >= 0 && c.Now().Sub(n.since) >= n.patience
	// With ends that the scheduler has not taken yet the node stays: else it would count these containers as lost with the node.
	if len(n.running) == 0 && len(n.endedQueue) == 0 && !n.updating || late {
		t.step(c, n, machine.NodeDecommission, machine.Always, "its containers have ended, or its time is over")
	}
}
