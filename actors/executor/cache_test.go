package executor_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

var twiceKept = rdd.Define("executor test: twice kept", func(none) rdd.Dataset[int64] {
	inner := rdd.Persist(rdd.Range(0, 10, 2), rdd.MemoryOnly)
	return rdd.Persist(rdd.Map(inner, func(n int64) int64 { return n * n }), rdd.MemoryOnly)
})

// keeping is a task whose persisted nodes are the datasets 0, 1 and so on, from the first node to the last.
func keeping(t *testing.T, b rdd.Bound[int64], id int64) *app.TaskDescription {
	t.Helper()
	d := task(t, b, id)
	inv, err := b.Invocation()
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range inv.Lineage.Persisted() {
		d.Persisted = append(d.Persisted, &app.PersistedNode{
			Node: int32(p.Node), RddId: int32(i), Level: &storage.StorageLevel{UseMemory: true, Replication: 1},
		})
	}
	return d
}

// answers makes BlockManagerMaster answer the questions for a block by f.
func (x *torrent) answers(f func(c *rpcenv.Context, q *storage.GetLocationsAndStatus)) {
	x.manager.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*storage.GetLocationsAndStatus)
		if ok {
			f(c, q)
		}
		return ok
	})
}

// here reports whether the executor keeps a block.
func (x *torrent) here(id string) bool {
	_, ok := x.blocks.cached(id)
	return ok
}

func TestTheQuestionForAKeptPartitionNamesItAndTheHost(t *testing.T) {
	x := newTorrent(t)
	var asked []string
	x.answers(func(c *rpcenv.Context, q *storage.GetLocationsAndStatus) {
		asked = append(asked, textOf(q))
		rpcenv.Reply(c, q, &storage.BlockLocationsAndStatus{})
	})
	d := keeping(t, keptSquares.With(none{}), 1)
	d.PartitionId = 1
	for _, read := range []int64{0, 5} { // the second time the partition is here
		x.launch(d)
		if u := x.end(); u.GetState() != app.TaskState_FINISHED || u.GetResult().GetCount() != 5 || u.GetResult().GetRecordsRead() != read {
			t.Errorf("the task ended as %v, want %d records read", u, read)
		}
	}
	if want := []string{`GetLocationsAndStatus{block_id:"rdd_0_1" requester_host:"10.0.0.2"}`}; !slices.Equal(asked, want) {
		t.Errorf("it asked %q, want %q", asked, want)
	}
}

func TestEachNodeIsKeptAsItsOwnDataset(t *testing.T) {
	x := newTorrent(t)
	x.ends(keeping(t, twiceKept.With(none{}), 1), "")
	if want := []string{"rdd_1_0", "rdd_0_0"}; !slices.Equal(x.asked, want) {
		t.Errorf("it asked for %q, want %q", x.asked, want)
	}
	if want := []string{"rdd_0_0", "rdd_1_0"}; !slices.Equal(x.kept, want) {
		t.Errorf("it keeps %q, want %q", x.kept, want)
	}
}

// A task that computed what others may have would do their work again without a word.
func TestATaskFailsWhenNobodySaysWhoHasAPartition(t *testing.T) {
	x := newTorrent(t)
	x.answers(func(c *rpcenv.Context, q *storage.GetLocationsAndStatus) {
		rpcenv.Fail(c, q, rpcenv.NewRefusal("test.closed", "no such endpoint"))
	})
	x.launch(keeping(t, keptSquares.With(none{}), 1))
	u := x.end()
	if want := "ask who has block rdd_0_0: no such endpoint"; u.GetState() != app.TaskState_FAILED || u.GetFailure().GetMessage() != want {
		t.Errorf("the task ended as %v, want %s", u, want)
	}
	if x.here("rdd_0_0") {
		t.Error("the partition was computed")
	}
}

func TestATaskThatIsKilledWhileItAsksComputesNothing(t *testing.T) {
	x := newTorrent(t)
	asked := false
	x.answers(func(c *rpcenv.Context, q *storage.GetLocationsAndStatus) {
		rpcenv.Defer(c, q)
		asked = true
	})
	x.launch(keeping(t, keptSquares.With(none{}), 1))
	x.Until("the question", func() bool { return asked })
	x.killed(1)
	if x.here("rdd_0_0") {
		t.Error("the partition was computed")
	}
}

// killed kills a task, and wants it to end so.
func (x *torrent) killed(id int64) {
	x.t.Helper()
	x.driver.Send(x.ref, &app.KillTask{TaskId: id, Executor: "0", Reason: "test"})
	if u := x.end(); u.GetTaskId() != id || u.GetState() != app.TaskState_KILLED {
		x.t.Errorf("ended as %v", u)
	}
}

// A holder that cannot give a partition is passed over, and this executor itself is none. What comes from another one is not kept here.
func TestAKeptPartitionComesFromTheNextHolder(t *testing.T) {
	x := newTorrent(t)
	x.ends(keeping(t, keptSquares.With(none{}), 1), "")
	data, ok := x.blocks.cached("rdd_0_0")
	if !ok {
		t.Fatal("it is not kept")
	}
	x = newTorrent(t)
	x.blocks.others[5] = map[string][]byte{"rdd_0_0": {0xff}}
	x.blocks.others[6] = map[string][]byte{"rdd_0_0": data}
	x.holders = []*storage.BlockManagerId{holder("0", 3), holder("1", 4), holder("2", 5), holder("3", 6)}
	var tried []string
	x.blocks.before = func(_ *rpcenv.Blocking, from rpcenv.Address, _ []string) error {
		tried = append(tried, from.String())
		return nil
	}
	x.launch(keeping(t, keptSquares.With(none{}), 1))
	if u := x.end(); u.GetState() != app.TaskState_FINISHED || u.GetResult().GetCount() != 5 {
		t.Errorf("the task ended as %v", u)
	}
	if want := []string{"10.0.0.9:4", "10.0.0.9:5", "10.0.0.9:6"}; !slices.Equal(tried, want) || x.here("rdd_0_0") {
		t.Errorf("it tried %q, want %q; it was computed: %t", tried, want, x.here("rdd_0_0"))
	}
}

func TestATaskThatIsKilledWhileItFetchesTriesNoOtherHolder(t *testing.T) {
	x := newTorrent(t)
	x.holders = []*storage.BlockManagerId{holder("1", 4), holder("2", 5)}
	var tried []int
	x.blocks.before = func(b *rpcenv.Blocking, from rpcenv.Address, _ []string) error {
		tried = append(tried, from.Port)
		return b.Sleep(time.Hour)
	}
	x.launch(keeping(t, keptSquares.With(none{}), 1))
	x.Until("the fetch", func() bool { return len(tried) > 0 })
	x.killed(1)
	if want := []int{4}; !slices.Equal(tried, want) || x.here("rdd_0_0") {
		t.Errorf("it tried %d, want %d; it was computed: %t", tried, want, x.here("rdd_0_0"))
	}
}

// Of two tasks that compute the same partition the slower one keeps nothing, and ends as well.
func TestAPartitionThatAnotherTaskHasKeptMeanwhileIsOnlyRead(t *testing.T) {
	x := newTorrent(t)
	var held rpcenv.Call[*storage.BlockLocationsAndStatus]
	n := 0
	x.answers(func(c *rpcenv.Context, q *storage.GetLocationsAndStatus) {
		if n++; n == 1 {
			held = rpcenv.Defer(c, q)
			return
		}
		rpcenv.Reply(c, q, &storage.BlockLocationsAndStatus{})
	})
	x.launch(keeping(t, keptSquares.With(none{}), 1))
	x.Until("the question", func() bool { return n == 1 })
	x.launch(keeping(t, keptSquares.With(none{}), 2))
	if u := x.end(); u.GetTaskId() != 2 || u.GetState() != app.TaskState_FINISHED {
		t.Fatalf("ended as %v", u)
	}
	x.manager.Do(func(*rpcenv.Context) { held.Reply(&storage.BlockLocationsAndStatus{}) })
	if u := x.end(); u.GetTaskId() != 1 || u.GetState() != app.TaskState_FINISHED || u.GetResult().GetCount() != 5 {
		t.Errorf("ended as %v", u)
	}
	if want := []string{"rdd_0_0"}; !slices.Equal(x.kept, want) {
		t.Errorf("it reported %q, want %q", x.kept, want)
	}
}

func TestAPartitionWithoutRoomIsComputedAndNotKept(t *testing.T) {
	x := newTorrent(t, &app.Property{Key: "spark.memory.fraction", Value: "0"})
	for id := range int64(2) {
		x.launch(keeping(t, keptSquares.With(none{}), id))
		if u := x.end(); u.GetState() != app.TaskState_FINISHED || u.GetResult().GetCount() != 5 {
			t.Errorf("ended as %v", u)
		}
	}
	if want := []string{"rdd_0_0", "rdd_0_0"}; !slices.Equal(x.asked, want) || len(x.kept) > 0 {
		t.Errorf("it asked for %q and reported %q", x.asked, x.kept)
	}
}

// A copy comes in its encoding. The first task that reads it here gives its records back, which later tasks read.
func TestACopyIsKeptAsRecordsOnceItIsRead(t *testing.T) {
	x := newTorrent(t)
	x.ends(keeping(t, keptSquares.With(none{}), 1), "")
	data, _ := x.blocks.cached("rdd_0_0")
	x = newTorrent(t)
	x.blocks.others[9] = map[string][]byte{"rdd_0_0": data}
	var reported []string
	x.manager.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		if u, ok := m.(*storage.UpdateBlockInfo); ok {
			reported = append(reported, fmt.Sprintf("%t %d", u.GetStorageLevel().GetDeserialized(), u.GetMemSize()))
		}
		return false
	})
	x.manager.Send(x.ref, &storage.ReplicateBlock{
		BlockId: "rdd_0_0", From: holder("4", 9), Level: &storage.StorageLevel{UseMemory: true, Deserialized: true, Replication: 2},
	})
	x.Settle()
	for range 2 {
		x.launch(keeping(t, keptSquares.With(none{}), 1))
		if u := x.end(); u.GetState() != app.TaskState_FINISHED || u.GetResult().GetRecordsRead() != 5 {
			t.Errorf("the task ended as %v", u)
		}
	}
	if want := []string{"false 5", "true 40"}; !slices.Equal(reported, want) {
		t.Errorf("it reported %q, want %q", reported, want)
	}
	if got, ok := x.blocks.cached("rdd_0_0"); !ok || !slices.Equal(got, data) {
		t.Errorf("others get %q, want %q", got, data)
	}
}
