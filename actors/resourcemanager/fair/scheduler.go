//coherer:pure

package fair

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// Scheduler is Hadoop's FairScheduler without threads: its owner calls it, from one place, with the time since an epoch of
// its own, and gets what was decided. What Hadoop's threads do in the background are calls too: Update each
// Config.UpdateInterval, with preemption Preempt after it and KillMarked when NextKill comes, ContinuousPass over and over
// when Config.Continuous.
//
// An Event list is the caller's to keep. Ids are not checked for their owner: whoever calls has to know that an application
// releases what is its own.
type Scheduler struct {
	conf        Config
	allocations *Allocations
	now         time.Duration

	nodes  nodes
	root   *queue
	queues map[string]*queue
	leaves []*queue // in the order of their making

	unsteady bool // steady shares are to be computed when somebody looks at them

	applications map[ids.Application]*application
	attempts     map[ids.Attempt]*app // the current attempt of each application that has one
	containers   map[ids.Container]*container
	users        map[string]*user

	available Resource // what the cluster has free, as of the end of the last call that scheduled
	starving  []*app   // whom Preempt is to help
	kills     []kill   // what KillMarked is to end, by time

	births       int64 // of containers, ever
	reservations int   // now
	events       []Event
}

// application is what outlives an attempt.
type application struct {
	id      ids.Application
	user    string
	queue   *queue
	attempt *app // nil between attempts
}

// ErrUnknown is about a node, an application or an attempt that the scheduler does not have.
var ErrUnknown = errors.New("unknown to the scheduler")

// RejectedError is why an application is not accepted: Hadoop's APP_REJECTED, in its words.
type RejectedError struct{ Reason string }

func (e *RejectedError) Error() string { return e.Reason }

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
	for _, set := range allocations.creation() {
		s.newQueue(set, s.queues[ParentName(set.Name)])
	}
	s.root = s.queues[Root]
	if s.root == nil {
		return nil, fmt.Errorf("the allocations have no queue %s", Root)
	}
	s.unsteady = true
	return s, nil
}

// take hands over what was decided since the last call.
func (s *Scheduler) take() []Event {
	events := s.events
	s.events = nil
	return events
}

// AddNode counts a node in. A node of that id that is there already is an error: remove it first.
func (s *Scheduler) AddNode(now time.Duration, spec NodeSpec) error {
	s.now = now
	if s.nodes.byID[spec.ID] != nil {
		return fmt.Errorf("node %s is added twice: remove it first", spec.ID)
	}
	if spec.Total.Memory < 0 || spec.Total.VCores < 0 {
		return fmt.Errorf("node %s has %s: want 0 or more", spec.ID, spec.Total)
	}
	s.nodes.add(&node{
		id: spec.ID, host: spec.Host, rack: spec.Rack, total: spec.Total, free: spec.Total, hash: historicNodeHash(spec.ID),
	})
	s.clusterChanged()
	return nil
}

// clusterChanged follows a change of what the cluster has.
func (s *Scheduler) clusterChanged() {
	s.root.walk(s.resize)
	s.root.everything()
	s.unsteady = true
	s.refresh()
}

// refresh notes what is free. Hadoop does so after scheduling, not with each container: the share of ApplicationMasters and
// headrooms are by what it was.
func (s *Scheduler) refresh() { s.available = s.nodes.total.Minus(s.root.Usage) }

// RemoveNode counts a node out; all its containers are Gone with ExitAborted. One that is not there is ErrUnknown.
func (s *Scheduler) RemoveNode(now time.Duration, id string) ([]Event, error) {
	s.now = now
	n := s.nodes.byID[id]
	if n == nil {
		return nil, fmt.Errorf("node %s is %w", id, ErrUnknown)
	}
	lost := End{ExitStatus: ExitAborted, Diagnostics: DiagnosticsLost, Cause: Killed}
	for _, c := range inOrder(n.containers) {
		s.complete(c, lost)
	}
	if n.reserved != nil {
		s.complete(n.reserved, lost)
	}
	n.removed = true
	s.nodes.remove(n)
	s.clusterChanged()
	return s.take(), nil
}

// UpdateNodeResource changes what a node has in all. What runs there stays, also where it is more than that.
func (s *Scheduler) UpdateNodeResource(now time.Duration, id string, total Resource) error {
	s.now = now
	n := s.nodes.byID[id]
	if n == nil {
		return fmt.Errorf("node %s is %w", id, ErrUnknown)
	}
	if total.Memory < 0 || total.VCores < 0 {
		return fmt.Errorf("node %s gets %s: want 0 or more", id, total)
	}
	n.free = n.free.Plus(total.Minus(n.total))
	n.total = total
	s.nodes.resized()
	s.clusterChanged()
	return nil
}

// Drain says whether a node is offered no more: it is to be taken out of service when what runs there has ended. What it
// has in all still counts, and NodeUpdate takes its news.
func (s *Scheduler) Drain(now time.Duration, id string, drain bool) error {
	s.now = now
	n := s.nodes.byID[id]
	if n == nil {
		return fmt.Errorf("node %s is %w", id, ErrUnknown)
	}
	n.drained = drain
	return nil
}

// AddApp accepts an application into a queue, whose full name it returns, or refuses it: a RejectedError, or what placing
// found wrong with the submission. A queue that the rules allow is made. An application that is there already stays as it is.
func (s *Scheduler) AddApp(now time.Duration, id ids.Application, sub Submission) (string, error) {
	s.now = now
	if a := s.applications[id]; a != nil {
		return a.queue.Name, nil
	}
	if sub.Queue == "" {
		return "", &RejectedError{fmt.Sprintf("Reject application %s submitted by user %s with an empty queue name.", id, sub.User)}
	}
	name, err := s.allocations.Placement.Place(sub, s)
	if err != nil {
		return "", err
	}
	if name == "" {
		return "", &RejectedError{fmt.Sprintf("Reject application %s submitted by user %s application rejected by placement rules.", id, sub.User)}
	}
	q := s.leafQueue(name)
	if q == nil {
		return "", &RejectedError{name + " is not a leaf queue"}
	}
	if !s.allocations.MaySubmit(name, sub.User, sub.Groups) {
		return "", &RejectedError{fmt.Sprintf("User %s does not have permission to submit %s to queue %s", sub.User, id, name)}
	}
	q.accepted++
	s.applications[id] = &application{id: id, user: sub.User, queue: q}
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
	old.live = nil
	a.queue.use(a.Usage)
}

// RemoveAttempt ends an attempt: all that it has is Gone with ExitAborted, but for running containers when keep is set,
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
	running := !a.stopped
	a.stopped = true
	end := End{ExitStatus: ExitAborted, Diagnostics: DiagnosticsCompleted, Cause: Killed}
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
	if running {
		s.admitAfter(a)
		s.forgetUser(a.user)
	}
	s.refresh()
}

// MaximumAllocation is the largest container that an application of the queue may ask for: Config.Maximum, less where the
// queue or the largest node is smaller.
func (s *Scheduler) MaximumAllocation(queue string) Resource {
	most := s.conf.Maximum
	if len(s.nodes.all) > 0 {
		most = most.Min(s.nodes.most)
	}
	if q := s.queues[queue]; q != nil {
		most = most.Min(q.set.MaxContainerAllocation)
	}
	return most
}

// Cluster is what all nodes have.
func (s *Scheduler) Cluster() Resource { return s.nodes.total }

// Reload gives the scheduler new allocations. Queues that the file has no more stay as if they had been made for
// submissions, until Tidy.
func (s *Scheduler) Reload(now time.Duration, allocations *Allocations) []Event {
	s.now = now
	s.allocations = allocations
	s.makeQueues()
	keep := s.misplaces(allocations)
	s.root.walk(func(q *queue) {
		set := allocations.Queue(q.Name)
		set.Parent = !q.leaf
		if keep {
			set.Policy = q.set.Policy
		}
		if s.conf.Compat == Upstream && set.Dynamic {
			set.Max = allocations.defaults.queueMax // Hadoop forgets maxChildResources
		}
		s.configure(q, set)
	})
	s.root.everything()
	s.unsteady = true
	s.admitAll()
	return s.take()
}

// makeQueues makes the queues of the file that are not there. One that is there and used stays a leaf, or a parent, until it
// is not used any more.
func (s *Scheduler) makeQueues() {
	for _, set := range s.allocations.creation() {
		q := s.queues[set.Name]
		switch parent := s.queues[ParentName(set.Name)]; {
		case q != nil && q.leaf == set.Parent && set.Name != Root:
			if q.empty() {
				s.dropTree(q)
				s.newQueue(set, parent)
			}
		case q == nil && parent != nil && !parent.leaf:
			s.newQueue(set, parent)
		}
	}
	s.unsteady = true
}

// Tidy takes away the queues that were made for submissions and have no application any more, and makes those of the file
// that could not be made before. Its owner calls it every ReloadInterval. It mirrors AllocationFileLoaderService's onCheck.
func (s *Scheduler) Tidy(now time.Duration) {
	s.now = now
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(s.queues))) { // those below first
		if q := s.queues[name]; q.set.Dynamic && len(q.children) == 0 && q.accepted == 0 {
			s.dropQueue(q)
		}
	}
	s.makeQueues()
}

// misplaces reports whether the policies of the allocations may not stand in the queues that there are. Those keep theirs then.
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
