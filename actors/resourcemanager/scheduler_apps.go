package resourcemanager

import (
	"fmt"
	"slices"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// appAdded hands an application to the scheduler; the answer is an error when it is refused. It mirrors
// AppAddedSchedulerEvent.
type appAdded struct {
	rpcenv.Local
	app         ids.Application
	user, queue string
	groups      []string
	groupsErr   error // why they are unknown
}

// appAccepted has the full name of its queue.
type appAccepted struct {
	rpcenv.Local
	queue string
}

// ReplyType makes the answer's type known to the compiler.
func (appAdded) ReplyType() (r appAccepted) { return r }

func (s *Scheduler) appAdded(c *rpcenv.Context, m appAdded) {
	sub := fair.Submission{User: m.user, Groups: m.groups, Queue: m.queue, GroupsErr: m.groupsErr}
	queue, err := s.book.AddApp(s.now(c), m.app, sub)
	if err != nil {
		c.Log().Infof("%s is refused: %v", m.app, err)
		rpcenv.Fail(c, m, err)
		return
	}
	s.apps[m.app] = &scheduledApp{user: m.user, queue: queue}
	c.Log().Infof("Accepted application %s from user: %s, in queue: %s", m.app, m.user, queue)
	rpcenv.Reply(c, m, appAccepted{queue: queue})
}

// appRemoved ends an application. It mirrors AppRemovedSchedulerEvent.
type appRemoved struct {
	rpcenv.Local
	app ids.Application
}

func (s *Scheduler) appRemoved(c *rpcenv.Context, m appRemoved) {
	s.decided(c, s.book.RemoveApp(s.now(c), m.app)) // first: the ends of its containers count in its totals
	if a := s.apps[m.app]; a != nil {
		s.past.add(m.app, s.totalsOf(c, a), conf.MaxCompletedApplications.Get(c.Conf()))
	}
	delete(s.apps, m.app)
}

// appAttemptAdded begins an attempt of an application that was added. An attempt of the ResourceManager before this one has its
// ApplicationMaster's container already. It mirrors AppAttemptAddedSchedulerEvent.
type appAttemptAdded struct {
	rpcenv.Local
	attempt ids.Attempt
	keep    bool
	am      ids.Container
}

// attemptAdded says that the Scheduler knows the attempt.
type attemptAdded struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (appAttemptAdded) ReplyType() (r attemptAdded) { return r }

func (s *Scheduler) appAttemptAdded(c *rpcenv.Context, m appAttemptAdded) {
	a := s.apps[m.attempt.App]
	if a == nil {
		rpcenv.Fail(c, m, fmt.Errorf("%w: the scheduler has no application %s", exceptions.YARN, m.attempt.App))
		return
	}
	spec := fair.AttemptSpec{ID: m.attempt, Keep: a.attempt} // zero, unless the one before left its containers
	if _, err := s.book.AddAttempt(s.now(c), spec); err != nil {
		rpcenv.Fail(c, m, fmt.Errorf("%w: %w", exceptions.YARN, err))
		return
	}
	a.attempt, a.keep, a.am = m.attempt, m.keep, m.am
	for _, k := range s.book.Live(m.attempt) { // inherited ones: their ends are for the new ApplicationMaster
		s.containers[k.ID].attempt = m.attempt
	}
	a.done = append(a.sent, a.done...) // no acknowledgement of the attempt before can come any more
	a.sent = nil
	rpcenv.Reply(c, m, attemptAdded{})
}

// appAttemptRemoved ends an attempt; with keep its running containers wait for the next one. It mirrors
// AppAttemptRemovedSchedulerEvent.
type appAttemptRemoved struct {
	rpcenv.Local
	attempt ids.Attempt
	keep    bool
}

func (s *Scheduler) appAttemptRemoved(c *rpcenv.Context, m appAttemptRemoved) {
	// Before the book: with no current attempt, reportEnd lets nodes forget the ends below at once. With keep they wait in done
	// for the next attempt.
	if a := s.apps[m.attempt.App]; a != nil && a.attempt == m.attempt && !m.keep {
		for _, d := range append(a.sent, a.done...) {
			s.forgetContainer(c, d)
		}
		a.attempt, a.sent, a.done = ids.Attempt{}, nil, nil
	}
	events, _ := s.book.RemoveAttempt(s.now(c), m.attempt, m.keep) // one that never began has nothing to end
	s.decided(c, events)
}

// describeAttempt asks for the Scheduler's part of the answer to a registration.
type describeAttempt struct {
	rpcenv.Local
	attempt ids.Attempt
	holds   []ids.Container // the containers that the ApplicationMaster says it has
}

// attemptDescription is that part: the largest container of its queue, the queue, and the running containers of the attempts before.
type attemptDescription struct {
	rpcenv.Local
	maximum  *yarn.Resource
	queue    string
	previous []*yarn.Container
}

// ReplyType makes the answer's type known to the compiler.
func (describeAttempt) ReplyType() (r attemptDescription) { return r }

func (s *Scheduler) describeAttempt(c *rpcenv.Context, m describeAttempt) {
	a := s.apps[m.attempt.App]
	if a == nil || a.attempt != m.attempt {
		rpcenv.Fail(c, m, fmt.Errorf("%w: the scheduler has no attempt %s", exceptions.ApplicationAttemptNotFound, m.attempt))
		return
	}
	s.expect(c, a, m.holds)
	d := attemptDescription{maximum: s.book.MaximumAllocation(s.now(c), a.queue).Proto(), queue: a.queue}
	for _, k := range s.book.Live(m.attempt) {
		known := s.containers[k.ID]
		if k.AM || known.machine.State != machine.ContainerRunning { // others it gets, or has got, by allocate
			continue
		}
		given, err := s.grant(c, a, known)
		if err != nil {
			c.Log().Errorf("%s: %v", k.ID, err)
			continue
		}
		d.previous = append(d.previous, given)
	}
	slices.SortFunc(d.previous, func(x, y *yarn.Container) int { return int(x.GetId().GetId() - y.GetId().GetId()) })
	rpcenv.Reply(c, m, d)
}

// moveApp takes an application into another queue.
type moveApp struct {
	rpcenv.Local
	app    ids.Application
	target string
}

// ReplyType makes the answer's type known to the compiler.
func (moveApp) ReplyType() (r appAccepted) { return r }

func (s *Scheduler) moveApp(c *rpcenv.Context, m moveApp) {
	book, moves := s.book.(ticking)
	if !moves {
		rpcenv.Fail(c, m, fmt.Errorf("%w: the FifoScheduler does not support moving apps between queues", exceptions.YARN))
		return
	}
	queue, events, err := book.MoveApp(s.now(c), m.app, m.target)
	if err != nil {
		rpcenv.Fail(c, m, fmt.Errorf("%w: %w", exceptions.YARN, err))
		return
	}
	if a := s.apps[m.app]; a != nil {
		c.Log().Infof("%s moves from %s to %s", m.app, a.queue, queue)
		a.queue = queue
	}
	s.decided(c, events) // applications that may run now, in either queue
	rpcenv.Reply(c, m, appAccepted{queue: queue})
}
