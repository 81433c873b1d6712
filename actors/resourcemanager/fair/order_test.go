package fair

import "testing"

// siblings are applications of these names, each with so many MiB, that want something.
func siblings(o *order, usage map[string]int64) map[string]*app {
	all := map[string]*app{}
	for name, mib := range usage {
		a := &app{wanting: true}
		a.schedulable = schedulable{Name: name, Weight: 1, Usage: Resource{mib, 0}, Demand: Resource{9999, 0}}
		a.member = member{schedulable: &a.schedulable, app: a}
		o.touch(&a.member)
		all[name] = a
	}
	return all
}

// An order has those that want something, as its policy serves them, whether it is mended one by one, for all has changed, or for more
// has changed than is mended.
func TestAnOrderHasThoseWhoWantSomething(t *testing.T) {
	for name, change := range map[string]func(o *order){
		"one by one": func(*order) {},
		"all":        func(o *order) { o.all = true },
		"many": func(o *order) {
			for _, a := range siblings(o, map[string]int64{"m1": 1, "m2": 2, "m3": 3, "m4": 4, "m5": 5, "m6": 6, "m7": 7, "m8": 8, "m9": 9}) {
				a.wanting = false
			}
		},
	} {
		o := &order{policy: policyOf("fair", Faults{})}
		apps := siblings(o, map[string]int64{"a": 1024, "b": 2048, "c": 3072})
		is := func(what, want string) {
			t.Helper()
			change(o)
			if got := namesOf(o.in(Resource{})); got != want {
				t.Errorf("%s, %s: %s, want %s", name, what, got, want)
			}
			for n, a := range apps {
				if a.dirty || a.in != (a.wanting && n != "gone") {
					t.Errorf("%s, %s: %s is dirty: %t, is in: %t", name, what, n, a.dirty, a.in)
				}
			}
		}
		is("three come", "a b c")
		is("nothing changes", "a b c")
		apps["a"].Usage.Memory = 4096
		o.touch(&apps["a"].member)
		o.touch(&apps["a"].member)
		is("one has more", "b c a")
		apps["c"].wanting = false
		o.touch(&apps["c"].member)
		is("one wants nothing", "b a")
		apps["c"].Usage.Memory = 9999
		o.touch(&apps["c"].member)
		is("and gets something", "b a")
		apps["c"].wanting = true
		o.touch(&apps["c"].member)
		is("it wants something again", "b a c")
		o.touch(&apps["b"].member)
		o.drop(&apps["b"].member)
		apps["gone"] = apps["b"]
		delete(apps, "b")
		is("one goes", "a c")
	}
}

// When all may have changed what nobody touched is in its new place too.
func TestAllOfAnOrderMayChange(t *testing.T) {
	o := &order{policy: policyOf("drf", Faults{})}
	apps := siblings(o, map[string]int64{"a": 4096, "b": 1024})
	apps["b"].Usage.VCores = 4
	if got := namesOf(o.in(Resource{8192, 16})); got != "b a" {
		t.Error(got)
	}
	if got := namesOf(o.in(Resource{65536, 16})); got != "b a" {
		t.Errorf("nobody said that it changed: %s", got)
	}
	o.all = true
	if got := namesOf(o.in(Resource{65536, 16})); got != "a b" {
		t.Error(got)
	}
}

// A growing cluster changes the dominant types, and so the order of service: among the queues, and among the applications of each.
func TestANodeThatComesChangesWhoIsServed(t *testing.T) {
	const drf = `<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>`
	for file, queues := range map[string][2]string{drf: {"root.a", "root.b"}, drf + `<queue name="p"><queue name="c"/></queue>`: {"root.p.c", "root.p.c"}} {
		k := newKit(t, Faults{}, file, nil)
		k.node("h1", "r", 8, 16)
		large, wide := k.app(1, queues[0]), k.app(2, queues[1])
		k.asks(large, Ask{Key{1, 0}, Any, Resource{4096, 1}, 1, true})
		k.fill()
		k.asks(wide, Ask{Key{1, 0}, Any, Resource{1024, 4}, 1, true})
		k.fill()
		more := Ask{Key{2, 0}, Any, Resource{1024, 1}, 4, true}
		k.asks(large, more)
		k.asks(wide, more)
		same(t, "the part of the memory is larger", k.beat("h1"), "allocated 2:2 h1:1")
		k.node("full", "r", 0, 0)
		k.beat("full") // an offer that nobody can take: what was touched is mended
		k.node("h2", "r", 56, 0)
		same(t, "the part of the cores is larger", k.beat("h1"), "allocated 1:2 h1:1")
	}
}

// An application that has all that it wants is in no order, nor is its queue; when it loses something it is, at once.
func TestWhoHasWhatItWantsIsInNoOrder(t *testing.T) {
	k := newKit(t, Faults{}, ``, nil)
	k.node("h1", "r", 4, 4)
	k.app(2, "root.b")
	k.wants(k.app(1, "root.a"), 1, 1)
	is := func(what string, wanting int, queues string) {
		t.Helper()
		q := k.queues["root.a"]
		if got := namesOf(k.root.order.in(k.Cluster())); k.root.wanting != wanting || q.wanting != wanting || got != queues || len(q.order.in(k.Cluster())) != wanting {
			t.Errorf("%s: %d and %d want something, in the order are %q and %d, want %q", what, k.root.wanting, q.wanting, got, len(q.order.sorted), queues)
		}
		if n := k.nodes.all[0]; !n.markedSum.IsZero() {
			t.Errorf("%s: %s of the node is marked", what, n.markedSum)
		}
	}
	is("it asks", 1, "root.a")
	given := k.beat("h1")[0].Container
	is("it has it", 0, "")
	k.Complete(k.now, given, End{})
	is("it has lost it", 1, "root.a")
	same(t, "again", k.beat("h1"), "allocated 1:2 h1:1")
}

// A changed demand changes the order of service, though nothing was given meanwhile.
func TestADemandThatChangesChangesWhoIsServed(t *testing.T) {
	const least = `<minResources>8192 mb, 8 vcores</minResources>`
	k := newKit(t, Faults{}, `<queue name="a">`+least+`</queue><queue name="b">`+least+`</queue>`, nil)
	k.node("h1", "r", 4, 4)
	k.node("full", "r", 0, 0)
	a, b := k.app(1, "root.a"), k.app(2, "root.b")
	k.wants(a, 2, 1)
	k.wants(b, 2, 1)
	k.fill()
	k.asks(a, Ask{Key{2, 0}, Any, Resource{1024, 1}, 2, true})
	k.asks(b, Ask{Key{2, 0}, Any, Resource{1024, 1}, 1, true})
	k.beat("full")
	k.must(k.UpdateNodeResource(k.now, "h1:1", Resource{5120, 5}))
	k.beat("full")
	k.asks(b, Ask{Key{2, 0}, Any, Resource{1024, 1}, 4, true})
	same(t, "2 of 4 and 2 of 6", k.beat("h1"), "allocated 2:3 h1:1")
}
