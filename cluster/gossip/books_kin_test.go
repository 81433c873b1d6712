package gossip

import (
	"net"
	"testing"

	"github.com/hashicorp/memberlist"
)

// of is a member in a cluster.
func of(name string, cluster uint64) Info {
	i := whole(name)
	i.RPC.Host, i.Cluster = name, cluster
	return i
}

// Whom memberlist may take, of those that others tell of. From outside a member gets no cluster.
func TestWhomAMemberTakes(t *testing.T) {
	now := atSeconds(5)
	daemon := of("a", 0)
	daemon.RPC.Port = 9
	run := daemon
	run.Name = "a/2"
	for name, c := range map[string]struct {
		own  uint64
		of   Info
		want bool
	}{
		"of its cluster":                      {1, of("x", 1), true},
		"of another":                          {1, of("x", 2), false},
		"of none":                             {1, of("x", 0), false},
		"of another, and it is known":         {1, of("b", 2), true},
		"of another, and it is gone":          {1, of("c", 2), true},
		"of none, of a daemon that is known":  {1, run, true},
		"of another, at a known address":      {1, Info{Name: "a/2", Gossip: daemon.Gossip, Meta: Meta{Role: daemon.Role, RPC: daemon.RPC, Cluster: 2}}, false},
		"of none, and neither is this":        {0, of("x", 0), true},
		"of a cluster, when this is of none":  {0, of("x", 1), false},
		"itself, as others have heard of it":  {1, of("me", 0), true},
		"of a cluster, and known":             {0, of("b", 1), true},
		"of none, with the role and RPC only": {1, Info{Name: "a/2", Meta: Meta{Role: daemon.Role, RPC: daemon.RPC}}, false},
	} {
		m := keeper("me", &now).among("b", "c")
		m.books.put(daemon)
		m.books.leave("c")
		m.books.cluster = c.own
		meta, err := encodeMeta(c.of.Meta)
		if err != nil {
			t.Fatal(err)
		}
		node := &memberlist.Node{Name: c.of.Name, Meta: meta, Port: uint16(c.of.Gossip.Port)}
		if c.of.Gossip.Port != 0 {
			node.Addr = net.ParseIP(c.of.Gossip.Host)
		}
		if err := (*delegate)(m).NotifyAlive(node); (err == nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
		if m.books.cluster != c.own {
			t.Errorf("%s: it has a cluster", name)
		}
	}
}

// A whole state that comes from another cluster is none of this one's; it makes a member of that cluster of a daemon alone of which it knows an
// earlier run.
func TestAStateOfAnotherClusterIsNotHeard(t *testing.T) {
	now := atSeconds(5)
	state := func(all ...Info) (out []byte) {
		for _, i := range all {
			line, err := encodeStanding(Standing{Info: i, State: Left, At: now})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, line...)
		}
		return out
	}
	me := of("me", 0)
	me.RPC.Port = 9
	for name, c := range map[string]struct {
		own  uint64
		say  Info
		want uint64
		told string
	}{
		"its own cluster's":       {1, of("x", 1), 1, "me:alive x:left@5"},
		"another's":               {1, of("x", 2), 1, "me:alive"},
		"another's, to one alone": {0, of("x", 2), 0, "me:alive"},
		"that of an earlier run":  {0, Info{Name: "me/0", Gossip: me.Gossip, Meta: Meta{Role: me.Role, RPC: me.RPC, Cluster: 2}}, 2, "me:alive me/0:left@5"},
		"that of an earlier run, though it has a cluster": {1, Info{Name: "me/0", Gossip: me.Gossip, Meta: Meta{Role: me.Role, RPC: me.RPC, Cluster: 2}}, 1, "me:alive"},
	} {
		m := keeper("me", &now)
		m.books.put(me)
		m.books.cluster = c.own
		(*delegate)(m).MergeRemoteState(state(c.say), true)
		if got := told(m); got != c.told || m.books.cluster != c.want {
			t.Errorf("%s: %s of %d, want %s of %d", name, got, m.books.cluster, c.told, c.want)
		}
		if c.own != 0 {
			continue
		}
		m = keeper("me", &now)
		m.books.put(me)
		m.books.follows = true
		if (*delegate)(m).MergeRemoteState(state(c.say), true); m.books.cluster != 0 {
			t.Errorf("%s: one that follows a daemon is of %d", name, m.books.cluster)
		}
	}
}

// A member that goes over to another cluster has left this one. A member that has a cluster lists the members of that cluster alone.
func TestWhoIsOfTheCluster(t *testing.T) {
	now := atSeconds(5)
	m := keeper("me", &now).among("a", "b", "c")
	b := m.books
	for range 3 {
		b.next()
	}
	b.note(of("a", 1)) // the ring becomes a cluster
	if b.cluster != 1 || told(m) != "a:alive b:alive c:alive me:alive" {
		t.Fatalf("%s of %d", told(m), b.cluster)
	}
	b.note(of("b", 2))
	if got := told(m); got != "a:alive c:alive me:alive" {
		t.Error(got)
	}
	b.take(2)
	if got := told(m); got != "b:alive c:alive me:alive" {
		t.Error(got)
	}
	b.note(of("b", 1))
	b.note(of("c", 2))
	if got := told(m); got != "c:alive me:alive" {
		t.Error(got)
	}
}

// Who listens at an address decides of which cluster a ring is, though its list has a member of this one that has gone over.
func TestWhoListensDecidesWhoseRingItIs(t *testing.T) {
	now := atSeconds(5)
	m := keeper("me", &now)
	m.books.cluster = 1
	there, old := of("a", 2), of("b", 1)
	old.Gossip.Port = 8
	if err := m.books.answers(there.Gossip, []Info{there, old}); err == nil || otherIn(err).number != 2 {
		t.Errorf("a member of another cluster listens: %v", err)
	}
	if err := m.books.answers(old.Gossip, []Info{there, old}); err != nil {
		t.Errorf("a member of this cluster listens: %v", err)
	}
}
