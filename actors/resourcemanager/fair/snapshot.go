//coherer:pure

package fair

import (
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/ids"
)

// QueueState is a copy of a queue's books.
type QueueState struct {
	QueueSettings
	Leaf            bool
	Usage, Demand   Resource
	FairShare       Resource
	SteadyFairShare Resource
	MinShare        Resource // on the present cluster
	MaxShare        Resource
	Running         int      // applications that may run, in it and below
	Waiting         int      // of a leaf: those that may not yet
	Starting        int      // of a leaf: those of Running that have had no container yet
	AMUsage         Resource // of a leaf: used by ApplicationMasters
	AMLimit         Resource // of a leaf: the limit of AMUsage; meaningless with MaxAMShare below 0

	Containers   int      // in it and below
	Reservations int      // in it and below
	Reserved     Resource // the sum of Reservations
	Pending      int64    // containers of open asks, in it and below
}

// AppState is a copy of an attempt's books.
type AppState struct {
	ID           ids.Attempt
	User, Queue  string
	StartTime    int64 // ms since the scheduler's epoch
	Runnable     bool
	AMRunning    bool
	Usage        Resource
	Demand       Resource
	FairShare    Resource
	Reserved     Resource
	Weight       float32
	FairStarving Resource // the amount by which it has been below its fair share for too long
	MinStarving  Resource // its part of the amount that its queue lacks to its minimum
	Containers   int
	Pending      []Ask // open asks
	Reservations []Container
	Marked       []ids.Container
}

// NodeState is a copy of a node's books.
type NodeState struct {
	NodeSpec
	Free       Resource
	Containers int
	Reserved   *Container
}

// Queues are all queues, by name.
func (s *Scheduler) Queues() []QueueState {
	s.steadyShares() // computed only when read
	var all []QueueState
	for _, name := range slices.Sorted(maps.Keys(s.queues)) {
		q := s.queues[name]
		state := QueueState{
			QueueSettings: q.set, Leaf: q.leaf, Usage: q.Usage, Demand: q.Demand, FairShare: q.FairShare, SteadyFairShare: q.SteadyFairShare,
			MinShare: q.MinShare, MaxShare: q.MaxShare, Running: q.running, Waiting: len(q.waiting), AMUsage: q.amUsage,
		}
		if q.leaf {
			state.AMLimit = s.amLimit(q)
		}
		q.walk(func(below *queue) { state.count(below, q) })
		all = append(all, state)
	}
	return all
}

// count adds the applications of a leaf to the state of a queue, which is it or above it.
func (state *QueueState) count(leaf, of *queue) {
	for _, a := range leaf.apps {
		if leaf == of && !a.begun {
			state.Starting++
		}
		state.add(a)
	}
	for _, a := range leaf.waiting {
		state.add(a)
	}
}

func (state *QueueState) add(a *app) {
	state.Containers += len(a.live)
	state.Reservations += len(a.reserved)
	state.Reserved = state.Reserved.Plus(a.reserving)
	for _, r := range a.active {
		state.Pending = plus(state.Pending, r.any.count)
	}
}

// App is the state of an attempt; ok is false if it is unknown.
func (s *Scheduler) App(id ids.Attempt) (state AppState, ok bool) {
	a := s.attempts[id]
	if a == nil {
		return AppState{}, false
	}
	state = AppState{
		ID: id, User: a.user, Queue: a.queue.Name, StartTime: a.StartTime.Milliseconds(), Runnable: a.runnable, AMRunning: a.amRunning,
		Usage: a.Usage, Demand: a.Demand, FairShare: a.FairShare, Reserved: a.reserving, Weight: a.Weight,
		FairStarving: a.fairStarving, MinStarving: a.minStarving, Containers: len(a.live), Pending: a.asks(), Marked: a.preempted(),
	}
	for _, c := range a.reserved {
		state.Reservations = append(state.Reservations, c.Container)
	}
	return state, true
}

// Apps are all attempts, by id.
func (s *Scheduler) Apps() []AppState {
	var all []AppState
	for _, id := range slices.SortedFunc(maps.Keys(s.attempts), ids.CompareAttempts) {
		a, _ := s.App(id)
		all = append(all, a)
	}
	return all
}

// Live are the containers of an attempt, the oldest first.
func (s *Scheduler) Live(id ids.Attempt) []Container {
	a := s.attempts[id]
	if a == nil {
		return nil
	}
	var all []Container
	for _, c := range inOrder(a.live) {
		all = append(all, c.Container)
	}
	return all
}

// Nodes are all nodes, by id.
func (s *Scheduler) Nodes() []NodeState {
	var all []NodeState
	for _, id := range slices.Sorted(maps.Keys(s.nodes.byID)) {
		n := s.nodes.byID[id]
		state := NodeState{NodeSpec: NodeSpec{n.id, n.host, n.rack, n.total}, Free: n.free, Containers: len(n.containers)}
		if n.reserved != nil {
			c := n.reserved.Container
			state.Reserved = &c
		}
		all = append(all, state)
	}
	return all
}
