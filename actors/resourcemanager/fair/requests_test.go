package fair

import (
	"fmt"
	"slices"
	"testing"

	"github.com/coherer/coherer/actors/ids"
)

// Of the asks of one call those for anywhere come after the others. In Hadoop, which has them in the order of a hash map, only those for
// none do, which forget what is asked at places.
func TestAsksOfAnywhereComeBehind(t *testing.T) {
	for faults, want := range map[Faults]string{{}: "1:h1 1:r1 1:*", Upstream(): "1:h1 1:* 1:r1"} {
		k := newKit(t, faults, ``, nil)
		id := k.app(1, "root.a")
		asks := asksOf("1:* 1:h1 1:r1")
		k.asks(id, asks...)
		if s, _ := k.App(id); asked(s.Pending) != want {
			t.Errorf("faults %v: %s, want %s", faults, asked(s.Pending), want)
		}
		asks[0].Count = 0
		k.asks(id, asks...)
		if s, _ := k.App(id); len(s.Pending) != 0 {
			t.Errorf("faults %v, none in all: %s", faults, asked(s.Pending))
		}
	}
}

// A name that is asked again, and again after the last was given, is kept once.
func TestANameIsKeptOnce(t *testing.T) {
	b := &book{}
	key := Key{1, 0}
	for range 9 {
		for _, a := range asksOf("1:* 1:h1 1:r1") {
			b.replace(a)
		}
	}
	r := b.byKey[key]
	if got := len(r.order); got != 3 || r.most != 3 || b.most != 1 {
		t.Errorf("%d names are kept of 3, at most %d of %d keys", got, r.most, b.most)
	}
	if got := asked(b.asks()); got != "1:* 1:h1 1:r1" {
		t.Error(got)
	}
}

// A key of which nothing is asked any more is forgotten, but not how long its requests have waited for a near node.
func TestWhatOutlivesARequest(t *testing.T) {
	b := &book{}
	key := Key{1, 0}
	for _, forget := range []func(r *requests){
		func(*requests) { b.replace(Ask{key, Any, Resource{1, 1}, 0, true}) },
		func(r *requests) { b.take(r, offSwitch, "h1", "r1") },
	} {
		b.replace(asksOf("1:*")[0])
		r := b.byKey[key]
		if forget(r); len(b.byKey) != 0 || len(b.active) != 0 {
			t.Errorf("%d keys are kept, %d of them active", len(b.byKey), len(b.active))
		}
		b.replace(asksOf("1:*")[0])
		if again := b.byKey[key]; again == r || again.delay != r.delay {
			t.Errorf("the same requests: %t, the same delay: %t", again == r, again.delay == r.delay)
		}
	}
}

// An ask for none of a key that has places alone forgets them.
func TestPlacesAloneAreForgottenToo(t *testing.T) {
	b := &book{}
	b.replace(asksOf("1:h1")[0])
	if b.replace(Ask{Key: Key{1, 0}, Name: Any}); len(b.byKey) != 0 || len(b.active) != 0 {
		t.Errorf("%d keys are kept, %d of them active", len(b.byKey), len(b.active))
	}
}

// An ApplicationMaster counts in its queue as what it has, whatever comes behind it.
func TestOnlyTheFirstContainerCountsAsTheApplicationMaster(t *testing.T) {
	for _, faults := range []Faults{{}, Upstream()} {
		k := newKit(t, faults, ``, nil)
		k.node("h1", "r", 8, 8)
		id := k.managed(1, "root.a")
		k.wants(id, 1, 1)
		k.fill()
		k.asks(id, Ask{Key{2, 0}, Any, Resource{3072, 2}, 1, true})
		k.fill()
		if got := stateOf(t, k.Scheduler, "root.a"); got.AMUsage != (Resource{1024, 1}) || got.Containers != 2 {
			t.Errorf("faults %v: %s counts, of %d containers", faults, got.AMUsage, got.Containers)
		}
		// So it is with what is recovered.
		k = newKit(t, faults, ``, nil)
		k.node("h1", "r", 8, 8)
		k.managed(1, "root.a")
		for seq := range int64(2) {
			k.must(k.Recover(k.now, Container{ID: ids.Container{Attempt: id, Seq: seq + 1}, Node: "h1:1", Resource: Resource{1024 * (seq + 1), 1}, AM: true}))
		}
		if got := stateOf(t, k.Scheduler, "root.a"); got.AMUsage != (Resource{1024, 1}) || got.Containers != 2 {
			t.Errorf("faults %v, recovered: %s counts, of %d containers", faults, got.AMUsage, got.Containers)
		}
	}
}

// The order of what is asked is kept without what was removed, however much that was.
func TestRemovedPlacesAreForgotten(t *testing.T) {
	r := &requests{}
	b := &book{byKey: map[Key]*requests{{}: r}}
	b.replace(Ask{Name: Any, Capability: Resource{1, 1}, Count: 9, Relax: true})
	for i := range 100 {
		r.put(fmt.Sprint("h", i), request{Resource{1, 1}, 1, true})
		if len(r.order) > 2*len(r.places)+8 {
			t.Fatalf("%d names of %d places", len(r.order), len(r.places))
		}
		if i > 2 {
			r.decrement(fmt.Sprint("h", i-2))
		}
	}
	var names []string
	for _, a := range b.asks() {
		names = append(names, a.Name)
	}
	if want := []string{Any, "h0", "h98", "h99"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// A blacklist says whether it changed: additions come before removals.
func TestABlacklistThatChanges(t *testing.T) {
	b := &book{}
	for _, x := range []struct {
		add, remove []string
		changed     bool
		blocked     int
	}{
		{nil, nil, false, 0},
		{nil, []string{"h1"}, false, 0},
		{[]string{"h1"}, nil, true, 1},
		{[]string{"h1"}, nil, false, 1},
		{[]string{"h1", "h2"}, nil, true, 2},
		{[]string{"h3", "h2"}, nil, true, 3},
		{nil, []string{"h3", "h9"}, true, 2},
		{nil, []string{"h9"}, false, 2},
		{[]string{"h4"}, []string{"h4"}, true, 2},
	} {
		if got := b.block(x.add, x.remove); got != x.changed || len(b.blocked) != x.blocked {
			t.Errorf("%v, %v: changed %t, blocked %v", x.add, x.remove, got, b.blocked)
		}
	}
}

// Within one priority the lower allocation request id is served first.
func TestKeysAreServedByPriorityThenRequest(t *testing.T) {
	k := newKit(t, Faults{}, ``, nil)
	k.node("h1", "r", 4, 4)
	ask := func(priority int32, id int64) Ask { return Ask{Key{priority, id}, Any, Resource{1024, 1}, 1, true} }
	k.asks(k.app(1, "root.a"), ask(2, 1), ask(1, 7), ask(1, 3), ask(2, 0))
	var got []Key
	for range 4 {
		got = append(got, k.beat("h1")[0].Key)
	}
	if want := []Key{{1, 3}, {1, 7}, {2, 0}, {2, 1}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
