//coherer:pure

package fair

import (
	"cmp"
	"slices"
)

// user counts the applications of a user, over all queues.
type user struct {
	running int
	waiting []*app // in the order of their arrival
}

func (s *Scheduler) userOf(name string) *user {
	u := s.users[name]
	if u == nil {
		u = &user{}
		s.users[name] = u
	}
	return u
}

// admit puts a new attempt into its queue: it may run if its user, its queue and all queues above are below their limits of
// running applications. It mirrors MaxRunningAppsEnforcer.
func (s *Scheduler) admit(a *app) {
	if s.mayRun(a.user, a.queue) {
		s.run(a)
		return
	}
	a.queue.waiting = append(a.queue.waiting, a)
	u := s.userOf(a.user)
	u.waiting = append(u.waiting, a)
}

func (s *Scheduler) mayRun(user string, q *queue) bool {
	if s.userOf(user).running >= s.allocations.UserMaxApps(user) {
		return false
	}
	for ; q != nil; q = q.parent {
		if q.running >= q.set.MaxRunningApps {
			return false
		}
	}
	return true
}

func (s *Scheduler) run(a *app) {
	a.runnable = true
	if !s.conf.Faults.starvesIdle {
		a.fairSince = s.now
	}
	a.queue.apps = append(a.queue.apps, a)
	a.queue.countRunning(1)
	s.userOf(a.user).running++
	a.touch()
}

// dismiss takes an attempt out of its queue.
func (s *Scheduler) dismiss(a *app) {
	q, u := a.queue, s.userOf(a.user)
	same := func(x *app) bool { return x == a }
	q.free(a.Usage)
	if !a.runnable {
		q.waiting = slices.DeleteFunc(q.waiting, same)
		u.waiting = slices.DeleteFunc(u.waiting, same)
		return
	}
	q.amUsage = q.amUsage.Minus(a.amResource)
	a.runnable = false
	a.touch() // it counts as wanting no more; drop then takes it out of the order, dirty or not
	q.order.drop(&a.member)
	q.apps = slices.DeleteFunc(q.apps, same)
	q.countRunning(-1)
	u.running--
	s.starving = slices.DeleteFunc(s.starving, same)
}

func (s *Scheduler) forgetUser(name string) {
	if u := s.users[name]; u.running == 0 && len(u.waiting) == 0 {
		delete(s.users, name)
	}
}

// admitAfter lets applications run that waited for one of that user to leave the queue from: those below the highest queue that
// was at its limit, and the user's.
func (s *Scheduler) admitAfter(from *queue, user string) {
	var highest *queue
	for q := from; q != nil; q = q.parent {
		if q.running == q.set.MaxRunningApps-1 { // it was at its limit: the application has been counted off
			highest = q
		}
	}
	var lists [][]*app
	if highest != nil {
		lists = highest.gather(lists)
	}
	// An empty list counts too: it changes the order of historicMerge.
	if u := s.userOf(user); u.running == s.allocations.UserMaxApps(user)-1 {
		lists = append(lists, u.waiting)
	}
	s.admitFrom(lists)
}

// admitAll lets all applications run that may, as after a reload.
func (s *Scheduler) admitAll() {
	s.admitFrom(s.root.gather(nil))
}

// gather appends the lists of waiting applications of the queue and below, except those of queues at their limit.
func (q *queue) gather(lists [][]*app) [][]*app {
	switch {
	case q.running >= q.set.MaxRunningApps:
	case q.leaf:
		lists = append(lists, q.waiting)
	default:
		for _, c := range q.children {
			lists = c.gather(lists)
		}
	}
	return lists
}

// admitFrom walks the lists, merged by start, and runs each application that may run. One in two lists does not run twice, since
// its run fills the limits of both. Hadoop ends when as many run as it has lists: no more may.
func (s *Scheduler) admitFrom(lists [][]*app) {
	for _, a := range s.merge(lists) {
		if !s.mayRun(a.user, a.queue) {
			continue
		}
		// Copies: lists shares its arrays with waiting.
		same := func(x *app) bool { return x == a }
		a.queue.waiting = slices.DeleteFunc(slices.Clone(a.queue.waiting), same)
		u := s.userOf(a.user)
		u.waiting = slices.DeleteFunc(slices.Clone(u.waiting), same)
		s.run(a)
		s.events = append(s.events, Event{Kind: Runnable, Attempt: a.id})
	}
}

// merge walks the lists by start.
func (s *Scheduler) merge(lists [][]*app) []*app {
	if s.conf.Faults.hashOrder {
		return historicMerge(lists)
	}
	all := slices.Concat(lists...)
	slices.SortStableFunc(all, func(a, b *app) int { return cmp.Compare(a.StartTime, b.StartTime) })
	return all
}

// mayRunAM reports whether the queue has room for another ApplicationMaster: all its ApplicationMasters must be within MaxAMShare
// of its fair share, where a share of 0 counts as the free resources of the cluster within the maximum.
func (s *Scheduler) mayRunAM(q *queue, am Resource) bool {
	if q.set.MaxAMShare < 0 && (!s.conf.Faults.amShareUnset || historicNoAMLimit(q.set.MaxAMShare)) {
		return true
	}
	return q.amUsage.Plus(am).Fits(s.amLimit(q))
}

func (s *Scheduler) amLimit(q *queue) Resource {
	limit := q.FairShare
	// Fair shares no cores, and a queue without applications has no share yet: neither must keep the first ApplicationMaster out.
	if limit.Memory == 0 {
		limit.Memory = min(s.available.Memory, q.MaxShare.Memory)
	}
	if limit.VCores == 0 {
		limit.VCores = min(s.available.VCores, q.MaxShare.VCores)
	}
	return limit.scaledUp(float64(q.set.MaxAMShare)) // up, so that one ApplicationMaster runs on one core
}
