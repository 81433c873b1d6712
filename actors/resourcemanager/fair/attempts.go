//coherer:pure

package fair

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
)

// AddApp accepts an application into a queue and returns its full name, or refuses it: with a rejectedError, or with the
// placement's error. A queue that the rules allow is made. A known application stays as it is.
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
		return "", &rejectedError{fmt.Sprintf("Reject application %s submitted by user %s application rejected by placement rules.", id, sub.User)}
	}
	if s.conf.Faults.plansAccept {
		name = s.historicPlan(name)
	}
	// The queue before the check of access, as in Hadoop: one made for a refused submission stays until Tidy.
	q := s.leafQueue(name)
	if q == nil {
		return "", &rejectedError{name + " is not a leaf queue"}
	}
	if !s.allocations.MaySubmit(name, sub.User, sub.Groups) {
		return "", &rejectedError{fmt.Sprintf("User %s does not have permission to submit %s to queue %s", sub.User, id, name)}
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
	Unmanaged bool        // its ApplicationMaster runs elsewhere: none of its containers counts as that
	AM        *Ask        // the ApplicationMaster's container, to be asked for at once; nil: not
	Keep      ids.Attempt // the attempt before, whose containers it takes over; zero: none
}

// AddAttempt begins an attempt. It reports whether the attempt may run: one above a limit waits, and a Runnable event ends the
// wait.
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
	a.Name, a.Weight, a.Priority, a.StartTime, a.MaxShare = spec.ID.App.String(), 1, 1, now, unbounded
	if s.conf.SizeBasedWeight { // of its demand, which is unknown before Update
		a.Weight = 0
	}
	a.member = member{schedulable: &a.schedulable, app: a}
	if old := owner.attempt; old != nil && old.id == spec.Keep {
		a.inherit(old)
	}
	owner.attempt = a
	s.attempts[spec.ID] = a
	s.admit(a)
	return a.runnable, nil
}

// inherit takes over the containers that an earlier attempt left running, and its blacklist.
func (a *app) inherit(old *app) {
	a.blocked, a.begun = old.blocked, old.begun
	for _, c := range old.live {
		c.app = a
		a.addLive(c)
	}
	a.queue.use(a.Usage) // dismiss took it off the queue when the earlier attempt ended
}

// RemoveAttempt ends an attempt: all its containers are Gone with exitstatus.Aborted, except running ones with keep, which wait
// for AddAttempt with Keep. Its reservations and asks are forgotten.
func (s *Scheduler) RemoveAttempt(now time.Duration, id ids.Attempt, keep bool) ([]Event, error) {
	s.now = now
	a := s.attempts[id]
	if a == nil {
		return nil, fmt.Errorf("attempt %s is %w", id, ErrUnknown)
	}
	s.removeAttempt(s.applications[id.App], keep)
	return s.take(), nil
}

// removeAttempt ends an application's attempt, or takes away the containers that an ended one kept.
func (s *Scheduler) removeAttempt(owner *application, keep bool) {
	a := owner.attempt
	running, ran := !a.stopped, a.runnable
	// stopped and dismissed before its containers end: dismiss takes its whole usage off the queue, and complete then does not
	// take it off again.
	a.stopped = true
	end := End{ExitStatus: exitstatus.Aborted, Diagnostics: DiagnosticsCompleted, Cause: Killed}
	if running {
		s.dismiss(a)
	}
	for _, c := range inOrder(a.live) { // a copy: complete removes from a.live
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
	if ran { // one that waited leaves no place
		s.admitAfter(a.queue, a.user)
	}
	if running {
		s.forgetUser(a.user)
	}
	s.refresh()
}
