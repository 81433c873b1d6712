package scheduler

import (
	"maps"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// decided carries out the book's decisions in their order: a fulfilled reservation is Unreserved, then Allocated.
func (s *Scheduler) decided(c *rpcenv.Context, events []fair.Event) {
	for _, e := range events {
		switch e.Kind {
		case fair.Allocated:
			s.step(c, s.make(c, e), machine.ContainerStart, machine.Always, nil)
		case fair.Reserved:
			s.step(c, s.make(c, e), machine.ContainerReserve, machine.Always, nil)
		case fair.Unreserved: // one that is fulfilled is made anew by Allocated, as in Hadoop
			s.step(c, s.containers[e.Container], machine.ContainerKill, machine.Always, nil)
			delete(s.containers, e.Container)
		case fair.Gone:
			s.gone(c, e)
		case fair.CleanUp:
			c.Send(s.tracker, CleanUpContainer{Node: s.nodes[e.Node].id, Container: e.Container})
		case fair.Marked:
			c.Log().Infof("%s of %s is to be preempted", e.Container, e.Attempt)
		case fair.Runnable:
			c.Log().Infof("%s may run now", e.Attempt)
		}
	}
}

// make makes the container of an event.
func (s *Scheduler) make(c *rpcenv.Context, e fair.Event) *container {
	k := &container{
		Container: fair.Container{ID: e.Container, Node: e.Node, Resource: e.Resource, Key: e.Key, AM: e.AM}, attempt: e.Attempt, made: c.Now(),
	}
	s.containers[e.Container] = k
	return k
}

// gone takes a container that left the book out of the Scheduler's.
func (s *Scheduler) gone(c *rpcenv.Context, e fair.Event) {
	k := s.containers[e.Container]
	if k == nil {
		c.Log().Errorf("%s has gone, but was not in the books", e.Container)
		return
	}
	status := &yarn.ContainerStatus{
		ContainerId: e.Container.Proto(), State: yarn.ContainerState_C_COMPLETE, Diagnostics: e.Diagnostics, ExitStatus: e.ExitStatus,
		Capability: e.Resource.Proto(),
	}
	event := map[fair.Cause]machine.ContainerEvent{
		fair.Finished: machine.ContainerFinish, fair.Released: machine.ContainerRelease,
		fair.Killed: machine.ContainerKill, fair.Expired: machine.ContainerExpire,
	}[e.Cause]
	s.step(c, k, event, machine.Always, status)
	delete(s.containers, e.Container)
	// By the application in its id, not by its attempt: the application outlives its attempts, and appRemoved drops it last.
	a := s.apps[e.Container.Attempt.App]
	a.use.add(e.Resource, c.Now().Sub(k.made))
	if e.ExitStatus == exitstatus.Preempted {
		a.lost.add(e, c.Now().Sub(k.made))
	}
	s.noteFailure(c, e)
}

// step lets an event happen to a container and carries out the actions. status says how it ended.
func (s *Scheduler) step(c *rpcenv.Context, k *container, e machine.ContainerEvent, when machine.Case, status *yarn.ContainerStatus) {
	next, actions, err := k.machine.Step(e, when)
	if err != nil {
		c.Log().Errorf("%s: %v", k.ID, err)
		return
	}
	from := k.machine.State
	k.machine = next
	if from != next.State {
		c.State("container", k.ID.String(), from.String(), next.State.String(), status.GetDiagnostics())
	}
	for _, action := range actions {
		s.doContainer(c, k, action, status)
	}
}

func (s *Scheduler) doContainer(c *rpcenv.Context, k *container, action machine.ContainerAction, status *yarn.ContainerStatus) {
	a, n := s.apps[k.ID.Attempt.App], s.nodes[k.Node]
	switch action {
	case machine.TellAllocated:
		// Others wait for the ApplicationMaster's next allocate. For its own nobody calls yet: the attempt has to pull it.
		if (a.am == ids.Container{}) { // the first of an attempt
			a.am = k.ID
			c.Send(s.client, AMAllocated{Attempt: k.attempt})
		}
	case machine.WatchContainer:
		k.acquired = c.Now()
		c.Send(s.client, RunningOnNode{App: k.ID.Attempt.App, Node: n.id})
	case machine.UnwatchContainer:
		k.acquired = time.Time{}
	case machine.CleanUpContainer:
		if n != nil { // else its containers went with it
			c.Send(s.tracker, CleanUpContainer{Node: n.id, Container: k.ID})
		}
	case machine.TellEnded:
		s.reportEnd(c, a, k, n, status)
	}
}

// reportEnd reports a container's end to its owner: to the ApplicationMaster with its next call, or, of its own, to the attempt.
func (s *Scheduler) reportEnd(c *rpcenv.Context, a *scheduledApp, k *container, n *scheduledNode, status *yarn.ContainerStatus) {
	d := doneContainer{status: status}
	if n != nil {
		d.node = n.id
	}
	switch {
	case k.ID == a.am:
		c.Send(s.client, AMContainerFinished{Attempt: k.attempt, Status: status})
		s.forgetContainer(c, d)
	case k.attempt == a.attempt:
		a.done = append(a.done, d)
	default: // its attempt is over, and no other inherited it
		s.forgetContainer(c, d)
	}
}

// grant makes the message by which an ApplicationMaster gets a container, with the token that starts it.
func (s *Scheduler) grant(c *rpcenv.Context, a *scheduledApp, k *container) (*yarn.Container, error) {
	n := s.nodes[k.Node]
	if n == nil {
		return nil, errNoNode
	}
	priority := &yarn.Priority{Priority: k.Key.Priority}
	t, err := s.life.ContainerToken(n.id, &yarn.ContainerTokenIdentifier{
		ContainerId: k.ID.Proto(), AppSubmitter: a.user, Resource: k.Resource.Proto(),
		ExpiryTimeStamp: c.Now().Add(containerExpiry.Get(c.Conf())).UnixMilli(), Priority: priority, CreationTime: k.made.UnixMilli(),
	})
	if err != nil {
		return nil, err
	}
	return &yarn.Container{
		Id: k.ID.Proto(), NodeId: n.id.Proto(), NodeHttpAddress: n.http, Resource: k.Resource.Proto(), Priority: priority, ContainerToken: t,
	}, nil
}

// expireTick takes back containers that nobody started in time.
func (s *Scheduler) expireTick(c *rpcenv.Context) {
	expiry := containerExpiry.Get(c.Conf())
	end := fair.End{ExitStatus: exitstatus.Aborted, Diagnostics: fair.DiagnosticsExpired, Cause: fair.Expired}
	for _, id := range slices.SortedFunc(maps.Keys(s.containers), ids.CompareContainers) {
		if k := s.containers[id]; !k.acquired.IsZero() && c.Now().Sub(k.acquired) > expiry {
			s.decided(c, s.book.Complete(s.now(c), id, end))
		}
	}
}
