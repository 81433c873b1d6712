package gossip

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/memberlist"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/rpcenv"
)

// Clusters on one host mostly have the same label. When a member of one has ended, a daemon of another may get its port; and the first cluster
// goes on to send packets there, exchanges whole states with it, and calls on it. Any of these would make one ring of both, for memberlist takes
// whatever it hears. So each member says the number of its cluster (Meta.Cluster), and takes others of the same number, and those that it knows
// by name, only. A member without a number gets that of a cluster which it was told to join, or which knows it: see take and hearOf. Nothing
// that comes unasked gives it one.

// foreign reports whether a member is of another cluster. One without a number is of none yet.
func (b *books) foreign(i Info) bool {
	return i.Name != b.self && i.Cluster != 0 && b.cluster != 0 && i.Cluster != b.cluster
}

// takes reports whether memberlist may take news of a member.
func (b *books) takes(i Info) bool {
	return b.looks || i.Name == b.self || i.Cluster == b.cluster || b.knows(i.Name) || i.Cluster == 0 && b.successor(i)
}

// knows reports whether this member has heard of one with that name that was of its cluster.
func (b *books) knows(name string) bool {
	_, here := b.now[name]
	_, doubted := b.doubted[name]
	_, strayed := b.strayed[name]
	return here || doubted || strayed || slices.ContainsFunc(b.gone, func(s Standing) bool { return s.Name == name })
}

// successor reports whether a member is a new run of a daemon that this member knows.
func (b *books) successor(i Info) bool {
	return slices.ContainsFunc(slices.Concat(b.members(), slices.Collect(maps.Values(b.doubted))), i.succeeds) ||
		slices.ContainsFunc(b.gone, func(s Standing) bool { return i.succeeds(s.Info) })
}

// succeeds reports whether two are runs of one daemon: they have its role and its addresses.
func (i Info) succeeds(o Info) bool {
	return i.Role == o.Role && !i.RPC.IsZero() && i.RPC == o.RPC && i.Gossip == o.Gossip
}

// note notes what memberlist has taken of a member, and reports whether that is news. A member without a number gets that of a member which it
// knows: their ring has become a cluster.
func (b *books) note(i Info) bool {
	if b.cluster == 0 && i.Name != b.self {
		b.take(i.Cluster)
	}
	if !b.foreign(i) {
		delete(b.strayed, i.Name)
		return b.put(i)
	}
	// It has gone over to another cluster, and memberlist goes on to probe it.
	b.strayed[i.Name] = i
	return b.remove(i.Name, true)
}

// take makes this member one of a cluster, which changes who is a member to it. For 0, and for one that looks, it does nothing.
func (b *books) take(cluster uint64) {
	if cluster == 0 || b.looks || cluster == b.cluster {
		return
	}
	b.cluster = cluster
	for _, i := range slices.Concat(b.members(), slices.SortedFunc(maps.Values(b.strayed), byName)) {
		b.note(i)
	}
}

func byName(x, y Info) int { return cmp.Compare(x.Name, y.Name) }

// chief reports whether a role is one that a cluster is named after: its members stay in it.
func chief(role string) bool { return role == RoleMaster || role == membership.RoleResourceManager }

// otherCluster is the error of a call on a ring that is not this member's. Its text comes back by memberlist, which wraps no error of a delegate.
type otherCluster struct {
	number uint64 // 0: those that answer are of no cluster yet
	who    string
}

const otherPrefix = "members of another cluster answer, number "

func (e *otherCluster) Error() string {
	return fmt.Sprintf("%s%016x: %s", otherPrefix, e.number, e.who)
}

// otherIn finds an otherCluster in the text of an error of memberlist; nil: there is none.
func otherIn(err error) *otherCluster {
	_, text, _ := strings.Cut(err.Error(), otherPrefix)
	text, _, _ = strings.Cut(text, "\n")
	digits, who, _ := strings.Cut(text, ": ")
	number, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		return nil
	}
	return &otherCluster{number, who}
}

// answers returns what to make of those that answer a call at an address; nil: they are of this member's cluster, so that both exchange what
// they know.
func (b *books) answers(at rpcenv.Address, all []Info) error {
	// The list of a ring may have some of this cluster that its members probe on, having gone over: who listens at the address counts first.
	foreign := slices.ContainsFunc(all, func(i Info) bool { return i.Gossip == at && b.foreign(i) })
	own := slices.ContainsFunc(all, func(i Info) bool { return b.takes(i) && !b.foreign(i) && i.Name != b.self })
	if len(all) == 0 || own && !foreign {
		return nil
	}
	byWeight(at, all)
	e := &otherCluster{number: all[0].Cluster}
	if i := slices.IndexFunc(all, func(i Info) bool { return i.Gossip == at }); i > 0 {
		all[0], all[i] = all[i], all[0]
	}
	e.who = all[0].Role + " " + cmp.Or(all[0].RPC, all[0].Gossip).String()
	if len(all) > 1 {
		e.who += fmt.Sprintf(" and %d more", len(all)-1)
	}
	return e
}

// byWeight sorts those that answer a call at an address, those first that are of the cluster there.
func byWeight(at rpcenv.Address, all []Info) {
	// The member at that address decides. It is not found when it listens at several, so then most of them decide: a ring may list members
	// that have gone over to another.
	votes := map[uint64]int{}
	for _, i := range all {
		votes[i.Cluster]++
		if i.Gossip == at {
			votes[i.Cluster] += len(all)
		}
	}
	slices.SortFunc(all, func(x, y Info) int {
		return cmp.Or(cmp.Compare(votes[y.Cluster], votes[x.Cluster]), cmp.Compare(y.Cluster, x.Cluster), byName(x, y))
	})
}

var _ memberlist.MergeDelegate = (*delegate)(nil)

// NotifyMerge hears whom the ring has that answers a call of this member, or that calls on it, and refuses one that is not its own. Of a caller
// nothing needs to be refused here, since NotifyAlive does that; and what such a caller knows of this member may show that it is its own.
func (d *delegate) NotifyMerge(nodes []*memberlist.Node) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.calling.IsZero() {
		return nil
	}
	var all []Info
	for _, n := range nodes {
		if i, err := infoOf(n); err == nil && i.Role != RoleLook {
			all = append(all, i)
		}
	}
	if b := d.books; b.looks {
		// It looks at the cluster there, whose memberlist still has those that have gone over to another one.
		if byWeight(d.calling, all); b.cluster == 0 && len(all) > 0 {
			b.cluster = all[0].Cluster
		}
		return nil
	}
	// A ring without a cluster has one when a daemon that it knows has founded one since.
	if b := d.books; b.cluster == 0 {
		if i := slices.IndexFunc(all, func(i Info) bool { return i.Cluster != 0 && b.successor(i) }); i >= 0 {
			b.take(all[i].Cluster)
			(*Member)(d).wake()
		}
	}
	return d.books.answers(d.calling, all)
}

// reason is why a member calls on an address.
type reason int

const (
	lost   reason = iota // a member failed there
	met                  // an earlier call of Meet named it
	named                // Config.Join has it
	fresh                // Meet was called with it just now: a daemon that this member was told to follow said that its gossip is there
	starts               // Config.Join has it, and this member begins
)

// follow makes this member one of the cluster that answered a call, if it should, and reports whether it did. A member that has a cluster keeps
// it when it is a chief. Others change it for that of the daemon that they were told to follow; or when they were told to join an address, and
// have no chief: it may have been started again as another. An earlier call of Meet does not change it: the port may be another daemon's by now,
// and whoever follows a daemon asks it anew where its gossip is.
func (m *Member) follow(other *otherCluster, why reason) bool {
	follows, changes := false, false
	m.change(func(b *books) bool {
		switch {
		case other.number == 0 || why == lost:
		case b.cluster == 0:
			follows = true
		case chief(m.role):
		case why == fresh:
			follows = true
		case why == named:
			follows = !slices.ContainsFunc(b.members(), func(i Info) bool { return chief(i.Role) })
		}
		if follows {
			changes = b.cluster != 0
			b.take(other.number)
		}
		return follows
	})
	if changes {
		m.warn("gossip: this process goes over to another cluster, where it was told to look: %s", other.who)
	}
	if follows {
		m.profess(why == starts)
	}
	return follows
}

// profess lets the others hear to which cluster this member belongs, if they have not. It waits for others that change what the members hear of
// it if wait is true; the upkeep must not, for whoever ends this member waits for it.
func (m *Member) profess(wait bool) {
	if wait {
		m.ending.Lock()
	} else if !m.ending.TryLock() {
		return
	}
	defer m.ending.Unlock()
	if !m.isClosed() {
		m.reviseSoon(m.refuteGoodbye)
	}
}

// answered warns once of those that answer at an address and are not of this cluster, and gives up an address that the user did not name. That
// nobody answers is normal: the daemon there has ended, and the next call is soon.
func (m *Member) answered(c call, err error) {
	var other *otherCluster
	switch {
	case errors.As(err, &other) && other.number != 0:
		m.giveUp(c.address)
		m.warnOf(c.address, "gossip: a daemon of another cluster listens at %s, where this one had a member or was told to look: %s. They stay apart",
			c.address, other.who)
	case errors.Is(err, errNoMember):
		m.warnOf(c.address, "gossip: this process is no member together with the one at %s: %v", c.address, err)
	}
}

// warnOf warns of an address, unless it has.
func (m *Member) warnOf(address, format string, args ...any) {
	if slices.Contains(m.said, address) {
		return
	}
	m.said = latest(append(m.said, address), MostCalls)
	m.warn(format, args...)
}

// giveUp forgets an address of a lost member, or of Meet, which may come again.
func (m *Member) giveUp(address string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lost = slices.DeleteFunc(m.lost, func(a rpcenv.Address) bool { return a.String() == address })
	m.met = slices.DeleteFunc(m.met, func(a string) bool { return a == address })
}
