package fair

import (
	"fmt"
	"testing"

	"github.com/coherer/coherer/actors/ids"
)

// pending is what an attempt asks for still, by place.
func (k *kit) pending(id ids.Attempt) map[string]int64 {
	k.t.Helper()
	a, ok := k.App(id)
	if !ok {
		k.t.Fatalf("no attempt %s", id)
	}
	all := map[string]int64{}
	for _, p := range a.Pending {
		all[p.Name] += p.Count
	}
	return all
}

// TestAnAskThatCrossesAContainer: one of two wanted containers has been given, and not been pulled yet, when the application
// asks for other numbers, which count it in.
func TestAnAskThatCrossesAContainer(t *testing.T) {
	for _, x := range []struct {
		name        string
		faults      Faults
		asks        int64
		gets, still int64 // containers with this call, and how many are wanted then
	}{
		{"one lost meanwhile", Faults{}, 3, 1, 2},
		{"the same again", Faults{}, 2, 1, 1},
		{"one less", Faults{}, 1, 1, 0},
		{"none any more", Faults{}, 0, 0, 0},
		{"Hadoop: one lost meanwhile", Faults{CrossingAsks: true}, 3, 1, 3},
		{"Hadoop: none any more", Faults{CrossingAsks: true}, 0, 1, 0},
	} {
		k := newKit(t, x.faults, `<queue name="a"/>`, nil)
		k.node("h", "/r", 8, 8)
		a := k.app(1, "a")
		k.wants(a, 2, 1)
		k.beat("h")
		g := k.wants(a, x.asks, 1)
		if int64(len(g.Containers)) != x.gets || k.pending(a)[Any] != x.still {
			t.Errorf("%s: %d containers, and %v wanted: want %d and %d", x.name, len(g.Containers), k.pending(a), x.gets, x.still)
		}
		var gone []string
		for _, e := range g.Events {
			gone = append(gone, fmt.Sprint(e.Kind, ": ", e.Diagnostics))
		}
		if want := x.asks == 0 && x.faults == (Faults{}); want != (fmt.Sprint(gone) == "[gone: Container not asked for any more]") {
			t.Errorf("%s: %v", x.name, gone)
		}
		if left := len(k.Live(a)); int64(left) != x.gets {
			t.Errorf("%s: %d live", x.name, left)
		}
	}
}

// A container that was pulled, and one of another size, priority or place, do not count in an ask.
func TestAnAskCountsInOnlyWhatAnswersIt(t *testing.T) {
	ask := func(k *kit, id ids.Attempt, asks ...Ask) Grant {
		g, err := k.Allocate(k.now, id, Demand{Asks: asks})
		k.must(err)
		k.Update(k.now)
		return g
	}
	size, more := Resource{1024, 1}, Resource{2048, 1}
	anywhere := func(priority int32, size Resource, n int64) Ask { return Ask{Key{priority, 0}, Any, size, n, true} }
	start := func() (*kit, ids.Attempt) {
		k := newKit(t, Faults{}, `<queue name="a"/>`, nil)
		k.node("h", "/r", 8, 8)
		a := k.app(1, "a")
		k.wants(a, 2, 1)
		k.beat("h")
		return k, a
	}
	k, a := start()
	if g := ask(k, a, anywhere(2, size, 3)); len(g.Containers) != 1 || k.pending(a)[Any] != 4 {
		t.Error("another priority:", g, k.pending(a))
	}
	if ask(k, a, anywhere(1, size, 3)); k.pending(a)[Any] != 6 {
		t.Error("it was pulled:", k.pending(a))
	}
	k, a = start()
	if g := ask(k, a, anywhere(1, more, 3)); len(g.Containers) != 1 || k.pending(a)[Any] != 3 {
		t.Error("another size:", g, k.pending(a))
	}
	// Given at a host it counts at the host, its rack and anywhere; at another host it does not.
	k = newKit(t, Faults{}, `<queue name="a"/>`, nil)
	k.node("h", "/r", 8, 8)
	a = k.app(1, "a")
	at := func(name string, n int64) Ask { return Ask{Key{1, 0}, name, size, n, true} }
	ask(k, a, at("h", 1), at("g", 1), at("/r", 2), at(Any, 2))
	k.beat("h")
	ask(k, a, at("h", 2), at("g", 2), at("/r", 4), at(Any, 4))
	if got := fmt.Sprint(k.pending(a)); got != "map[*:3 /r:3 g:2 h:1]" {
		t.Error("at places:", got)
	}
}

// A container lost before it is pulled is in no ask.
func TestALostContainerIsNotCountedIn(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"/>`, nil)
	k.node("h", "/r", 8, 8)
	a := k.app(1, "a")
	k.wants(a, 2, 1)
	events := k.beat("h")
	if _, err := k.RemoveNode(k.now, "h:1"); err != nil {
		t.Fatal(err)
	}
	if k.wants(a, 3, 1); len(events) != 1 || k.pending(a)[Any] != 3 {
		t.Error(events, k.pending(a))
	}
}

// A rack may be called as the host in it: what is asked there is one request, which is taken once.
func TestARackCalledAsItsHost(t *testing.T) {
	b := &book{}
	k := Key{Priority: 1}
	b.replace(Ask{k, "h1", Resource{1024, 1}, 1, true})
	b.replace(Ask{k, Any, Resource{1024, 1}, 1, true})
	r := b.byKey[k]
	taken := b.take(r, nodeLocal, "h1", "h1")
	if len(r.places) != 0 || r.any.count != 0 {
		t.Error(r.places, r.any.count)
	}
	b.putBack(&taken)
	if at := b.byKey[k]; at.at("h1").pending() != 1 || at.any.count != 1 {
		t.Error(at.at("h1").pending(), at.any.count)
	}
}
