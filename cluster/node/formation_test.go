package node

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/election"
	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/rpcenv"
)

// candidate is a Master that looks for its group. It sees of the others what has reached it.
type candidate struct {
	f     *formation
	info  gossip.Info
	sees  map[string]gossip.Info
	log   bytes.Buffer
	group []rpcenv.Address
	err   error
}

func newCandidate(port, expect int, since int64) *candidate {
	x := &candidate{sees: map[string]gossip.Info{}}
	x.info = gossip.Info{Name: fmt.Sprint("m", port), Meta: gossip.Meta{
		Role: gossip.RoleMaster, RPC: rpcenv.Address{Host: "h", Port: port}, Since: since, Group: gossip.Group{Expect: expect},
	}}
	log := logrus.New()
	log.SetOutput(&x.log)
	x.f = newFormation(x.info.Name, x.info.RPC, expect, 100, logrus.NewEntry(log))
	return x
}

// look looks until there is nothing to do, as findGroup does, and reports whether anything was.
func (x *candidate) look() (acted bool) {
	for x.group == nil && x.err == nil {
		x.sees[x.info.Name] = x.info
		var all []gossip.Info
		for _, i := range x.sees {
			all = append(all, i)
		}
		s := x.f.look(all)
		switch {
		case s.publish:
			x.info.Group = x.f.own
		case s.group != nil:
			x.group = s.group
			x.info.Group = gossip.Group{Expect: x.f.expect, Digest: election.Digest(s.group), Formed: true}
		case s.err != nil:
			x.err = s.err
		default:
			return acted
		}
		acted = true
	}
	return acted
}

// settle lets all see each other until nothing happens any more.
func settle(all ...*candidate) {
	for again := true; again; {
		again = false
		for _, x := range all {
			for _, y := range all {
				if y.err == nil {
					x.sees[y.info.Name] = y.info
				} else {
					delete(x.sees, y.info.Name) // it has ended
				}
			}
			again = x.look() || again
		}
	}
}

// want checks in which group each is, by ports; "refused" of one that is in none, "" of one that waits.
func want(t *testing.T, all []*candidate, groups ...string) {
	t.Helper()
	for i, x := range all {
		slices.SortFunc(x.group, func(a, b rpcenv.Address) int { return a.Port - b.Port })
		got := strings.ReplaceAll(text(x.group), "h:", "")
		if errors.Is(x.err, ErrGroupComplete) {
			got = "refused"
		}
		if got != groups[i] {
			t.Errorf("Master %d is in the group %q, want %q: %v", i, got, groups[i], x.err)
		}
	}
}

// Masters that expect as many form a group, those that began first; one more is refused. Fewer wait, and say for whom.
func TestMastersThatExpectAsManyFormAGroup(t *testing.T) {
	a, b, c, d := newCandidate(3, 3, 10), newCandidate(2, 3, 11), newCandidate(1, 3, 11), newCandidate(4, 3, 12)
	all := []*candidate{a, b, c, d}
	settle(a, b)
	want(t, all, "", "", "", "")
	settle(a, b, d)
	want(t, all, "2, 3, 4", "2, 3, 4", "", "2, 3, 4")
	settle(all...)
	want(t, all, "2, 3, 4", "2, 3, 4", "refused", "2, 3, 4")
	if !strings.Contains(fmt.Sprint(c.err), "h:3, h:2, h:4 are in a group of 3") {
		t.Error(c.err)
	}
	if n := strings.Count(a.log.String(), "there are h:3, h:2\""); n != 1 {
		t.Errorf("it says %d times for whom it waits: %s", n, a.log.String())
	}
}

// One Master is a group where one is expected; and more than enough that begin at once become one group.
func TestTheFirstMastersFormTheGroup(t *testing.T) {
	one := newCandidate(1, 1, 10)
	settle(one)
	want(t, []*candidate{one}, "1")
	all := []*candidate{newCandidate(3, 3, 10), newCandidate(2, 3, 10), newCandidate(1, 3, 10), newCandidate(4, 3, 10)}
	for _, x := range all {
		for _, y := range all {
			x.sees[y.info.Name] = y.info
		}
	}
	settle(all...)
	want(t, all, "1, 2, 3", "1, 2, 3", "1, 2, 3", "refused")
}

// Masters of different numbers, and one that is alone, say so once each and form nothing.
func TestMastersThatExpectDifferentNumbersSayItOnce(t *testing.T) {
	all := []*candidate{newCandidate(1, 3, 10), newCandidate(2, 3, 10), newCandidate(3, 5, 10)}
	lone := newCandidate(4, 0, 10)
	for _, x := range all {
		x.sees["lone"] = lone.info
	}
	settle(all...)
	all[0].look()
	want(t, all, "", "", "")
	for _, line := range []string{"The Master at h:3 expects 5 Masters and this one 3", "The Master at h:4 is alone, and this one is one of 3"} {
		if n := strings.Count(all[0].log.String(), line); n != 1 {
			t.Errorf("it says %d times %q: %s", n, line, all[0].log.String())
		}
	}
}

// A Master that lost its records finds its group again, and alone: another one does not take its place, and one whose earlier run the
// ring still has is no stranger.
func TestAMasterWithoutRecordsFindsItsGroupAgain(t *testing.T) {
	all := []*candidate{newCandidate(1, 3, 10), newCandidate(2, 3, 10), newCandidate(3, 3, 10)}
	settle(all...)
	want(t, all, "1, 2, 3", "1, 2, 3", "1, 2, 3")
	again, other := newCandidate(2, 3, 10), newCandidate(4, 3, 15)
	again.info.Name, again.f.name = "m2, again", "m2, again"
	again.sees["m2"] = all[1].info
	now := []*candidate{all[0], other, again}
	settle(now...)
	want(t, now, "1, 2, 3", "", "") // one of the group is in sight: who else is in it is unknown
	settle(all[0], other, all[2])
	want(t, now, "1, 2, 3", "refused", "")
	now = append(now, all[2])
	settle(now...)
	want(t, now, "1, 2, 3", "refused", "1, 2, 3", "1, 2, 3")
}

// Enough Masters for a group form none beside one that they see, be it a single Master of it.
func TestMastersFormNoSecondGroup(t *testing.T) {
	all := []*candidate{newCandidate(1, 3, 10), newCandidate(2, 3, 10), newCandidate(3, 3, 10)}
	settle(all...)
	late := []*candidate{newCandidate(4, 3, 1), newCandidate(5, 3, 2), newCandidate(6, 3, 3)}
	settle(append(late, all[0])...)
	want(t, late, "", "", "")
	settle(append(late, all...)...)
	want(t, late, "refused", "refused", "refused")
}

// A Master that has consented to a list is bound until that is withdrawn: here the Master that proposed it does not see yet that another
// one began before it.
func TestAMasterConsentsToOneListAtATime(t *testing.T) {
	a, b, c, d := newCandidate(1, 3, 20), newCandidate(2, 3, 21), newCandidate(3, 3, 22), newCandidate(4, 3, 10)
	see := func(x *candidate, others ...*candidate) {
		for _, y := range others {
			x.sees[y.info.Name] = y.info
		}
		x.look()
	}
	see(a, b, c)
	see(b, a, c)
	see(c, a, b)
	consent := c.info
	see(d, b, c) // it proposes itself with b and c
	for _, x := range []*candidate{b, c} {
		see(x, d)
		see(d, x)
	}
	a.sees["m3"] = consent
	see(a, b)
	all := []*candidate{a, b, c, d}
	want(t, all, "1, 2, 3", "", "", "")
	settle(all...)
	want(t, all, "1, 2, 3", "1, 2, 3", "1, 2, 3", "refused")
	// Withdrawn, it binds nobody.
	a, b, c, d = newCandidate(1, 3, 20), newCandidate(2, 3, 21), newCandidate(3, 3, 22), newCandidate(4, 3, 10)
	see(a, b, c)
	see(b, a, c)
	see(a, d)
	all = []*candidate{a, b, c, d}
	settle(all...)
	want(t, all, "1, 2, 4", "1, 2, 4", "refused", "1, 2, 4")
}

// News that travel in any order never lead to two groups with one Master in common, nor to more groups than there are Masters for. (Masters
// that hear nothing of others until they have formed a group are a group of their own.)
func TestMastersThatSeeEachOtherLateFormOneGroup(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		expect := []int{1, 3, 3, 3, 5}[r.IntN(5)]
		var all []*candidate
		for i := range expect + r.IntN(4) {
			all = append(all, newCandidate(i+1, expect, int64(r.IntN(3))))
		}
		for range r.IntN(200) {
			x, y := all[r.IntN(len(all))], all[r.IntN(len(all))]
			x.sees[y.info.Name] = y.info
			x.look()
			if seed%2 == 0 && r.IntN(20) == 0 { // taken for dead, for a while
				delete(x.sees, y.info.Name)
			}
		}
		settle(all...)
		groups := map[uint64]bool{}
		members := map[rpcenv.Address]int{}
		for _, x := range all {
			if x.group == nil {
				continue
			}
			if digest := election.Digest(x.group); !groups[digest] {
				groups[digest] = true
				for _, a := range x.group {
					members[a]++
				}
			}
			if !slices.Contains(x.group, x.info.RPC) || len(x.group) != expect {
				t.Fatalf("seed %d: %s is in the group %v", seed, x.info.RPC, x.group)
			}
		}
		for a, n := range members {
			if n > 1 {
				t.Fatalf("seed %d: %s is in %d groups", seed, a, n)
			}
		}
		if seed%2 == 1 && (len(groups) == 0 || len(groups) > len(all)/expect) {
			t.Fatalf("seed %d: %d groups of %d of %d Masters", seed, len(groups), expect, len(all))
		}
	}
}
