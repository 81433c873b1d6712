package fair

import (
	"strings"
	"testing"
)

const twoLeaves = `<queue name="a"/><queue name="b"><maxResources>4096 mb, 40 vcores</maxResources><maxRunningApps>2</maxRunningApps></queue>
	<queue name="p" type="parent"><queue name="c"/></queue>`

// An application goes to another queue with its containers; both queues count right, and one that waited for its place may run.
func TestAnApplicationMovesWithAllThatItHas(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"><maxRunningApps>1</maxRunningApps></queue><queue name="b"/>`, nil)
	k.node("n1", "/r", 16, 16)
	first, second := k.app(1, "root.a"), k.app(2, "root.a")
	k.wants(first, 3, 1)
	if k.fill() != 3 {
		t.Fatal("it has not what it wants")
	}
	queue, events, err := k.MoveApp(k.now, first.App, "b")
	if err != nil || queue != "root.b" || len(events) != 1 || events[0].Kind != Runnable || events[0].Attempt != second {
		t.Fatalf("%s %q %v", queue, texts(events), err)
	}
	a, b := stateOf(t, k.Scheduler, "root.a"), stateOf(t, k.Scheduler, "root.b")
	if !a.Usage.IsZero() || b.Usage != (Resource{3072, 3}) {
		t.Errorf("a uses %s, b %s", a.Usage, b.Usage)
	}
	if g, err := k.Allocate(k.now, first, Demand{}); err != nil || len(g.Containers) != 3 {
		t.Fatalf("it is handed %v, %v", g, err)
	}
	k.wants(first, 2, 1)
	if k.fill() != 2 || stateOf(t, k.Scheduler, "root.b").Usage != (Resource{5120, 5}) {
		t.Errorf("it gets nothing more: %v", stateOf(t, k.Scheduler, "root.b"))
	}
	if queue, events, err := k.MoveApp(k.now, first.App, "root.b"); queue != "root.b" || events != nil || err != nil {
		t.Errorf("to where it is: %s %v %v", queue, events, err)
	}
	if events := k.RemoveApp(k.now, first.App); len(events) != 5 || !stateOf(t, k.Scheduler, "root.b").Usage.IsZero() {
		t.Errorf("%v", events)
	}
}

// One that waits at a limit may run elsewhere.
func TestAnApplicationThatWaitsMayRunElsewhere(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"><maxRunningApps>1</maxRunningApps></queue><queue name="b"/>`, nil)
	k.app(1, "root.a")
	second := k.app(2, "root.a")
	if _, events, err := k.MoveApp(k.now, second.App, "b"); err != nil || len(events) != 1 || events[0].Kind != Runnable || events[0].Attempt != second {
		t.Errorf("%q %v", texts(events), err)
	}
}

func TestMovesThatCannotBe(t *testing.T) {
	k := newKit(t, Faults{}, twoLeaves, nil)
	k.node("n1", "/r", 16, 16)
	id := k.app(1, "root.a")
	for target, want := range map[string]string{
		"nowhere": "Target queue root.nowhere not found or is not a leaf queue. Name a leaf queue of the allocation file, or submit an application to it first.", "root.p": "Target queue root.p not found", "root": "Target queue root not found",
	} {
		if _, _, err := k.MoveApp(k.now, id.App, target); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", target, err)
		}
	}
	if _, _, err := k.MoveApp(k.now, attemptOf(9).App, "b"); err == nil || !strings.HasSuffix(err.Error(), " not found.") {
		t.Error(err)
	}
	k.wants(id, 5, 1)
	if k.fill() != 5 {
		t.Fatal("it has not what it wants")
	}
	if _, _, err := k.MoveApp(k.now, id.App, "b"); err == nil || !strings.Contains(err.Error(), "to queue root.b would violate queue maxShare constraints on queue root.b") {
		t.Error(err)
	}
	if a := stateOf(t, k.Scheduler, "root.a"); a.Usage != (Resource{5120, 5}) {
		t.Errorf("it was moved all the same: %s", a.Usage)
	}
	k.app(2, "root.b")
	k.app(3, "root.b")
	other := k.app(4, "root.p.c")
	if _, _, err := k.MoveApp(k.now, other.App, "b"); err == nil || !strings.Contains(err.Error(), "would violate queue maxRunningApps constraints on queue root.b") {
		t.Error(err)
	}
}
