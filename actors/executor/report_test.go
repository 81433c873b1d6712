package executor_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// replicate tells the executor to copy partition 0 of dataset 0 from the executor at port 9.
func (x *torrent) replicate() {
	x.t.Helper()
	x.manager.Send(x.ref, &storage.ReplicateBlock{
		BlockId: "rdd_0_0", From: holder("4", 9), Level: &storage.StorageLevel{UseMemory: true, Replication: 2},
	})
	x.Settle()
}

func TestAnExecutorCopiesABlockWhenItIsToldTo(t *testing.T) {
	x := newTorrent(t)
	x.replicate() // which nobody has
	if len(x.kept) > 0 || x.here("rdd_0_0") {
		t.Errorf("it reported %q", x.kept)
	}
	block := blocks.Encode([][]byte{[]byte("ab"), []byte("c")})
	x.blocks.others[9] = map[string][]byte{"rdd_0_0": block}
	for range 2 { // the second time it is here
		x.replicate()
		if data, _ := x.blocks.cached("rdd_0_0"); !slices.Equal(data, block) || !slices.Equal(x.kept, []string{"rdd_0_0"}) {
			t.Errorf("it has %q, and reported %q", data, x.kept)
		}
	}
}

func TestReportBlocksIsAnsweredWhenTheReportsAre(t *testing.T) {
	x := newTorrent(t)
	var held rpcenv.Call[*rpc.Bool]
	reports := 0
	x.manager.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		u, ok := m.(*storage.UpdateBlockInfo)
		if ok {
			held = rpcenv.Defer(c, u)
			reports++
		}
		return ok
	})
	var answers []bool
	x.blocks.others[9] = map[string][]byte{"rdd_0_0": blocks.Encode([][]byte{[]byte("ab")})}
	x.replicate()
	x.ProbeIn(x.env, "Task").Do(func(c *rpcenv.Context) {
		rpcenv.Ask(c, x.env.Ref(x.env.Address(), executor.Name), executor.ReportBlocks{}, func(r *rpc.Bool, err error) {
			answers = append(answers, r.GetValue() && err == nil)
		})
	})
	x.Settle()
	if reports != 1 || len(answers) > 0 {
		t.Fatalf("%d reports, answers %t before the report was answered", reports, answers)
	}
	x.manager.Do(func(*rpcenv.Context) { held.Reply(&rpc.Bool{Value: true}) })
	x.Settle()
	if want := []bool{true}; !slices.Equal(answers, want) {
		t.Errorf("answers %t, want %t", answers, want)
	}
}

func TestReportBlocksIsAnsweredAtOnceWhenNothingHasChanged(t *testing.T) {
	x := newTorrent(t)
	r, err := rpctest.Ask[*rpc.Bool](x.ProbeIn(x.env, "Task"), x.env.Ref(x.env.Address(), executor.Name), executor.ReportBlocks{})
	if err != nil || !r.GetValue() || len(x.kept) > 0 {
		t.Errorf("%v, %v, reports %q", r, err, x.kept)
	}
}

// A block that is to have one copy has no wanted level.
func TestAReportSaysWhereABlockIsAndHowItIsWanted(t *testing.T) {
	x := newTorrent(t)
	var got []string
	x.manager.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		if u, ok := m.(*storage.UpdateBlockInfo); ok {
			got = append(got, textOf(u))
		}
		return false
	})
	x.blocks.others[9] = map[string][]byte{}
	for id, level := range map[string]*storage.StorageLevel{
		"rdd_0_0": {UseMemory: true, Replication: 2}, "rdd_0_1": {UseMemory: true, Replication: 1}, "rdd_0_2": {UseDisk: true, Replication: 1},
	} {
		x.blocks.others[9][id] = blocks.Encode([][]byte{[]byte("ab")})
		x.manager.Send(x.ref, &storage.ReplicateBlock{BlockId: id, From: holder("4", 9), Level: level})
		x.Settle()
	}
	slices.Sort(got)
	const by = `UpdateBlockInfo{block_manager_id:{executor_id:"0" host:"10.0.0.2" port:1} block_id:`
	want := []string{
		by + `"rdd_0_0" storage_level:{use_memory:true replication:2} mem_size:2 wanted_level:{use_memory:true replication:2}}`,
		by + `"rdd_0_1" storage_level:{use_memory:true replication:1} mem_size:2}`,
		by + `"rdd_0_2" storage_level:{use_disk:true replication:1} disk_size:4}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("it reported\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A driver that does not know the block manager any more hears of it anew, once for several refusals, and of all its blocks.
func TestARefusedReportRegistersTheBlockManagerAgainWithAllItsBlocks(t *testing.T) {
	x := newTorrent(t)
	x.blocks.others[9] = map[string][]byte{"rdd_0_0": blocks.Encode([][]byte{[]byte("ab")})}
	x.replicate()
	job, made := shared(t, 3000)
	x.hasAll(made)
	known, registered := true, 0
	var refused, reported []string // before it registered again, and after
	x.manager.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		switch m := m.(type) {
		case *storage.RegisterBlockManager:
			if m.GetIsReRegister() {
				known = true
				registered++
			}
		case *storage.UpdateBlockInfo:
			if known {
				reported = append(reported, m.GetBlockId())
				return false
			}
			refused = append(refused, m.GetBlockId())
			rpcenv.Reply(c, m, &rpc.Bool{})
			return true
		}
		return false
	})
	for id := range int64(2) {
		x.ends(task(t, job, id), "first")
		known, registered, refused, reported = false, 0, nil, nil
		x.driver.Send(x.ref, &storage.RemoveBroadcast{RemoveFromDriver: true})
		x.Settle()
		gone := []string{"broadcast_0_piece0", "broadcast_0_piece1", "broadcast_0_piece2"}
		if left := []string{"rdd_0_0"}; registered != 1 || !slices.Equal(refused, gone) || !slices.Equal(reported, left) {
			t.Errorf("it registered %d times, reported %q, want %q, and then %q, want %q", registered, refused, gone, reported, left)
		}
	}
}

func TestADatasetThatIsRemovedLeavesTheOthersAndIsNotReported(t *testing.T) {
	x := newTorrent(t)
	x.ends(keeping(t, twiceKept.With(none{}), 1), "")
	x.kept = nil
	for _, want := range []int32{1, 0} {
		got, err := rpctest.Ask[*storage.RemovedBlocks](x.driver, x.ref, &storage.RemoveRdd{RddId: 0})
		if err != nil || got.GetBlocks() != want {
			t.Errorf("%v, %v, want %d", got, err, want)
		}
	}
	if x.here("rdd_0_0") || !x.here("rdd_1_0") || len(x.kept) > 0 {
		t.Errorf("0 is here: %t, 1 is: %t; it reported %q", x.here("rdd_0_0"), x.here("rdd_1_0"), x.kept)
	}
}

func TestABlockIsCopiedWhenItsReportIsAnswered(t *testing.T) {
	r := copies(t)
	r.blocks.others[9]["rdd_0_0"] = blocks.Encode([][]byte{[]byte("ab")})
	if got := r.copy("rdd_0_0"); got != "true" {
		t.Error(got)
	}
	r.wantHeard("rdd_0_0 0")
}
