package scheduler

import (
	"fmt"
	"slices"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// AppAdded hands an application to the scheduler; the answer is an error when it is refused. It mirrors
// AppAddedSchedulerEvent.
type AppAdded struct {
	rpcenv.Local
	App         ids.Application
	User, Queue string
	Groups      []string
	GroupsErr   error // why they are unknown
}

// AppAccepted has the full name of its queue.
type AppAccepted struct {
	rpcenv.Local
	Queue string
}

// ReplyType makes the answer's type known to the compiler.
func (AppAdded) ReplyType() (r AppAccepted) { return r }

func (s *Scheduler) appAdded(c *rpcenv.Context, m AppAdded) {
	sub := fair.Submission{User: m.User, Groups: m.Groups, Queue: m.Queue, GroupsErr: m.GroupsErr}
	queue, err := s.policy.AddApp(s.now(c), m.App, sub)
	if err != nil {
		c.Log().Infof("%s is refused: %v", m.App, err)
		rpcenv.Fail(c, m, err)
		return
	}
	s.apps[m.App] = &scheduledApp{user: m.User, queue: queue}
	c.Log().Infof("Accepted application %s from user: %s, in queue: %s", m.App, m.User, queue)
	rpcenv.Reply(c, m, AppAccepted{Queue: queue})
}

// AppRemoved ends an application. It mirrors AppRemovedSchedulerEvent.
type AppRemoved struct {
	rpcenv.Local
	App ids.Application
}

func (s *Scheduler) appRemoved(c *rpcenv.Context, m AppRemoved) {
	s.decided(c, s.book.RemoveApp(s.now(c), m.App)) // first: the ends of its containers count in its totals
	if a := s.apps[m.App]; a != nil {
		s.past.add(m.App, s.totalsOf(c, a), MaxCompletedApplications.Get(c.Conf()))
	}
	delete(s.apps, m.App)
}

// AppAttemptAdded begins an attempt of an application that was added. An attempt of the ResourceManager before this one has its
// ApplicationMaster's container already. It mirrors AppAttemptAddedSchedulerEvent.
type AppAttemptAdded struct {
	rpcenv.Local
	Attempt ids.Attempt
	Keep    bool
	AM      ids.Container
}

// AttemptAdded says that the Scheduler knows the attempt.
type AttemptAdded struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (AppAttemptAdded) ReplyType() (r AttemptAdded) { return r }

func (s *Scheduler) appAttemptAdded(c *rpcenv.Context, m AppAttemptAdded) {
	a := s.apps[m.Attempt.App]
	if a == nil {
		rpcenv.Fail(c, m, fmt.Errorf("%w: the scheduler has no application %s", exceptions.YARN, m.Attempt.App))
		return
	}
	spec := fair.AttemptSpec{ID: m.Attempt, Keep: a.attempt} // zero, unless the one before left its containers
	if _, err := s.book.AddAttempt(s.now(c), spec); err != nil {
		rpcenv.Fail(c, m, fmt.Errorf("%w: %w", exceptions.YARN, err))
		return
	}
	a.attempt, a.keep, a.am = m.Attempt, m.Keep, m.AM
	for _, k := range s.book.Live(m.Attempt) { // inherited ones: their ends are for the new ApplicationMaster
		s.containers[k.ID].attempt = m.Attempt
	}
	a.done = append(a.sent, a.done...) // no acknowledgement of the attempt before can come any more
	a.sent = nil
	rpcenv.Reply(c, m, AttemptAdded{})
}

// AppAttemptRemoved ends an attempt; with keep its running containers wait for the next one. It mirrors
// AppAttemptRemovedSchedulerEvent.
type AppAttemptRemoved struct {
	rpcenv.Local
	Attempt ids.Attempt
	Keep    bool
}

func (s *Scheduler) appAttemptRemoved(c *rpcenv.Context, m AppAttemptRemoved) {
	// Before the book: with no current attempt, reportEnd lets nodes forget the ends below at once. With keep they wait in done
	// for the next attempt.
	if a := s.apps[m.Attempt.App]; a != nil && a.attempt == m.Attempt && !m.Keep {
		for _, d := range append(a.sent, a.done...) {
			s.forgetContainer(c, d)
		}
		a.attempt, a.sent, a.done = ids.Attempt{}, nil, nil
	}
	events, _ := s.book.RemoveAttempt(s.now(c), m.Attempt, m.Keep) // one that never began has nothing to end
	s.decided(c, events)
}

// DescribeAttempt asks for the Scheduler's part of the answer to a registration.
type DescribeAttempt struct {
	rpcenv.Local
	Attempt ids.Attempt
	Holds   []ids.Container // the containers that the ApplicationMaster says it has
}

// AttemptDescription is that part: the largest container of its queue, the queue, and the running containers of the attempts before.
type AttemptDescription struct {
	rpcenv.Local
	Maximum  *yarn.Resource
	Queue    string
	Previous []*yarn.Container
}

// ReplyType makes the answer's type known to the compiler.
func (DescribeAttempt) ReplyType() (r AttemptDescription) { return r }

func (s *Scheduler) describeAttempt(c *rpcenv.Context, m DescribeAttempt) {
	a := s.apps[m.Attempt.App]
	if a == nil || a.attempt != m.Attempt {
		rpcenv.Fail(c, m, fmt.Errorf("%w: the scheduler has no attempt %s", exceptions.ApplicationAttemptNotFound, m.Attempt))
		return
	}
	s.expect(c, a, m.Holds)
	d := AttemptDescription{Maximum: s.book.MaximumAllocation(s.now(c), a.queue).Proto(), Queue: a.queue}
	for _, k := range s.book.Live(m.Attempt) {
		known := s.containers[k.ID]
		if k.AM || known.machine.State != machine.ContainerRunning { // others it gets, or has got, by allocate
			continue
		}
		given, err := s.grant(c, a, known)
		if err != nil {
			c.Log().Errorf("%s: %v", k.ID, err)
			continue
		}
		d.Previous = append(d.Previous, given)
	}
	slices.SortFunc(d.Previous, func(x, y *yarn.Container) int { return int(x.GetId().GetId() - y.GetId().GetId()) })
	rpcenv.Reply(c, m, d)
}

// MoveApp takes an application into another queue.
type MoveApp struct {
	rpcenv.Local
	App    ids.Application
	Target string
}

// ReplyType makes the answer's type known to the compiler.
func (MoveApp) ReplyType() (r AppAccepted) { return r }

func (s *Scheduler) moveApp(c *rpcenv.Context, m MoveApp) {
	if s.fifo {
		rpcenv.Fail(c, m, fmt.Errorf("%w: the FifoScheduler does not support moving apps between queues", exceptions.YARN))
		return
	}
	queue, events, err := s.book.MoveApp(s.now(c), m.App, m.Target)
	if err != nil {
		rpcenv.Fail(c, m, fmt.Errorf("%w: %w", exceptions.YARN, err))
		return
	}
	if a := s.apps[m.App]; a != nil {
		c.Log().Infof("%s moves from %s to %s", m.App, a.queue, queue)
		a.queue = queue
	}
	s.decided(c, events) // applications that may run now, in either queue
	rpcenv.Reply(c, m, AppAccepted{Queue: queue})
}
