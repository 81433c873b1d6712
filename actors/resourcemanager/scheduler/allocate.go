package scheduler

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// Allocate is a call of an attempt, with its asks and releases.
type Allocate struct {
	rpcenv.Local
	Attempt     ids.Attempt
	Asks        []*yarn.ResourceRequest
	Release     []ids.Container
	Add, Remove []string // of its blacklist
	Drain       bool     // the ApplicationMaster asks: the answer has the ended containers
}

// Allocation is the answer to Allocate.
type Allocation struct {
	rpcenv.Local
	Containers []*yarn.Container
	Completed  []*yarn.ContainerStatus
	Headroom   *yarn.Resource
	Preempt    []ids.Container
	Nodes      int32
}

// ReplyType makes the answer's type known to the compiler.
func (Allocate) ReplyType() (r Allocation) { return r }

func (s *Scheduler) allocate(c *rpcenv.Context, m Allocate) {
	a := s.apps[m.Attempt.App]
	if a == nil || a.attempt != m.Attempt {
		rpcenv.Fail(c, m, fmt.Errorf("%w: the scheduler has no attempt %s", exceptions.ApplicationAttemptNotFound, m.Attempt))
		return
	}
	d := fair.Demand{BlacklistAdd: m.Add, BlacklistRemove: m.Remove}
	most := s.book.MaximumAllocation(s.now(c), a.queue)
	// All asks are checked before the book sees one: a call that fails must have no effect, since it will be repeated.
	for _, q := range m.Asks {
		ask := askOf(q)
		if err := fair.CheckAsk(ask.Capability, most, s.conf.Maximum); err != nil {
			rpcenv.Fail(c, m, fmt.Errorf("%w: %w", exceptions.InvalidResourceRequest, err))
			return
		}
		d.Asks = append(d.Asks, ask)
	}
	for _, id := range m.Release {
		// An unknown container is no error: it may have ended while the call was on its way.
		if k := s.containers[id]; k != nil && k.attempt == m.Attempt {
			d.Release = append(d.Release, id)
		}
	}
	s.asked = s.asked || len(d.Asks) > 0
	g, err := s.policy.Allocate(s.now(c), m.Attempt, d)
	if err != nil {
		rpcenv.Fail(c, m, invalidRequest(err))
		return
	}
	s.decided(c, g.Events) // before drain: the ends of released containers are in this answer
	r := Allocation{Headroom: g.Headroom.Proto(), Preempt: g.Preempt, Nodes: int32(len(s.nodes))}
	for _, k := range g.Containers {
		if given := s.acquire(c, a, k); given != nil {
			r.Containers = append(r.Containers, given)
		}
	}
	// The attempt's own calls, for the ApplicationMaster's container, must not take ends away from the ApplicationMaster.
	if m.Drain {
		r.Completed = s.drain(c, a)
	}
	rpcenv.Reply(c, m, r)
}

// invalidRequest gives an error of the book Hadoop's exception.
func invalidRequest(err error) error {
	if _, ok := errors.AsType[*fair.ZeroShareError](err); ok {
		return fmt.Errorf("%w: %w", exceptions.InvalidResourceRequest, err)
	}
	if errors.Is(err, fair.ErrUnknown) {
		return fmt.Errorf("%w: %w", exceptions.ApplicationAttemptNotFound, err)
	}
	return fmt.Errorf("%w: %w", exceptions.YARN, err)
}

// drain returns the ends that the last answer did not have. Those in the last answer have arrived, since its requester calls
// again with the next response id: their nodes may forget them.
func (s *Scheduler) drain(c *rpcenv.Context, a *scheduledApp) []*yarn.ContainerStatus {
	for _, d := range a.sent {
		s.forgetContainer(c, d)
	}
	a.sent, a.done = a.done, nil
	var statuses []*yarn.ContainerStatus
	for _, d := range a.sent {
		statuses = append(statuses, d.status)
	}
	return statuses
}

// forgetContainer lets a node forget a container that ended.
func (s *Scheduler) forgetContainer(c *rpcenv.Context, d doneContainer) {
	id, _ := ids.ContainerFrom(d.status.GetContainerId()) // it was made of one
	c.Send(s.tracker, ForgetContainer{Node: d.node, Container: id})
}

// acquire hands a container over to its ApplicationMaster. Only now it gets a token, whose lifetime begins here.
func (s *Scheduler) acquire(c *rpcenv.Context, a *scheduledApp, k fair.Container) *yarn.Container {
	known := s.containers[k.ID]
	if known == nil {
		c.Log().Errorf("%s was given, but is not in the books", k.ID)
		return nil
	}
	given, err := s.grant(c, a, known)
	if err != nil {
		c.Log().Errorf("%s: %v", k.ID, err)
		return nil
	}
	s.step(c, known, machine.ContainerAcquire, machine.Always, nil)
	return given
}

// askOf is a request in the book's terms.
func askOf(q *yarn.ResourceRequest) fair.Ask {
	return fair.Ask{
		Key:  fair.Key{Priority: q.GetPriority().GetPriority(), AllocationRequestID: q.GetAllocationRequestId()},
		Name: q.GetResourceName(), Capability: fair.ResourceFrom(q.GetCapability()), Count: int64(q.GetNumContainers()),
		Relax: q.RelaxLocality == nil || q.GetRelaxLocality(),
	}
}
