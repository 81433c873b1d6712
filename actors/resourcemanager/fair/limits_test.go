package fair

import (
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// of is an unmanaged application of a user.
func (k *kit) of(user string, app int32, queue string) ids.Attempt {
	k.t.Helper()
	id := attemptOf(app)
	_, err := k.AddApp(k.now, id.App, Submission{User: user, Queue: queue})
	k.must(err)
	_, err = k.AddAttempt(k.now, AttemptSpec{ID: id, Unmanaged: true})
	k.must(err)
	return id
}

// runnable are the applications up to most that may run.
func (k *kit) runnable(most int32) (some []int32) {
	for id := range most {
		if s, ok := k.App(attemptOf(id + 1)); ok && s.Runnable {
			some = append(some, id+1)
		}
	}
	return some
}

func (k *kit) runs(what string, most int32, want ...int32) {
	k.t.Helper()
	if got := k.runnable(most); fmt.Sprint(got) != fmt.Sprint(want) {
		k.t.Errorf("%s: %v run, want %v", what, got, want)
	}
}

// Of applications that wait for one place of their user, and came at one time, the user's first runs first, in whatever queues.
func TestThoseOfAUserRunInTheOrderOfTheUser(t *testing.T) {
	for _, faults := range []Faults{{}, Upstream()} {
		k := newKit(t, faults, `<userMaxAppsDefault>1</userMaxAppsDefault><queue name="a"/><queue name="b"/>`, nil)
		first := k.of("u", 1, "root.a")
		k.of("u", 2, "root.b")
		k.of("u", 3, "root.a")
		k.RemoveApp(k.now, first.App)
		k.runs(fmt.Sprint("faults ", faults), 3, 2)
	}
}

// A running one counts for its user, and a waiting one stays in the user's list, until both are gone.
func TestAUserIsKeptWhileItHasApplications(t *testing.T) {
	k := newKit(t, Faults{}, `<userMaxAppsDefault>2</userMaxAppsDefault>`, nil)
	k.of("u", 1, "root.a")
	k.of("u", 2, "root.a")
	k.RemoveApp(k.now, attemptOf(1).App)
	k.of("u", 3, "root.a")
	k.of("u", 4, "root.a")
	k.runs("one of two ended", 4, 2, 3)

	k = newKit(t, Faults{}, `<userMaxAppsDefault>1</userMaxAppsDefault><queue name="b"><maxRunningApps>1</maxRunningApps></queue>`, nil)
	k.of("v", 1, "root.b")
	k.of("u", 2, "root.a")
	k.of("u", 3, "root.b")
	k.RemoveApp(k.now, attemptOf(2).App)
	if u := k.users["u"]; u == nil || u.running != 0 || len(u.waiting) != 1 {
		t.Errorf("while one waits: %+v", u)
	}
	k.RemoveApp(k.now, attemptOf(1).App)
	k.runs("its turn has come", 3, 3)
	k.RemoveApp(k.now, attemptOf(3).App)
	if len(k.users) != 0 {
		t.Errorf("users %v", k.users)
	}
}

// Waiting applications are searched in queues with a place: not in one at its limit, nor below it.
func TestWhereItIsLookedForWhoWaits(t *testing.T) {
	k := newKit(t, Faults{}, `<queue name="p"><maxRunningApps>2</maxRunningApps><queue name="a"/><queue name="b"><maxRunningApps>1</maxRunningApps></queue></queue><queue name="c"/>`, nil)
	lists := func(what string, want int) {
		t.Helper()
		if got := len(k.root.gather(nil)); got != want {
			t.Errorf("%s: %d lists, want %d", what, got, want)
		}
	}
	lists("a, b and c", 3)
	k.app(1, "root.p.b")
	lists("b has one of one", 2)
	k.app(2, "root.p.a")
	lists("p has two of two", 1)
}

// Lists of waiting applications are merged by start; of several that came at once, the first list's come before the second's.
func TestHowListsOfWhoWaitsAreMerged(t *testing.T) {
	for faults, want := range map[Faults]string{{}: "a0 a1 b0 b1 c0 c1 b2", Upstream(): "a0 c0 a1 c1 b0 b1 b2"} {
		var lists [][]*app
		for i, times := range [][]time.Duration{{1, 1}, {1, 1, 2}, {1, 1}} {
			var list []*app
			for j, at := range times {
				list = append(list, &app{schedulable: schedulable{Name: fmt.Sprintf("%c%d", 'a'+i, j), StartTime: at}})
			}
			lists = append(lists, list)
		}
		got := ""
		for _, a := range newKit(t, faults, ``, nil).merge(lists) {
			got += a.Name + " "
		}
		if got != want+" " {
			t.Errorf("faults %v: %s, want %s", faults, got, want)
		}
	}
}

// In Hadoop the list of the user whose limit the end of an application leaves counts though nobody is in it: of three lists of one time
// the last one comes before the second, of four the second. The first one here is of a user at the limit.
func TestAnEmptyListOfAUserChangesHadoopsOrder(t *testing.T) {
	for most, want := range map[int][]int32{1: {2, 4}, 2: {2, 3, 6}} {
		k := newKit(t, Upstream(), fmt.Sprintf(`<userMaxAppsDefault>%d</userMaxAppsDefault>
			<queue name="p"><maxRunningApps>1</maxRunningApps><queue name="b"/><queue name="c"/><queue name="d"/></queue>`, most), nil)
		next := int32(0)
		add := func(user, queue string) {
			next++
			k.of(user, next, queue)
		}
		add("u", "root.p.b")
		for range most {
			add("w", "root.o")
		}
		add("w", "root.p.b")
		add("v", "root.p.c")
		add("x", "root.p.d")
		k.RemoveApp(k.now, attemptOf(1).App)
		k.runs(fmt.Sprintf("with %d for each user", most), 6, want...)
	}
}
