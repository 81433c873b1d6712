package scheduler

import (
	"errors"
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/input"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

var errNoNode = errors.New("its node is gone")

// NodeAdded counts a node in, with the containers that it reports. It mirrors NodeAddedSchedulerEvent.
type NodeAdded struct {
	rpcenv.Local
	Node       ids.Node
	HTTP, Rack string
	Total      *yarn.Resource
	Containers []*yarn.NMContainerStatus
}

func (s *Scheduler) nodeAdded(c *rpcenv.Context, m NodeAdded) {
	name := m.Node.String()
	spec := fair.NodeSpec{ID: name, Host: m.Node.Host, Rack: m.Rack, Total: fair.ResourceFrom(m.Total)}
	if err := s.book.AddNode(s.now(c), spec); err != nil {
		c.Log().Errorf("add %s: %v", name, err)
		return
	}
	s.nodes[name] = &scheduledNode{id: m.Node, http: m.HTTP}
	for _, k := range m.Containers {
		s.recover(c, m.Node, k)
	}
	s.nodesChanged(c)
}

// nodesChanged computes shares at once, as Hadoop's update thread is woken by a change of nodes.
func (s *Scheduler) nodesChanged(c *rpcenv.Context) {
	if !s.fifo {
		s.book.Update(s.now(c))
	}
}

// recover takes a container that a node reports into the books, after the restart of the ResourceManager or when a node that was
// given up comes back. Containers without an owner end.
func (s *Scheduler) recover(c *rpcenv.Context, n ids.Node, m *yarn.NMContainerStatus) {
	id, err := ids.ContainerFrom(m.GetContainerId())
	if err != nil {
		c.Log().Warnf("%s reports a container: %v", n, err)
		return
	}
	a := s.apps[id.Attempt.App]
	if a != nil {
		a.missing = slices.DeleteFunc(a.missing, func(k ids.Container) bool { return k == id })
	}
	complete := m.GetContainerState() == yarn.ContainerState_C_COMPLETE
	mine := a != nil && (a.attempt == id.Attempt || a.keep && a.attempt.App == id.Attempt.App)
	switch {
	case s.containers[id] != nil: // the books have it already, perhaps on another node, which is the one to believe
	case !input.Sane(m.GetResource()):
		c.Log().Warnf("%s reports %s with %s, which no scheduler gives", n, id, fair.ResourceFrom(m.GetResource()))
		c.Send(s.tracker, CleanUpContainer{Node: n, Container: id})
	case complete && s.unheard(id): // already on its way to the ApplicationMaster
	case complete && !mine: // nobody waits for it
		c.Send(s.tracker, ForgetContainer{Node: n, Container: id})
	case complete:
		status := &yarn.ContainerStatus{
			ContainerId: m.GetContainerId(), State: yarn.ContainerState_C_COMPLETE, Diagnostics: m.GetDiagnostics(),
			ExitStatus: m.GetContainerExitStatus(), Capability: m.GetResource(),
		}
		k := &container{Container: fair.Container{ID: id, Node: n.String()}, attempt: a.attempt}
		s.step(c, k, machine.ContainerRecover, machine.Completed, status)
	case !mine:
		c.Send(s.tracker, CleanUpContainer{Node: n, Container: id})
	default:
		s.recoverLive(c, a, n, id, m)
	}
}

// recoverLive takes a running container into the books. Its owner is the application's current attempt, as after a restart.
func (s *Scheduler) recoverLive(c *rpcenv.Context, a *scheduledApp, n ids.Node, id ids.Container, m *yarn.NMContainerStatus) {
	k := &container{
		Container: fair.Container{
			ID: id, Node: n.String(), Resource: fair.ResourceFrom(m.GetResource()), Key: fair.Key{Priority: m.GetPriority().GetPriority()},
			AM: id == a.am,
		},
		attempt: a.attempt, made: c.Now(),
	}
	if err := s.book.Recover(s.now(c), k.Container); err != nil {
		c.Log().Warnf("%s reports %s, which ends: %v", n, id, err)
		c.Send(s.tracker, CleanUpContainer{Node: n, Container: id})
		return
	}
	s.containers[id] = k
	s.step(c, k, machine.ContainerRecover, machine.Always, nil)
	c.Send(s.client, RunningOnNode{App: id.Attempt.App, Node: n})
}

// NodeRemoved counts a node out; its containers are lost. It mirrors NodeRemovedSchedulerEvent.
type NodeRemoved struct {
	rpcenv.Local
	Node ids.Node
}

func (s *Scheduler) nodeRemoved(c *rpcenv.Context, m NodeRemoved) {
	events, err := s.book.RemoveNode(s.now(c), m.Node.String())
	if err != nil {
		c.Log().Errorf("remove %s: %v", m.Node, err)
		return
	}
	s.decided(c, events) // before the node goes: the reports of its containers' ends and failures name it
	delete(s.nodes, m.Node.String())
	s.nodesChanged(c)
}

// NodeUpdate is the news of a node's heartbeat; the answer allows the next one.
type NodeUpdate struct {
	rpcenv.Local
	Node     ids.Node
	Launched []ids.Container
	Ended    []*yarn.ContainerStatus
}

// NodeUpdated says that the Scheduler has taken the news: the next may come.
type NodeUpdated struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (NodeUpdate) ReplyType() (r NodeUpdated) { return r }

func (s *Scheduler) nodeUpdate(c *rpcenv.Context, m NodeUpdate) {
	defer rpcenv.Reply(c, m, NodeUpdated{})
	n := s.nodes[m.Node.String()]
	if n == nil { // removed while the message was on its way
		return
	}
	// The book knows no ACQUIRED and RUNNING: launched ones step here, before it decides the ends of others.
	ended := s.ended(c, m)
	for _, id := range m.Launched {
		if k := s.containers[id]; k != nil && k.Node == m.Node.String() && k.machine.State == machine.ContainerAcquired {
			s.step(c, k, machine.ContainerLaunch, machine.Always, nil)
		}
	}
	if !s.ready(c) {
		s.bookWithoutOffer(c, n, m.Launched, ended)
		return
	}
	events, err := s.policy.NodeUpdate(s.now(c), m.Node.String(), m.Launched, ended)
	if err != nil {
		c.Log().Errorf("update %s: %v", m.Node, err)
		return
	}
	s.decided(c, events)
}

// ended are the ended containers of an update that are in the books. The node may forget the others.
func (s *Scheduler) ended(c *rpcenv.Context, m NodeUpdate) []fair.Ended {
	var all []fair.Ended
	for _, status := range m.Ended {
		id, err := ids.ContainerFrom(status.GetContainerId())
		if err != nil {
			continue
		}
		k := s.containers[id]
		if k == nil || k.Node != m.Node.String() {
			// The end of an unknown one may still be on its way to its ApplicationMaster: forgetContainer follows its acknowledgement.
			if !s.unheard(id) {
				c.Send(s.tracker, ForgetContainer{Node: m.Node, Container: id})
			}
			continue
		}
		all = append(all, fair.Ended{ID: id, ExitStatus: status.GetExitStatus(), Diagnostics: status.GetDiagnostics()})
	}
	return all
}

// unheard reports whether an ApplicationMaster still has to get, or to acknowledge, the end of a container.
func (s *Scheduler) unheard(id ids.Container) bool {
	a := s.apps[id.Attempt.App]
	if a == nil {
		return false
	}
	for _, list := range [][]doneContainer{a.done, a.sent} {
		for _, d := range list {
			if of, _ := ids.ContainerFrom(d.status.GetContainerId()); of == id {
				return true
			}
		}
	}
	return false
}

// bookWithoutOffer books the news of a node and offers its room to nobody; the book's NodeUpdate would do both.
func (s *Scheduler) bookWithoutOffer(c *rpcenv.Context, n *scheduledNode, launched []ids.Container, ended []fair.Ended) {
	for _, id := range launched {
		if s.containers[id] == nil {
			c.Send(s.tracker, CleanUpContainer{Node: n.id, Container: id})
		}
	}
	for _, e := range ended {
		end := fair.End{ExitStatus: e.ExitStatus, Diagnostics: e.Diagnostics, Cause: fair.Finished}
		s.decided(c, s.book.Complete(s.now(c), e.ID, end))
	}
}

// NodeReconnected is a node that registered again without having been given up: its size and its containers now.
type NodeReconnected struct {
	rpcenv.Local
	Node       ids.Node
	Total      *yarn.Resource
	Containers []*yarn.NMContainerStatus
}

func (s *Scheduler) nodeReconnected(c *rpcenv.Context, m NodeReconnected) {
	if s.nodes[m.Node.String()] == nil {
		return
	}
	if err := s.book.UpdateNodeResource(s.now(c), m.Node.String(), fair.ResourceFrom(m.Total)); err != nil {
		c.Log().Errorf("%s reconnects: %v", m.Node, err)
		return
	}
	reported := map[ids.Container]*yarn.NMContainerStatus{}
	for _, r := range m.Containers {
		id, _ := ids.ContainerFrom(r.GetContainerId()) // recover logs a bad id
		reported[id] = r
	}
	// The known ones first: when recover sees a container that ended here, unheard finds its end and does not report it twice.
	for _, id := range s.on(m.Node) {
		r, k := reported[id], s.containers[id]
		end := fair.End{ExitStatus: exitstatus.Aborted, Diagnostics: fair.DiagnosticsLost, Cause: fair.Killed}
		switch {
		case r.GetContainerState() == yarn.ContainerState_C_COMPLETE:
			end = fair.End{ExitStatus: r.GetContainerExitStatus(), Diagnostics: r.GetDiagnostics(), Cause: fair.Finished}
		case r != nil, k.machine.State != machine.ContainerRunning: // it runs, or its start is still to come
			continue
		}
		s.decided(c, s.book.Complete(s.now(c), id, end))
	}
	for _, r := range m.Containers {
		s.recover(c, m.Node, r)
	}
}

// on are the containers of a node, in the order of their ids.
func (s *Scheduler) on(n ids.Node) []ids.Container {
	var all []ids.Container
	for _, id := range slices.SortedFunc(maps.Keys(s.containers), ids.CompareContainers) {
		if s.containers[id].Node == n.String() {
			all = append(all, id)
		}
	}
	return all
}

// DrainNode says that a node's room is offered no more, or is offered again; its containers stay.
type DrainNode struct {
	rpcenv.Local
	Node  ids.Node
	Drain bool
}

func (s *Scheduler) drainNode(c *rpcenv.Context, m DrainNode) {
	if err := s.book.Drain(s.now(c), m.Node.String(), m.Drain); err != nil {
		c.Log().Errorf("drain %s: %v", m.Node, err)
	}
}
