package fair

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// filters are what is said of an attempt, with the number of nodes.
func (k *kit) filters(id ids.Attempt) []string {
	k.t.Helper()
	reasons, ok := k.Why(k.now, id)
	if !ok {
		k.t.Fatalf("%s is not there", id)
	}
	var all []string
	for _, r := range reasons {
		if r.Reason == "" || r.Help == "" && r.Filter != byDemand {
			k.t.Errorf("%+v says too little", r)
		}
		all = append(all, fmt.Sprintf("%s %d", r.Filter, r.Nodes))
	}
	return all
}

func (k *kit) why(what string, id ids.Attempt, want ...string) {
	k.t.Helper()
	if got := k.filters(id); !slices.Equal(got, want) {
		reasons, _ := k.Why(k.now, id)
		k.t.Errorf("%s: %q, want %q: %+v", what, got, want, reasons)
	}
}

func TestWhyAnApplicationWaits(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"><maxResources>4096 mb, 4 vcores</maxResources></queue><queue name="b"><maxRunningApps>1</maxRunningApps></queue>
		<user name="u"><maxRunningApps>4</maxRunningApps></user>`, func(c *Config) { c.NodeThreshold, c.RackThreshold = 1, 1 })
	a := k.app(1, "root.a")
	k.why("asks nothing", a, "demand 0")
	k.wants(a, 4, 2)
	k.why("no node", a, "room 0")
	k.node("h1", "r1", 1, 8)
	k.node("h2", "r2", 8, 8)
	k.why("one is too small", a, "size 1", "turn 1")
	k.beat("h2")
	k.beat("h2")
	k.why("at its maximum", a, "queue 0", "size 1")

	b := k.app(2, "root.b")
	k.wants(b, 1, 5)
	k.why("room", b, "size 1", "room 1")
	same(t, "reserved", k.beat("h2"), "reserved 2:1 h2:1")
	c := k.app(3, "root.c")
	k.wants(c, 1, 1)
	k.why("another's reservation", c, "reservation 1", "turn 1")
	_, err := k.Allocate(k.now, c, Demand{BlacklistAdd: []string{"r1"}})
	k.must(err)
	k.why("blacklist", c, "reservation 1", "blacklist 1")
	v, ok := k.WhyContainer(ids.Container{Attempt: b, Seq: 1})
	if !ok || !v.Reserved || v.Lacks != (Resource{1024, 0}) {
		t.Errorf("the reservation: %+v", v)
	}

	waits := k.app(4, "root.b")
	k.wants(waits, 1, 1)
	k.why("its queue has its applications", waits, "queueApps 0")
	other := k.app(5, "root.d")
	last := k.app(6, "root.d")
	k.wants(last, 1, 1)
	k.why("its user has", last, "userApps 0")
	k.RemoveApp(k.now, other.App)
	if state, _ := k.App(last); !state.Runnable {
		t.Error("it waits still")
	}
}

func TestWhyLocality(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"/>`, func(c *Config) { c.NodeThreshold, c.RackThreshold = 1, 1 })
	k.node("h1", "r1", 8, 8)
	k.node("h2", "r2", 8, 8)
	a := k.app(1, "root.a")
	near := func(relax bool) {
		_, err := k.Allocate(k.now, a, Demand{Asks: []Ask{
			{Key{1, 0}, "h1", Resource{1024, 1}, 1, true}, {Key{1, 0}, "r1", Resource{1024, 1}, 1, true}, {Key{1, 0}, Any, Resource{1024, 1}, 1, relax},
		}})
		k.must(err)
		k.Update(k.now)
	}
	near(true)
	k.why("waits for a nearer one", a, "delay 1", "turn 1")
	near(false)
	k.why("wants no other", a, "relax 1", "turn 1")
	k.must(k.Drain(k.now, "h1:1", true))
	k.why("drained", a, "drain 1", "relax 1")
}

func TestWhyAnApplicationMasterWaits(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"><maxAMShare>0.2</maxAMShare></queue>`, nil)
	k.node("h1", "r1", 8, 8)
	var last ids.Attempt
	for i := range int32(2) {
		last = attemptOf(i + 1)
		_, err := k.AddApp(k.now, last.App, Submission{User: "u", Queue: "root.a"})
		k.must(err)
		_, err = k.AddAttempt(k.now, AttemptSpec{ID: last})
		k.must(err)
		k.wants(last, 1, 1)
		k.beat("h1")
	}
	k.why("the queue's part for them is used", last, "amShare 0")
}

func TestWhyAnApplicationMasterWaitsWithoutNodes(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"/>`, nil)
	id := attemptOf(1)
	_, err := k.AddApp(k.now, id.App, Submission{User: "u", Queue: "root.a"})
	k.must(err)
	_, err = k.AddAttempt(k.now, AttemptSpec{ID: id})
	k.must(err)
	k.wants(id, 1, 1)
	k.Update(k.now)
	k.why("raising the queue's part of nothing would not help", id, "room 0")
}

func TestWhyAContainerIsMarked(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"/><queue name="b"><fairSharePreemptionTimeout>1</fairSharePreemptionTimeout></queue>`,
		func(c *Config) { c.Preemption = true })
	k.node("h1", "r", 4, 4)
	k.wants(k.app(1, "root.a"), 4, 1)
	k.fill()
	k.now = time.Second
	k.wants(k.app(2, "root.b"), 4, 1)
	k.now += time.Second
	k.Update(k.now)
	same(t, "the newest", k.Preempt(k.now), "marked 1:4 h1:1")
	v, ok := k.WhyContainer(ids.Container{Attempt: attemptOf(1), Seq: 4})
	if !ok || !v.Marked || v.KillAt != k.now+15*time.Second || v.For != "application_1767225600000_0002" {
		t.Errorf("%+v", v)
	}
	if at, ok := k.NextKill(); !ok || at != v.KillAt {
		t.Errorf("the next kill is at %v, %v", at, ok)
	}
	same(t, "too early", k.KillMarked(v.KillAt-1))
	same(t, "in time", k.KillMarked(v.KillAt), "gone 1:4 h1:1 -102 KILL")
	same(t, "for whom it was taken", k.beat("h1"), "allocated 2:1 h1:1")
	if _, ok := k.WhyContainer(v.ID); ok {
		t.Error("it has ended and is there")
	}
}
