//coherer:pure

package fair

import (
	"fmt"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// The filters of a Refusal, in the order in which an offer meets them.
const (
	byDemand      = "demand"      // the application asks for nothing more
	byUserApps    = "userApps"    // its user has as many running applications as allowed
	byQueueApps   = "queueApps"   // so has its queue, or one above
	byUpdate      = "update"      // the scheduler has not yet counted its asks
	byQueue       = "queue"       // its queue, or one above, is at its maximum
	byAMShare     = "amShare"     // ApplicationMasters of the queue use up their part of it
	byDrain       = "drain"       // the node is being decommissioned
	byReservation = "reservation" // the node is reserved
	byBlacklist   = "blacklist"   // the application does not want the node
	bySize        = "size"        // the node is too small
	byRelax       = "relax"       // the application wants no such node: relaxLocality is false
	byDelay       = "delay"       // the application waits for a nearer node still
	byRoom        = "room"        // the node has not enough free
	ByTurn        = "turn"        // nothing is against it: the node has to send a heartbeat, or others come first
)

// Refusal is a reason why an application has not got a container. One about nodes holds for so many of them, which On names.
type Refusal struct {
	Filter   string
	Priority int32 // of the request concerned
	Nodes    int
	Reason   string
	Help     string
	On       []string // ids of nodes
}

// Why lists the reasons why an attempt has no more containers, by the filters of an offer; it changes nothing. Reasons that no
// waiting removes come first. ok is false if the attempt is unknown.
func (s *Scheduler) Why(now time.Duration, id ids.Attempt) (reasons []Refusal, ok bool) {
	a := s.attempts[id]
	if a == nil {
		return nil, false
	}
	w := why{Scheduler: s, now: now, a: a}
	w.application()
	if !a.runnable {
		return w.reasons, true
	}
	for _, r := range a.active {
		w.requests(r)
	}
	// A reason of the application or its queue holds on all nodes: it is nobody's turn anywhere then.
	if slices.ContainsFunc(w.reasons, func(r Refusal) bool { return r.Nodes == 0 }) {
		w.reasons = slices.DeleteFunc(w.reasons, func(r Refusal) bool { return r.Filter == ByTurn })
	}
	return w.reasons, true
}

// why collects refusals of one application.
type why struct {
	*Scheduler
	now     time.Duration
	a       *app
	reasons []Refusal
}

func (w *why) say(filter, help, format string, args ...any) {
	w.reasons = append(w.reasons, Refusal{Filter: filter, Reason: fmt.Sprintf(format, args...), Help: help})
}

func (w *why) application() {
	a, q := w.a, w.a.queue
	if len(a.active) == 0 {
		w.say(byDemand, "if its tasks wait, its executors are still starting: a Spark driver starts the first task when the part spark.scheduler.minRegisteredResourcesRatio of them has registered, and its log says how many have", "it asks for nothing more; it has %d containers, %s", len(a.live), a.Usage)
		return
	}
	if !a.runnable {
		w.limits()
		return
	}
	if a.pendingDemand().IsZero() {
		w.say(byUpdate, fmt.Sprintf("wait for the next update, each %v", w.conf.UpdateInterval),
			"what it asked since the last update is not counted yet: demand %s, usage %s", a.Demand, a.Usage)
	}
	for ; q != nil; q = q.parent {
		if q.full() {
			w.say(byQueue, "raise maxResources of "+q.Name, "queue %s has %s, more than its maximum of %s", q.Name, q.Usage, q.MaxShare)
		}
	}
	if w.overAMShare(a) && len(w.nodes.all) > 0 { // without nodes any part is too much, and the lack of nodes is the reason
		am := a.active[0].any.capability
		w.say(byAMShare, fmt.Sprintf("raise maxAMShare of %s, or end applications", a.queue.Name),
			"ApplicationMasters of queue %s have %s; with this one's %s it would be more than %s, which is %v of its fair share %s",
			a.queue.Name, a.queue.amUsage, am, w.amLimit(a.queue), a.queue.set.MaxAMShare, a.queue.FairShare)
	}
}

// limits names the limits of running applications that keep it waiting.
func (w *why) limits() {
	a := w.a
	if most, u := w.allocations.UserMaxApps(a.user), w.users[a.user]; u.running >= most {
		w.say(byUserApps, "raise maxRunningApps of the user, or userMaxAppsDefault", "user %s has %d applications running, of at most %d", a.user, u.running, most)
	}
	for q := a.queue; q != nil; q = q.parent {
		if most := q.set.MaxRunningApps; q.running >= most {
			w.say(byQueueApps, "raise maxRunningApps of "+q.Name, "queue %s has %d applications running, of at most %d", q.Name, q.running, most)
		}
	}
	if len(w.reasons) == 0 {
		w.say(ByTurn, "wait for the end of another application", "it was above a limit when it came, and waits until an application of its queue or user ends")
	}
}

// requests reports for each filter the number of nodes that it holds for, and the room of the best of them.
func (w *why) requests(r *requests) {
	a, asked := w.a, r.any.capability
	for q := a.queue; q != nil; q = q.parent {
		if !q.full() && !q.Usage.Plus(asked).Fits(q.MaxShare) { // application has reported full ones
			w.reasons = append(w.reasons, Refusal{
				Filter: byQueue, Priority: r.Priority,
				Reason: fmt.Sprintf("queue %s has %s; with %s it would be more than its maximum of %s", q.Name, q.Usage, asked, q.MaxShare),
				Help:   "raise maxResources of " + q.Name,
			})
		}
	}
	if len(w.nodes.all) == 0 {
		w.reasons = append(w.reasons, Refusal{Filter: byRoom, Priority: r.Priority, Reason: "the cluster has no node", Help: "start NodeManagers"})
		return
	}
	on, best := map[string][]string{}, map[string]*node{}
	for _, n := range w.nodes.all {
		filter := w.filter(r, n)
		on[filter] = append(on[filter], n.id)
		if b := best[filter]; b == nil || n.free.Memory > b.free.Memory || n.free.Memory == b.free.Memory && n.free.VCores > b.free.VCores {
			best[filter] = n
		}
	}
	for _, filter := range []string{byDrain, byReservation, byBlacklist, bySize, byRelax, byDelay, byRoom, ByTurn} {
		if count := len(on[filter]); count > 0 {
			reason, help := w.nodeReason(filter, r, best[filter], count)
			w.reasons = append(w.reasons, Refusal{filter, r.Priority, count, reason, help, on[filter]})
		}
	}
}

// filter is the first filter that excludes a node, in the order of an offer.
func (w *why) filter(r *requests, n *node) string {
	a := w.a
	rack, host := r.at(n.rack), r.at(n.host)
	switch {
	case n.drained:
		return byDrain
	case n.reserved != nil && n.reserved.app != a:
		return byReservation
	case a.blocks(n):
		return byBlacklist
	case !r.any.capability.Fits(n.total):
		return bySize
	case !r.any.relax && rack.pending() <= 0, !rack.relaxed() && host.pending() <= 0:
		return byRelax
	}
	capability, level := r.near(n)
	d := *r.delay // a copy: an offer would count as missed
	d.missed++
	allowed := w.allowed(&d, w.now)
	switch {
	case level == rackLocal && allowed == nodeLocal, level == offSwitch && allowed != offSwitch && r.locations() > 1:
		return byDelay
	case !capability.Fits(n.free):
		return byRoom
	}
	return ByTurn
}

// near is the size and locality of the container that a node would get of the requests: those of the nearest place asked for.
func (r *requests) near(n *node) (capability Resource, level locality) {
	rack, host := r.at(n.rack), r.at(n.host)
	switch {
	case rack.pending() <= 0:
		return r.any.capability, offSwitch
	case host.pending() <= 0:
		return rack.capability, rackLocal
	}
	return host.capability, nodeLocal
}

func (w *why) nodeReason(filter string, r *requests, best *node, count int) (reason, help string) {
	asked, _ := r.near(best)
	if filter == bySize { // which goes by the size asked of Any
		asked = r.any.capability
	}
	of := fmt.Sprintf("%d of %d nodes", count, len(w.nodes.all))
	switch filter {
	case byDrain:
		return of + " are being decommissioned", "recommission them, or add nodes"
	case byReservation:
		return fmt.Sprintf("%s are reserved for others: %s for %s, which waits for %s there", of, best.id, best.reserved.app.Name, best.reserved.Resource), "wait until those containers fit"
	case byBlacklist:
		return fmt.Sprintf("%s are on its blacklist: %s of %s, for one", of, best.id, best.rack), "the application has to take them off: Spark excludes nodes where executors failed"
	case bySize:
		return fmt.Sprintf("%s have less than %s in all; the largest has %s", of, asked, best.total), "ask for smaller containers, or raise yarn.nodemanager.resource.memory-mb and cpu-vcores"
	case byRelax:
		return fmt.Sprintf("%s are not among those that it asks for, and relaxLocality is false", of), "ask for other nodes, or relax locality"
	case byDelay:
		return fmt.Sprintf("%s are not near what it asks for, and it waits for a nearer one: %s is allowed, %d offers were missed since", of, r.delay.allowed, r.delay.missed),
			"lower yarn.scheduler.fair.locality.threshold.node and .rack, or the locality-delay settings"
	case byRoom:
		return fmt.Sprintf("%s have less than %s free; the most free has %s (%s)", of, asked, best.free, best.id), w.roomHelp()
	}
	return fmt.Sprintf("%s could give it %s now: %s has %s free; queue %s has %s of its fair share %s, the application %s of %s",
			of, asked, best.id, best.free, w.a.queue.Name, w.a.queue.Usage, w.a.queue.FairShare, w.a.Usage, w.a.FairShare),
		"wait for the node's next heartbeat, and for those that have less of their share"
}

// roomHelp is the advice for full nodes.
func (w *why) roomHelp() string {
	switch {
	case w.a.Usage.Memory >= w.a.FairShare.Memory:
		return "it has its fair share: wait until others end, or add nodes"
	case !w.conf.Preemption:
		return "wait until others end, or add nodes; yarn.scheduler.fair.preemption is off"
	}
	return fmt.Sprintf("wait until others end: it is below its fair share, for which containers are preempted after %v", w.a.queue.set.FairSharePreemptionTimeout)
}

// ContainerView is the state of a container.
type ContainerView struct {
	Container
	Attempt  ids.Attempt // its owner
	Reserved bool        // it is a reservation: Lacks is the room that the node lacks for it
	Lacks    Resource
	Launched bool
	Marked   bool // it will be preempted
	KillAt   time.Duration
	For      string // the application that gets the room
}

// WhyContainer is the state of a container; ok is false if it is not in the books: it has ended, or never was.
func (s *Scheduler) WhyContainer(id ids.Container) (v ContainerView, ok bool) {
	c := s.containers[id]
	if c == nil {
		return ContainerView{}, false
	}
	v = ContainerView{Container: c.Container, Attempt: c.app.id, Reserved: c.reserved, Launched: c.launched, Marked: c.marked}
	if c.reserved {
		v.Lacks = c.Resource.lessNotBelowZero(c.node.free)
	}
	for _, k := range s.kills {
		if slices.Contains(k.containers, c) {
			v.KillAt, v.For = k.at, k.app.Name
		}
	}
	return v, true
}
