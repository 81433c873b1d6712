package fair

import (
	"strings"
	"testing"
	"time"
)

// Of applications that started at once the first of the list has everything under fifo.
func TestFIFOGivesAllToTheFirstOfTwo(t *testing.T) {
	one, other := &Schedulable{Name: "a", StartTime: 5}, &Schedulable{Name: "b", StartTime: 5}
	PolicyOf("fifo", Fixed).ComputeShares([]*Schedulable{one, other}, Resource{100, 10})
	if one.FairShare != (Resource{100, 10}) || !other.FairShare.IsZero() {
		t.Errorf("%s and %s", one.FairShare, other.FairShare)
	}
}

// Placing knows of each queue whether it is there, a leaf, and the file's.
func TestWhatPlacingSeesOfQueues(t *testing.T) {
	s := submitted(t, Fixed, `<queue name="p"><queue name="c"/></queue>`, "root.made.deep")
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
	k := newKit(t, Fixed, `<queue name="a"/>`, nil)
	k.node("h1", "r", 8, 8)
	id := k.app(1, "root.made")
	k.wants(id, 1, 1)
	k.RemoveApp(k.now, id.App)
	k.Tidy(k.now)
	if len(k.leaves) != 1 || k.leaves[0].Name != "root.a" || len(k.root.children) != 1 || len(k.queues) != 2 {
		t.Errorf("%d leaves, %d children, %d queues", len(k.leaves), len(k.root.children), len(k.queues))
	}
	k.wants(k.app(2, "root.a"), 1, 1)
	same(t, "the other is served", k.beat("h1"), "allocated 2:1 h1:1")
	if got := stateOf(t, k.Scheduler, "root.a").SteadyFairShare; got.Memory != 8192 {
		t.Errorf("its steady share is %s", got)
	}
	k.app(3, "root.late")
	if got := stateOf(t, k.Scheduler, "root.a").SteadyFairShare; got.Memory != 4096 {
		t.Errorf("beside a new queue it is %s", got)
	}
}

// What is no allocation file is told from a capacity-scheduler.xml.
func TestAFileOfAnotherScheduler(t *testing.T) {
	const is = "this is a capacity-scheduler.xml (it has yarn.scheduler.capacity.x)"
	for file, want := range map[string]string{
		`<configuration><property><name> yarn.scheduler.capacity.x </name></property></configuration>`:                          is,
		`<configuration><property><value>yarn.scheduler.capacity.x</value></property></configuration>`:                          "its top element is <configuration>",
		`<configuration><property><name>yarn.scheduler.fair.x</name></property></configuration>`:                                "its top element is <configuration>",
		`<other><property><name>yarn.scheduler.capacity.x</name></property></other>`:                                            "its top element is <other>",
		`<configuration><property><value>1</value><name>yarn.scheduler.capacity.x</name></property><property/></configuration>`: is,
	} {
		if _, err := ParseAllocations([]byte(file), options); err == nil || !strings.HasPrefix(err.Error(), "allocation file, line 1: "+want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// Without a file, and with one that has no queues, there is root, and everybody may do everything.
func TestWhatHoldsWithoutAFile(t *testing.T) {
	for _, a := range []*Allocations{NoAllocations(options), parsed(t, Fixed, ``)} {
		queues := a.Queues()
		if len(queues) != 1 || queues[0].Name != Root || !queues[0].Parent || queues[0].Dynamic || !a.MaySubmit("root.x", "u", nil) || !a.MayAdminister("root.x", "u", nil) {
			t.Errorf("%+v", queues)
		}
		if q := a.Queue("root.x"); q.Policy != PolicyFair || q.Weight != 1 || q.MaxAMShare != 0.5 || q.FairSharePreemptionThreshold != 0.5 || !q.Preemptable ||
			q.MinSharePreemptionTimeout != Never || q.FairSharePreemptionTimeout != Never || q.MaxRunningApps != UnlimitedApps || a.UserMaxApps("u") != UnlimitedApps {
			t.Errorf("%+v", q)
		}
	}
}

// The time of a call is the one that its decisions count from.
func TestEachCallHasItsTime(t *testing.T) {
	begun := func(k *kit, id int32) time.Duration { return k.attempts[attemptOf(id)].fairSince }
	k := newKit(t, Fixed, `<queue name="a"><maxRunningApps>1</maxRunningApps></queue><queue name="b"/>`, func(c *Config) { c.NodesCountFrom = 3 * time.Second })
	k.node("h1", "r", 2, 2)
	k.now = time.Second
	k.app(1, "root.a")
	k.app(2, "root.a")
	k.app(3, "root.a")
	k.app(4, "root.made")
	if got := k.queues["root.made"].atMinShareSince; got != time.Second {
		t.Errorf("a queue is made at %v", got)
	}
	g := k.wants(attemptOf(1), 1, 4)
	if s, _ := k.App(attemptOf(1)); len(g.Events) > 0 || s.Pending[0].Capability.Memory != 4096 {
		t.Errorf("nodes count too early: %v", s.Pending)
	}
	k.now = 2 * time.Second
	_, err := k.RemoveAttempt(k.now, attemptOf(1), false)
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
