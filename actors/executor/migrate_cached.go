package executor

import (
	"slices"

	"github.com/coherer/coherer/actors/storage/blocks"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// cachedMoves are the partitions of datasets that move away, one after the other, each to an executor that does not have it yet.
type cachedMoves struct {
	on       bool
	running  bool           // a round
	failures map[string]int // of blocks that were tried; those that have moved are not here any more
}

// cachedBlocks are the partitions that are kept here and not given up; only those that were never tried, if fresh.
func (e *Executor) cachedBlocks(fresh bool) []blocks.Status {
	m := e.state.migration
	var out []blocks.Status
	for _, s := range e.cached.All() {
		_, _, isRDD := blocks.ParseID(s.ID)
		failures, tried := m.cached.failures[s.ID]
		if isRDD && (!tried || !fresh && failures < m.maxFailures) {
			out = append(out, s)
		}
	}
	return out
}

// cachedDone reports whether no partition is left that may still move.
func (e *Executor) cachedDone() bool {
	m := e.state.migration
	return !m.cached.on || !m.cached.running && len(e.cachedBlocks(false)) == 0
}

// cachedRound tries all partitions once, or those that were never tried. Each is given up after maxFailures failures; Spark tries again
// for ever, so that an executor whose blocks fit nowhere never ends.
func (e *Executor) cachedRound(c *rpcenv.Context, fresh bool) {
	m := e.state.migration
	if !m.cached.on || m.cached.running || m.asking {
		return
	}
	if len(m.peers) == 0 {
		c.Log().Warn("No available peers to receive RDD blocks, stop migration.")
		m.cached.on = false
		return
	}
	todo := e.cachedBlocks(fresh)
	if len(todo) == 0 {
		return
	}
	m.cached.running = true
	q := &storagepb.GetReplicateInfoForRDDBlocks{BlockManagerId: e.blockManagerID()}
	rpcenv.Ask(c, e.blocks, q, func(r *storagepb.ReplicateInfo, err error) {
		if err != nil {
			m.cached.running = false
			c.Log().Warnf("Asking for the replicas of cached blocks failed; the next round asks again: %v", err)
			return
		}
		replicas := map[string][]string{}
		for _, held := range r.GetBlocks() {
			for _, at := range held.GetReplicas() {
				replicas[held.GetBlockId()] = append(replicas[held.GetBlockId()], at.GetExecutorId())
			}
		}
		c.Log().Infof("Need to replicate %d RDD blocks for block manager decommissioning", len(todo))
		e.moveCached(c, todo, replicas, 0)
	})
}

// moveCached moves the first of the partitions, and then the others. at says with which peer it begins, so that they spread.
func (e *Executor) moveCached(c *rpcenv.Context, todo []blocks.Status, replicas map[string][]string, at int) {
	if len(todo) == 0 {
		e.state.migration.cached.running = false
		return
	}
	next := func() { e.moveCached(c, todo[1:], replicas, at+1) }
	// Spark counts the executors that do not have the block; the order is this one's of the round.
	var peers []*storagepb.BlockManagerId
	all := e.state.migration.peers
	for i := range all {
		if p := all[(at+i)%len(all)]; !slices.Contains(replicas[todo[0].ID], p.GetExecutorId()) {
			peers = append(peers, p)
		}
	}
	if len(peers) == 0 && len(replicas[todo[0].ID]) > 0 {
		e.dropCached(c, todo[0].ID, next) // all others have it
		return
	}
	e.tryCached(c, todo[0], peers, next)
}

// tryCached moves a partition to the first peer that takes it.
func (e *Executor) tryCached(c *rpcenv.Context, s blocks.Status, peers []*storagepb.BlockManagerId, next func()) {
	m := e.state.migration
	failures := m.cached.failures[s.ID]
	m.cached.failures[s.ID] = failures // it was tried
	switch {
	case !e.cached.Has(s.ID): // it had to give way to another, or its dataset is kept no more
		delete(m.cached.failures, s.ID)
		next()
		return
	case failures > 0 && failures >= m.maxFailures:
		c.Log().Warnf("Failed to migrate block %s %d times: what reads it computes it again", s.ID, failures)
		next()
		return
	case len(peers) == 0:
		c.Log().Warnf("Failed to migrate block %s: no executor has taken it in this round", s.ID)
		next()
		return
	}
	peer := peers[0]
	e.move(c, &storagepb.MoveBlock{BlockId: s.ID, To: peer, Level: protoLevel(s.Wanted)}, func(taken bool, err error) {
		switch {
		case err == nil && taken:
			c.Log().Infof("Block %s migrated successfully to executor %s, Removing block now", s.ID, peer.GetExecutorId())
			e.dropCached(c, s.ID, next)
			return
		case err != nil:
			c.Log().Warnf("Failed to migrate block %s to executor %s: %v", s.ID, peer.GetExecutorId(), err)
		}
		if !leaves(err) {
			m.cached.failures[s.ID]++
		}
		e.tryCached(c, s, peers[1:], next)
	})
}

// dropCached gives up a partition that others have.
func (e *Executor) dropCached(c *rpcenv.Context, id string, next func()) {
	cached := e.cached
	// In a body: it deletes a file.
	rpcenv.Run(c, "", func(*rpcenv.Blocking) (bool, error) { return cached.Remove(id), nil }, func(bool, error) {
		delete(e.state.migration.cached.failures, id)
		e.reportChanges(c)
		next()
	})
}
