package executor_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestTasksOfAnExecutorShareOneReading(t *testing.T) {
	x := newTorrent(t)
	job, made := shared(t, 3000)
	x.hasAll(made)
	second := task(t, job, 2)
	second.PartitionId = 1
	x.launch(task(t, job, 1))
	x.launch(second)
	x.wants("first")
	x.wants("second")
	slices.Sort(x.asked)
	want := []string{"broadcast_0_piece0", "broadcast_0_piece1", "broadcast_0_piece2"}
	slices.Sort(x.kept)
	if !slices.Equal(x.asked, want) || !slices.Equal(x.kept, want) {
		t.Errorf("it asked for %q and reported %q, want each piece once", x.asked, x.kept)
	}
	for _, id := range want { // for others
		if _, ok := x.blocks.cached(id); !ok {
			t.Errorf("%s is not served", id)
		}
	}
	x.asked = nil
	x.blocks.others = nil
	x.ends(task(t, job, 3), "first") // of what it keeps
	if len(x.asked) > 0 {
		t.Errorf("it asked for %q again", x.asked)
	}
}

// The end of one task takes the value from no other one.
func TestATaskHasItsBroadcastUntilItsEnd(t *testing.T) {
	x := newTorrent(t)
	words, made := cut(t, 1)
	x.hasAll(made)
	job := lateLookups.With(sharedArgs{words})
	late := task(t, job, 2)
	late.PartitionId = 1
	x.launch(late)
	x.ends(task(t, job, 1), "first")
	x.wants("second")
}

var lookedUp rdd.Broadcast[[]string]

// notedLookups leaves its Broadcast in lookedUp, as the executor has it.
var notedLookups = rdd.Define("executor test: noted lookups", func(a sharedArgs) rdd.Dataset[string] {
	lookedUp = a.Words
	late := rdd.Sleep(rdd.Range(0, 2, 2), func(i int64) time.Duration { return time.Duration(i) * time.Second })
	return rdd.Map(late, func(i int64) string { return a.Words.Value()[i] })
})

// looksUp reports whether the lineage of notedLookups has the value.
func looksUp() (ok bool) {
	defer func() { ok = recover() == nil }() // Value panics without one
	return len(lookedUp.Value()) > 0
}

func TestTheLastTaskThatUsesABroadcastTakesItsValueOut(t *testing.T) {
	x := newTorrent(t)
	words, made := cut(t, 1)
	x.hasAll(made)
	job := notedLookups.With(sharedArgs{words})
	late := task(t, job, 2)
	late.PartitionId = 1
	first := task(t, job, 1)
	for range 2 { // the second time the value comes from the block store
		x.launch(late)
		x.ends(first, "first")
		if !looksUp() {
			t.Error("the first task has taken the value from the second one")
		}
		x.wants("second")
		if looksUp() {
			t.Error("no task uses the value, and the lineage has it")
		}
	}
}

func TestAValueThatComesAfterItsTaskWasKilledIsNotPutIn(t *testing.T) {
	x := newTorrent(t)
	words, made := cut(t, 1)
	x.hasAll(made)
	fetching := false
	x.blocks.before = func(b *rpcenv.Blocking, _ rpcenv.Address, _ []string) error {
		fetching = true
		return b.Sleep(time.Second)
	}
	x.launch(task(t, notedLookups.With(sharedArgs{words}), 1))
	x.Until("the fetch", func() bool { return fetching })
	x.killed(1)
	x.Advance(2 * time.Second)
	if len(x.kept) != 1 || looksUp() {
		t.Errorf("it reported %q; that the lineage has the value is %t", x.kept, looksUp())
	}
}

func TestAValueIsReadOnceForAllTasks(t *testing.T) {
	x := newTorrent(t)
	words, made := cut(t, 1)
	x.hasAll(made)
	job := lookups.With(sharedArgs{words})
	x.ends(task(t, job, 1), "first")
	read := blocks.PieceID(0, 0)
	if !slices.Equal(x.kept, []string{read}) {
		t.Fatalf("it reported %q", x.kept)
	}
	before := x.readings()
	x.ends(task(t, job, 2), "first")
	if got := x.readings(); before != 1 || got != 1 {
		t.Errorf("the value was read %d times for one task, %d times for two", before, got)
	}
}

func TestARemovedBroadcastIsFetchedAgain(t *testing.T) {
	for _, fromDriver := range []bool{false, true} {
		x := newTorrent(t)
		job, made := shared(t, 2000)
		x.hasAll(made)
		x.ends(task(t, job, 1), "first")
		x.kept, x.asked = nil, nil
		got, err := rpctest.Ask[*storage.RemovedBlocks](x.driver, x.ref, &storage.RemoveBroadcast{RemoveFromDriver: fromDriver})
		if err != nil || got.GetBlocks() != 2 {
			t.Errorf("%v, %v", got, err)
		}
		x.Settle()
		want := map[bool]string{false: "[]", true: "[-broadcast_0_piece0 -broadcast_0_piece1]"}[fromDriver]
		if fmt.Sprint(x.kept) != want {
			t.Errorf("it reported %q, want %s", x.kept, want)
		}
		x.ends(task(t, job, 2), "first")
		if len(x.asked) != 2 {
			t.Errorf("it asked for %q, want both pieces again", x.asked)
		}
	}
}

func TestAKilledTaskLeavesTheReadingToOthers(t *testing.T) {
	x := newTorrent(t)
	job, made := shared(t, 2000)
	x.hasAll(made)
	x.launch(task(t, job, 1))
	x.launch(task(t, job, 2))
	x.driver.Send(x.ref, &app.KillTask{TaskId: 1, Reason: "test"})
	for range 2 {
		if u := x.end(); u.GetTaskId() == 1 && u.GetState() == app.TaskState_FAILED || u.GetTaskId() == 2 && u.GetState() != app.TaskState_FINISHED {
			t.Errorf("ended as %v", u)
		}
	}
	x.ends(task(t, job, 3), "first")
}
