//coherer:pure

package fair

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/exitstatus"
	"github.com/coherer/coherer/actors/ids"
)

// AddApp accepts an application into a queue, whose full name it returns, or refuses it: a RejectedError, or what placing
// found wrong with the submission. A queue that the rules allow is made. An application that is there already stays as it is.
func (s *Scheduler) AddApp(now time.Duration, id ids.Application, sub Submission) (string, error) {
	s.now = now
	if a := s.applications[id]; a != nil {
		return a.queue.Name, nil
	}
	name, err := s.allocations.Placement.Place(sub, s)
	if err != nil {
		return "", err
	}
	if name == "" {
		return "", &RejectedError{fmt.Sprintf("Reject application %s submitted by user %s application rejected by placement rules.", id, sub.User)}
	}
	if s.conf.Compat == Upstream {
		name = s.historicPlan(name)
	}
	q := s.leafQueue(name)
	if q == nil {
		return "", &RejectedError{name + " is not a leaf queue"}
	}
	if !s.allocations.MaySubmit(name, sub.User, sub.Groups) {
		return "", &RejectedError{fmt.Sprintf("User %s does not have permission to submit %s to queue %s", sub.User, id, name)}
	}
	q.accepted++
	s.applications[id] = &application{user: sub.User, queue: q}
	return name, nil
}

// RemoveApp forgets an application; its attempt is removed first, if it has one.
func (s *Scheduler) RemoveApp(now time.Duration, id ids.Application) []Event {
	s.now = now
	a := s.applications[id]
	if a == nil {
		return nil
	}
	if a.attempt != nil {
		s.removeAttempt(a, false)
	}
	a.queue.accepted--
	delete(s.applications, id)
	return s.take()
}

// AttemptSpec is an attempt of an accepted application.
type AttemptSpec struct {
	ID        ids.Attempt
	Unmanaged bool        // its ApplicationMaster runs elsewhere: no container is counted as that
	AM        *Ask        // what the ApplicationMaster needs is asked at once, when it is set
	Keep      ids.Attempt // the attempt before, whose containers it takes over; zero is none
}

// AddAttempt begins an attempt. It reports whether it may run: one that is above a limit waits, and an Event says when it
// need not any more.
func (s *Scheduler) AddAttempt(now time.Duration, spec AttemptSpec) (runnable bool, err error) {
	s.now = now
	owner := s.applications[spec.ID.App]
	if owner == nil {
		return false, fmt.Errorf("attempt %s: its application is %w", spec.ID, ErrUnknown)
	}
	if owner.attempt != nil && !owner.attempt.stopped {
		return false, fmt.Errorf("attempt %s: the application has attempt %s: remove it first", spec.ID, owner.attempt.id)
	}
	a := &app{id: spec.ID, user: owner.user, queue: owner.queue, managed: !spec.Unmanaged, fairSince: now}
	a.Name, a.Weight, a.Priority, a.StartTime, a.MaxShare = spec.ID.App.String(), 1, 1, now, Unbounded
	if s.conf.SizeBasedWeight { // of what it wants, which Update will know
		a.Weight = 0
	}
	a.member = member{Schedulable: &a.Schedulable, app: a}
	if old := owner.attempt; old != nil && old.id == spec.Keep {
		a.inherit(old)
	}
	owner.attempt = a
	s.attempts[spec.ID] = a
	s.admit(a)
	return a.runnable, nil
}

// inherit takes over what an earlier attempt left running, and its blacklist.
func (a *app) inherit(old *app) {
	a.blocked, a.begun = old.blocked, old.begun
	for _, c := range old.live {
		c.app = a
		a.addLive(c)
	}
	a.queue.use(a.Usage)
}

// RemoveAttempt ends an attempt: all that it has is Gone with exitstatus.Aborted, but for running containers when keep is set,
// which wait for AddAttempt with Keep. What it reserved and asked is forgotten.
func (s *Scheduler) RemoveAttempt(now time.Duration, id ids.Attempt, keep bool) ([]Event, error) {
	s.now = now
	a := s.attempts[id]
	if a == nil {
		return nil, fmt.Errorf("attempt %s is %w", id, ErrUnknown)
	}
	s.removeAttempt(s.applications[id.App], keep)
	return s.take(), nil
}

// removeAttempt ends the attempt that an application has, which may have been ended before with what it kept.
func (s *Scheduler) removeAttempt(owner *application, keep bool) {
	a := owner.attempt
	running, ran := !a.stopped, a.runnable
	a.stopped = true
	end := End{ExitStatus: exitstatus.Aborted, Diagnostics: DiagnosticsCompleted, Cause: Killed}
	if running {
		s.dismiss(a)
	}
	for _, c := range inOrder(a.live) {
		if !keep || !c.launched {
			s.complete(c, end)
		}
	}
	for len(a.reserved) > 0 {
		s.complete(a.reserved[0], end)
	}
	delete(s.attempts, a.id)
	if len(a.live) == 0 {
		owner.attempt = nil
	}
	if ran {
		s.admitAfter(a.queue, a.user)
	}
	if running {
		s.forgetUser(a.user)
	}
	s.refresh()
}
