//coherer:pure

package fair

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// creation are Queues in the order in which they are made, those above before those below.
func (a *Allocations) creation() []QueueSettings {
	if a.compat == Upstream {
		return a.historicCreation()
	}
	return a.Queues()
}

// historicCreation has first the leaves as a hash set of their names has them, each behind those above it that are not made
// yet, and then the parents that are left, in the same way. The order decides who of those that came at one time runs first.
func (a *Allocations) historicCreation() []QueueSettings {
	all := []QueueSettings{a.Queue(Root)}
	made := map[string]bool{Root: true}
	var create func(name string)
	create = func(name string) {
		if made[name] || a.missing[name] {
			return
		}
		create(ParentName(name))
		made[name] = true
		all = append(all, a.Queue(name))
	}
	for _, parents := range []bool{false, true} {
		var names []string
		for _, name := range a.ends {
			if a.queues[name].parent == parents {
				names = append(names, name)
			}
		}
		n := buckets(len(names))
		slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(bucket(javaHash(x), n), bucket(javaHash(y), n)) })
		for _, name := range names {
			create(name)
		}
	}
	return all
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
