package storage_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/messages/rpc"
	pb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// book is a BlockManagerMaster with a listener, and executors that it may ask.
type book struct {
	*rpctest.World
	t         *testing.T
	master    rpcenv.Ref
	scheduler *rpctest.Probe
	heard     []string
	executors map[string]*rpctest.Probe
	blocks    map[string]int32 // that each executor says it has removed; negative: it fails
}

func newBook(t *testing.T) *book {
	b := &book{World: rpctest.New(t, 1), t: t, executors: map[string]*rpctest.Probe{}, blocks: map[string]int32{}}
	env := b.Env("Driver", nil)
	dag := b.ProbeIn(env, "DAGScheduler")
	dag.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		u := m.(event.PartitionKept)
		b.heard = append(b.heard, fmt.Sprintf("rdd_%d_%d %s/%s %v", u.RDD, u.Partition, u.ExecutorID, u.Host, u.Kept))
		return true
	})
	b.master = b.Register(env, storage.MasterName, storage.NewMaster(dag.Ref))
	b.scheduler = b.ProbeIn(env, "CoarseGrainedScheduler")
	return b
}

func (b *book) register(executor, host string) {
	b.t.Helper()
	e := b.executors[executor]
	if e == nil {
		e = b.ProbeIn(b.ClientEnv("Exec"+executor, nil), "Executor")
		e.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			q, ok := m.(*pb.RemoveRdd)
			if ok && b.blocks[executor] < 0 {
				rpcenv.Fail(c, q, errors.New("it cannot"))
			} else if ok {
				rpcenv.Reply(c, q, &pb.RemovedBlocks{Blocks: b.blocks[executor]})
			}
			return ok
		})
		b.executors[executor] = e
		b.scheduler.Send(b.master, event.ExecutorChange{Kind: event.ExecutorAdded, ExecutorID: executor})
	}
	q := &pb.RegisterBlockManager{
		BlockManagerId: &pb.BlockManagerId{ExecutorId: executor, Host: host, Port: 1}, StorageEndpoint: &rpc.EndpointRef{Name: "Executor"},
	}
	if _, err := rpctest.Ask[*pb.BlockManagerRegistered](e, b.master, q); err != nil {
		b.t.Fatal(err)
	}
}

// update reports a block; without levels it is given up.
func (b *book) update(executor, block string, memory, disk int64) bool {
	b.t.Helper()
	e := b.executors[executor]
	got, err := rpctest.Ask[*rpc.Bool](e, b.master, &pb.UpdateBlockInfo{
		BlockManagerId: &pb.BlockManagerId{ExecutorId: executor}, BlockId: block, MemSize: memory, DiskSize: disk,
		StorageLevel: &pb.StorageLevel{UseMemory: memory > 0, UseDisk: disk > 0, Replication: 1},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return got.GetValue()
}

// at lists the holders of a block, in the order of the answer for a host, and the size in memory at the first.
func (b *book) at(block, host string) string {
	b.t.Helper()
	got, err := rpctest.Ask[*pb.BlockLocationsAndStatus](b.executors["0"], b.master, &pb.GetLocationsAndStatus{BlockId: block, RequesterHost: host})
	all, err2 := rpctest.Ask[*pb.BlockLocations](b.executors["0"], b.master, &pb.GetLocations{BlockId: block})
	if err != nil || err2 != nil || len(all.GetLocations()) != len(got.GetLocations()) {
		b.t.Fatal(err, err2, all, got)
	}
	var ids []string
	for _, l := range got.GetLocations() {
		ids = append(ids, l.GetExecutorId())
	}
	return fmt.Sprint(ids, got.GetMemSize())
}

func (b *book) want(lines ...string) {
	b.t.Helper()
	b.Settle()
	if !slices.Equal(b.heard, lines) {
		b.t.Errorf("heard %q, want %q", b.heard, lines)
	}
	b.heard = nil
}

func TestBlocksAreFoundWhereTheyWereReported(t *testing.T) {
	b := newBook(t)
	b.register("0", "h0")
	b.register("10", "h1")
	b.register("2", "h1")
	for i, id := range []string{"0", "10", "2"} {
		if !b.update(id, "rdd_3_1", int64(i+5), 0) {
			t.Error("a report was refused")
		}
	}
	b.want("rdd_3_1 0/h0 true", "rdd_3_1 10/h1 true", "rdd_3_1 2/h1 true")
	if got := b.at("rdd_3_1", "h1"); got != "[2 10 0] 7" {
		t.Errorf("at %s, want those of the host first", got)
	}
	b.update("2", "rdd_3_1", 0, 9) // it has moved to disk
	b.update("0", "rdd_3_1", 0, 0)
	b.want("rdd_3_1 0/h0 false")
	if got := b.at("rdd_3_1", "h0"); got != "[2 10] 0" {
		t.Errorf("at %s", got)
	}
	b.update("0", "taskresult_1", 1, 0) // no partition
	b.update("0", "rdd_3_1", 0, 0)      // it has it no more
	b.want()
}

func TestAnExecutorThatIsGoneHasNoBlocks(t *testing.T) {
	b := newBook(t)
	b.register("0", "h0")
	b.register("1", "h1")
	b.update("1", "rdd_3_0", 1, 0)
	b.update("1", "rdd_3_1", 1, 0)
	b.want("rdd_3_0 1/h1 true", "rdd_3_1 1/h1 true")
	b.scheduler.Send(b.master, event.ExecutorChange{Kind: event.ExecutorLost, ExecutorID: "1"})
	b.want("rdd_3_0 1/h1 false", "rdd_3_1 1/h1 false")
	if got := b.at("rdd_3_0", "h1"); got != "[] 0" {
		t.Errorf("at %s", got)
	}
	if b.update("1", "rdd_3_0", 1, 0) {
		t.Error("a report of an unknown block manager was taken")
	}
	b.want()
	b.register("0", "h0") // anew: what it had it reports again
	b.update("0", "rdd_3_0", 1, 0)
	b.register("0", "h0")
	b.want("rdd_3_0 0/h0 true", "rdd_3_0 0/h0 false")
}

func TestAnRDDIsRemovedEverywhere(t *testing.T) {
	b := newBook(t)
	for i, id := range []string{"0", "1", "2"} {
		b.register(id, "h")
		b.update(id, "rdd_3_0", 1, 0)
		b.update(id, "rdd_4_0", 1, 0)
		b.blocks[id] = int32(i) + 1
	}
	b.blocks["2"] = -1
	b.Settle()
	b.heard = nil
	got, err := rpctest.Ask[storage.RDDRemoved](b.scheduler, b.master, storage.RemoveRDD{ID: 3})
	if err != nil || got.Blocks != 3 {
		t.Errorf("%d blocks removed, error %v, want 1 and 2", got.Blocks, err)
	}
	if at := b.at("rdd_3_0", "h"); at != "[] 0" {
		t.Errorf("it is still at %s", at)
	}
	if at := b.at("rdd_4_0", "h"); at != "[0 1 2] 1" {
		t.Errorf("another one is at %s", at)
	}
}

// wants reports a block in memory that is to be kept on so many executors.
func (b *book) wants(executor, block string, replicas int32) {
	b.t.Helper()
	level := &pb.StorageLevel{UseMemory: true, UseDisk: true, Replication: replicas}
	if _, err := rpctest.Ask[*rpc.Bool](b.executors[executor], b.master, &pb.UpdateBlockInfo{
		BlockManagerId: &pb.BlockManagerId{ExecutorId: executor}, BlockId: block, MemSize: 1, WantedLevel: level,
		StorageLevel: &pb.StorageLevel{UseMemory: true, Replication: replicas},
	}); err != nil {
		b.t.Fatal(err)
	}
	b.Settle()
}

// copies are what the executors were asked to copy since the last time, as TO<FROM BLOCK.
func (b *book) copies() string {
	b.t.Helper()
	var out []string
	for _, id := range []string{"0", "1", "2", "3"} {
		e := b.executors[id]
		for e != nil && len(e.Waiting()) > 0 {
			q := e.Next().(*pb.ReplicateBlock)
			if !q.GetLevel().GetUseDisk() {
				b.t.Errorf("the copy is to be kept at %v", q.GetLevel())
			}
			out = append(out, id+"<"+q.GetFrom().GetExecutorId()+" "+q.GetBlockId())
		}
	}
	return fmt.Sprint(out)
}

func TestABlockIsCopiedToAsManyExecutorsAsItsLevelSays(t *testing.T) {
	b := newBook(t)
	for _, id := range []string{"0", "1", "2", "3"} {
		b.register(id, "h")
	}
	for _, step := range []struct {
		executor string
		replicas int32
		want     string
	}{
		{"1", 3, "[0<1 rdd_0_0 2<1 rdd_0_0]"},
		{"0", 3, "[]"}, // a copy is reported; the other one is under way
		{"2", 3, "[]"},
		{"2", 3, "[]"},
	} {
		b.wants(step.executor, "rdd_0_0", step.replicas)
		if got := b.copies(); got != step.want {
			t.Errorf("after the report of %s: copies %s, want %s", step.executor, got, step.want)
		}
	}
	b.wants("0", "rdd_0_1", 2) // 3 has none, all others have one
	if got := b.copies(); got != "[3<0 rdd_0_1]" {
		t.Errorf("copies %s", got)
	}
	b.wants("1", "rdd_0_2", 1)
	b.update("2", "rdd_0_0", 0, 0) // it had no room: nobody else is asked
	b.Settle()
	if got := b.copies(); got != "[]" {
		t.Errorf("copies %s", got)
	}
	b.scheduler.Send(b.master, event.ExecutorChange{Kind: event.ExecutorLost, ExecutorID: "1"})
	b.Settle()
	delete(b.executors, "1")
	if got := b.copies(); got != "[2<0 rdd_0_0 3<0 rdd_0_0]" { // proactively, from a replica that is left
		t.Errorf("copies %s after a loss", got)
	}
}
