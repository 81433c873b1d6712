package executor_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// mover is the rig of an executor that moves its blocks away, and what BlockManagerMaster answers.
type mover struct {
	*rig
	peers   []string // executors
	answers map[string][]string
	held    []*storagepb.HeldBlock
	moves   []string // block and peer
	asked   []*storagepb.MoveBlock
	gone    []string // blocks that are reported as kept no more
	rounds  int      // questions for peers
	fails   int      // so many of the next questions for peers do
	holds   bool     // questions for peers are not answered
	forgets bool     // the next question for replicas fails
	news    []string // the peers after an answer "gone for others"
}

// newMover is an executor whose job has left two map outputs, of the tasks 1 and 2.
func newMover(t *testing.T, settings ...*app.Property) *mover {
	t.Helper()
	settings = append(settings, &app.Property{Key: "spark.decommission.enabled", Value: "true"},
		&app.Property{Key: "spark.storage.decommission.enabled", Value: "true"})
	m := &mover{rig: startRig(t, nil, settings...), answers: map[string][]string{}}
	m.expect(&app.LaunchedExecutor{})
	m.manager.On(func(c *rpcenv.Context, q rpcenv.Message) bool {
		switch q := q.(type) {
		case *storagepb.GetPeers:
			m.rounds++
			m.wantOwn(q.GetBlockManagerId())
			if m.holds {
				rpcenv.Defer(c, q)
				break
			}
			if m.fails > 0 {
				m.fails--
				rpcenv.Fail(c, q, errors.New("busy"))
				break
			}
			r := &storagepb.Peers{}
			for _, id := range m.peers {
				r.Peers = append(r.Peers, &storagepb.BlockManagerId{ExecutorId: id})
			}
			rpcenv.Reply(c, q, r)
		case *storagepb.GetReplicateInfoForRDDBlocks:
			m.wantOwn(q.GetBlockManagerId())
			if m.forgets {
				m.forgets = false
				rpcenv.Fail(c, q, errors.New("busy"))
				break
			}
			rpcenv.Reply(c, q, &storagepb.ReplicateInfo{Blocks: m.held})
		case *storagepb.MoveBlock:
			m.answer(c, q)
		case *storagepb.UpdateBlockInfo:
			if l := q.GetStorageLevel(); !l.GetUseMemory() && !l.GetUseDisk() {
				m.gone = append(m.gone, q.GetBlockId())
			}
			rpcenv.Reply(c, q, &rpc.Bool{Value: true})
		case *storagepb.GetLocationsAndStatus:
			rpcenv.Reply(c, q, &storagepb.BlockLocationsAndStatus{})
		default:
			return false
		}
		return true
	})
	return m
}

// wantOwn wants the executor's own block manager in a question.
func (m *mover) wantOwn(id *storagepb.BlockManagerId) {
	if id.GetExecutorId() != "0" {
		m.t.Errorf("it asks as %v", id)
	}
}

// answer answers a move as the test says for the peer, one after the other; the last stays.
func (m *mover) answer(c *rpcenv.Context, q *storagepb.MoveBlock) {
	peer := q.GetTo().GetExecutorId()
	m.asked = append(m.asked, q)
	m.wantOwn(q.GetFrom())
	m.moves = append(m.moves, q.GetBlockId()+">"+peer)
	how := "takes"
	if all := m.answers[peer]; len(all) > 0 {
		how = all[0]
		m.answers[peer] = all[min(1, len(all)-1):]
	}
	switch how {
	case "takes":
		rpcenv.Reply(c, q, &rpc.Bool{Value: true})
	case "full":
		rpcenv.Reply(c, q, &rpc.Bool{})
	case "leaves":
		rpcenv.Fail(c, q, fmt.Errorf("%w: executor %s", storage.ErrDecommissioned, peer))
	case "gone for others":
		m.peers = m.news
		rpcenv.Fail(c, q, errors.New("gone"))
	case "keeps": // it never answers
		rpcenv.Defer(c, q)
	default:
		rpcenv.Fail(c, q, errors.New(how))
	}
}

// mapped runs map tasks of those ids.
func (m *mover) mapped(ids ...int64) {
	m.t.Helper()
	for _, id := range ids {
		d := task(m.t, parities.With(none{}), id)
		shuffle := int32(0)
		d.Node, d.ShuffleId, d.Shuffles, d.PartitionId = 1, &shuffle, []int32{0}, int32(id%2)
		m.launch(d)
		if u := m.end(); u.GetState() != app.TaskState_FINISHED {
			m.t.Fatal(u)
		}
	}
}

// ends decommissions the executor, and wants the moves that it made and how long it took to end, in seconds.
func (m *mover) ends(seconds int, moves ...string) {
	m.t.Helper()
	start := m.Now()
	m.driver.Send(m.ref, &app.DecommissionExecutor{})
	m.expect(&app.RemoveExecutor{})
	if code := m.exited(); code != 0 {
		m.t.Errorf("exit code %d", code)
	}
	if !slices.Equal(m.moves, moves) {
		m.t.Errorf("moves %q, want %q", m.moves, moves)
	}
	if took := int(m.Now().Sub(start) / time.Second); took != seconds {
		m.t.Errorf("after %d s, want %d", took, seconds)
	}
}

const first, second = "shuffle_0_1_0.index", "shuffle_0_2_0.index"

func TestADecommissionedExecutorMovesItsMapOutputs(t *testing.T) {
	m := newMover(t)
	m.peers = []string{"7"}
	m.mapped(1, 2)
	m.ends(1, first+">7", second+">7")
}

func TestEachPeerTakesAnOutputAtATime(t *testing.T) {
	m := newMover(t)
	m.peers, m.answers = []string{"7", "8"}, map[string][]string{"7": {"keeps"}}
	m.mapped(1, 2, 3)
	m.driver.Send(m.ref, &app.DecommissionExecutor{})
	m.driver.Quiet(20 * time.Second) // the output at 7 is not safe
	count := func(peer string) (n int) {
		for _, move := range m.moves {
			if strings.HasSuffix(move, ">"+peer) {
				n++
			}
		}
		return n
	}
	if count("7") != 1 || count("8") != 2 {
		t.Errorf("moves %q", m.moves)
	}
}

func TestMaxThreadsBoundsThePeers(t *testing.T) {
	m := newMover(t, &app.Property{Key: "spark.storage.decommission.shuffleBlocks.maxThreads", Value: "1"})
	m.peers, m.answers = []string{"7", "8"}, map[string][]string{"7": {"keeps"}, "8": {"keeps"}}
	m.mapped(1, 2)
	m.driver.Send(m.ref, &app.DecommissionExecutor{})
	m.driver.Quiet(20 * time.Second)
	if len(m.moves) != 1 {
		t.Errorf("moves %q", m.moves)
	}
}

func TestAnOutputGoesToAnotherPeerWhenOneFails(t *testing.T) {
	for _, how := range []string{"gone", "leaves", "full"} {
		m := newMover(t)
		m.peers, m.answers = []string{"7"}, map[string][]string{"7": {how}}
		m.mapped(1)
		m.driver.Send(m.ref, &app.DecommissionExecutor{})
		m.peers = []string{"7"}
		m.Until("the failure", func() bool { return len(m.moves) == 1 })
		m.peers = []string{"7", "8"} // it asks for others at once
		m.expect(&app.RemoveExecutor{})
		if want := []string{first + ">7", first + ">8"}; !slices.Equal(m.moves, want) {
			t.Errorf("%s: moves %q, want %q", how, m.moves, want)
		}
	}
}

func TestAnOutputIsGivenUpAfterSomeFailures(t *testing.T) {
	m := newMover(t, &app.Property{Key: "spark.storage.decommission.maxReplicationFailuresPerBlock", Value: "2"})
	m.peers = []string{"7", "8", "9"}
	for _, p := range m.peers {
		m.answers[p] = []string{"gone"}
	}
	m.mapped(1)
	m.driver.Send(m.ref, &app.DecommissionExecutor{})
	m.expect(&app.RemoveExecutor{})
	if len(m.moves) != 2 {
		t.Errorf("moves %q, want two", m.moves)
	}
	// A peer that leaves is no failure of the output.
	m = newMover(t, &app.Property{Key: "spark.storage.decommission.maxReplicationFailuresPerBlock", Value: "1"})
	m.peers = []string{"7", "8", "9"}
	for _, p := range m.peers {
		m.answers[p] = []string{"leaves"}
	}
	m.mapped(1)
	m.driver.Send(m.ref, &app.DecommissionExecutor{})
	m.expect(&app.RemoveExecutor{})
	if len(m.moves) != 3 {
		t.Errorf("moves %q, want three", m.moves)
	}
}

// An executor that has no peer left asks for others at once, not only in the next round.
func TestAnOutputGoesToAnExecutorThatHasComeMeanwhile(t *testing.T) {
	m := newMover(t)
	m.peers, m.news, m.answers = []string{"7"}, []string{"8"}, map[string][]string{"7": {"gone for others"}}
	m.mapped(1)
	m.ends(1, first+">7", first+">8")
}

func TestWithoutPeersAnExecutorKeepsItsBlocksAndEnds(t *testing.T) {
	m := newMover(t)
	m.mapped(1)
	m.ends(1)
}

func TestWithoutTheSettingsNothingMoves(t *testing.T) {
	m := newMover(t, &app.Property{Key: "spark.storage.decommission.shuffleBlocks.enabled", Value: "false"})
	m.peers = []string{"7"}
	m.mapped(1)
	m.ends(1)
}

var keptSquares = rdd.Define("executor test: kept squares", func(none) rdd.Dataset[int64] {
	return rdd.Persist(rdd.Map(rdd.Range(0, 10, 2), func(n int64) int64 { return n * n }), rdd.MemoryOnly)
})

// cache makes the executor keep a partition of dataset 0 for each number.
func (m *mover) cache(partitions ...int32) {
	m.t.Helper()
	for i, p := range partitions {
		d := task(m.t, keptSquares.With(none{}), int64(i+1))
		d.PartitionId, d.Persisted = p, []*app.PersistedNode{{
			Node: d.GetNode(), RddId: 0, Level: &storagepb.StorageLevel{UseMemory: true, Replication: 1},
		}}
		m.launch(d)
		if u := m.end(); u.GetState() != app.TaskState_FINISHED {
			m.t.Fatal(u)
		}
	}
}

func TestADecommissionedExecutorMovesItsCachedBlocks(t *testing.T) {
	m := newMover(t)
	m.peers = []string{"7"}
	m.cache(0, 1)
	m.ends(1, "rdd_0_0>7", "rdd_0_1>7")
}

func TestACachedBlockGoesWhereItIsNot(t *testing.T) {
	m := newMover(t)
	m.peers = []string{"7", "8"}
	m.held = []*storagepb.HeldBlock{
		{BlockId: "rdd_0_0", Replicas: []*storagepb.BlockManagerId{{ExecutorId: "7"}}},
		{BlockId: "rdd_0_1", Replicas: []*storagepb.BlockManagerId{{ExecutorId: "7"}, {ExecutorId: "8"}}},
	}
	m.cache(0, 1)
	m.ends(1, "rdd_0_0>8")
}
