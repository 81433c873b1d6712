//coherer:pure

package fair

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// historicMake makes the queues of the file, first the leaves in the order of a hash set of their names, each after its missing
// parents, and then the parents. An unused queue in the way is removed: of a queue that the file has as a leaf and as a parent
// only the parent is left, with those of its children that are made later. The order also decides which of the applications that
// came at one time runs first.
func (a *Allocations) historicMake(m maker) {
	for _, parents := range []bool{false, true} {
		names := slices.Clone(a.ends[parents])
		n := buckets(len(names))
		slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(bucket(javaHash(x), n), bucket(javaHash(y), n)) })
		for _, name := range names {
			historicClear(m, name, parents)
			a.create(m, name, parents, false)
		}
	}
}

// historicClear removes an unused queue that is in the way of another.
func historicClear(m maker, name string, parent bool) {
	if name == Root || strings.HasPrefix(name, Root+".default.") {
		return
	}
	exists, leaf, _ := m.look(name)
	inTheWay := name
	switch {
	case !exists:
		inTheWay = historicLeafAbove(m, name)
	case leaf != parent:
		return
	}
	if inTheWay != "" && m.vacant(inTheWay) {
		m.drop(inTheWay)
	}
}

// historicLeafAbove is the nearest leaf above a missing queue.
func historicLeafAbove(m maker, name string) string {
	for above := parentName(name); above != ""; above = parentName(above) {
		if _, leaf, _ := m.look(above); leaf {
			return above
		}
	}
	return ""
}

// outline is a maker without applications.
type outline map[string]QueueSettings

func (o outline) look(name string) (exists, leaf bool, policy string) {
	made, exists := o[name]
	return exists, exists && !made.Parent, made.Policy
}

func (o outline) vacant(string) bool { return true }

func (o outline) drop(name string) {
	maps.DeleteFunc(o, func(n string, _ QueueSettings) bool { return n == name || strings.HasPrefix(n, name+".") })
}

func (o outline) add(set QueueSettings) { o[set.Name] = set }

// historicOutline leaves out the queues that historicMake does not make, or removes again.
func (a *Allocations) historicOutline() {
	o := outline{Root: a.Queue(Root)}
	a.historicMake(o)
	for _, name := range a.names() {
		made, ok := o[name]
		if a.missing[name] = !ok; ok {
			a.settled[name] = made
		}
	}
}

// historicPlan is the target of a submission to a queue with <reservation>: a queue below it with a name derived from its own.
func (s *Scheduler) historicPlan(name string) string {
	if e := s.allocations.queues[name]; e == nil || !e.reserves || s.queues[name] == nil {
		return name
	}
	return name + "." + name[strings.LastIndexByte(name, '.')+1:] + "-default"
}

// historicReload gives the scheduler new allocations in place of old as Hadoop does. A policy that may not stand at its place
// ends the setting of policies: those set before it stay. A missing queue of the old file ends the reload after the making of
// queues: waiting applications go on waiting, and maxChildResources does not count.
func (s *Scheduler) historicReload(old *Allocations) {
	s.historicPolicies(s.root) // before the queues are made, whose policies have to fit below those of their parents
	s.allocations.historicMake(s)
	static, whole := s.historicStatic(old)
	s.root.walk(func(q *queue) {
		set := s.allocations.Queue(q.Name)
		set.Parent, set.Policy = !q.leaf, q.set.Policy
		if set.Dynamic {
			set.Max, set.Dynamic = s.allocations.defaults.queueMax, !static[q.Name]
		}
		s.configure(q, set)
	})
	s.unsteady = true
	s.steadyShares() // before maxChildResources counts
	if !whole {
		return
	}
	s.root.walk(func(q *queue) {
		q.set.Max = s.allocations.Queue(q.Name).Max
		s.resize(q)
	})
	s.admitAll()
}

// historicPolicies gives a queue and all below it the policies of the file, children first. It reports whether it came through.
func (s *Scheduler) historicPolicies(q *queue) bool {
	policy := s.allocations.Queue(q.Name).Policy
	for _, c := range q.children {
		if !mayStandBelow(policy, s.allocations.Queue(c.Name).Policy) || !s.historicPolicies(c) {
			return false
		}
	}
	set := q.set
	set.Policy = policy
	s.configure(q, set)
	return true
}

// historicStatic are the queues that only the old file has and that Hadoop still takes for queues of the file, since it gives up
// at the first of them that is missing. whole reports whether none is missing.
func (s *Scheduler) historicStatic(old *Allocations) (static map[string]bool, whole bool) {
	var names []string
	for _, name := range slices.Concat(old.ends[false], old.ends[true]) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	n := buckets(len(names))
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(bucket(javaHash(x), n), bucket(javaHash(y), n)) })
	static, whole = map[string]bool{}, true
	for _, name := range names {
		if s.allocations.queues[name] != nil {
			continue
		}
		if s.queues[name] == nil {
			whole = false
		}
		static[name] = !whole
	}
	return static, whole
}

// waitingList is the unwalked rest of a list of waiting applications.
type waitingList struct {
	apps []*app
	time time.Duration // the start of the next; of an empty list the largest time
}

// look sets time by the first application.
func (l *waitingList) look() {
	l.time = math.MaxInt64
	if len(l.apps) > 0 {
		l.time = l.apps[0].StartTime
	}
}

// historicMerge walks lists, each by start, merged by start. Lists whose next applications started at the same time follow each
// other as in Java's PriorityQueue, which is not stable: hence this copy of its sifting.
func historicMerge(lists [][]*app) (merged []*app) {
	var heap []*waitingList
	add := func(l *waitingList) { // siftUp
		heap = append(heap, l)
		for k := len(heap) - 1; k > 0; {
			parent := (k - 1) / 2
			if heap[k].time >= heap[parent].time {
				break
			}
			heap[k], heap[parent] = heap[parent], heap[k]
			k = parent
		}
	}
	take := func() *waitingList { // siftDown
		first, n := heap[0], len(heap)-1
		heap[0] = heap[n]
		heap = heap[:n]
		for k := 0; 2*k+1 < n; {
			child := 2*k + 1
			if child+1 < n && heap[child].time > heap[child+1].time {
				child++
			}
			if heap[k].time <= heap[child].time {
				break
			}
			heap[k], heap[child] = heap[child], heap[k]
			k = child
		}
		return first
	}
	for _, apps := range lists { // empty ones too: they take part in the sifting
		l := &waitingList{apps: apps}
		l.look()
		add(l)
	}
	for len(heap) > 0 && heap[0].time != math.MaxInt64 {
		l := take()
		merged = append(merged, l.apps[0])
		l.apps = l.apps[1:]
		l.look()
		add(l)
	}
	return merged
}
