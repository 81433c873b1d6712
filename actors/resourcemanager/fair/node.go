//coherer:pure

package fair

import (
	"cmp"
	"slices"
)

// NodeSpec is what a node says of itself.
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
	most           int // containers that there ever were at once
	reserved       *container
	victims        []*container // containers in the order of their taking, or nil: not sorted since one came or went
	markedSum      Resource     // of containers to be preempted

	owed      []owed   // what is taken from others here, and for whom, in the order of the taking
	owedTotal Resource // the sum of owed

	hash    uint32 // of Hadoop's NodeId
	drained bool   // it is offered no more
}

// owed is what was preempted on a node for an application and is not yet given to it.
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
	last := len(n.containers) - 1
	n.containers[c.inNode] = n.containers[last]
	n.containers[c.inNode].inNode = c.inNode
	n.containers[last] = nil
	n.containers = n.containers[:last]
	n.free = n.free.Plus(c.Resource)
}

// committed is what of the free resource is not to be had: a reservation, and what is being taken for others.
func (n *node) committed() Resource {
	if n.reserved == nil {
		return n.owedTotal
	}
	return n.owedTotal.Plus(n.reserved.Resource)
}

// room is what is free and not reserved, and what will be when what is marked has ended, without what is owed. A reservation
// has a claim to what is free alone: what is taken for others is given to them first.
func (n *node) room() Resource {
	free := n.free
	if n.reserved != nil {
		free = free.Minus(n.reserved.Resource.Min(free.Max(Resource{})))
	}
	return free.Plus(n.markedSum).lessNotBelowZero(n.owedTotal)
}

// owe keeps amount of what will be free here for an application.
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

// pay takes what an application was given here off what it is owed, and all of that when it is paid.
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

// forgive drops what is owed to applications that ended or need nothing any more.
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
	all    []*node // in the order of their coming, but see historicNodes
	racks  map[string]int
	total  Resource
	most   Resource // the most that any node has of each type
	ever   int      // nodes that there ever were at once
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
	ns.resized()
}

// ordered are all nodes in the order in which they are looked at: of their coming, or Hadoop's.
func (ns *nodes) ordered(compat Compat) []*node {
	if compat == Upstream && !ns.sorted {
		historicNodes(ns.all, ns.ever)
		ns.sorted = true
	}
	return ns.all
}

// named are the nodes of a host or a rack, or all.
func (ns *nodes) named(name string, compat Compat) []*node {
	all := ns.ordered(compat)
	if name == Any {
		return all
	}
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

// resized follows a change of what nodes have in all.
func (ns *nodes) resized() {
	ns.total, ns.most = Resource{}, Resource{}
	for _, n := range ns.all {
		ns.total, ns.most = ns.total.Plus(n.total), ns.most.Max(n.total)
	}
}

// freest are the nodes with so much free memory, the most first; of equal ones the first of the order is first.
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
