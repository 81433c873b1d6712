//coherer:pure

package fair

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// Scheduler is Hadoop's FairScheduler without threads: its owner calls it, from one place, with the time since an epoch of
// its own, and gets decisions. The work of Hadoop's background threads are calls too: Update each
// Config.UpdateInterval, with preemption Preempt after it and KillMarked when NextKill comes, ContinuousPass over and over
// when Config.Continuous.
//
// An Event list is the caller's to keep.
type Scheduler struct {
	conf        Config
	allocations *Allocations
	now         time.Duration

	nodes  nodes
	root   *queue
	queues map[string]*queue
	leaves []*queue // in the order of their making

	unsteady bool // steady shares are out of date; they are computed when somebody looks at them

	applications map[ids.Application]*application
	attempts     map[ids.Attempt]*app // the current attempt of each application that has one
	containers   map[ids.Container]*container
	users        map[string]*user

	available Resource // free in the cluster, as of the end of the last call that scheduled
	starving  []*app   // those that Preempt has to help
	kills     []kill   // those that KillMarked has to end, by time

	births       int64 // containers ever made
	reservations int   // at present
	events       []Event
}

// application is the part of an application that outlives its attempts.
type application struct {
	user    string
	queue   *queue
	attempt *app // nil between attempts
}

// ErrUnknown is about a node, an application or an attempt that the scheduler does not have.
var ErrUnknown = errors.New("unknown to the scheduler")

// rejectedError is the refusal of an application: Hadoop's APP_REJECTED, in its words.
type rejectedError struct{ Reason string }

func (e *rejectedError) Error() string { return e.Reason }

// New is a scheduler without nodes and applications.
func New(now time.Duration, conf Config, allocations *Allocations) (*Scheduler, error) {
	if err := conf.Validate(); err != nil {
		return nil, err
	}
	s := &Scheduler{
		conf: conf, allocations: allocations, now: now,
		nodes:        nodes{byID: map[string]*node{}, racks: map[string]int{}},
		queues:       map[string]*queue{},
		applications: map[ids.Application]*application{}, attempts: map[ids.Attempt]*app{},
		containers: map[ids.Container]*container{}, users: map[string]*user{},
	}
	s.root = s.newQueue(allocations.Queue(Root), nil)
	s.makeQueues()
	return s, nil
}

// take hands over the decisions since the last call.
func (s *Scheduler) take() []Event {
	events := s.events
	s.events = nil
	return events
}

// MaximumAllocation is the largest container that an application of the queue may ask for: Config.Maximum, less where the
// queue or the largest node is smaller. Nodes do not count before Config.NodesCountFrom. It mirrors
// ClusterNodeTracker.getMaxAllowedAllocation.
func (s *Scheduler) MaximumAllocation(now time.Duration, queue string) Resource {
	most := s.conf.Maximum
	if len(s.nodes.all) > 0 && now >= s.conf.NodesCountFrom {
		most = most.Min(s.nodes.most)
	}
	if q := s.queues[queue]; q != nil {
		most = most.Min(q.set.MaxContainerAllocation)
	}
	return most
}

// Cluster is the sum of all nodes.
func (s *Scheduler) Cluster() Resource { return s.nodes.total }

// Reload gives the scheduler new allocations. Queues that the file has no more stay as if they had been made for
// submissions, until Tidy.
func (s *Scheduler) Reload(now time.Duration, allocations *Allocations) []Event {
	s.now = now
	s.steadyShares() // by the old policies: new ones may leave a type alone
	old := s.allocations
	s.allocations = allocations
	defer s.root.everything() // weights, minimums and policies decide the order of all siblings
	if s.conf.Faults.halfReloads {
		s.historicReload(old)
		return s.take()
	}
	s.makeQueues()
	keep := s.misplaces(allocations)
	s.root.walk(func(q *queue) {
		set := allocations.Queue(q.Name)
		set.Parent = !q.leaf // whatever the file says: makeQueues has replaced the queues that could change
		if keep {
			set.Policy = q.set.Policy
		}
		s.configure(q, set)
	})
	s.admitAll() // last: limits of running applications may have been raised
	return s.take()
}

// makeQueues makes the missing queues of the file. A used one stays a leaf, or a parent, as long as it is used.
func (s *Scheduler) makeQueues() {
	s.unsteady = true
	if s.conf.Faults.vanishing {
		s.allocations.historicMake(s)
		return
	}
	for _, set := range s.allocations.Queues() { // parents first: a child of one that cannot be made yet waits for Tidy
		q := s.queues[set.Name]
		switch parent := s.queues[parentName(set.Name)]; {
		case q != nil && q.leaf == set.Parent: // a leaf that has to be a parent, or the reverse
			if q.empty() {
				s.dropTree(q)
				s.newQueue(set, parent)
			}
		case q == nil && parent != nil && !parent.leaf:
			s.newQueue(set, parent)
		}
	}
}

// Tidy removes the queues that were made for submissions and have no application any more, and makes those of the file
// that could not be made before. Its owner calls it every ReloadInterval. It mirrors AllocationFileLoaderService's onCheck.
func (s *Scheduler) Tidy(now time.Duration) {
	s.now = now
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(s.queues))) { // children first: a parent goes with its last one
		if q := s.queues[name]; q.set.Dynamic && len(q.children) == 0 && q.accepted == 0 {
			s.dropQueue(q)
		}
	}
	s.makeQueues()
}

// misplaces reports whether an existing queue could not have its policy of the allocations. All keep their policies then.
func (s *Scheduler) misplaces(allocations *Allocations) bool {
	misplaced := false
	s.root.walk(func(q *queue) { misplaced = misplaced || allocations.Creatable(q.Name, !q.leaf) != nil })
	return misplaced
}

// empty reports whether no application is in the queue or below.
func (q *queue) empty() bool {
	empty := true
	q.walk(func(x *queue) { empty = empty && x.accepted == 0 })
	return empty
}

func (s *Scheduler) dropTree(q *queue) {
	for len(q.children) > 0 {
		s.dropTree(q.children[0])
	}
	s.dropQueue(q)
}
