package storage_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/messages/rpc"
	pb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func manager(executor string) *pb.BlockManagerId { return &pb.BlockManagerId{ExecutorId: executor} }

// leaves decommissions executors.
func (b *book) leaves(ids ...string) {
	for _, id := range ids {
		b.scheduler.Send(b.master, event.ExecutorChange{Kind: event.ExecutorDecommissioned, ExecutorID: id})
	}
	b.Settle()
}

// peers are those that may take blocks of an executor.
func (b *book) peers(of string) string {
	b.t.Helper()
	r, err := rpctest.Ask[*pb.Peers](b.executors["0"], b.master, &pb.GetPeers{BlockManagerId: manager(of)})
	if err != nil {
		b.t.Fatal(err)
	}
	var ids []string
	for _, p := range r.GetPeers() {
		ids = append(ids, p.GetExecutorId()+"/"+p.GetHost())
	}
	return strings.Join(ids, " ")
}

func TestPeersAreAllThatStay(t *testing.T) {
	b := newBook(t)
	for _, id := range []string{"0", "1", "2", "10"} {
		b.register(id, "h"+id)
	}
	if got := b.peers("1"); got != "0/h0 2/h2 10/h10" {
		t.Errorf("peers %q", got)
	}
	b.leaves("1", "2")
	if got := b.peers("1"); got != "0/h0 10/h10" {
		t.Errorf("peers %q of one that leaves, with another", got)
	}
	b.scheduler.Send(b.master, event.ExecutorChange{Kind: event.ExecutorLost, ExecutorID: "10"})
	if got := b.peers("1"); got != "0/h0" {
		t.Errorf("peers %q, and one is lost", got)
	}
	if got := b.peers("nobody"); got != "" {
		t.Errorf("peers %q of an unknown one", got)
	}
}

func TestReplicasOfCachedBlocksThatStay(t *testing.T) {
	b := newBook(t)
	for _, id := range []string{"0", "1", "2"} {
		b.register(id, "h")
		b.update(id, "rdd_1_0", 1, 0)
	}
	b.update("0", "rdd_1_1", 1, 0)
	b.update("0", "taskresult_7", 1, 0)
	b.leaves("0", "2")
	r, err := rpctest.Ask[*pb.ReplicateInfo](b.executors["0"], b.master, &pb.GetReplicateInfoForRDDBlocks{BlockManagerId: manager("0")})
	var got []string
	for _, k := range r.GetBlocks() {
		got = append(got, k.GetBlockId())
		for _, at := range k.GetReplicas() {
			got = append(got, at.GetExecutorId())
		}
	}
	if want := []string{"rdd_1_0", "1", "rdd_1_1"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// A block that is to have another replica gets it where it stays.
func TestABlockIsNotCopiedToAnExecutorThatLeaves(t *testing.T) {
	b := newBook(t)
	var copied []string
	for _, id := range []string{"0", "1", "2"} {
		b.register(id, "h")
		b.executors[id].On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
			if _, ok := m.(*pb.ReplicateBlock); ok {
				copied = append(copied, id)
			}
			return true
		})
	}
	b.leaves("1")
	_, err := rpctest.Ask[*rpc.Bool](b.executors["0"], b.master, &pb.UpdateBlockInfo{
		BlockManagerId: manager("0"), BlockId: "rdd_1_0", MemSize: 1, StorageLevel: &pb.StorageLevel{UseMemory: true, Replication: 1},
		WantedLevel: &pb.StorageLevel{UseMemory: true, Replication: 3},
	})
	b.Settle()
	if err != nil || !slices.Equal(copied, []string{"2"}) {
		t.Errorf("copied to %v, %v", copied, err)
	}
}

// A move is the new place's to answer, and that is known before the answer.
func TestAMoveIsAnsweredByItsNewPlace(t *testing.T) {
	b := &book{World: rpctest.New(t, 1), t: t, executors: map[string]*rpctest.Probe{}, blocks: map[string]int32{}}
	env := b.Env("Driver", nil)
	dag := b.ProbeIn(env, "DAGScheduler")
	dag.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		if u, ok := m.(event.MapOutputMoved); ok {
			b.heard = append(b.heard, fmt.Sprintf("shuffle %d map %d to %s/%s", u.Shuffle, u.MapID, u.To.GetExecutorId(), u.To.GetHost()))
		}
		return true
	})
	master := storage.NewMaster(dag.Ref)
	master.MovesTo(dag.Ref)
	b.master = b.Register(env, storage.MasterName, master)
	b.scheduler = b.ProbeIn(env, "CoarseGrainedScheduler")
	for _, id := range []string{"0", "1", "2"} {
		b.register(id, "h"+id)
	}
	b.leaves("0", "2")
	var took *pb.CopyBlock
	b.executors["1"].On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*pb.CopyBlock)
		switch took = q; {
		case !ok:
		case q.GetBlockId() == "rdd_1_0":
			rpcenv.Reply(c, q, &rpc.Bool{})
		case q.GetBlockId() == "rdd_1_1":
			rpcenv.Fail(c, q, errors.New("no space left on device"))
		case q.GetBlockId() == "rdd_1_2":
			rpcenv.Fail(c, q, fmt.Errorf("%w: executor 1 takes no block", storage.ErrDecommissioned))
		default:
			call := rpcenv.Defer(c, q)
			rpcenv.Ask(c, b.master, &pb.UpdateBlockInfo{
				BlockManagerId: manager("1"), BlockId: q.GetBlockId(), StorageLevel: &pb.StorageLevel{UseDisk: true},
			}, func(*rpc.Bool, error) { call.Reply(&rpc.Bool{Value: true}) })
		}
		return ok
	})
	move := func(block, from, to string) string {
		r, err := rpctest.Ask[*rpc.Bool](b.executors["0"], b.master, &pb.MoveBlock{BlockId: block, From: manager(from), To: manager(to), Sizes: []int64{3}})
		if err != nil {
			return fmt.Sprint(errors.Is(err, storage.ErrDecommissioned), " ", err)
		}
		return fmt.Sprint(r.GetValue())
	}
	if got := move("shuffle_4_7_0.index", "0", "1"); got != "true" {
		t.Error(got)
	}
	if took.GetFrom().GetHost() != "h0" || !slices.Equal(took.GetSizes(), []int64{3}) {
		t.Errorf("asked for %v", took)
	}
	b.want("shuffle 4 map 7 to 1/h1")
	if got := b.at("shuffle_4_7_0.index", "h1"); got != "[] 0" {
		t.Errorf("a map output is among the cached blocks: at %s", got)
	}
	for block, want := range map[string]string{"rdd_1_0": "false", "rdd_1_1": "no space left", "rdd_1_2": "true "} {
		if got := move(block, "0", "1"); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", block, got, want)
		}
	}
	for _, k := range [][3]string{
		{"0", "2", "true "},
		{"0", "0", "no block manager that could take it"},
		{"0", "9", `"9" has no block manager that could take it`},
		{"9", "1", `"9" has no block manager`},
	} {
		if got := move("rdd_1_3", k[0], k[1]); !strings.Contains(got, k[2]) {
			t.Errorf("from %s to %s: %s, want %s", k[0], k[1], got, k[2])
		}
	}
	b.want()
}

func TestNamesOfMapOutputs(t *testing.T) {
	for id, ok := range map[string]bool{
		"shuffle_1_2_0.index": true, "shuffle_1_2_1.index": false, "shuffle_01_2_0.index": false, "shuffle_-1_2_0.index": false,
		"shuffle_1_2_0.index2": false, "shuffle_1_2_0": false, "rdd_1_2": false, "": false, "shuffle_1_9999999999999999999_0.index": false,
	} {
		shuffle, mapID, got := storage.ParseMapOutputID(id)
		if got != ok || ok && (shuffle != 1 || mapID != 2) {
			t.Errorf("%s: %d %d %v", id, shuffle, mapID, got)
		}
	}
}
