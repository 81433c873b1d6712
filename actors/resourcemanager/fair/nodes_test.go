package fair

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/ids"
)

func hosts(all []*node) string {
	var names []string
	for _, n := range all {
		names = append(names, n.host)
	}
	return strings.Join(names, " ")
}

// A name is that of a host, and of a rack only where there is no such host.
func TestWhichNodesANameHas(t *testing.T) {
	k := newKit(t, Faults{}, ``, nil)
	for host, rack := range map[string]string{"x": "r", "y": "x"} {
		k.node(host, rack, 1, 1)
	}
	for name, want := range map[string]string{"x": "x", "y": "y", "r": "x", "z": ""} {
		if got := hosts(k.nodes.named(name, Faults{})); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := len(k.nodes.named(Any, Faults{})); got != 2 {
		t.Errorf("anywhere are %d nodes", got)
	}
}

// A rack has as many nodes as are there: it is one while it has any.
func TestARackGoesWithItsLastNode(t *testing.T) {
	k := newKit(t, Faults{}, ``, nil)
	for _, host := range []string{"h1", "h2"} {
		k.node(host, "r", 1, 1)
	}
	for _, host := range []string{"h1", "h2"} {
		_, err := k.RemoveNode(k.now, host+":1")
		k.must(err)
		if want := map[string]map[string]int{"h1": {"r": 1}, "h2": {}}[host]; !maps.Equal(k.nodes.racks, want) {
			t.Errorf("without %s: %v, want %v", host, k.nodes.racks, want)
		}
	}
}

// Hadoop has nodes in the order of a hash map, of which h1 comes before h2 in one of 16 buckets, and behind it in one of 32, which has
// grown for 13 nodes and does not shrink.
func TestNodesAreInTheOrderOfAHashMap(t *testing.T) {
	k := newKit(t, Faults{}, ``, nil)
	k.node("h2", "r", 1, 1)
	k.node("h1", "r", 1, 1)
	if got := hosts(k.nodes.ordered(Faults{})); got != "h2 h1" {
		t.Errorf("in the order of their coming: %s", got)
	}
	k = newKit(t, Upstream(), ``, nil)
	is := func(what, want string) {
		t.Helper()
		got := strings.Fields(hosts(k.nodes.ordered(Upstream())))
		var some []string
		for _, host := range got {
			if strings.Contains(" h1 h2 h3 ", " "+host+" ") {
				some = append(some, host)
			}
		}
		if strings.Join(some, " ") != want {
			t.Errorf("%s: %v, want %s", what, some, want)
		}
	}
	k.node("h2", "r", 1, 1)
	k.node("h1", "r", 1, 1)
	is("two", "h1 h2")
	k.node("h3", "r", 1, 1)
	is("a third in bucket 5", "h3 h1 h2")
	for i := range 10 {
		k.node(fmt.Sprint("h", i+4), "r", 1, 1)
	}
	is("thirteen, h3 is in bucket 21", "h2 h3 h1")
	for i := range 10 {
		_, err := k.RemoveNode(k.now, fmt.Sprint("h", i+4, ":1"))
		k.must(err)
	}
	is("three again", "h2 h3 h1")
}

// Recovered containers are older in the order in which they were recovered, whichever ended meanwhile.
func TestTheOrderOfRecoveredContainers(t *testing.T) {
	k := newKit(t, Faults{}, ``, nil)
	k.node("h1", "r", 8, 8)
	a := k.app(1, "root.a")
	of := func(seq int64) ids.Container { return ids.Container{Attempt: a, Seq: seq} }
	for seq := range int64(4) {
		k.must(k.Recover(k.now, Container{ID: of(seq + 1), Node: "h1:1", Resource: Resource{1024, 1}}))
	}
	k.Complete(k.now, of(1), End{})
	var got []int64
	for _, c := range k.Live(a) {
		got = append(got, c.ID.Seq)
	}
	if fmt.Sprint(got) != "[2 3 4]" {
		t.Error(got)
	}
}

// A node owes an application the room preempted for it, once more for each time; a container pays the claim, and one of an
// application that ended or starves no more is forgiven.
func TestWhatANodeOwes(t *testing.T) {
	k := newKit(t, Faults{}, ``, nil)
	k.node("h1", "r", 8, 8)
	n, a, b := k.nodes.all[0], k.attempts[k.app(1, "root.a")], k.attempts[k.app(2, "root.b")]
	n.owe(a, Resource{})
	if len(n.owed) != 0 {
		t.Error("nothing is owed as something")
	}
	n.owe(a, Resource{1024, 1})
	n.owe(b, Resource{2048, 2})
	n.owe(a, Resource{1024, 1})
	if len(n.owed) != 2 || n.owed[0].amount != (Resource{2048, 2}) || n.owedTotal != (Resource{4096, 4}) || !n.owes(a) || !n.owes(b) {
		t.Errorf("%+v, %s in all", n.owed, n.owedTotal)
	}
	if n.room() != (Resource{4096, 4}) {
		t.Errorf("room %s", n.room())
	}
	n.pay(b, Resource{1024, 1}, k.paid)
	if len(n.owed) != 2 || n.owed[1].amount != (Resource{1024, 1}) || n.owedTotal != (Resource{3072, 3}) {
		t.Errorf("after a part: %+v, %s in all", n.owed, n.owedTotal)
	}
	n.pay(b, Resource{4096, 1}, k.paid)
	if len(n.owed) != 1 || n.owes(b) || n.owedTotal != (Resource{2048, 2}) {
		t.Errorf("after the rest: %+v, %s in all", n.owed, n.owedTotal)
	}
	n.owe(b, Resource{1024, 1})
	n.forgive(func(x *app) bool { return x == a })
	if len(n.owed) != 1 || n.owes(a) || n.owedTotal != (Resource{1024, 1}) {
		t.Errorf("after one ended: %+v, %s in all", n.owed, n.owedTotal)
	}
}
