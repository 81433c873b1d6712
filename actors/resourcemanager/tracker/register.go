package tracker

import (
	"fmt"
	"math"
	"slices"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/input"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/resourcemanager/session"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

func (t *ResourceTracker) registerNodeManager(c *rpcenv.Context, q *yarn.RegisterNodeManagerRequest) {
	id, err := ids.NodeFrom(q.GetNodeId())
	if err == nil && badNode(q) != "" {
		err = fmt.Errorf("%s: %s", id, badNode(q))
	}
	switch {
	case !t.ready:
		err = life.ErrNotReady()
	case err != nil:
		err = fmt.Errorf("%w: register a node: %w", exceptions.YARN, err)
	}
	if err != nil {
		rpcenv.Fail(c, q, err)
		return
	}
	// An answer and not an error, as in Hadoop: the node ends, and logs this reason.
	if why := t.refusal(c, id, q.GetResource()); why != "" {
		c.Log().Info(why)
		rpcenv.Reply(c, q, &yarn.RegisterNodeManagerResponse{NodeAction: yarn.NodeAction_NODE_SHUTDOWN, DiagnosticsMessage: why})
		return
	}
	t.doubts.Forget(rpcenv.Address{Host: id.Host, Port: int(id.Port)})
	n := t.byID[id]
	if n == nil || n.machine.State.Over() {
		t.started(c, n, id, q)
	} else {
		t.reconnected(c, n, q) // the ResourceManager has not noticed that it was away
	}
	t.hasApplications(c, id, q.GetRunningApplications())
	c.Send(t.ams, session.NodeRegistered{Node: id})
	c.Log().Infof("NodeManager from node %s registered with capability: %s", id, fair.ResourceFrom(q.GetResource()))
	rpcenv.Reply(c, q, &yarn.RegisterNodeManagerResponse{
		NodeAction: yarn.NodeAction_NORMAL, ContainerTokenMasterKey: t.life.Container, NmTokenMasterKey: t.life.NM,
		RmIdentifier: t.life.Timestamp, RmVersion: ids.HadoopVersion,
	})
}

// refusal says why a node gets SHUTDOWN, in Hadoop's words; "": it may register.
func (t *ResourceTracker) refusal(c *rpcenv.Context, id ids.Node, r *yarn.Resource) string {
	least := scheduler.MinimumAllocationMB.Get(c.Conf())
	cores := scheduler.MinimumAllocationVCores.Get(c.Conf())
	switch {
	case !t.hosts.allows(id.Host):
		return fmt.Sprintf("Disallowed NodeManager from  %s, Sending SHUTDOWN signal to the NodeManager.", id.Host)
	case r.GetMemory() < int64(least) || int(r.GetVirtualCores()) < cores:
		return fmt.Sprintf("NodeManager from  %s doesn't satisfy minimum allocations, Sending SHUTDOWN signal to the NodeManager. "+
			"Node capabilities are %s; minimums are %dmb and %d vcores", id.Host, fair.ResourceFrom(r), least, cores)
	}
	return ""
}

// started takes in a new node, or one that was given up and comes back.
func (t *ResourceTracker) started(c *rpcenv.Context, old *node, id ids.Node, q *yarn.RegisterNodeManagerRequest) {
	n := &node{
		id: id, heard: c.Now(), running: map[ids.Container]bool{}, ended: map[ids.Container]bool{}, cleaned: map[ids.Container]bool{},
	}
	n.take(q)
	// A new value, not the old one reset: the answer to an update of the old life may still come and must not touch this one.
	if i := slices.Index(t.nodes, old); i >= 0 {
		t.nodes[i] = n
	} else {
		t.nodes = append(t.nodes, n)
	}
	t.byID[id] = n
	t.step(c, n, machine.NodeStarted, machine.Always, "it registered")
	t.add(c, n, q.GetContainerStatuses())
}

// add gives a node to the scheduler and reports it to ApplicationMasters.
func (t *ResourceTracker) add(c *rpcenv.Context, n *node, containers []*yarn.NMContainerStatus) {
	n.note(containers)
	c.Send(t.scheduler, scheduler.NodeAdded{Node: n.id, HTTP: n.http, Rack: n.rack, Total: n.total, Containers: containers})
	c.Send(t.ams, session.NodeChanged{Report: n.report()})
}

// note keeps the containers that a node reported, so that its heartbeats report none of them as new.
func (n *node) note(containers []*yarn.NMContainerStatus) {
	n.running, n.ended = map[ids.Container]bool{}, map[ids.Container]bool{}
	for _, k := range containers {
		id, err := ids.ContainerFrom(k.GetContainerId())
		if err != nil {
			continue
		}
		if k.GetContainerState() == yarn.ContainerState_C_COMPLETE {
			n.ended[id] = true
		} else {
			n.running[id] = true
		}
	}
}

// reconnected takes in a known node that registers again: it begins at response 0, and may have other containers.
func (t *ResourceTracker) reconnected(c *rpcenv.Context, n *node, q *yarn.RegisterNodeManagerRequest) {
	n.heard, n.responseID, n.last = c.Now(), 0, nil
	n.take(q)
	n.note(q.GetContainerStatuses())
	n.launchedQueue, n.endedQueue = running(q.GetContainerStatuses()), nil // NodeReconnected has the ends
	if slices.Contains(t.step(c, n, machine.NodeReconnected, machine.Always, "it registered again"), machine.ReconnectNode) {
		c.Send(t.scheduler, scheduler.NodeReconnected{Node: n.id, Total: n.total, Containers: q.GetContainerStatuses()})
	}
}

// running are the containers that a node reports as running, in its order. Those that a new registration reports first reach the
// scheduler as launched with the next heartbeat: otherwise they would expire, since note hides them from the heartbeats.
func running(containers []*yarn.NMContainerStatus) (all []ids.Container) {
	for _, k := range containers {
		if id, err := ids.ContainerFrom(k.GetContainerId()); err == nil && k.GetContainerState() != yarn.ContainerState_C_COMPLETE {
			all = append(all, id)
		}
	}
	return all
}

// hasApplications reports applications with files on a node to their owner, so that the node may forget those that
// ended while it or the ResourceManager was away. It mirrors RMNodeImpl.handleRunningAppOnNode.
func (t *ResourceTracker) hasApplications(c *rpcenv.Context, n ids.Node, apps []*yarn.ApplicationId) {
	for _, a := range apps {
		id, err := ids.ApplicationFrom(a)
		if err != nil {
			c.Log().Warnf("%s has an application that is none: %v", n, err)
			continue
		}
		c.Send(t.client, scheduler.RunningOnNode{App: id, Node: n})
	}
}

// take keeps the node's data from a registration.
func (n *node) take(q *yarn.RegisterNodeManagerRequest) {
	n.http, n.rack, n.total = "", q.GetRack(), q.GetResource()
	if n.rack == "" {
		n.rack = ids.DefaultRack
	}
	if q.GetHttpPort() > 0 {
		n.http = ids.Node{Host: n.id.Host, Port: q.GetHttpPort()}.String()
	}
}

func (t *ResourceTracker) unRegisterNodeManager(c *rpcenv.Context, q *yarn.UnRegisterNodeManagerRequest) {
	id, err := ids.NodeFrom(q.GetNodeId())
	if err != nil {
		rpcenv.Fail(c, q, fmt.Errorf("%w: %w", exceptions.YARN, err))
		return
	}
	if n := t.byID[id]; n != nil && !n.machine.State.Over() {
		t.step(c, n, machine.NodeShut, machine.Always, "it unregistered")
	}
	rpcenv.Reply(c, q, &yarn.UnRegisterNodeManagerResponse{})
}

// maxRack bounds the name of a rack, and of an HTTP address's host, in bytes.
const maxRack = 255

// badNode names the fault of a registration; "": none.
func badNode(q *yarn.RegisterNodeManagerRequest) string {
	switch r := q.GetResource(); {
	case len(q.GetRack()) > maxRack:
		return fmt.Sprintf("the rack has %d bytes, at most %d can be", len(q.GetRack()), maxRack)
	case q.GetHttpPort() < 0 || q.GetHttpPort() > 65535:
		return fmt.Sprintf("no port is %d", q.GetHttpPort())
	case !input.Sane(r):
		return fmt.Sprintf("it offers %s: want 0 to %d of both", fair.ResourceFrom(r), math.MaxInt32)
	}
	return ""
}
