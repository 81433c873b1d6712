package nodemanager

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/nodemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
)

// What started, and what ended, is remembered until just its time, and no longer.
func TestWhatIsRememberedOfAContainerExpires(t *testing.T) {
	now := time.UnixMilli(1000)
	early, just, late := containerID(app1, 1), containerID(app1, 2), containerID(app1, 3)
	b := newBooks()
	for id, ms := range map[ids.Container]int64{early: 999, just: 1000, late: 1001} {
		b.started[id], b.stopped[id] = ms, time.UnixMilli(ms)
	}
	b.expire(now)
	for id, kept := range map[ids.Container]bool{early: false, just: true, late: true} {
		_, started := b.started[id]
		_, stopped := b.stopped[id]
		if started != kept || stopped != kept {
			t.Errorf("%s: its start is remembered: %t, its end: %t, want %t", id, started, stopped, kept)
		}
	}
}

// The books know whose containers are whose, which live, and which ends are still to be reported.
func TestWhatTheBooksKnow(t *testing.T) {
	b := newBooks()
	one, two := &application{}, &application{}
	for i, x := range []*container{{app: one}, {app: two}, {app: one, reported: true}, {app: one}} {
		x.id = containerID(app1, int64(i))
		if i >= 2 {
			x.State = machine.Done
		}
		b.containers = append(b.containers, x)
	}
	if got := b.of(two); len(got) != 1 || got[0].id.Seq != 1 {
		t.Errorf("of the second: %v", got)
	}
	if got := b.ended(); len(got) != 1 || got[0].id.Seq != 3 {
		t.Errorf("to be reported: %v", got)
	}
	if got := b.live(); got != 2 {
		t.Error(got, "live")
	}
	x := &container{id: containerID(app1, 7), token: &yarn.ContainerTokenIdentifier{}}
	x.Diagnostics, x.ExitStatus = "why", 3
	if got := x.registered(); got.GetDiagnostics() != "why" || got.GetContainerExitStatus() != 3 {
		t.Errorf("%v", got)
	}
}

// What becomes of resources that two names stand for, and of those that went: a link is only to what is here.
func TestLinksAreToWhatIsHere(t *testing.T) {
	k := newCache()
	here, gone := cacheKey{Key: Key{URL: "here"}}, cacheKey{Key: Key{URL: "gone"}}
	k.get(here).Path = "/cache/here"
	if got := k.links([]want{{"a", here}, {"b", gone}, {"c", here}}); len(got) != 2 || got[0].Name != "a" || got[1].Name != "c" || got[1].Target != "/cache/here" {
		t.Errorf("%+v", got)
	}
}
