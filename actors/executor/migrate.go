package executor

import (
	"errors"

	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/messages/rpc"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// MigrateBlocks is the tick by which a decommissioned executor looks for blocks to move away, and for executors that take them.
type MigrateBlocks struct{ rpcenv.Local }

// migration is how far a decommissioned executor has come with moving its blocks away. It mirrors
// org.apache.spark.storage.BlockManagerDecommissioner, whose threads are asks here: one for each peer that takes a map output, and one for
// the cached blocks.
type migration struct {
	maxFailures int // of one block
	peers       []*storagepb.BlockManagerId
	asking      bool // for peers
	begun       bool // peers are known
	outputs     outputMoves
	cached      cachedMoves
}

// startMigration begins to move away what the settings say.
func (e *Executor) startMigration(c *rpcenv.Context) {
	outputs, cached := storage.DecommissionShuffleBlocks.Get(c.Conf()), storage.DecommissionRDDBlocks.Get(c.Conf())
	if !storage.MigrationEnabled.Get(c.Conf()) || !outputs && !cached {
		return
	}
	c.Log().Info("Starting block migration")
	e.state.migration = &migration{
		maxFailures: storage.DecommissionMaxFailures.Get(c.Conf()),
		outputs: outputMoves{
			on: outputs, atOnce: storage.DecommissionMaxThreads.Get(c.Conf()),
			known: map[outputKey]bool{}, busy: map[string]bool{}, failed: map[string]bool{},
		},
		cached: cachedMoves{on: cached, failures: map[string]int{}},
	}
	c.Every(0, storage.DecommissionReattemptInterval.Get(c.Conf()), MigrateBlocks{})
}

// migrateBlocks begins a round: it asks who takes blocks, and goes on with them.
func (e *Executor) migrateBlocks(c *rpcenv.Context) {
	m := e.state.migration
	if m.asking || !m.outputs.on && !m.cached.on {
		return
	}
	m.asking = true
	rpcenv.Ask(c, e.blocks, &storagepb.GetPeers{BlockManagerId: e.blockManagerID()}, func(r *storagepb.Peers, err error) {
		m.asking = false
		if err != nil {
			c.Log().Warnf("Asking for peers to take blocks failed; the next round asks again: %v", err)
			return
		}
		// In a random order, so that executors that leave together do not all begin with one peer.
		m.peers, m.begun = nil, true
		for _, i := range c.Rand().Perm(len(r.GetPeers())) {
			m.peers = append(m.peers, r.GetPeers()[i])
		}
		e.refreshOutputs(c)
		e.cachedRound(c, false)
	})
}

// migrated reports whether nothing is left that could be moved. Blocks that a task has written since the last round begin to move.
//
// Spark compares the time of its last round with that of the last task, as its threads do not see each other's work. Here both are
// the endpoint's own.
func (e *Executor) migrated(c *rpcenv.Context) bool {
	m := e.state.migration
	if m == nil {
		return true
	}
	if !m.begun {
		return false
	}
	e.queueOutputs(c)
	e.cachedRound(c, true)
	return m.outputs.done() && e.cachedDone()
}

// move asks to have a block copied to a peer. then gets whether the peer has it, or the error.
func (e *Executor) move(c *rpcenv.Context, q *storagepb.MoveBlock, then func(taken bool, err error)) {
	q.From = e.blockManagerID()
	rpcenv.Ask(c, e.blocks, q, func(r *rpc.Bool, err error) { then(r.GetValue(), err) })
}

// leaves reports whether a move failed because the peer is decommissioned too, which is not the block's fault.
func leaves(err error) bool { return errors.Is(err, storage.ErrDecommissioned) }
