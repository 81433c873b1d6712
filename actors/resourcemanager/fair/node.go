//coherer:pure

package fair

import (
	"cmp"
	"slices"
)

// NodeSpec is a node's description of itself.
type NodeSpec struct {
	ID    string // host:port
	Host  string // by which asks and blacklists name it
	Rack  string
	Total Resource
}

// node is a NodeManager as the scheduler sees it. It mirrors FSSchedulerNode.
type node struct {
	id, host, rack string
	total, free    Resource
	containers     []*container
	most           int // the most containers at one time
	reserved       *container
	victims        []*container // containers in the order of preemption; nil: not sorted since one came or went
	markedSum      Resource     // of containers that will be preempted

	owed      []owed   // room preempted here, and for which application, in the order of marking
	owedTotal Resource // the sum of owed

	hash    uint32 // of Hadoop's NodeId
	drained bool   // its room is no longer offered
}

// owed is room that was preempted on a node for an application and is not yet given to it.
type owed struct {
	app    *app
	amount Resource
}

func (n *node) add(c *container) {
	n.victims = nil
	c.inNode = len(n.containers)
	n.containers = append(n.containers, c)
	n.most = max(n.most, len(n.containers))
	n.free = n.free.Minus(c.Resource)
}

func (n *node) remove(c *container) {
	n.victims = nil
	// The last one takes its place: each container knows its index, and no order is kept here (inOrder sorts when it matters).
	last := len(n.containers) - 1
	n.containers[c.inNode] = n.containers[last]
	n.containers[c.inNode].inNode = c.inNode
	n.containers[last] = nil
	n.containers = n.containers[:last]
	n.free = n.free.Plus(c.Resource)
}

// committed is the part of the free resource that has a claim: a reservation, and room owed to others.
func (n *node) committed() Resource {
	if n.reserved == nil {
		return n.owedTotal
	}
	return n.owedTotal.Plus(n.reserved.Resource)
}

// room is the free and unreserved resource plus that of marked containers, less the owed room. A reservation has a claim to the
// free resource alone: preempted room goes first to those that it is owed to.
func (n *node) room() Resource {
	free := n.free
	if n.reserved != nil {
		free = free.Minus(n.reserved.Resource.Min(free.Max(Resource{})))
	}
	return free.Plus(n.markedSum).lessNotBelowZero(n.owedTotal)
}

// owe keeps an amount of the future room here for an application.
func (n *node) owe(a *app, amount Resource) {
	if amount.IsZero() {
		return
	}
	n.owedTotal = n.owedTotal.Plus(amount)
	for i := range n.owed {
		if n.owed[i].app == a {
			n.owed[i].amount = n.owed[i].amount.Plus(amount)
			return
		}
	}
	n.owed = append(n.owed, owed{a, amount})
}

func (n *node) owes(a *app) bool {
	return slices.ContainsFunc(n.owed, func(o owed) bool { return o.app == a })
}

// pay subtracts a container that an application got here from its claim, and drops the claim when paid says that it is met.
func (n *node) pay(a *app, amount Resource, paid func(left, of Resource) bool) {
	for i := range n.owed {
		if n.owed[i].app != a {
			continue
		}
		was := n.owed[i].amount
		left := was.Minus(was.Min(amount))
		if paid(left, was) {
			left = Resource{}
			n.owed = slices.Delete(n.owed, i, i+1)
		} else {
			n.owed[i].amount = left
		}
		n.owedTotal = n.owedTotal.Minus(was.Minus(left))
		return
	}
}

// forgive drops the claims of applications that ended or need nothing any more.
func (n *node) forgive(over func(*app) bool) {
	n.owed = slices.DeleteFunc(n.owed, func(o owed) bool {
		if !over(o.app) {
			return false
		}
		n.owedTotal = n.owedTotal.Minus(o.amount)
		return true
	})
}

// nodes are all nodes, by id and in an order.
type nodes struct {
	byID   map[string]*node
	all    []*node // in the order of their arrival, but see historicNodes
	racks  map[string]int
	total  Resource
	most   Resource // the most that any node has of each type
	ever   int      // the most nodes at one time
	sorted bool     // as Hadoop's
}

func (ns *nodes) add(n *node) {
	ns.byID[n.id] = n
	ns.all = append(ns.all, n)
	ns.ever = max(ns.ever, len(ns.all))
	ns.racks[n.rack]++
	ns.total, ns.most = ns.total.Plus(n.total), ns.most.Max(n.total)
	ns.sorted = false
}

func (ns *nodes) remove(n *node) {
	delete(ns.byID, n.id)
	ns.all = slices.DeleteFunc(ns.all, func(x *node) bool { return x == n })
	if ns.racks[n.rack]--; ns.racks[n.rack] == 0 {
		delete(ns.racks, n.rack)
	}
	ns.resized() // most cannot be subtracted from
}

// ordered are all nodes in the order in which they are searched: of their arrival, or Hadoop's.
func (ns *nodes) ordered(faults Faults) []*node {
	if faults.hashOrder && !ns.sorted {
		historicNodes(ns.all, ns.ever)
		ns.sorted = true
	}
	return ns.all
}

// named are the nodes of a host or a rack, or all.
func (ns *nodes) named(name string, faults Faults) []*node {
	all := ns.ordered(faults)
	if name == Any {
		return all
	}
	// Asks do not say whether a name is a host's or a rack's: a host comes first.
	var some []*node
	for _, n := range all {
		if n.host == name {
			some = append(some, n)
		}
	}
	if len(some) > 0 {
		return some
	}
	for _, n := range all {
		if n.rack == name {
			some = append(some, n)
		}
	}
	return some
}

// resized sums up the nodes again after a change of their sizes.
func (ns *nodes) resized() {
	ns.total, ns.most = Resource{}, Resource{}
	for _, n := range ns.all {
		ns.total, ns.most = ns.total.Plus(n.total), ns.most.Max(n.total)
	}
}

// freest are the nodes with at least so much free memory, the freest first; equal ones keep their order.
func freest(all []*node, least int64) []*node {
	var sorted []*node
	for _, n := range all {
		if n.free.Memory >= least {
			sorted = append(sorted, n)
		}
	}
	slices.SortStableFunc(sorted, func(a, b *node) int { return cmp.Compare(b.free.Memory, a.free.Memory) })
	return sorted
}
