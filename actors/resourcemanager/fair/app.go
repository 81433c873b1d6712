//coherer:pure

package fair

import (
	"math"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// app is an attempt of an application. It mirrors FSAppAttempt.
type app struct {
	schedulable
	member
	book

	id      ids.Attempt
	user    string
	queue   *queue
	managed bool // its first container is its ApplicationMaster's

	runnable bool
	stopped  bool
	wanting  bool // it may run and its demand differs from its usage

	live      []*container
	fresh     []*container // allocated and not yet pulled, in the order of allocation; some may be gone
	reserved  []*container // in the order of reserving
	reserving Resource     // the sum of reserved
	sequence  int64        // of the last container

	blockedNodes []*node // by its blacklist, as of its last change; for badHeadroom

	begun      bool // it has had a container
	amRunning  bool
	amResource Resource

	marked       []*container // to be preempted, in the order of marking
	markedSum    Resource
	fairStarving Resource      // below its fair share for too long, by this much
	minStarving  Resource      // its part of the amount that its queue lacks to its minimum
	helped       map[Key]int64 // for each key, the containers that found room, or for which room was made, when it was last helped
	fairSince    time.Duration // the last time that it was not below its share
	nextCheck    time.Duration
}

// touch keeps wanting and the order true after usage, demand or weight changed.
func (a *app) touch() {
	wanting := a.runnable && a.Demand != a.Usage
	if wanting != a.wanting { // before the order is touched: queues above go by the count
		a.wanting = wanting
		if wanting {
			a.queue.countWanting(1)
		} else {
			a.queue.countWanting(-1)
		}
	}
	if wanting || a.in { // else it is not in the order, and nothing has to be corrected
		a.queue.order.touch(&a.member)
	}
}

// updateDemand computes the demand, usage plus asks, and with bySize the weight that follows from it.
func (a *app) updateDemand(bySize bool) {
	demand, weight := a.Usage.Plus(a.wanted()), float32(1)
	if bySize {
		weight = float32(math.Log1p(float64(demand.Memory)) / math.Ln2)
	}
	if demand != a.Demand { // the weight follows from it
		a.Demand, a.Weight = demand, weight
		a.touch()
	}
}

func (a *app) addLive(c *container) {
	c.inApp = len(a.live)
	a.live = append(a.live, c)
	a.Usage = a.Usage.Plus(c.Resource)
}

func (a *app) removeLive(c *container) {
	last := len(a.live) - 1
	a.live[c.inApp] = a.live[last]
	a.live[c.inApp].inApp = c.inApp
	a.live[last] = nil
	a.live = a.live[:last]
	a.Usage = a.Usage.Minus(c.Resource)
}

// amCounts sets the amount with which the ApplicationMaster counts in its queue.
func (a *app) amCounts(amount Resource) {
	a.queue.amUsage = a.queue.amUsage.Minus(a.amResource).Plus(amount)
	a.amResource = amount
}

// pendingDemand is the demand beyond the usage, as of the last update.
func (a *app) pendingDemand() Resource { return a.Demand.Minus(a.Usage) }

// belowFairShare reports whether it uses strictly less than its fair share.
func (a *app) belowFairShare(cluster Resource) bool {
	return a.queue.policy.Below(a.Usage, a.FairShare, cluster)
}

// starved reports whether it may reserve nodes and be owed preempted room.
func (a *app) starved(cluster Resource) bool {
	return !a.minStarving.IsZero() || a.belowFairShare(cluster)
}

// starvation is the whole amount that it lacks.
func (a *app) starvation() Resource { return a.fairStarving.Plus(a.minStarving) }

// reservations counts the nodes that it has reserved, in one rack or, with "", in all.
func (a *app) reservations(rack string) int {
	if rack == "" {
		return len(a.reserved)
	}
	n := 0
	for _, c := range a.reserved {
		if c.node.rack == rack {
			n++
		}
	}
	return n
}
