package fair

import (
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// A node that changes its size has that much more or less free, also less than nothing; below 0 it cannot be.
func TestANodeChangesItsSize(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"><minResources>50%</minResources></queue>`, nil)
	k.node("h1", "r", 4, 4)
	k.wants(k.app(1, "root.a"), 3, 1)
	k.fill()
	k.must(k.UpdateNodeResource(k.now, "h1:1", Resource{2048, 8}))
	n := k.Nodes()[0]
	if n.Total != (Resource{2048, 8}) || n.Free != (Resource{-1024, 5}) || k.Cluster() != (Resource{2048, 8}) {
		t.Errorf("%+v of %s", n, k.Cluster())
	}
	if q := stateOf(t, k.Scheduler, "root.a"); q.MinShare != (Resource{1024, 4}) || k.MaximumAllocation(k.now, "root.a") != (Resource{2048, 4}) {
		t.Errorf("half of it is %s; the largest container %s", q.MinShare, k.MaximumAllocation(k.now, "root.a"))
	}
	for _, total := range []Resource{{-1, 1}, {1, -1}} {
		if err := k.UpdateNodeResource(k.now, "h1:1", total); err == nil || err.Error() != fmt.Sprintf("node h1:1 gets %s: want 0 or more", total) {
			t.Error(err)
		}
		if err := k.AddNode(k.now, NodeSpec{ID: "h2:1", Host: "h2", Rack: "r", Total: total}); err == nil || err.Error() != fmt.Sprintf("node h2:1 has %s: want 0 or more", total) {
			t.Error(err)
		}
	}
	k.must(k.UpdateNodeResource(k.now, "h1:1", Resource{}))
	k.must(k.AddNode(k.now, NodeSpec{ID: "h2:1", Host: "h2", Rack: "r"}))
	if err := k.AddNode(k.now, NodeSpec{ID: "h2:1", Host: "h2", Rack: "r"}); err == nil || err.Error() != "node h2:1 is added twice: remove it first" {
		t.Error(err)
	}
}

// An application that waits is forgotten when it ends: nobody takes its turn for it.
func TestWhoEndsWhileItWaitsNeverRuns(t *testing.T) {
	for _, file := range []string{`<queue name="a"><maxRunningApps>1</maxRunningApps></queue>`, `<userMaxAppsDefault>1</userMaxAppsDefault>`} {
		k := newKit(t, Faults{}, file, nil)
		first := k.app(1, "root.a")
		for n := int32(2); n <= 4; n++ {
			k.now += time.Second
			k.app(n, "root.a")
		}
		k.RemoveApp(k.now, attemptOf(2).App)
		if s := stateOf(t, k.Scheduler, "root.a"); s.Running != 1 || s.Waiting != 2 {
			t.Errorf("%s: %d run, %d wait", file, s.Running, s.Waiting)
		}
		for n, end := range []ids.Attempt{first, attemptOf(3)} {
			events := k.RemoveApp(k.now, end.App)
			if len(events) != 1 || events[0].Kind != Runnable || events[0].Attempt != attemptOf(int32(n+3)) {
				t.Errorf("%s: after %s: %q", file, end, texts(events))
			}
		}
		k.RemoveApp(k.now, attemptOf(4).App)
		if s := stateOf(t, k.Scheduler, "root.a"); s.Running != 0 || s.Waiting != 0 || len(k.users) != 0 {
			t.Errorf("%s: %d run, %d wait, %d users", file, s.Running, s.Waiting, len(k.users))
		}
	}
}

// Of applications that wait in several queues for one place the first runs; one place is for one.
func TestWhoCameFirstRunsFirstOverQueues(t *testing.T) {
	for _, faults := range []Faults{{}, Upstream()} {
		k := newKit(t, faults, `<queue name="p"><maxRunningApps>1</maxRunningApps><queue name="x"/><queue name="y"/></queue>`, nil)
		for n, queue := range []string{"root.p.x", "root.p.y", "root.p.x", "root.p.x", "root.p.y"} {
			k.now += time.Second
			k.app(int32(n+1), queue)
		}
		for n := int32(1); n < 5; n++ {
			events := k.RemoveApp(k.now, attemptOf(n).App)
			if len(events) != 1 || events[0].Attempt != attemptOf(n+1) || stateOf(t, k.Scheduler, "root.p").Running != 1 {
				t.Errorf("faults %v, after %d: %q", faults, n, texts(events))
			}
		}
	}
}

// A starving application that ends before it is helped is not helped.
func TestWhoEndsIsNotHelped(t *testing.T) {
	k := full(t, Faults{}, 4, atOnce)
	b := k.app(2, "root.b")
	k.wants(b, 2, 1)
	k.RemoveApp(k.now, b.App)
	same(t, "marked", k.Preempt(k.now))
}

// Nothing runs above a limit of ApplicationMasters: a part of the fair share or, where that is nothing, of what is free within
// the maximum, each type by itself and rounded up.
func TestTheLimitOfApplicationMasters(t *testing.T) {
	for _, x := range []struct{ share, free, most, want Resource }{
		{Resource{4000, 8}, Resource{100, 100}, Resource{200, 200}, Resource{1000, 2}},
		{Resource{4001, 9}, Resource{}, Resource{}, Resource{1001, 3}},
		{Resource{0, 8}, Resource{4000, 100}, unbounded, Resource{1000, 2}},
		{Resource{0, 8}, Resource{4000, 100}, Resource{2000, 1}, Resource{500, 2}},
		{Resource{4000, 0}, Resource{8000, 16}, unbounded, Resource{1000, 4}},
		{Resource{4000, 0}, Resource{8000, 16}, Resource{1, 4}, Resource{1000, 1}},
	} {
		k := newKit(t, Faults{}, `<queue name="a"><maxAMShare>0.25</maxAMShare></queue>`, nil)
		q := k.queues["root.a"]
		q.FairShare, q.MaxShare, k.available = x.share, x.most, x.free
		if got := k.amLimit(q); got != x.want {
			t.Errorf("%+v: %s", x, got)
		}
	}
	for share, want := range map[string]int{"0": 0, "0.25": 1, "0.5": 2, "-1": 4} {
		k := newKit(t, Faults{}, `<queue name="a"><maxAMShare>`+share+`</maxAMShare></queue>`, nil)
		k.node("h1", "r", 4, 4)
		for n := int32(1); n <= 4; n++ {
			k.wants(k.managed(n, "root.a"), 1, 1)
		}
		if got := k.fill(); got != want {
			t.Errorf("maxAMShare %s: %d of 4 run, want %d", share, got, want)
		}
	}
	k := newKit(t, Faults{}, ``, nil)
	if !k.overAMShare(k.attempts[k.managed(1, "root.a")]) {
		t.Error("one that asks nothing may have its ApplicationMaster")
	}
}

// A move counts the application in its new queue: that one stays when it is empty otherwise, and the old one goes.
func TestAQueueThatAnApplicationMovedToStays(t *testing.T) {
	for _, attempt := range []bool{true, false} {
		k := newKit(t, Faults{}, `<queue name="a"/><queue name="b"/>`, nil)
		id := attemptOf(1)
		_, err := k.AddApp(k.now, id.App, Submission{User: "u", Queue: "root.old"})
		k.must(err)
		if attempt {
			_, err = k.AddAttempt(k.now, AttemptSpec{ID: id})
			k.must(err)
		}
		k.app(2, "root.new")
		_, _, err = k.MoveApp(k.now, id.App, "new")
		k.must(err)
		k.RemoveApp(k.now, attemptOf(2).App)
		k.Tidy(k.now)
		if got := queueNames(k.Scheduler); got != "root root.a root.b root.new" {
			t.Errorf("with an attempt %t: %s", attempt, got)
		}
		k.RemoveApp(k.now, id.App)
		k.Tidy(k.now)
		if got := queueNames(k.Scheduler); got != "root root.a root.b" {
			t.Errorf("with an attempt %t: %s at its end", attempt, got)
		}
	}
}

// A move to the own queue changes nothing: nobody takes the place in between.
func TestAMoveToTheOwnQueueIsNone(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"><maxRunningApps>1</maxRunningApps></queue>`, nil)
	first := k.app(1, "root.a")
	second := k.app(2, "root.a")
	k.now = time.Second
	if queue, events, err := k.MoveApp(k.now, first.App, "a"); queue != "root.a" || len(events) > 0 || err != nil {
		t.Errorf("%s, %q, %v", queue, texts(events), err)
	}
	if since := k.attempts[first].fairSince; since != 0 {
		t.Errorf("it is below its share since %v", since)
	}
	for id, want := range map[ids.Attempt]bool{first: true, second: false} {
		if s, _ := k.App(id); s.Runnable != want {
			t.Errorf("%s runs: %t", id, s.Runnable)
		}
	}
}

// An attempt that left nothing running is over: its application may be moved, in Hadoop too.
func TestAnApplicationWithoutAnAttemptMoves(t *testing.T) {
	k := newKit(t, Upstream(), `<queue name="a"/><queue name="b"/>`, nil)
	id := k.app(1, "root.a")
	_, err := k.RemoveAttempt(k.now, id, true)
	k.must(err)
	if queue, _, err := k.MoveApp(k.now, id.App, "b"); queue != "root.b" || err != nil {
		t.Errorf("%s, %v", queue, err)
	}
}

// The next attempt takes over from the one that it names alone, with its blacklist.
func TestWhatTheNextAttemptTakesOver(t *testing.T) {
	for keep, want := range map[int32]int{1: 1, 0: 0} {
		k := newKit(t, Faults{}, ``, nil)
		k.node("h1", "r1", 4, 4)
		k.node("h2", "r2", 4, 4)
		other := k.app(2, "root.b")
		id := k.app(1, "root.a")
		k.wants(id, 1, 1)
		k.beat("h1")
		g, err := k.Allocate(k.now, id, Demand{BlacklistAdd: []string{"r2"}})
		k.must(err)
		_, err = k.NodeUpdate(k.now, "h1:1", []ids.Container{g.Containers[0].ID}, nil)
		k.must(err)
		_, err = k.RemoveAttempt(k.now, id, true)
		k.must(err)
		free := func(what string, cores int64) {
			t.Helper()
			g, err := k.Allocate(k.now, other, Demand{})
			k.must(err)
			if g.Headroom.VCores != cores {
				t.Errorf("keeps %d, %s: %d cores free, want %d", keep, what, g.Headroom.VCores, cores)
			}
		}
		free("between", 8)
		next := ids.Attempt{App: id.App, Attempt: 2}
		_, err = k.AddAttempt(k.now, AttemptSpec{ID: next, Unmanaged: true, Keep: ids.Attempt{App: id.App, Attempt: keep}})
		k.must(err)
		if live := k.Live(next); len(live) != want {
			t.Errorf("keeps %d: %v", keep, live)
		}
		k.Update(k.now)
		free("after", 8-int64(want))
		if got := stateOf(t, k.Scheduler, "root.a").Starting; got != 1-want {
			t.Errorf("keeps %d: %d are starting", keep, got)
		}
		k.wants(next, 1, 1)
		if got := len(k.beat("h2")); got != 1-want {
			t.Errorf("keeps %d: %d given on the blacklisted rack", keep, got)
		}
	}
}

// A pass offers nodes when somebody wants something or has something kept: a reservation, or what was preempted.
func TestWhatAContinuousPassLooksAt(t *testing.T) {
	k := newKit(t, Faults{}, ``, func(c *Config) { c.Continuous = true })
	k.node("h1", "r", 4, 4)
	k.wants(k.app(1, "root.a"), 1, 3)
	k.fill()
	b := k.app(2, "root.b")
	k.wants(b, 1, 2)
	same(t, "not free", k.ContinuousPass(k.now), "reserved 2:1 h1:1")
	k.wants(b, 0, 2)
	same(t, "not wanted any more", k.ContinuousPass(k.now), "unreserved 2:1 h1:1")
	if n := k.Nodes()[0]; n.Reserved != nil {
		t.Errorf("%+v", n.Reserved)
	}
	if _, ok := k.WhyContainer(ids.Container{Attempt: b, Seq: 1}); ok || k.reservations != 0 {
		t.Errorf("it is in the books: %t, of %d", ok, k.reservations)
	}
	k.conf.Preemption = true
	k.nodes.all[0].owe(k.attempts[b], Resource{1024, 1})
	k.ContinuousPass(k.now)
	if len(k.nodes.all[0].owed) > 0 {
		t.Error("what nobody starves for is owed still")
	}

	k = newKit(t, Faults{}, ``, func(c *Config) { c.Continuous = true })
	k.node("h1", "r", 8, 1)
	k.wants(k.app(1, "root.a"), 1, 2)
	k.fill()
	k.wants(k.app(2, "root.b"), 1, 2)
	same(t, "of a node without cores", k.ContinuousPass(k.now))
}

// A reservation ends with its attempt.
func TestAReservationEndsWithItsAttempt(t *testing.T) {
	k := newKit(t, Faults{}, ``, nil)
	k.node("h1", "r", 4, 4)
	k.wants(k.app(1, "root.a"), 1, 3)
	k.fill()
	b := k.app(2, "root.b")
	k.wants(b, 1, 2)
	k.beat("h1")
	// Its node says nothing of it that counts.
	id := ids.Container{Attempt: b, Seq: 1}
	events, err := k.NodeUpdate(k.now, "h1:1", []ids.Container{id}, []Ended{{ID: id}})
	k.must(err)
	same(t, "what is not there", events, "clean up 2:1 h1:1")
	events, err = k.RemoveAttempt(k.now, b, true)
	k.must(err)
	same(t, "its end", events, "unreserved 2:1 h1:1")
	if n := k.Nodes()[0]; n.Reserved != nil {
		t.Errorf("%+v", n)
	}
}

// A queue's demand decides the order of service: the smaller part of the minimum, as far as it is wanted, comes first.
func TestWhoWantsMoreOfItsMinimumIsServedFirst(t *testing.T) {
	const least = `<minResources>8192 mb, 8 vcores</minResources>`
	k := newKit(t, Faults{}, `<queue name="a">`+least+`</queue><queue name="b">`+least+`</queue>`, nil)
	k.node("h1", "r", 4, 4)
	a, b := k.app(1, "root.a"), k.app(2, "root.b")
	k.wants(a, 2, 1)
	k.wants(b, 2, 1)
	k.fill()
	for _, id := range []ids.Attempt{a, b} {
		_, err := k.Allocate(k.now, id, Demand{})
		k.must(err)
	}
	k.node("h2", "r", 8, 8)
	k.wants(a, 1, 1)
	k.wants(b, 2, 1)
	same(t, "2 of 3 and 2 of 4", k.beat("h2"), "allocated 2:3 h2:1")
	k.wants(a, 5, 1)
	same(t, "2 of 7 and 3 of 4", k.beat("h2"), "allocated 1:3 h2:1")
}

// An ask for which the queue may have nothing says whose, of what and how much.
func TestAnAskForWhatTheQueueHasNothingOf(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"><maxResources>4096 mb, 0 vcores</maxResources></queue>`, nil)
	_, err := k.Allocate(k.now, k.app(1, "root.a"), Demand{Asks: []Ask{{Key{1, 0}, Any, Resource{1024, 1}, 1, true}}})
	const want = "Resource request is invalid: <memory:1024, vCores:1> asked of queue root.a, which has 0 amount of resource for a resource type " +
		"(maxResources is <memory:4096, vCores:0>): raise maxResources of the queue"
	if err == nil || err.Error() != want {
		t.Error(err)
	}
}
