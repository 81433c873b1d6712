//coherer:pure

package fair

import (
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/ids"
)

// QueueState is what a queue has and may have.
type QueueState struct {
	QueueSettings
	Leaf            bool
	Usage, Demand   Resource
	FairShare       Resource
	SteadyFairShare Resource
	MinShare        Resource // on the cluster as it is
	MaxShare        Resource
	Running         int      // applications that may run, in it and below
	Waiting         int      // of a leaf: those that may not yet
	AMUsage         Resource // of a leaf: what ApplicationMasters have
}

// AppState is what an attempt has and wants.
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
	FairStarving Resource // by how much it is below its fair share for too long
	MinStarving  Resource // its part of what its queue is below its minimum
	Containers   int
	Pending      []Ask // what is wanted still
	Reservations []Container
	Marked       []ids.Container
}

// NodeState is what a node has.
type NodeState struct {
	NodeSpec
	Free       Resource
	Containers int
	Reserved   *Container
}

// Queues are all queues, by name.
func (s *Scheduler) Queues() []QueueState {
	var all []QueueState
	for _, name := range slices.Sorted(maps.Keys(s.queues)) {
		q := s.queues[name]
		all = append(all, QueueState{
			QueueSettings: q.set, Leaf: q.leaf, Usage: q.Usage, Demand: q.Demand, FairShare: q.FairShare, SteadyFairShare: q.SteadyFairShare,
			MinShare: q.MinShare, MaxShare: q.MaxShare, Running: q.running, Waiting: len(q.waiting), AMUsage: q.amUsage,
		})
	}
	return all
}

// App is the state of an attempt; ok is false when there is no such one.
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
