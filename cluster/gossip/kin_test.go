package gossip_test

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/coherer/coherer/cluster/gossip"
)

// chiefOf is the config of a Master that founds a cluster with that number.
func chiefOf(cluster uint64, port int, join ...*player) gossip.Config {
	c := config(gossip.RoleMaster, port, join...)
	c.Meta.Cluster, c.Upkeep = cluster, quick
	return c
}

// Two clusters on one host have the same label. A daemon of one that gets the port of a dead member of the other hears what that still sends
// there, and is called on; the clusters stay apart, and who calls says so once.
func TestAPortThatAnotherClusterTakesMakesNoneOfBoth(t *testing.T) {
	ours := chiefOf(1, 1)
	log := logged(&ours)
	a := play(t, ours)
	dead := play(t, config("worker", 2, a))
	a.wantMembers(a.Name(), dead.Name())
	b := play(t, chiefOf(2, 3))
	dead.Close()
	next := config("worker", 4, b)
	next.Bind, next.Upkeep = dead.Addr(), quick
	x := play(t, next)
	for i := range 5 { // news, which go to the dead too, and whole states
		if err := a.Revise(within(t), func(own *gossip.Meta) { own.PID = 100 + i }); err != nil {
			t.Fatal(err)
		}
	}
	a.wantMembers(a.Name())
	log.want(t, "a daemon of another cluster listens at "+dead.Addr().String()+", where this one had a member or was told to look: worker 127.0.0.1:4 and 1 more")
	for _, p := range []*player{b, x} {
		p.wantMembers(b.Name(), x.Name())
		p.wantEvents(1) // the other one
		p.wantNoEvent()
	}
	// One that comes later is a call of each too, after which nothing more is said.
	late := play(t, config("worker", 5, a))
	a.wantMembers(a.Name(), late.Name())
	if len(log) > 0 {
		t.Errorf("one more line: %s", <-log)
	}
}

// A ring that has no cluster does not get that of whoever has the port of a lost member.
func TestALostMembersPortGivesNoCluster(t *testing.T) {
	t.Parallel()
	own := config("worker", 1)
	log := logged(&own)
	own.Upkeep = quick
	w := play(t, own)
	dead := play(t, config("worker", 2, w))
	w.wantMembers(w.Name(), dead.Name())
	dead.Close()
	other := chiefOf(2, 3)
	other.Bind = dead.Addr()
	b := play(t, other)
	log.want(t, "a daemon of another cluster listens at "+dead.Addr().String())
	w.wantMembers(w.Name())
	b.wantMembers(b.Name())
}

// A Master that is started again founds the same cluster, so those that knew it where it was find it there, though nobody names an address. A
// ring without a cluster becomes that of a Master that joins it, or of one that it knew.
func TestAMasterThatIsStartedAgainIsOfItsCluster(t *testing.T) {
	for _, cluster := range []uint64{0, 1} {
		t.Run(fmt.Sprint("cluster ", cluster), func(t *testing.T) {
			t.Parallel()
			worker := config("worker", 1)
			worker.Upkeep = quick
			w := play(t, worker)
			v := play(t, config("worker", 2, w))
			m := play(t, chiefOf(cluster, 3, w))
			for _, p := range []*player{w, v, m} {
				p.wantCluster(cluster, w, v, m)
			}
			m.Close()
			w.wantMembers(w.Name(), v.Name())
			again := chiefOf(1, 3)
			again.Incarnation, again.Bind = 2, m.Addr()
			n := play(t, again)
			for _, p := range []*player{w, v, n} {
				p.wantCluster(1, w, v, n)
			}
		})
	}
}

// wantCluster waits until the player knows exactly these, which all say that they are of that cluster.
func (p *player) wantCluster(cluster uint64, all ...*player) {
	p.t.Helper()
	var want []string
	for _, x := range all {
		want = append(want, x.Name())
	}
	if err := p.WaitFor(within(p.t), func(members []gossip.Info) bool {
		return namesOf(members) == strings.Join(want, " ") && !slices.ContainsFunc(members, func(i gossip.Info) bool { return i.Cluster != cluster })
	}); err != nil {
		p.t.Fatalf("want %q of %d: %v", want, cluster, err)
	}
}

// A daemon without a cluster of its own that is started again is of that in which others know it.
func TestAWorkerThatIsStartedAgainIsOfItsCluster(t *testing.T) {
	t.Parallel()
	m := play(t, chiefOf(1, 1))
	first := config("worker", 2, m)
	w := play(t, first)
	m.wantMembers(m.Name(), w.Name())
	w.Close()
	m.wantMembers(m.Name())
	first.Incarnation, first.Join, first.Bind = 2, nil, w.Addr()
	v := play(t, first)
	for _, p := range []*player{m, v} {
		p.wantMembers(m.Name(), v.Name())
	}
	// It is one in the full sense: its cluster's news come to it, and others join by it.
	u := play(t, config("worker", 3, v))
	m.wantMembers(m.Name(), v.Name(), u.Name())
}

// gate is a network between two members that a test cuts.
type gate struct {
	memberlist.NodeAwareTransport
	closed *atomic.Bool
}

var errCut = errors.New("the test has cut the network")

func (g gate) WriteToAddress(b []byte, a memberlist.Address) (time.Time, error) {
	if g.closed.Load() {
		return time.Now(), nil // a packet is lost without a word
	}
	return g.NodeAwareTransport.WriteToAddress(b, a)
}

func (g gate) DialAddressTimeout(a memberlist.Address, d time.Duration) (net.Conn, error) {
	if g.closed.Load() {
		return nil, errCut
	}
	return g.NodeAwareTransport.DialAddressTimeout(a, d)
}

// Both sides of a cut network have given each other up, and become one cluster again when it heals.
func TestACutClusterHeals(t *testing.T) {
	t.Parallel()
	var cut atomic.Bool
	behind := func(c gossip.Config) gossip.Config {
		c.Upkeep = quick
		c.Adjust(func(s *memberlist.Config) {
			n, err := memberlist.NewNetTransport(&memberlist.NetTransportConfig{BindAddrs: []string{s.BindAddr}, Logger: s.Logger})
			if err != nil {
				t.Fatal(err)
			}
			s.Transport = gate{n, &cut}
		})
		return c
	}
	m := play(t, behind(chiefOf(1, 1)))
	w := play(t, behind(config("worker", 2, m)))
	both := []*player{m, w}
	for _, p := range both {
		p.wantMembers(m.Name(), w.Name())
	}
	cut.Store(true)
	for _, p := range both {
		p.wantMembers(p.Name())
	}
	cut.Store(false)
	for _, p := range both {
		p.wantMembers(m.Name(), w.Name())
	}
}

// A Worker whose Master is of another cluster now goes over to it, and leaves the others; a Master keeps its cluster, whatever it meets.
func TestAMemberGoesOverToTheClusterOfItsMaster(t *testing.T) {
	t.Parallel()
	ours := chiefOf(1, 1)
	log := logged(&ours)
	a := play(t, ours)
	worker := config("worker", 2, a)
	said := logged(&worker)
	w := play(t, worker)
	a.wantEvent(gossip.MemberJoined, w)
	b := play(t, chiefOf(2, 3))
	w.Meet(b.Addr().String())
	for _, p := range []*player{b, w} {
		p.wantMembers(w.Name(), b.Name())
	}
	said.want(t, "this process goes over to another cluster, where it was told to look: master 127.0.0.1:3")
	a.wantEvent(gossip.MemberLeft, w)
	// Their memberlists still have some of each other's. No command that looks there takes these for members.
	look := play(t, config(gossip.RoleLook, 4, a))
	look.wantMembers(a.Name(), look.Name())
	look = play(t, config(gossip.RoleLook, 5, w))
	look.wantMembers(w.Name(), b.Name(), look.Name())
	a.Meet(b.Addr().String())
	log.want(t, "a daemon of another cluster listens at "+b.Addr().String())
	a.wantMembers(a.Name())
	b.wantMembers(w.Name(), b.Name())
	// And back.
	w.Meet(a.Addr().String())
	for _, p := range []*player{a, w} {
		p.wantMembers(a.Name(), w.Name())
	}
	b.wantMembers(b.Name())
}

// A Worker that was told to join an address, and has lost its Master there, joins the Master that is there now, though it is another.
func TestAnAddressOfJoinIsFollowedWithoutAMaster(t *testing.T) {
	t.Parallel()
	a := play(t, chiefOf(1, 1))
	worker := config("worker", 2, a)
	worker.Upkeep = quick
	w := play(t, worker)
	w.wantMembers(a.Name(), w.Name())
	a.Close()
	other := chiefOf(2, 3)
	other.Bind = a.Addr()
	b := play(t, other)
	for _, p := range []*player{b, w} {
		p.wantCluster(2, w, b)
	}
}

// A Worker was told once where its Master's gossip is. When another cluster gets that port, the Worker stays with its own cluster; when it is
// told the port again, it follows.
func TestAPortThatWasOnceToldIsNotFollowed(t *testing.T) {
	t.Parallel()
	a := play(t, chiefOf(1, 1))
	worker := config("worker", 2)
	said := logged(&worker)
	worker.Upkeep = quick
	w := play(t, worker)
	w.Meet(a.Addr().String())
	w.wantCluster(1, a, w)
	a.Close()
	w.wantMembers(w.Name())
	other := chiefOf(2, 3)
	other.Bind = a.Addr()
	b := play(t, other)
	said.want(t, "a daemon of another cluster listens at "+a.Addr().String())
	w.wantCluster(1, w)
	b.wantMembers(b.Name())
	w.Meet(b.Addr().String())
	for _, p := range []*player{b, w} {
		p.wantCluster(2, w, b)
	}
}
