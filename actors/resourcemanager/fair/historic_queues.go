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

// historicMake makes the queues of the file, first the leaves as a hash set of their names has them, each behind those above
// it that are not there, and then the parents. What is in the way is taken away when nobody uses it: of a queue that the file
// has as a leaf and as a parent only the parent is left, with those below it that are made after it. The order decides who
// of those that came at one time runs first.
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

// historicClear takes away what is in the way of a queue, when nobody uses it.
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

// historicLeafAbove is the nearest leaf above a queue that is not there.
func historicLeafAbove(m maker, name string) string {
	for above := ParentName(name); above != ""; above = ParentName(above) {
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

// historicOutline leaves out the queues that historicMake does not make, or takes away again.
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

// historicPlan is where a submission to a queue with <reservation> goes: to one in it that is called after it.
func (s *Scheduler) historicPlan(name string) string {
	if e := s.allocations.queues[name]; e == nil || !e.reserves || s.queues[name] == nil {
		return name
	}
	return name + "." + name[strings.LastIndexByte(name, '.')+1:] + "-default"
}

// historicReload gives the scheduler new allocations in place of old as Hadoop does. A policy that may not stand where the
// file has it ends the giving of policies: those that were given stay. When a queue that the file had before is not there, it
// goes no further than making queues: who waits goes on to wait, and maxChildResources is not looked at.
func (s *Scheduler) historicReload(old *Allocations) {
	s.historicPolicies(s.root)
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

// historicPolicies gives a queue and all below it the policies of the file, those below first.
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

// historicStatic are the queues that the old file had, the new one has not, and Hadoop takes for queues of the file still: as
// it comes to one that is not there, it gives up. whole reports whether it does not.
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

// waitingList is a list of who waits, and how far it has been walked.
type waitingList struct {
	apps []*app
	time time.Duration // of the next; the largest when there is none
}

func (l *waitingList) look() {
	l.time = math.MaxInt64
	if len(l.apps) > 0 {
		l.time = l.apps[0].StartTime
	}
}

// historicMerge walks lists, each by start, merged by start. Of lists whose next started at the same time one follows the
// other as in Java's PriorityQueue.
func historicMerge(lists [][]*app) (merged []*app) {
	var heap []*waitingList
	add := func(l *waitingList) {
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
	take := func() *waitingList {
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
	for _, apps := range lists {
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
