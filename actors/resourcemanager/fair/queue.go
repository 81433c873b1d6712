//coherer:pure

package fair

import (
	"slices"
	"time"
)

// queue is a node of the queue tree: a parent with children or a leaf with applications. It mirrors FSQueue, FSParentQueue
// and FSLeafQueue.
type queue struct {
	schedulable
	member
	set      QueueSettings
	policy   schedulingPolicy
	parent   *queue
	leaf     bool
	children []*queue // of a parent, in the order of their making
	order    order    // of children or of applications

	apps     []*app // of a leaf: those that may run
	waiting  []*app // of a leaf: those that may not yet, in the order of their arrival
	accepted int    // of a leaf: its applications, with an attempt or without
	running  int    // applications that may run, in it and below
	wanting  int    // of them, those that want containers

	amUsage         Resource // of a leaf: used by ApplicationMasters
	atMinShareSince time.Duration
}

// configure gives a queue its settings from the file.
func (s *Scheduler) configure(q *queue, set QueueSettings) {
	q.set = set
	q.Weight = set.Weight
	q.policy = policyOf(set.Policy, s.conf.Faults)
	q.order.policy, q.order.all = q.policy, true // sorted by the old policy, the order is worthless
	s.resize(q)
}

// resize computes a queue's minimum and maximum on the present cluster: they may be parts of it.
func (s *Scheduler) resize(q *queue) {
	q.MinShare, q.MaxShare = q.set.MinShare(s.nodes.total), q.set.MaxShare(s.nodes.total)
}

// newQueue makes a queue below parent.
func (s *Scheduler) newQueue(set QueueSettings, parent *queue) *queue {
	q := &queue{parent: parent, leaf: !set.Parent, atMinShareSince: s.now}
	q.Name, q.Inactive = set.Name, true
	q.member = member{schedulable: &q.schedulable, queue: q}
	s.configure(q, set)
	s.queues[set.Name], s.unsteady = q, true
	if parent != nil {
		parent.children = append(parent.children, q)
	}
	if q.leaf {
		s.leaves = append(s.leaves, q)
	}
	return q
}

// dropQueue forgets an empty queue.
func (s *Scheduler) dropQueue(q *queue) {
	delete(s.queues, q.Name)
	s.leaves = slices.DeleteFunc(s.leaves, func(x *queue) bool { return x == q })
	q.parent.children = slices.DeleteFunc(q.parent.children, func(x *queue) bool { return x == q })
}

// Look makes the Scheduler a Tree.
func (s *Scheduler) Look(name string) (exists, leaf, dynamic bool) {
	q := s.queues[name]
	if q == nil {
		return false, false, false
	}
	return true, q.leaf, q.set.Dynamic
}

// leafQueue is the leaf of that full name; it is made, with missing parents, if it may be. It is nil if it cannot exist: a queue
// above it is a leaf, it is itself a parent, or its policy may not stand there. Parents made before the failure stay until Tidy,
// as in Hadoop.
func (s *Scheduler) leafQueue(name string) *queue {
	s.allocations.create(s, name, false, true)
	if q := s.queues[name]; q != nil && q.leaf {
		return q
	}
	return nil
}

// steadyShares computes the share that each queue would have if all were active. Only pages and metrics show them, so that it waits
// until they are read: nodes that come one by one cost nothing.
func (s *Scheduler) steadyShares() {
	if !s.unsteady {
		return
	}
	s.unsteady = false
	s.root.SteadyFairShare = s.nodes.total
	s.root.steadyShares()
}

func (q *queue) steadyShares() {
	if q.leaf {
		return
	}
	q.policy.ComputeSteadyShares(q.items(), q.SteadyFairShare)
	for _, c := range q.children {
		c.steadyShares()
	}
}

// items are the children or the applications that may run, for a policy.
func (q *queue) items() []*schedulable {
	items := make([]*schedulable, 0, len(q.children)+len(q.apps))
	for _, c := range q.children {
		items = append(items, &c.schedulable)
	}
	for _, a := range q.apps {
		items = append(items, &a.schedulable)
	}
	return items
}

// use changes the usage of the queue and of all above it.
func (q *queue) use(more Resource) {
	for ; q != nil; q = q.parent {
		q.Usage = q.Usage.Plus(more)
		if q.parent != nil {
			q.parent.order.touch(&q.member)
		}
	}
}

func (q *queue) free(less Resource) { q.use(Resource{}.Minus(less)) }

// fitsMaxShare reports whether extra more would be within the maximum of the queue and of all above it.
func (q *queue) fitsMaxShare(extra Resource) bool {
	for ; q != nil; q = q.parent {
		if !q.Usage.Plus(extra).Fits(q.MaxShare) {
			return false
		}
	}
	return true
}

// full reports whether the queue has more than its maximum; at its maximum it is not.
func (q *queue) full() bool { return !q.Usage.Fits(q.MaxShare) }

// countWanting changes the number of applications that want containers, in the queue and above.
func (q *queue) countWanting(by int) {
	for ; q != nil; q = q.parent {
		was := q.wanting
		q.wanting += by
		// Only whether any application wants something decides if the queue is in its parent's order.
		if q.parent != nil && (was == 0) != (q.wanting == 0) {
			q.parent.order.touch(&q.member)
		}
	}
}

// countRunning changes the number of applications that may run, in the queue and above.
func (q *queue) countRunning(by int) {
	for ; q != nil; q = q.parent {
		q.running += by
		q.Inactive = q.running == 0
	}
}

// everything marks the whole order of the queue and of all below as changed.
func (q *queue) everything() {
	q.order.all = true
	for _, c := range q.children {
		c.everything()
	}
}

// walk visits the queue and all below, parents first.
func (q *queue) walk(visit func(*queue)) {
	visit(q)
	for _, c := range q.children {
		c.walk(visit)
	}
}
