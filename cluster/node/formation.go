package node

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/election"
	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
)

// ErrGroupComplete is the error of a Master that comes too late: the group has all its Masters, and this one is not among them.
var ErrGroupComplete = errors.New("this Master is one too many")

// formation is how one of several Masters finds the others by the ring, as --expect wants it. Of those that expect as many, the one that began
// first proposes the list: itself and the next. The others consent, and when all have, it forms the group; the others follow it.
//
// Members see the ring differently for a moment, and two Masters may each take themselves for the first. So whoever consented to a proposal
// is bound until that is withdrawn, or its Master is gone: of two lists with a Master in common one at most is formed. Beyond that, a group
// begins only when all its Masters say to each other that they are in it (package election).
type formation struct {
	name   string // of this member
	self   rpcenv.Address
	expect int
	round  int64 // of this Master's latest proposal
	log    *logrus.Entry

	own   gossip.Group     // what the ring has from this Master
	bound string           // the member whose proposal own is, perhaps this one; empty: of nobody
	list  []rpcenv.Address // what this Master has proposed
	said  map[string]bool  // lines of the log
}

// newFormation makes a formation. round must be above those of earlier runs of this Master.
func newFormation(name string, self rpcenv.Address, expect int, round int64, log *logrus.Entry) *formation {
	return &formation{
		name: name, self: self, expect: expect, round: round, log: log, own: gossip.Group{Expect: expect},
		said: map[string]bool{},
	}
}

// step is what a look at the ring leads to; the zero step: to wait.
type step struct {
	publish bool             // own is news
	group   []rpcenv.Address // the group is formed
	err     error            // this Master cannot be in it
}

// look decides by the members, this one among them.
func (f *formation) look(all []gossip.Info) step {
	list := f.candidates(all)
	if s, decided := f.follow(list); decided {
		return s
	}
	switch {
	case len(list) == 0 || f.isBound(list):
		return step{}
	case list[0].Name == f.name:
		return f.propose(list)
	default:
		return f.consent(list)
	}
}

// isBound reports whether the proposal of another, to which this Master has consented, still stands.
func (f *formation) isBound(list []gossip.Info) bool {
	return f.bound != f.name && slices.ContainsFunc(list, func(i gossip.Info) bool { return i.Name == f.bound && i.Group == f.own })
}

// propose is what the first Master does. A proposal stands as long as all its Masters are there: whoever comes meanwhile comes too late.
func (f *formation) propose(list []gossip.Info) step {
	if f.bound == f.name {
		consented := 0
		for _, a := range f.list {
			i := slices.IndexFunc(list, func(i gossip.Info) bool { return i.RPC == a })
			if i < 0 {
				f.bound = ""
			} else if list[i].Name == f.name || list[i].Group == f.own {
				consented++
			}
		}
		if f.bound == f.name && consented == f.expect {
			return step{group: f.list}
		}
	}
	switch {
	case f.bound == f.name:
		return step{}
	case len(list) < f.expect:
		return f.publish("", gossip.Group{Expect: f.expect})
	}
	f.round++
	f.list = addressesOf(list[:f.expect])
	return f.publish(f.name, gossip.Group{Expect: f.expect, Digest: election.Digest(f.list), Round: f.round})
}

// consent is what another Master than the first does: if that has proposed a list with this one, or consented to it, so does this one.
func (f *formation) consent(list []gossip.Info) step {
	g, have := list[0].Group, []rpcenv.Address{list[0].RPC, f.self}
	more := slices.DeleteFunc(addressesOf(list), func(a rpcenv.Address) bool { return slices.Contains(have, a) })
	if complete(have, more, f.expect-len(have), g.Digest) == nil {
		return f.publish("", gossip.Group{Expect: f.expect})
	}
	return f.publish(list[0].Name, g)
}

func (f *formation) publish(bound string, g gossip.Group) step {
	f.bound = bound
	if f.own == g {
		return step{}
	}
	f.own = g
	return step{publish: true}
}

// follow is what a Master does when others of the ring have formed a group: it is in it, or must not be.
func (f *formation) follow(list []gossip.Info) (s step, decided bool) {
	formed := map[uint64][]rpcenv.Address{}
	var open []rpcenv.Address // the others that are in no group
	for _, i := range list {
		switch {
		case i.Name == f.name:
		case i.Group.Formed:
			formed[i.Group.Digest] = append(formed[i.Group.Digest], i.RPC)
		default:
			open = append(open, i.RPC)
		}
	}
	for _, digest := range slices.Sorted(maps.Keys(formed)) { // in this order, so that Masters that have a choice make the same
		// This Master consented, or is one of them that was started again without its records: it completes the group, perhaps with others.
		in, missing := formed[digest], f.expect-len(formed[digest])-1
		if peers := complete(append(slices.Clone(in), f.self), open, missing, digest); peers != nil {
			return step{group: peers}, true
		}
		if missing <= 0 { // none is missing, or one, which is not this one
			return step{err: fmt.Errorf("%w: %s are in a group of %d, which never changes: start a Master of it again at its own address, "+
				"or name another cluster by %s", ErrGroupComplete, text(in), f.expect, known.GossipLabel.Key())}, true
		}
		f.once(logrus.WarnLevel, "%s formed a group of %d Masters: waiting for the others of it", text(in), f.expect)
	}
	return step{}, len(formed) > 0
}

// complete adds n of more to have, so that the digest of all is digest; nil: none fits. To bound the search, it tries the first ten of more only.
func complete(have, more []rpcenv.Address, n int, digest uint64) []rpcenv.Address {
	if n <= 0 {
		if n == 0 && election.Digest(have) == digest {
			return have
		}
		return nil
	}
	for i, a := range more[:min(len(more), 10)] {
		if all := complete(append(slices.Clone(have), a), more[i+1:], n-1, digest); all != nil {
			return all
		}
	}
	return nil
}

// candidates are the Masters that expect as many as this one, the one that began first comes first. It logs who is there, whenever that is news.
func (f *formation) candidates(all []gossip.Info) (list []gossip.Info) {
	for _, i := range all {
		switch {
		case i.Role != gossip.RoleMaster || i.RPC == f.self && i.Name != f.name: // an earlier run of this one has ended
		case i.Group.Expect == f.expect:
			list = append(list, i)
		case i.Group.Expect == 0:
			f.once(logrus.WarnLevel, "The Master at %s is alone, and this one is one of %d: end it, or start it with --expect %[2]d", i.RPC, f.expect)
		default:
			f.once(logrus.WarnLevel, "The Master at %s expects %d Masters and this one %d: they form no group", i.RPC, i.Group.Expect, f.expect)
		}
	}
	// The latest run of each address comes first: that it ended, and began again, the ring may not have noticed yet.
	slices.SortFunc(list, func(a, b gossip.Info) int {
		return cmp.Or(strings.Compare(a.RPC.String(), b.RPC.String()), -cmp.Compare(a.Since, b.Since), strings.Compare(a.Name, b.Name))
	})
	list = slices.CompactFunc(list, func(a, b gossip.Info) bool { return a.RPC == b.RPC })
	slices.SortStableFunc(list, func(a, b gossip.Info) int { return cmp.Compare(a.Since, b.Since) })
	f.once(logrus.InfoLevel, "Waiting until %d Masters that expect %[1]d are members: there are %s", f.expect, text(addressesOf(list)))
	return list
}

// once logs a line, unless it has.
func (f *formation) once(level logrus.Level, format string, args ...any) {
	if line := fmt.Sprintf(format, args...); !f.said[line] {
		f.said[line] = true
		f.log.Log(level, line)
	}
}

func addressesOf(list []gossip.Info) (out []rpcenv.Address) {
	for _, i := range list {
		out = append(out, i.RPC)
	}
	return out
}

func text(list []rpcenv.Address) string {
	var out []string
	for _, a := range list {
		out = append(out, a.String())
	}
	return strings.Join(out, ", ")
}
