package fair

import (
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

func TestAMoverDoesNotCountAgainstItself(t *testing.T) {
	for _, file := range []string{
		`<queue name="p"><maxRunningApps>1</maxRunningApps><queue name="x"/><queue name="y"/></queue>`,
		`<userMaxAppsDefault>1</userMaxAppsDefault><queue name="p"><queue name="x"/><queue name="y"/></queue>`,
	} {
		for faults, want := range map[Faults]string{{}: "root.p.y", {countsMover: true}: "root.p.x"} {
			k := newKit(t, faults, file, nil)
			id := k.app(1, "root.p.x")
			_, _, err := k.MoveApp(k.now, id.App, "p.y")
			if moved := want == "root.p.y"; (err == nil) != moved || !moved && !strings.HasPrefix(err.Error(), "Should have already verified") {
				t.Errorf("faults %v: %v", faults, err)
			}
			if s, _ := k.App(id); s.Queue != want || !s.Runnable {
				t.Errorf("faults %v: in %s, runnable %t; want %s", faults, s.Queue, s.Runnable, want)
			}
		}
	}
}

func TestAnApplicationMasterMovesAlong(t *testing.T) {
	for faults, want := range map[Faults]struct {
		moved, second int64 // GiB that count there after the move, and of the second
		ended         Resource
	}{{}: {1, 0, Resource{}}, {forgetsMovedAM: true}: {0, 1, Resource{-1024, -1}}} {
		k := newKit(t, faults, `<queue name="x"/><queue name="y"><maxAMShare>0.25</maxAMShare></queue>`, nil)
		k.node("h1", "r", 4, 4)
		first, second := attemptOf(1), attemptOf(2)
		managed := func(i int32, queue string) {
			_, err := k.AddApp(k.now, attemptOf(i).App, Submission{User: "u", Queue: queue})
			k.must(err)
			_, err = k.AddAttempt(k.now, AttemptSpec{ID: attemptOf(i)})
			k.must(err)
			k.wants(attemptOf(i), 1, 1)
			k.fill()
		}
		managed(1, "root.x")
		_, _, err := k.MoveApp(k.now, first.App, "y")
		k.must(err)
		k.Update(k.now)
		if got := stateOf(t, k.Scheduler, "root.y").AMUsage; got != (Resource{want.moved * 1024, want.moved}) {
			t.Errorf("faults %v: %v counts after the move", faults, got)
		}
		managed(2, "root.y")
		if s, _ := k.App(second); s.Usage.Memory != want.second*1024 {
			t.Errorf("faults %v: the second has %v", faults, s.Usage)
		}
		k.RemoveApp(k.now, second.App)
		k.RemoveApp(k.now, first.App)
		if got := stateOf(t, k.Scheduler, "root.y").AMUsage; got != want.ended {
			t.Errorf("faults %v: %v counts when both have ended, want %v", faults, got, want.ended)
		}
	}
}

func TestStarvationBeginsAnewInAnotherQueue(t *testing.T) {
	for faults, want := range map[Faults]time.Duration{{}: 5 * time.Second, {starvesMoved: true, starvesIdle: true}: 0} {
		k := newKit(t, faults, `<queue name="x"/><queue name="y"><fairSharePreemptionTimeout>5</fairSharePreemptionTimeout></queue><queue name="z"/>`,
			func(c *Config) { c.Preemption, c.UtilizationThreshold = true, 0 })
		k.node("h1", "r", 4, 4)
		k.wants(k.app(1, "root.z"), 4, 1)
		k.fill()
		waits := k.app(2, "root.x")
		k.wants(waits, 2, 1)
		k.now = 20 * time.Second
		k.Update(k.now)
		moved := k.now
		k.attempts[waits].fairStarving, k.attempts[waits].minStarving = Resource{1024, 0}, Resource{1024, 0}
		_, _, err := k.MoveApp(k.now, waits.App, "y")
		k.must(err)
		if s, _ := k.App(waits); s.FairStarving.IsZero() != (faults == (Faults{})) || s.MinStarving.IsZero() != (faults == (Faults{})) {
			t.Errorf("faults %v: it lacks %s and %s as before", faults, s.FairStarving, s.MinStarving)
		}
		for k.Update(k.now); len(k.Preempt(k.now)) == 0; k.Update(k.now) {
			if k.now += time.Second; k.now > time.Minute {
				t.Fatalf("faults %v: nothing is preempted", faults)
			}
		}
		if k.now-moved != want {
			t.Errorf("faults %v: preempted after %v, want %v", faults, k.now-moved, want)
		}
	}
}

func TestAnApplicationMovesBetweenAttempts(t *testing.T) {
	for faults, want := range map[Faults]string{{}: "root.b", {refusesEndedApp: true}: "root.a"} {
		k := newKit(t, faults, `<queue name="a"/><queue name="b"/>`, nil)
		k.node("h1", "r", 4, 4)
		id := k.app(1, "root.a")
		k.wants(id, 1, 1)
		k.fill()
		_, err := k.Allocate(k.now, id, Demand{})
		k.must(err)
		_, err = k.NodeUpdate(k.now, "h1:1", []ids.Container{k.attempts[id].live[0].ID}, nil)
		k.must(err)
		_, err = k.RemoveAttempt(k.now, id, true)
		k.must(err)
		_, _, err = k.MoveApp(k.now, id.App, "b")
		if refused := want == "root.a"; (err != nil) != refused || refused && !strings.HasSuffix(err.Error(), "is stopped and can't be moved!") {
			t.Errorf("faults %v: %v", faults, err)
		}
		if got := k.applications[id.App].queue.Name; got != want {
			t.Errorf("faults %v: in %s, want %s", faults, got, want)
		}
	}
}

// One that waits on after a move keeps its place among those of its user.
func TestWhoWaitsOnAfterAMoveKeepsItsPlace(t *testing.T) {
	for _, faults := range []Faults{{}, Upstream()} {
		k := newKit(t, faults, `<userMaxAppsDefault>1</userMaxAppsDefault><queue name="a"/><queue name="b"/>`, nil)
		first := k.app(1, "root.a")
		k.now = time.Second
		second := k.app(2, "root.a")
		k.now = 2 * time.Second
		k.app(3, "root.a")
		_, events, err := k.MoveApp(k.now, second.App, "b")
		k.must(err)
		if len(events) > 0 {
			t.Errorf("faults %v: %q", faults, texts(events))
		}
		if a, b := stateOf(t, k.Scheduler, "root.a").Waiting, stateOf(t, k.Scheduler, "root.b").Waiting; a != 1 || b != 1 {
			t.Errorf("faults %v: %d wait in the old queue, %d in the new one", faults, a, b)
		}
		if events := k.RemoveApp(k.now, first.App); len(events) != 1 || events[0].Attempt != second {
			t.Errorf("faults %v: %q, want %s to run", faults, texts(events), second)
		}
	}
}
