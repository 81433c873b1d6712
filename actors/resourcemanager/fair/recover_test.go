package fair

import (
	"errors"
	"slices"
	"testing"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
)

// A recovered container counts in every book: its application's, its queue's, its node's, and what is free.
func TestARecoveredContainerIsInEveryBook(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="a"/>`, nil)
	k.node("h1", "r", 4, 4)
	a, other := k.app(1, "root.a"), k.app(2, "root.b")
	k.Update(k.now)
	first := Container{ID: ids.Container{Attempt: a, Seq: 9}, Node: "h1:1", Resource: Resource{1024, 1}, Key: Key{1, 0}}
	second := first
	second.ID.Seq = 3
	k.must(k.Recover(k.now, first))
	if k.root.wanting != 1 {
		t.Error("what it has is not what it wants: it is served")
	}
	k.must(k.Recover(k.now, second))
	g, err := k.Allocate(k.now, other, Demand{})
	k.must(err)
	if g.Headroom.VCores != 2 || stateOf(t, k.Scheduler, "root.a").Usage != (Resource{2048, 2}) {
		t.Errorf("headroom of others %s, queue %s", g.Headroom, stateOf(t, k.Scheduler, "root.a").Usage)
	}
	first.Host, second.Host = "h1", "h1"
	if live := k.Live(a); !slices.Equal(live, []Container{first, second}) {
		t.Errorf("in the order of their coming: %+v", live)
	}
	if v, ok := k.WhyContainer(first.ID); !ok || !v.Launched || v.Attempt != a {
		t.Errorf("%+v", v)
	}
	if g, err := k.Allocate(k.now, a, Demand{}); err != nil || len(g.Containers) > 0 {
		t.Errorf("it is handed over again: %+v, %v", g, err)
	}
	k.wants(a, 1, 1)
	if id := k.beat("h1")[0].Container; id.Seq != 10 {
		t.Errorf("the next is %s, of the same epoch", id)
	}
	events, err := k.RemoveAttempt(k.now, a, true)
	k.must(err)
	same(t, "what ran is kept", events, "gone 1:10 h1:1 -100 KILL")
	events, err = k.RemoveNode(k.now, "h1:1")
	k.must(err)
	same(t, "lost", events, "gone 1:9 h1:1 -100 KILL", "gone 1:3 h1:1 -100 KILL")
}

// Only the ids of the same attempt and epoch are used up by what is recovered.
func TestWhichIdsRecoveredContainersUse(t *testing.T) {
	for name, id := range map[string]ids.Container{
		"another epoch":   {Attempt: attemptOf(1), Epoch: 1, Seq: 7},
		"another attempt": {Attempt: ids.Attempt{App: attemptOf(1).App, Attempt: 2}, Seq: 7},
	} {
		k := newKit(t, Faults{}, ``, nil)
		k.node("h1", "r", 4, 4)
		a := k.app(1, "root.a")
		k.must(k.Recover(k.now, Container{ID: id, Node: "h1:1", Resource: Resource{1024, 1}}))
		k.wants(a, 1, 1)
		if next := k.beat("h1")[0].Container; next.Seq != 1 {
			t.Errorf("%s: the next is %s", name, next)
		}
	}
	k := newKit(t, Faults{}, ``, nil)
	k.node("h1", "r", 4, 4)
	a := k.app(1, "root.a")
	for _, seq := range []int64{7, 4} {
		k.must(k.Recover(k.now, Container{ID: ids.Container{Attempt: a, Seq: seq}, Node: "h1:1", Resource: Resource{1024, 1}}))
	}
	k.wants(a, 1, 1)
	if next := k.beat("h1")[0].Container; next.Seq != 8 {
		t.Errorf("after 7 and 4: the next is %s", next)
	}
}

// A recovered ApplicationMaster counts in its queue once, when the ResourceManager runs it.
func TestARecoveredApplicationMasterCounts(t *testing.T) {
	for _, x := range []struct {
		name      string
		unmanaged bool
		ams       []bool
		counts    int64
	}{
		{"one", false, []bool{true}, 1},
		{"none", false, []bool{false}, 0},
		{"of an unmanaged one", true, []bool{true}, 0},
		{"two", false, []bool{true, true}, 1},
		{"behind another container", false, []bool{false, true}, 1},
	} {
		k := newKit(t, Faults{}, ``, nil)
		k.node("h1", "r", 4, 4)
		id := attemptOf(1)
		if x.unmanaged {
			k.app(1, "root.a")
		} else {
			k.managed(1, "root.a")
		}
		for i, am := range x.ams {
			k.must(k.Recover(k.now, Container{ID: ids.Container{Attempt: id, Seq: int64(i + 1)}, Node: "h1:1", Resource: Resource{1024, 1}, AM: am}))
		}
		s, _ := k.App(id)
		if got := stateOf(t, k.Scheduler, "root.a").AMUsage; got != (Resource{x.counts * 1024, x.counts}) || s.AMRunning != (x.counts > 0) {
			t.Errorf("%s: %s counts, runs: %t", x.name, got, s.AMRunning)
		}
	}
}

// Errors name what is unknown to the scheduler, and its purpose.
func TestWhatIsUnknownIsNamed(t *testing.T) {
	k := newKit(t, Faults{}, ``, nil)
	k.node("h1", "r", 4, 4)
	a, ended := k.app(1, "root.a"), attemptOf(2)
	_, err := k.AddApp(k.now, ended.App, Submission{User: "u", Queue: "root.a"})
	k.must(err)
	c := Container{ID: ids.Container{Attempt: a, Seq: 1}, Node: "h9:1", Resource: Resource{1024, 1}}
	of := func(id ids.Attempt) Container { return Container{ID: ids.Container{Attempt: id, Seq: 1}, Node: "h1:1"} }
	_, noNode := k.RemoveNode(k.now, "h9:1")
	_, noAttempt := k.RemoveAttempt(k.now, attemptOf(9), false)
	runs, noApp := k.AddAttempt(k.now, AttemptSpec{ID: attemptOf(9)})
	for text, err := range map[string]error{
		"container container_1767225600000_0001_01_000001: node h9:1 is unknown to the scheduler":       k.Recover(k.now, c),
		"container container_1767225600000_0009_01_000001: its application is unknown to the scheduler": k.Recover(k.now, of(attemptOf(9))),
		"container container_1767225600000_0002_01_000001: its application is unknown to the scheduler": k.Recover(k.now, of(ended)),
		"node h9:1 is unknown to the scheduler":                                                         noNode,
		"attempt appattempt_1767225600000_0009_000001 is unknown to the scheduler":                      noAttempt,
		"attempt appattempt_1767225600000_0009_000001: its application is unknown to the scheduler":     noApp,
	} {
		if err == nil || err.Error() != text || !errors.Is(err, ErrUnknown) {
			t.Errorf("%v, want %s", err, text)
		}
	}
	for _, err := range []error{k.Drain(k.now, "h9:1", true), k.UpdateNodeResource(k.now, "h9:1", Resource{})} {
		if !errors.Is(err, ErrUnknown) {
			t.Errorf("a node that is not there: %v", err)
		}
	}
	if runs {
		t.Error("an attempt of nothing may run")
	}
	runs, err = k.AddAttempt(k.now, AttemptSpec{ID: ids.Attempt{App: a.App, Attempt: 2}})
	if runs || err == nil || err.Error() != "attempt appattempt_1767225600000_0001_000002: the application has attempt appattempt_1767225600000_0001_000001: remove it first" {
		t.Errorf("a second attempt beside the first: %t, %v", runs, err)
	}
	if events := k.RemoveApp(k.now, attemptOf(9).App); len(events) > 0 {
		t.Errorf("an application that is not there: %q", texts(events))
	}
	// An attempt that ended, and what it left running, is none that a container can come back to.
	k.wants(a, 1, 1)
	k.beat("h1")
	g, err := k.Allocate(k.now, a, Demand{})
	k.must(err)
	_, err = k.NodeUpdate(k.now, "h1:1", []ids.Container{g.Containers[0].ID}, nil)
	k.must(err)
	_, err = k.RemoveAttempt(k.now, a, true)
	k.must(err)
	if err := k.Recover(k.now, Container{ID: ids.Container{Attempt: a, Seq: 5}, Node: "h1:1"}); !errors.Is(err, ErrUnknown) {
		t.Errorf("of an attempt that ended: %v", err)
	}
	same(t, "its end", k.RemoveApp(k.now, a.App), "gone 1:1 h1:1 -100 KILL")
	if len(k.users) != 0 || !k.root.Usage.IsZero() {
		t.Errorf("%d users, %s in use", len(k.users), k.root.Usage)
	}
	if name, err := k.AddApp(k.now, a.App, Submission{User: "u", Queue: "root.c"}); name != "root.c" || err != nil {
		t.Errorf("it comes anew: %s, %v", name, err)
	}
	if name, err := k.AddApp(k.now, a.App, Submission{User: "u", Queue: "root.d"}); name != "root.c" || err != nil {
		t.Errorf("it is there already: %s, %v", name, err)
	}
}

// Each end of a container says what had it, and why it went.
func TestWhyContainersAreGone(t *testing.T) {
	given := func(managed bool) (*kit, Event) {
		k := newKit(t, Faults{}, ``, nil)
		k.node("h1", "r", 4, 4)
		k.node("h2", "r", 4, 4)
		if managed {
			k.managed(1, "root.a")
		} else {
			k.app(1, "root.a")
		}
		k.asks(attemptOf(1), Ask{Key{3, 4}, Any, Resource{1024, 2}, 1, true})
		e := k.beat("h1")[0]
		e.Kind = Gone
		return k, e
	}
	for name, x := range map[string]struct {
		end func(k *kit, id ids.Container) []Event
		End
	}{
		"its node says so": {func(k *kit, id ids.Container) []Event {
			events, err := k.NodeUpdate(k.now, "h1:1", nil, []Ended{{id, 143, "killed"}})
			k.must(err)
			return events[:1]
		}, End{143, "killed", Finished}},
		"released": {func(k *kit, id ids.Container) []Event {
			g, err := k.Allocate(k.now, id.Attempt, Demand{Release: []ids.Container{id}})
			k.must(err)
			return g.Events
		}, End{exitstatus.Aborted, DiagnosticsReleased, Released}},
		"its node is lost": {func(k *kit, _ ids.Container) []Event {
			events, err := k.RemoveNode(k.now, "h1:1")
			k.must(err)
			return events
		}, End{exitstatus.Aborted, DiagnosticsLost, Killed}},
		"its application ends": {func(k *kit, id ids.Container) []Event {
			return k.RemoveApp(k.now, id.Attempt.App)
		}, End{exitstatus.Aborted, DiagnosticsCompleted, Killed}},
	} {
		for _, managed := range []bool{true, false} {
			k, want := given(managed)
			want.ExitStatus, want.Diagnostics, want.Cause = x.ExitStatus, x.Diagnostics, x.Cause
			if got := x.end(k, want.Container); !slices.Equal(got, []Event{want}) || want.AM != managed || want.Key != (Key{3, 4}) || want.Resource != (Resource{1024, 2}) {
				t.Errorf("%s: %+v, want %+v", name, got, want)
			}
		}
	}
	// Another node's word about it does nothing, and what that node runs is not it.
	k, e := given(false)
	events, err := k.NodeUpdate(k.now, "h2:1", []ids.Container{e.Container}, []Ended{{ID: e.Container}})
	k.must(err)
	same(t, "another node's", events, "clean up 1:1 h2:1")
	if v, ok := k.WhyContainer(e.Container); !ok || v.Launched {
		t.Errorf("%+v, %t", v, ok)
	}
}
