package fair

import (
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// holding is a cluster of one node with so many GiB, on which an application of queue a, whose share is nothing, has containers of
// these GiB, in this order.
func holding(t *testing.T, faults Faults, elements string, node int64, gib ...int64) *kit {
	k := newKit(t, faults, elements, preempting)
	k.node("h1", "r1", node, 16)
	a := k.app(1, "root.a")
	for i, g := range gib {
		k.asks(a, Ask{Key{int32(i), 0}, Any, Resource{g * 1024, 1}, 1, true})
		if k.fill() != 1 {
			t.Fatalf("container %d is not given", i+1)
		}
	}
	return k
}

// No more is taken than makes room: neither a small container before a large one that is enough alone, nor one for which the
// rest of a larger one is enough. What is free counts. In Hadoop each container is looked at by itself, and all is taken: there the
// order is 1:1, 1:4, 1:3, 1:2.
func TestNoMoreIsTakenThanMakesRoom(t *testing.T) {
	for _, x := range []struct {
		name            string
		node            int64
		has             []int64
		count, gib      int64
		fixed, upstream []string
	}{
		{"a large one before a small one", 5, []int64{4, 1}, 1, 4, []string{"1:1"}, []string{"1:1"}},
		{"a small one before a large one", 5, []int64{1, 4}, 1, 4, []string{"1:2"}, []string{"1:1", "1:2"}},
		{"a small one and what is free", 6, []int64{1, 4}, 1, 5, []string{"1:2"}, []string{"1:1", "1:2"}},
		{"one of two small ones", 6, []int64{4, 1, 1}, 1, 5, []string{"1:1", "1:2"}, []string{"1:1", "1:3"}},
		{"the rest of a large one", 3, []int64{2, 1}, 2, 1, []string{"1:1"}, []string{"1:1", "1:2"}},
		{"with what is free", 5, []int64{3, 1}, 2, 2, []string{"1:1"}, []string{"1:1"}},
		{"of several as many as are needed", 4, []int64{1, 1, 1, 1}, 2, 1, []string{"1:3", "1:4"}, []string{"1:1", "1:4"}},
		{"nothing where there is room", 3, []int64{1, 1}, 1, 1, nil, []string{"1:1"}},
	} {
		for faults, want := range map[Faults][]string{{}: x.fixed, Upstream(): x.upstream} {
			k := holding(t, faults, masters, x.node, x.has...)
			k.wants(k.app(2, "root.b"), x.count, x.gib)
			var got []string
			for _, e := range k.Preempt(k.now) {
				got = append(got, idOf(e.Container))
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("faults %v, %s: %q, want %q", faults, x.name, got, want)
			}
			a, _ := k.App(attemptOf(1))
			for _, c := range k.Live(attemptOf(1)) {
				if v, _ := k.WhyContainer(c.ID); v.Marked != slices.Contains(want, idOf(c.ID)) {
					t.Errorf("faults %v, %s: %s is marked: %t", faults, x.name, idOf(c.ID), v.Marked)
				}
			}
			if len(a.Marked) != len(want) {
				t.Errorf("faults %v, %s: its application hears of %v", faults, x.name, a.Marked)
			}
			if at, ok := k.NextKill(); ok != (len(want) > 0) || ok && at != 15*time.Second || !ok && at != 0 {
				t.Errorf("faults %v, %s: the next kill is at %v, %t", faults, x.name, at, ok)
			}
			ended := k.KillMarked(never)
			for _, e := range ended {
				if e.Diagnostics != DiagnosticsPreempted {
					t.Errorf("faults %v, %s: ended because of %q", faults, x.name, e.Diagnostics)
				}
			}
			if len(ended) != len(want) {
				t.Errorf("faults %v, %s: ended are %q", faults, x.name, texts(ended))
			}
			for range x.count {
				k.beat("h1")
			}
			if b, _ := k.App(attemptOf(2)); faults == (Faults{}) && int64(b.Containers) != x.count {
				t.Errorf("%s: %d were wanted, it has %d", x.name, x.count, b.Containers)
			}
		}
	}
}

// Where nothing may be taken nothing is kept free either: a queue that forbids it, and an application that has no more than its
// share or whose containers are all marked, have no victims.
func TestNothingIsOwedWhereNothingIsTaken(t *testing.T) {
	for name, change := range map[string]func(k *kit){
		"its queue forbids it":    func(k *kit) { k.queues["root.a"].set.Preemptable = false },
		"it has less":             func(k *kit) { k.attempts[attemptOf(1)].FairShare = Resource{4096, 0} },
		"all is marked":           func(k *kit) { k.attempts[attemptOf(1)].live[0].mark() },
		"its attempt has ended":   func(k *kit) { k.RemoveApp(k.now, attemptOf(1).App) },
		"its queue has no victim": nil,
	} {
		k := holding(t, Faults{}, masters, 4, 2)
		k.wants(k.app(2, "root.b"), 1, 1)
		if change != nil {
			change(k)
		}
		marked := k.Preempt(k.now)
		if owed := k.nodes.all[0].owedTotal; len(marked) > 0 || owed.IsZero() != (change != nil) {
			t.Errorf("%s: %q are marked, %s is owed", name, texts(marked), owed)
		}
	}
}

// Nothing is taken for an application whose queue may have no more, or no more ApplicationMasters; in Hadoop it is.
func TestNothingIsTakenForAFullQueue(t *testing.T) {
	for faults, want := range map[Faults][]string{{}: nil, Upstream(): {"marked 1:1 h1:1"}} {
		k := holding(t, faults, `<queue name="a"><weight>0</weight></queue>
			<queue name="b"><fairSharePreemptionTimeout>0</fairSharePreemptionTimeout><maxAMShare>0.25</maxAMShare></queue>`, 4, 1, 1, 1)
		k.wants(k.managed(2, "root.b"), 1, 1)
		k.fill()
		k.wants(k.managed(3, "root.b"), 1, 1)
		if same(t, "for a second ApplicationMaster", k.Preempt(k.now), want...); len(k.nodes.all[0].owed) != len(want) {
			t.Errorf("faults %v: room is kept for %d", faults, len(k.nodes.all[0].owed))
		}
	}

	k := holding(t, Faults{}, `<queue name="a"><weight>0</weight></queue>
		<queue name="b"><fairSharePreemptionTimeout>0</fairSharePreemptionTimeout><maxResources>4096 mb, 1 vcores</maxResources></queue>`, 4, 1, 1, 1, 1)
	k.asks(k.app(2, "root.b"), Ask{Key{1, 0}, "h1", Resource{1024, 2}, 2, true}, Ask{Key{1, 0}, "r1", Resource{1024, 2}, 2, true},
		Ask{Key{1, 0}, Any, Resource{1024, 1}, 2, true})
	same(t, "for two cores of at most one", k.Preempt(k.now))
}

// answers: of a request with a size for each place the nearest that a node can answer is the one of that node.
func TestWhichNodesAnswerARequest(t *testing.T) {
	near, rack, far := Resource{1024, 1}, Resource{2048, 1}, Resource{3072, 1}
	const at, in, other = "h1", "h2", "h3" // the host, another of its rack, one of another rack
	for _, x := range []struct {
		name    string
		places  map[string]request
		relax   bool
		want    Resource
		answers []string
	}{
		{"anywhere", nil, true, far, []string{at, in, other}},
		{"anywhere, another size", nil, true, near, nil},
		{"the host's size", map[string]request{"h1": {near, 1, true}, "r1": {rack, 1, true}}, true, near, []string{at}},
		{"the rack's size", map[string]request{"h1": {near, 1, true}, "r1": {rack, 1, true}}, true, rack, []string{in}},
		{"the size of anywhere", map[string]request{"h1": {near, 1, true}, "r1": {rack, 1, true}}, true, far, []string{other}},
		{"nothing is wanted of the host any more", map[string]request{"h1": {near, 0, true}, "r1": {rack, 1, true}}, true, rack, []string{at, in}},
		{"nothing is wanted of the rack any more", map[string]request{"h1": {near, 1, true}, "r1": {rack, 0, true}}, true, far, []string{at, in, other}},
		{"nothing is wanted of the rack, nor elsewhere in it", map[string]request{"r1": {rack, 0, false}}, true, far, []string{other}},
		{"only the host", map[string]request{"h1": {near, 1, true}, "r1": {rack, 1, false}}, false, near, []string{at}},
		{"only the host, the rack's size", map[string]request{"h1": {near, 1, true}, "r1": {rack, 1, false}}, false, rack, nil},
		{"only the rack", map[string]request{"r1": {rack, 1, true}}, false, rack, []string{at, in}},
		{"only the rack, from anywhere", map[string]request{"r1": {rack, 1, true}}, false, far, nil},
	} {
		k := newKit(t, Faults{}, ``, nil)
		k.node(at, "r1", 8, 8)
		k.node(in, "r1", 8, 8)
		k.node(other, "r2", 8, 8)
		k.node("small", "r2", 0, 0)
		k.node("blocked", "r3", 8, 8)
		a := k.attempts[k.app(1, "root.a")]
		a.block([]string{"r3"}, nil)
		key := Key{1, 0}
		a.replace(Ask{key, Any, far, 1, x.relax})
		for name, q := range x.places {
			a.replace(Ask{key, name, q.capability, q.count, q.relax})
		}
		var got []string
		for _, n := range k.nodes.all {
			if k.answers(a, Ask{Key: key, Capability: x.want}, n) {
				got = append(got, n.host)
			}
		}
		if !slices.Equal(got, x.answers) {
			t.Errorf("%s: %v, want %v", x.name, got, x.answers)
		}
	}
}

// Nobody loses a container for itself, nor for another of its queue when the queue alone lacks something; in Hadoop both do.
// Containers that an ended attempt left running are not preempted.
func TestWhoIsSpared(t *testing.T) {
	for _, faults := range []Faults{{}, Upstream()} {
		k := holding(t, faults, masters, 4, 1, 1)
		of := k.attempts[attemptOf(1)]
		sibling, other := k.attempts[k.app(2, "root.a")], k.attempts[k.app(3, "root.b")]
		for _, a := range []*app{of, sibling, other} {
			a.fairStarving = Resource{1024, 0}
		}
		spared := func(what string, a *app, want bool) {
			if got := k.spared(a, of.live[0], Resource{}); got != want {
				t.Errorf("faults %v, %s: %t", faults, what, got)
			}
		}
		spared("for itself", of, faults == (Faults{}))
		spared("for another of its queue that is below its share", sibling, false)
		sibling.fairStarving, other.fairStarving = Resource{}, Resource{}
		sibling.minStarving, other.minStarving = Resource{1024, 0}, Resource{1024, 0}
		spared("for another of its queue that has its share", sibling, faults == (Faults{}))
		spared("for one of another queue", other, false)
		k.queues["root.a"].set.Preemptable = false
		spared("when its queue forbids it", other, true)
		k.queues["root.a"].set.Preemptable = true
		of.stopped = true
		spared("of an attempt that has ended", other, true)
	}
}

// A container is spared when its application would have less than its share without it and what is taken beside it.
func TestNobodyIsTakenBelowItsShare(t *testing.T) {
	k := holding(t, Faults{}, masters, 4, 1, 1, 1)
	of, other := k.attempts[attemptOf(1)], k.attempts[k.app(2, "root.b")]
	for share, want := range map[int64][2]bool{1024: {false, false}, 2048: {false, true}, 3072: {true, true}} {
		of.FairShare = Resource{share, 0}
		if got := [2]bool{k.spared(other, of.live[0], Resource{}), k.spared(other, of.live[0], Resource{1024, 1})}; got != want {
			t.Errorf("of 3 GiB with a share of %d MiB: %v, want %v", share, got, want)
		}
	}
	of.FairShare = Resource{2048, 0}
	if of.live[1].mark(); !k.spared(other, of.live[0], Resource{}) {
		t.Error("what is marked already does not count")
	}
}

// The first node whose containers are enough is taken: not one out of service, nor one with too few.
func TestWhereContainersAreTaken(t *testing.T) {
	for name, x := range map[string]struct {
		change func(k *kit)
		want   string
	}{
		"the first":            {func(*kit) {}, "marked 1:1 h1:1"},
		"the first is drained": {func(k *kit) { k.must(k.Drain(k.now, "h1:1", true)) }, "marked 1:2 h2:1"},
		"on the first all is marked": {func(k *kit) {
			k.attempts[attemptOf(1)].live[0].mark()
			k.nodes.all[0].owe(k.attempts[attemptOf(2)], Resource{2048, 1})
		}, "marked 1:2 h2:1"},
		"the first is too small":  {func(k *kit) { k.must(k.UpdateNodeResource(k.now, "h1:1", Resource{1024, 1})) }, "marked 1:2 h2:1"},
		"the first is not wanted": {func(k *kit) { k.attempts[attemptOf(2)].block([]string{"h1"}, nil) }, "marked 1:2 h2:1"},
	} {
		k := holding(t, Faults{}, masters, 2, 2)
		k.node("h2", "r2", 2, 2)
		k.asks(attemptOf(1), Ask{Key{9, 0}, Any, Resource{2048, 1}, 1, true})
		k.fill()
		k.wants(k.app(2, "root.b"), 1, 2)
		x.change(k)
		same(t, name, k.Preempt(k.now), x.want)
	}
}

// An ask for a host without victims gets none elsewhere: the host has none of the ApplicationMasters for whose
// sake others would be looked at.
func TestWhatCannotBeTakenNearIsNotTakenFar(t *testing.T) {
	for _, faults := range []Faults{{}, Upstream()} {
		k := holding(t, faults, masters, 2, 2)
		k.node("h2", "r2", 1, 1)
		k.asks(k.app(2, "root.b"), Ask{Key{1, 0}, "h2", Resource{2048, 1}, 1, true}, Ask{Key{1, 0}, "r2", Resource{2048, 1}, 1, true},
			Ask{Key{1, 0}, Any, Resource{2048, 1}, 1, true})
		same(t, "taken", k.Preempt(k.now))
	}
}

// Near nodes count with the ApplicationMasters that are needed there, not with all that were looked at.
func TestOneApplicationMasterNearIsMoreThanNoneFar(t *testing.T) {
	k := newKit(t, Faults{}, masters, preempting)
	k.node("h1", "r1", 4, 4)
	k.wants(k.managed(1, "root.a"), 1, 3)
	k.fill()
	k.wants(attemptOf(1), 1, 1)
	k.fill()
	k.node("h2", "r2", 3, 3)
	k.wants(attemptOf(1), 1, 3)
	k.fill()
	k.asks(k.app(2, "root.b"), Ask{Key{1, 0}, "h1", Resource{3072, 1}, 1, true}, Ask{Key{1, 0}, "r1", Resource{3072, 1}, 1, true},
		Ask{Key{1, 0}, Any, Resource{3072, 1}, 1, true})
	same(t, "on h1 1:1 is large enough, without 1:2", k.Preempt(k.now), "marked 1:3 h2:1")
}

// An application of attempts that ended has nothing to lose, though its containers run on.
func TestWhatAnEndedAttemptLeftIsNotTaken(t *testing.T) {
	k := holding(t, Faults{}, masters, 2, 2)
	id := attemptOf(1)
	given, err := k.Allocate(k.now, id, Demand{})
	k.must(err)
	_, err = k.NodeUpdate(k.now, "h1:1", []ids.Container{given.Containers[0].ID}, nil)
	k.must(err)
	_, err = k.RemoveAttempt(k.now, id, true)
	k.must(err)
	k.wants(k.app(2, "root.b"), 1, 2)
	same(t, "taken", k.Preempt(k.now))
}
