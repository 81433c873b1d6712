//coherer:pure

package fair

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// MoveApp moves an application with its containers and asks into another leaf, and returns that one's full name. A running one has
// to be able to run there: when a limit of the target, or of a queue above it that is not above both, forbids that, nothing
// moves. A waiting one may run there. It mirrors FairScheduler.moveApplication.
func (s *Scheduler) MoveApp(now time.Duration, id ids.Application, target string) (queue string, events []Event, err error) {
	s.now = now
	owner := s.applications[id]
	if owner == nil {
		return "", nil, fmt.Errorf("App to be moved %s not found.", id)
	}
	if target != Root && !strings.HasPrefix(target, Root+".") {
		target = Root + "." + target
	}
	a := owner.attempt
	if a != nil && a.stopped && s.conf.Faults.refusesEndedApp {
		return "", nil, fmt.Errorf("Application %s is stopped and can't be moved!", id)
	}
	to, from := s.queues[target], owner.queue
	if to == nil || !to.leaf {
		return "", nil, fmt.Errorf("Target queue %s not found or is not a leaf queue. Name a leaf queue of the allocation file, or submit an application to it first.", target)
	}
	if to == from {
		return to.Name, nil, nil
	}
	if a != nil && a.runnable {
		if err := s.mayMove(a, to); err != nil {
			return "", nil, err
		}
	}
	from.accepted--
	to.accepted++
	owner.queue = to
	switch {
	case a == nil: // the next attempt begins in owner.queue
	case a.stopped: // the containers that it left running count with the next attempt
	default:
		s.move(a, to)
	}
	return to.Name, s.take(), nil
}

// mayMove is nil if a running attempt may run in another queue.
func (s *Scheduler) mayMove(a *app, to *queue) error {
	// Queues above both do not count: the application is in their numbers already.
	common := a.queue
	for !slices.Contains(to.path(), common) {
		common = common.parent
	}
	for _, q := range to.path() {
		switch {
		case q == common:
			if s.conf.Faults.countsMover && !s.mayRun(a.user, to) {
				return fmt.Errorf("Should have already verified that app %s would be runnable in new queue", a.id.App)
			}
			return nil
		case q.running >= q.set.MaxRunningApps:
			return fmt.Errorf("Moving app attempt %s to queue %s would violate queue maxRunningApps constraints on queue %s", a.id, to.Name, q.Name)
		case !q.Usage.Plus(a.Usage).Fits(q.MaxShare):
			return fmt.Errorf("Moving app attempt %s to queue %s would violate queue maxShare constraints on queue %s", a.id, to.Name, q.Name)
		}
	}
	return nil
}

// path are the queue and all above it.
func (q *queue) path() (all []*queue) {
	for ; q != nil; q = q.parent {
		all = append(all, q)
	}
	return all
}

// move moves a live attempt into another queue. Its time below the share begins anew there, and its ApplicationMaster counts there.
func (s *Scheduler) move(a *app, to *queue) {
	from, ran, u := a.queue, a.runnable, s.userOf(a.user)
	place := slices.Index(u.waiting, a) // before dismiss, which takes it out
	s.dismiss(a)
	a.queue = to
	to.use(a.Usage)
	if !s.conf.Faults.starvesMoved {
		a.fairStarving, a.minStarving = Resource{}, Resource{}
	}
	switch {
	case ran:
		if !s.conf.Faults.forgetsMovedAM { // dismiss took it off the old queue
			to.amUsage = to.amUsage.Plus(a.amResource)
		}
		s.run(a)
		s.admitAfter(from, a.user) // after run: its user has as many running as before, and gets no place by the move
	case s.mayRun(a.user, to):
		s.run(a)
		s.events = append(s.events, Event{Kind: Runnable, Attempt: a.id})
	default: // it waits on, in its place among its user's
		to.waiting = append(to.waiting, a)
		u.waiting = slices.Insert(u.waiting, place, a)
	}
}
