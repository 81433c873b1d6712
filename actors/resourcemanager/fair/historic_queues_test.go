package fair

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// outlined are the queues of a file as its allocations have them, parents with a stroke; a scheduler makes the same ones.
func outlined(t *testing.T, faults Faults, elements string) string {
	t.Helper()
	a := parsed(t, faults, elements)
	var says, made []string
	for _, q := range a.Queues() {
		says = append(says, q.Name+map[bool]string{true: "/"}[q.Parent])
		if a.Queue(q.Name).Parent != q.Parent {
			t.Errorf("%s: %s, which is a parent: %t, has the settings of another kind", elements, q.Name, q.Parent)
		}
	}
	for _, q := range submitted(t, faults, elements).Queues() {
		made = append(made, q.Name+map[bool]string{true: "/"}[!q.Leaf])
		if q.Parent == q.Leaf || q.Dynamic {
			t.Errorf("%s: %s is a leaf: %t, has the settings of a parent: %t, is not of the file: %t", elements, q.Name, q.Leaf, q.Parent, q.Dynamic)
		}
	}
	if !slices.Equal(says, made) {
		t.Errorf("%s: made are %v, the file says %v", elements, made, says)
	}
	return strings.Join(says, " ")
}

// Hadoop makes leaves before parents, each by the bucket of its name: d and default.e come before what is below them, p behind it. What
// is in the way of the next one goes with all that is below, but not below root.default.
func TestWhichQueuesOfAFileHadoopMakes(t *testing.T) {
	for file, want := range map[string]string{
		`<queue name="d"/><queue name="d"><queue name="x"><queue name="y"/></queue></queue>`:                        "root/ root.d/ root.d.x/ root.d.x.y",
		`<queue name="d"/><queue name="d"><queue name="x"/></queue>`:                                                "root/ root.d/ root.d.x",
		`<queue name="p"/><queue name="p"><queue name="c"/></queue>`:                                                "root/ root.p/",
		`<queue name="d"/><queue name="d"><queue name="a"><queue name="a"/></queue></queue><queue name="dx"/>`:      "root/ root.d/ root.d.a/ root.d.a.a root.dx",
		`<queue name="default"><queue name="e"/><queue name="e"><queue name="a"/></queue></queue>`:                  "root/ root.default/ root.default.e",
		`<queue name="default"><queue name="d"><queue name="x"/></queue><queue name="d"/></queue>`:                  "root/ root.default/ root.default.d/ root.default.d.x",
		`<queue name="p"><queue name="c"><schedulingPolicy>drf</schedulingPolicy></queue><queue name="d"/></queue>`: "root/ root.p/ root.p.d",
		`<queue name="p"><schedulingPolicy>fifo</schedulingPolicy><queue name="c"/></queue><queue name="q"/>`:       "root/ root.q",
		`<queue name="root"><queue name="p" type="parent"/></queue>`:                                                "root/ root.p/",
		`<queue name="root"/>`: "root/",
	} {
		if got := outlined(t, Upstream(), file); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

// A parent that is to be below an unused leaf takes its place, though its turn is before the one of the queue above it.
func TestAParentTakesThePlaceOfAnUnusedLeaf(t *testing.T) {
	s := submitted(t, Upstream(), `<queue name="q"/><queue name="u"/>`, "root.u")
	s.Reload(0, parsed(t, Upstream(), `<queue name="q"><queue name="e" type="parent"/></queue><queue name="u"><queue name="e" type="parent"/></queue>`))
	if got := queueNames(s); got != "root root.q root.q.e root.u" {
		t.Error(got)
	}
}

// A name that does not begin with root is none of a queue, whatever rules may say.
func TestWhatIsNotBelowRootIsNotMade(t *testing.T) {
	for _, faults := range []Faults{{}, Upstream()} {
		s := submitted(t, faults, `<queue name="a"/>`)
		for _, name := range []string{"moon", "moon.a.b"} {
			if q := s.leafQueue(name); q != nil || queueNames(s) != "root root.a" {
				t.Errorf("faults %v: %s: %v, %s", faults, name, q, queueNames(s))
			}
		}
	}
}

// A submission to a queue with <reservation> that is not there is refused by the name that it asked for. Of two elements of a queue
// one with <reservation> is enough.
func TestWhereHadoopSubmitsWithReservation(t *testing.T) {
	for file, want := range map[string]string{
		`<queue name="a"><schedulingPolicy>drf</schedulingPolicy><reservation/></queue>`: "root.a is not a leaf queue",
		`<queue name="a"><reservation/></queue><queue name="a"/>`:                        "root.a.a-default",
		`<queue name="a"/>`: "root.a",
	} {
		got, err := submitted(t, Upstream(), file).AddApp(0, attemptOf(1).App, Submission{User: "u", Queue: "root.a"})
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

// Where a policy may not stand the giving of policies ends for all that come behind, not only for its siblings.
func TestHadoopGivesNoPoliciesBehindOneThatMayNotStand(t *testing.T) {
	s := submitted(t, Upstream(), `<queue name="p"><queue name="a"/></queue><queue name="q"/>`)
	s.Reload(0, parsed(t, Upstream(), `<queue name="p"><queue name="a"><schedulingPolicy>drf</schedulingPolicy></queue></queue>
		<queue name="q"><schedulingPolicy>fifo</schedulingPolicy></queue>`))
	if got := stateOf(t, s, "root.q").Policy; got != policyFair {
		t.Errorf("root.q has %s", got)
	}
}

// The queues that are the file's no more are gone through as a hash set of them has them: leaves, then parents, each once. From one
// that is not there on they count as queues of the file still. With up to 12 names the order of the buckets is d, x.b and p, a, b, c.
func TestWhichQueuesHadoopTakesForThoseOfTheFileStill(t *testing.T) {
	for _, x := range []struct {
		leaves, parents, inFile, gone string
		static                        string
		whole                         bool
	}{
		{"a b c d", "", "", "", "", true},
		{"a b c d", "", "", "b", "b c", false},
		{"a b c d", "", "b", "b", "", true},
		{"a c d", "b", "", "b", "b c", false},
		{"b c d", "b a", "", "a", "a b c", false},
		{"x.b p a", "", "", "p", "a p", false},
		{"p x.b a", "", "", "p", "a p x.b", false},
		{"p", "x.b", "", "x.b", "x.b", false},
		{"p a 1 2 3 4 5 6 7 8 9 0", "0", "0 1 2 3 4 5 6 7 8 9", "p", "a p", false},
		{"p a 1 2 3 4 5 6 7 8 9 0 k", "", "0 1 2 3 4 5 6 7 8 9 k", "p", "p", false},
	} {
		full := func(names string) (all []string) {
			for n := range strings.FieldsSeq(names) {
				all = append(all, "root."+n)
			}
			return all
		}
		s := submitted(t, Upstream(), ``)
		s.allocations = &Allocations{queues: map[string]*queueElement{}}
		for _, n := range full(x.inFile) {
			s.allocations.queues[n] = &queueElement{}
		}
		for _, n := range full(x.leaves + " " + x.parents) {
			s.queues[n] = &queue{}
		}
		for _, n := range full(x.gone) {
			delete(s.queues, n)
		}
		static, whole := s.historicStatic(&Allocations{ends: map[bool][]string{false: full(x.leaves), true: full(x.parents)}})
		var still []string
		for _, n := range full("a b c d p x.b") {
			if static[n] {
				still = append(still, n)
			}
		}
		if whole != x.whole || fmt.Sprint(still) != fmt.Sprint(full(x.static)) {
			t.Errorf("%+v: whole %t, still of the file are %v", x, whole, still)
		}
	}
}
