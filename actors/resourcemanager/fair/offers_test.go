package fair

import (
	"slices"
	"testing"
)

// A node can answer a request when one of its places, or anywhere with what relaxes it, is the node's; and then it does.
func TestWhichNodesARequestTakes(t *testing.T) {
	size := Resource{1024, 1}
	for _, x := range []struct {
		name   string
		places map[string]request
		relax  bool
		nodes  []string // h1 is in rack r1, h2 in r2
	}{
		{"anywhere", nil, true, []string{"h1", "h2"}},
		{"anywhere, not relaxed", nil, false, nil},
		{"at the host", map[string]request{"h1": {size, 1, true}, "r1": {size, 1, true}}, true, []string{"h1", "h2"}},
		{"at the host, in no other rack", map[string]request{"h1": {size, 1, true}, "r1": {size, 1, true}}, false, []string{"h1"}},
		{"in the rack", map[string]request{"r1": {size, 1, true}}, true, []string{"h1", "h2"}},
		{"in the rack alone", map[string]request{"r1": {size, 1, true}}, false, []string{"h1"}},
		{"at another host of the rack alone", map[string]request{"h9": {size, 1, true}, "r1": {size, 1, false}}, false, nil},
		{"at another host of the rack, or of others", map[string]request{"h9": {size, 1, true}, "r1": {size, 1, false}}, true, []string{"h2"}},
		{"none in the rack any more", map[string]request{"r1": {size, 0, true}}, false, nil},
		{"none at the host any more", map[string]request{"h1": {size, 0, true}, "r1": {size, 1, false}}, true, []string{"h2"}},
	} {
		var fit, given []string
		for _, host := range []string{"h1", "h2", "small"} {
			k := newKit(t, Faults{}, ``, nil)
			k.node("h1", "r1", 8, 8)
			k.node("h2", "r2", 8, 8)
			k.node("small", "r1", 0, 8)
			id := k.app(1, "root.a")
			a := k.attempts[id]
			a.replace(Ask{Key{1, 0}, Any, size, 1, x.relax})
			for name, q := range x.places {
				a.replace(Ask{Key{1, 0}, name, q.capability, q.count, q.relax})
			}
			k.Update(k.now)
			if k.fits(a, a.active[0], k.nodes.byID[host+":1"]) {
				fit = append(fit, host)
			}
			if len(k.beat(host)) > 0 {
				given = append(given, host)
			}
		}
		if !slices.Equal(fit, x.nodes) || !slices.Equal(given, x.nodes) {
			t.Errorf("%s: fit are %v, given is on %v, want %v", x.name, fit, given, x.nodes)
		}
	}
	// A rack of which nothing is wanted any more, strictly, fits and is given nothing.
	k := newKit(t, Faults{}, ``, nil)
	k.node("h1", "r1", 8, 8)
	k.node("h2", "r2", 8, 8)
	id := k.app(1, "root.a")
	k.asks(id, Ask{Key{1, 0}, "r1", size, 0, false}, Ask{Key{1, 0}, Any, size, 1, true}, Ask{Key{2, 0}, Any, Resource{2048, 1}, 1, true})
	if !k.fits(k.attempts[id], k.attempts[id].active[0], k.nodes.all[0]) {
		t.Error("nothing is wanted of the rack, and it does not fit")
	}
	if given := k.beat("h1"); len(given) != 1 || given[0].Key.Priority != 2 {
		t.Errorf("in that rack what is less urgent is given: %q", texts(given))
	}
	if given := k.beat("h2"); len(given) != 1 || given[0].Key.Priority != 1 {
		t.Errorf("elsewhere it is given: %q", texts(given))
	}

	k = newKit(t, Faults{}, ``, nil)
	k.node("h1", "r1", 8, 8)
	r := &requests{any: request{size, 0, true}}
	if a := k.attempts[k.app(1, "root.a")]; k.fits(a, r, k.nodes.all[0]) {
		t.Error("none are wanted, and a node fits")
	}
}

// A container says on which host it is.
func TestAGivenContainerHasItsHost(t *testing.T) {
	k := newKit(t, Faults{}, ``, nil)
	k.node("h1", "r1", 8, 8)
	a := k.app(1, "root.a")
	k.wants(a, 2, 1)
	k.fill()
	g, err := k.Allocate(k.now, a, Demand{})
	k.must(err)
	for i, c := range g.Containers {
		if c.Host != "h1" || c.Node != "h1:1" || c.ID.Seq != int64(i+1) {
			t.Errorf("%+v", c)
		}
	}
	same(t, "the oldest goes first", k.RemoveApp(k.now, a.App), "gone 1:1 h1:1 -100 KILL", "gone 1:2 h1:1 -100 KILL")
}

// How many containers a node gives with one update: one, half of what is free and one more, a number, or all.
func TestHowManyContainersANodeGivesAtOnce(t *testing.T) {
	for _, x := range []struct {
		multiple, dynamic bool
		most, want        int
	}{{false, true, 9, 1}, {true, true, 1, 5}, {true, false, 3, 3}, {true, false, 1, 1}, {true, false, 0, 8}, {true, false, -1, 8}} {
		k := newKit(t, Faults{}, ``, func(c *Config) { c.AssignMultiple, c.DynamicMaxAssign, c.MaxAssign = x.multiple, x.dynamic, x.most })
		k.node("h1", "r", 8, 8)
		k.wants(k.app(1, "root.a"), 9, 1)
		if got := len(k.beat("h1")); got != x.want {
			t.Errorf("%+v: %d", x, got)
		}
	}
}

// A claim is met when nothing of one of its types is left; in Hadoop when nothing of any is.
func TestWhenADebtIsPaid(t *testing.T) {
	for _, x := range []struct {
		left, of        Resource
		fixed, upstream bool
	}{
		{Resource{}, Resource{2, 2}, true, true},
		{Resource{1, 1}, Resource{2, 2}, false, false},
		{Resource{0, 1}, Resource{2, 2}, true, false},
		{Resource{1, 0}, Resource{2, 2}, true, false},
		{Resource{0, 1}, Resource{0, 2}, false, false},
		{Resource{1, 0}, Resource{2, 0}, false, false},
	} {
		for faults, want := range map[Faults]bool{{}: x.fixed, Upstream(): x.upstream} {
			if got := newKit(t, faults, ``, nil).paid(x.left, x.of); got != want {
				t.Errorf("faults %v: %s of %s: %t", faults, x.left, x.of, got)
			}
		}
	}
}

// An application that has ended, has its share, or lacked nothing at the last update is owed nothing any more.
func TestWhoIsOwedNothingAnyMore(t *testing.T) {
	for name, x := range map[string]struct {
		change func(k *kit, a *app)
		owed   bool
	}{
		"it starves":       {func(*kit, *app) {}, true},
		"it has its share": {func(_ *kit, a *app) { a.FairShare = Resource{} }, false},
		"it lacks nothing": {func(_ *kit, a *app) { a.fairStarving = Resource{} }, false},
		"it lacks its part of the minimum alone": {func(_ *kit, a *app) {
			a.FairShare, a.fairStarving, a.minStarving = Resource{}, Resource{}, Resource{1024, 0}
		}, true},
		"it has ended": {func(k *kit, a *app) { k.RemoveApp(k.now, a.id.App) }, false},
	} {
		k := full(t, Faults{}, 4, atOnce)
		id := k.app(2, "root.b")
		k.wants(id, 1, 1)
		a := k.attempts[id]
		k.nodes.all[0].owe(a, Resource{1024, 1})
		x.change(k, a)
		k.beat("h1")
		if got := k.nodes.all[0].owes(a); got != x.owed {
			t.Errorf("%s: owed %t", name, got)
		}
	}
}

// A container that is larger at a place than anywhere has to be within the maximum of the queue; in Hadoop it has not.
func TestALargerContainerAtAPlaceIsWithinTheMaximum(t *testing.T) {
	for faults, want := range map[Faults]int{{}: 0, Upstream(): 1} {
		k := newKit(t, faults, `<queue name="a"><maxResources>2048 mb, 4 vcores</maxResources></queue>`, nil)
		k.node("h1", "r1", 8, 8)
		large, small := Resource{3072, 1}, Resource{1024, 1}
		k.asks(k.app(1, "root.a"), Ask{Key{1, 0}, "h1", large, 1, true}, Ask{Key{1, 0}, "r1", small, 1, true}, Ask{Key{1, 0}, Any, small, 1, true})
		if got := len(k.beat("h1")); got != want {
			t.Errorf("faults %v: %d given, want %d", faults, got, want)
		}
	}
}

// A reservation is dropped when it cannot be used: its request is gone or fits the node no more, or its queue may have no such
// container, or no ApplicationMaster, any more.
func TestWhenAReservationIsDropped(t *testing.T) {
	const limits = `<maxResources>8192 mb, 8 vcores</maxResources>`
	for name, x := range map[string]struct {
		change func(k *kit, id *app)
		want   []string
	}{
		"it holds":                {func(*kit, *app) {}, nil},
		"it is not wanted":        {func(k *kit, a *app) { k.wants(a.id, 0, 1) }, []string{"unreserved 2:1 h1:1"}},
		"the node is too small":   {func(k *kit, _ *app) { k.must(k.UpdateNodeResource(k.now, "h1:1", Resource{1024, 4})) }, []string{"unreserved 2:1 h1:1"}},
		"its queue may have less": {func(k *kit, a *app) { a.queue.MaxShare = Resource{1024, 1} }, []string{"unreserved 2:1 h1:1"}},
		"what is reserved is too much": {func(k *kit, a *app) {
			k.wants(a.id, 1, 1)
			a.queue.MaxShare = Resource{1024, 1}
		}, []string{"unreserved 2:1 h1:1"}},
		"no ApplicationMaster may run": {func(_ *kit, a *app) { a.managed, a.queue.set.MaxAMShare = true, 0 }, []string{"unreserved 2:1 h1:1"}},
		"in Hadoop what is reserved is not too much": {func(k *kit, a *app) {
			k.conf.Faults = Upstream()
			k.wants(a.id, 1, 1)
			a.queue.MaxShare = Resource{1024, 1}
		}, nil},
	} {
		k := newKit(t, Faults{}, `<queue name="b">`+limits+`</queue>`, nil)
		k.node("h1", "r1", 4, 4)
		k.wants(k.app(1, "root.a"), 1, 3)
		k.fill()
		id := k.app(2, "root.b")
		k.wants(id, 1, 2)
		same(t, name, k.beat("h1"), "reserved 2:1 h1:1")
		x.change(k, k.attempts[id])
		events := k.beat("h1")
		if len(events) > 0 && len(x.want) == 1 {
			events = events[:1]
		}
		same(t, name, events, x.want...)
	}
}

// A node is kept for one application, once, and one application may keep a part of the nodes of a rack, or of all, rounded up,
// but for hosts that it asked for.
func TestHowManyNodesAnApplicationReserves(t *testing.T) {
	k := newKit(t, Faults{}, ``, func(c *Config) { c.ReservableNodes = 0.3 })
	for _, host := range []string{"a1", "a2", "a3", "a4", "b1", "b2", "b3"} {
		k.node(host, "r"+host[:1], 4, 4)
	}
	n := k.nodes.all
	for _, x := range []struct {
		n     *node
		level locality
		most  int
		reach string
	}{{n[0], offSwitch, 3, ""}, {n[0], rackLocal, 2, "ra"}, {n[5], rackLocal, 1, "rb"}} {
		if most, reach := k.mostReservations(x.n, x.level), k.reach(x.n, x.level); most != x.most || reach != x.reach {
			t.Errorf("%s, %s: %d in %q, want %d in %q", x.n.id, x.level, most, reach, x.most, x.reach)
		}
	}
	one, other := k.attempts[k.app(1, "root.a")], k.attempts[k.app(2, "root.a")]
	size := Resource{1024, 1}
	for _, x := range []struct {
		a     *app
		n     *node
		level locality
		want  bool
	}{
		{one, n[4], rackLocal, true},
		{one, n[5], rackLocal, false},
		{one, n[5], nodeLocal, true},
		{other, n[5], nodeLocal, false},
		{one, n[0], rackLocal, true},
		{one, n[1], offSwitch, false},
		{other, n[1], offSwitch, true},
	} {
		if got := k.reserve(x.a, Key{}, size, x.level, x.n, nil); got != x.want {
			t.Errorf("%s for %s, %s: %t", x.n.id, x.a.id, x.level, got)
		}
	}
	same(t, "reserved", k.take(), "reserved 1:1 b1:1", "reserved 1:2 b2:1", "reserved 1:3 a1:1", "reserved 2:1 a2:1")
	if !k.reserve(one, Key{}, size, nodeLocal, n[0], n[0].reserved) || len(k.take()) > 0 || len(one.reserved) != 3 {
		t.Error("what is reserved already is reserved again")
	}
}
