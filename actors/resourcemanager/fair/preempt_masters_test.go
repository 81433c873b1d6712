package fair

import (
	"slices"
	"testing"
)

// masters is a file in which applications of queue a have a share of nothing, so that each of their containers may be taken, and
// those of queue b starve at once.
const masters = `<queue name="a"><weight>0</weight><maxAMShare>-1</maxAMShare></queue>
	<queue name="b"><fairSharePreemptionTimeout>0</fairSharePreemptionTimeout><fairSharePreemptionThreshold>1</fairSharePreemptionThreshold></queue>`

func preempting(c *Config) { c.Preemption, c.UtilizationThreshold = true, 0 }

// marks are the containers that are marked now, in any order.
func (k *kit) marks() []string {
	marked := texts(k.Preempt(k.now))
	slices.Sort(marked)
	return marked
}

// An ApplicationMaster is taken only where nothing else makes room: after the other containers of its node, and not where
// another node would lose fewer of them. Where nothing else makes room it is taken.
func TestApplicationMastersArePreemptedLast(t *testing.T) {
	at := func(gib int64, relax bool, places ...string) (asks []Ask) {
		for _, place := range append(places, Any) {
			asks = append(asks, Ask{Key{1, 0}, place, Resource{gib * 1024, 1}, 1, relax})
		}
		return asks
	}
	// On h1 are the ApplicationMaster 1:1 and its container 1:2; on h2 the containers 1:3 and 1:4; on h3 the ApplicationMasters
	// 2:1 and 3:1 and nothing else.
	for _, x := range []struct {
		name  string
		asks  []Ask
		taken []string
	}{
		{"one container that is none", at(1, true), []string{"marked 1:2 h1:1"}},
		{"two that are none, of the node without one", at(2, true), []string{"marked 1:3 h2:1", "marked 1:4 h2:1"}},
		{"on a node with one the other container", at(1, false, "h1", "r1"), []string{"marked 1:2 h1:1"}},
		{"elsewhere, when that will do", at(2, true, "h1", "r1"), []string{"marked 1:3 h2:1", "marked 1:4 h2:1"}},
		{"where nothing else will do", at(2, false, "h1", "r1"), []string{"marked 1:1 h1:1", "marked 1:2 h1:1"}},
		{"where there is nothing else, the newer of two", at(1, false, "h3", "r3"), []string{"marked 3:1 h3:1"}},
		{"where there is nothing else, both", at(2, false, "h3", "r3"), []string{"marked 2:1 h3:1", "marked 3:1 h3:1"}},
	} {
		for _, faults := range []Faults{{}, Upstream()} {
			k := newKit(t, faults, masters, preempting)
			k.node("h1", "r1", 2, 2)
			first := k.managed(1, "root.a")
			k.wants(first, 4, 1)
			k.fill()
			k.node("h2", "r2", 2, 2)
			k.Update(k.now)
			k.fill()
			k.node("h3", "r3", 2, 2)
			for _, id := range []int32{2, 3} {
				k.wants(k.managed(id, "root.a"), 1, 1)
				k.fill()
			}
			k.asks(k.app(4, "root.b"), x.asks...)
			if got := k.marks(); faults == (Faults{}) && !slices.Equal(got, x.taken) || len(got) != len(x.taken) || mastersOf(got) != mastersOf(x.taken) {
				t.Errorf("faults %v, %s: %q, want %q", faults, x.name, got, x.taken)
			}
		}
	}
}

// mastersOf is how many of the marked are the first of their application.
func mastersOf(marked []string) (n int) {
	for _, m := range marked {
		if m[len("marked 1:")] == '1' {
			n++
		}
	}
	return n
}

// Of nodes that have only ApplicationMasters the one that loses fewer is chosen.
func TestTheFewestApplicationMastersArePreempted(t *testing.T) {
	for _, faults := range []Faults{{}, Upstream()} {
		k := newKit(t, faults, masters, preempting)
		k.node("h1", "r", 2, 2)
		k.wants(k.managed(1, "root.a"), 1, 1)
		k.wants(k.managed(2, "root.a"), 1, 1)
		k.fill()
		k.node("h2", "r", 2, 2)
		k.wants(k.managed(3, "root.a"), 1, 2)
		k.fill()
		k.wants(k.app(4, "root.b"), 1, 2)
		same(t, "the larger one", k.Preempt(k.now), "marked 3:1 h2:1")
	}
	k := newKit(t, Faults{}, masters, preempting)
	for id, host := range map[int32]string{1: "h1", 2: "h2"} {
		k.node(host, "r", 2, 2)
		k.wants(k.managed(id, "root.a"), 1, 2)
		k.fill()
	}
	k.wants(k.app(3, "root.b"), 1, 2)
	if first := k.nodes.all[0]; k.marks()[0] != "marked "+idOf(first.containers[0].ID)+" "+first.id {
		t.Error("of two nodes with as many the second is taken")
	}
}

// With the settings that Hadoop has when nothing is set nothing is preempted, however much an application starves.
func TestNothingIsPreemptedUnlessItIsTurnedOn(t *testing.T) {
	for on, want := range map[bool][]string{false: nil, true: {"marked 1:2 h1:1"}} {
		k := newKit(t, Faults{}, masters, func(c *Config) { c.Preemption = on })
		k.node("h1", "r", 2, 2)
		k.wants(k.managed(1, "root.a"), 2, 1)
		k.fill()
		b := k.app(2, "root.b")
		k.wants(b, 1, 1)
		same(t, "marked", k.Preempt(k.now), want...)
		if s, _ := k.App(b); s.FairStarving.IsZero() == on {
			t.Errorf("preemption %t: starves by %s", on, s.FairStarving)
		}
	}
	if DefaultConfig().Preemption {
		t.Error("preemption is on when nothing is set")
	}
}
