package fair

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// Under fifo the first in the list of applications that started at once has everything.
func TestFIFOGivesAllToTheFirstOfTwo(t *testing.T) {
	one, other := &schedulable{Name: "a", StartTime: 5}, &schedulable{Name: "b", StartTime: 5}
	policyOf("fifo", Faults{}).ComputeShares([]*schedulable{one, other}, Resource{100, 10})
	if one.FairShare != (Resource{100, 10}) || !other.FairShare.IsZero() {
		t.Errorf("%s and %s", one.FairShare, other.FairShare)
	}
}

// Placing knows of each queue whether it is there, a leaf, and the file's.
func TestWhatPlacingSeesOfQueues(t *testing.T) {
	s := submitted(t, Faults{}, `<queue name="p"><queue name="c"/></queue>`, "root.made.deep")
	for name, want := range map[string][3]bool{
		"root": {true, false, false}, "root.p": {true, false, false}, "root.p.c": {true, true, false}, "root.made": {true, false, true},
		"root.made.deep": {true, true, true}, "root.moon": {false, false, false},
	} {
		exists, leaf, dynamic := s.Look(name)
		if got := [3]bool{exists, leaf, dynamic}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// A queue that goes is forgotten in every book: nobody is served, shared with or counted in it.
func TestAQueueThatGoesIsForgotten(t *testing.T) {
	for _, faults := range []Faults{{}, Upstream()} {
		k := newKit(t, faults, `<queue name="a"/>`, nil)
		k.node("h1", "r", 8, 8)
		id := k.app(1, "root.made")
		k.wants(id, 1, 1)
		k.RemoveApp(k.now, id.App)
		k.Tidy(k.now)
		k.theseAreAll("root.a")
		k.wants(k.app(2, "root.a"), 1, 1)
		same(t, "the other is served", k.beat("h1"), "allocated 2:1 h1:1")
		if got := stateOf(t, k.Scheduler, "root.a").SteadyFairShare; got.Memory != 8192 {
			t.Errorf("faults %v: its steady share is %s", faults, got)
		}
		k.app(3, "root.late")
		if got := stateOf(t, k.Scheduler, "root.a").SteadyFairShare; got.Memory != 4096 {
			t.Errorf("faults %v: beside a new queue it is %s", faults, got)
		}
	}
}

// theseAreAll checks that these are all the leaves, in the order of their making, and that the tree has them and those above them.
func (k *kit) theseAreAll(leaves ...string) {
	k.t.Helper()
	var got, below []string
	for _, q := range k.leaves {
		got = append(got, q.Name)
	}
	queues := 0
	k.root.walk(func(q *queue) {
		if queues++; q.leaf {
			below = append(below, q.Name)
		}
	})
	slices.Sort(below)
	if !slices.Equal(got, leaves) || !slices.Equal(below, slices.Sorted(slices.Values(leaves))) || queues != len(k.queues) {
		k.t.Errorf("leaves %v, in the tree %v of %d queues, by name %d queues; want %v", got, below, queues, len(k.queues), leaves)
	}
}

// The error of another file differs from that of a capacity-scheduler.xml.
func TestAFileOfAnotherScheduler(t *testing.T) {
	const is = "this is a capacity-scheduler.xml (it has yarn.scheduler.capacity.x)"
	for file, want := range map[string]string{
		`<configuration><property><name> yarn.scheduler.capacity.x </name></property></configuration>`:                          is,
		`<configuration><property><value>yarn.scheduler.capacity.x</value></property></configuration>`:                          "its top element is <configuration>",
		`<configuration><property><name>yarn.scheduler.fair.x</name></property></configuration>`:                                "its top element is <configuration>",
		`<other><property><name>yarn.scheduler.capacity.x</name></property></other>`:                                            "its top element is <other>",
		`<configuration><property><value>1</value><name>yarn.scheduler.capacity.x</name></property><property/></configuration>`: is,
	} {
		if _, err := parseAllocations([]byte(file), options); err == nil || !strings.HasPrefix(err.Error(), "allocation file, line 1: "+want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// Without a file, and with one that has no queues, there is root, and everybody may do everything.
func TestWhatHoldsWithoutAFile(t *testing.T) {
	for _, a := range []*Allocations{NoAllocations(options), parsed(t, Faults{}, ``)} {
		queues := a.Queues()
		if len(queues) != 1 || queues[0].Name != Root || !queues[0].Parent || queues[0].Dynamic || !a.MaySubmit("root.x", "u", nil) || !a.MayAdminister("root.x", "u", nil) {
			t.Errorf("%+v", queues)
		}
		if q := a.Queue("root.x"); q.Policy != policyFair || q.Weight != 1 || q.MaxAMShare != 0.5 || q.FairSharePreemptionThreshold != 0.5 || !q.Preemptable ||
			q.MinSharePreemptionTimeout != never || q.FairSharePreemptionTimeout != never || q.MaxRunningApps != unlimitedApps || a.UserMaxApps("u") != unlimitedApps {
			t.Errorf("%+v", q)
		}
	}
}

// The time of a call is the one that its decisions count from.
func TestEachCallHasItsTime(t *testing.T) {
	begun := func(k *kit, id int32) time.Duration { return k.attempts[attemptOf(id)].fairSince }
	k := newKit(t, Faults{}, `<queue name="a"><maxRunningApps>1</maxRunningApps></queue><queue name="b"/>`, func(c *Config) { c.NodesCountFrom = 3 * time.Second })
	k.node("h1", "r", 2, 2)
	k.now = time.Second
	k.app(1, "root.a")
	k.app(2, "root.a")
	k.app(3, "root.a")
	k.now++
	for n, call := range []func(){
		func() {
			_, err := k.AddApp(k.now, attemptOf(4).App, Submission{User: "u", Queue: "root.made"})
			k.must(err)
		},
		func() {
			k.Reload(k.now, parsed(t, Faults{}, `<queue name="a"><maxRunningApps>1</maxRunningApps></queue><queue name="b"/><queue name="c"/>`))
		},
		func() {
			k.dropQueue(k.queues["root.c"])
			k.now++
			k.Tidy(k.now)
		},
	} {
		call()
		if got := k.leaves[len(k.leaves)-1]; got.atMinShareSince != k.now {
			t.Errorf("call %d: queue %s is made at %v", n, got.Name, got.atMinShareSince)
		}
		k.now++
	}
	_, err := k.AddAttempt(k.now, AttemptSpec{ID: attemptOf(4), Unmanaged: true})
	k.must(err)
	if got := begun(k, 4); got != k.now {
		t.Errorf("the fourth runs from %v", got)
	}
	g := k.wants(attemptOf(1), 1, 4)
	if s, _ := k.App(attemptOf(1)); len(g.Events) > 0 || s.Pending[0].Capability.Memory != 4096 {
		t.Errorf("nodes count too early: %v", s.Pending)
	}
	k.now = 2 * time.Second
	_, err = k.RemoveAttempt(k.now, attemptOf(1), false)
	k.must(err)
	if got := begun(k, 2); got != k.now {
		t.Errorf("the second runs from %v", got)
	}
	k.now = 3 * time.Second
	_, err = k.Allocate(k.now, attemptOf(2), Demand{Asks: []Ask{{Key{1, 0}, Any, Resource{4096, 1}, 1, true}}})
	k.must(err)
	if s, _ := k.App(attemptOf(2)); s.Pending[0].Capability.Memory != 2048 {
		t.Errorf("nodes do not count in time: %v", s.Pending)
	}
	k.now = 4 * time.Second
	_, _, err = k.MoveApp(k.now, attemptOf(3).App, "b")
	k.must(err)
	if got := begun(k, 3); got != k.now {
		t.Errorf("the third runs in another queue from %v", got)
	}
	k.app(5, "root.a")
	k.now = 5 * time.Second
	k.RemoveApp(k.now, attemptOf(2).App)
	if got := begun(k, 5); got != k.now {
		t.Errorf("the fifth runs from %v", got)
	}
	k.now = 6 * time.Second
	k.Update(k.now)
	if k.Scheduler.now != k.now {
		t.Errorf("an update is of %v", k.Scheduler.now)
	}
}
