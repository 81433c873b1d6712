package executor

import (
	"fmt"

	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// outputMoves are the map outputs that move away. Each peer gets one at a time. One that has failed gets no more.
type outputMoves struct {
	on     bool
	atOnce int // peers
	queue  []outputMove
	known  map[outputKey]bool // were queued
	moving int
	busy   map[string]bool // peers, by executor
	failed map[string]bool
}

// outputMove is a map output that is to move.
type outputMove struct {
	key      outputKey
	failures int
}

// done reports whether all that were queued have moved, or were given up.
func (o *outputMoves) done() bool { return !o.on || len(o.queue) == 0 && o.moving == 0 }

// peer is the next one that may take an output; nil: none for now.
func (o *outputMoves) peer(peers []*storagepb.BlockManagerId) *storagepb.BlockManagerId {
	if o.moving >= o.atOnce {
		return nil
	}
	for _, p := range peers {
		if id := p.GetExecutorId(); !o.busy[id] && !o.failed[id] {
			return p
		}
	}
	return nil
}

// usable reports whether a peer is left that has not failed.
func (o *outputMoves) usable(peers []*storagepb.BlockManagerId) bool {
	for _, p := range peers {
		if !o.failed[p.GetExecutorId()] {
			return true
		}
	}
	return false
}

// refreshOutputs queues new map outputs and gives the peers work. Without peers all stay here, and what reads them makes them again.
func (e *Executor) refreshOutputs(c *rpcenv.Context) {
	m := e.state.migration
	o := &m.outputs
	if o.on && !o.usable(m.peers) {
		c.Log().Warn("No available peers to receive Shuffle blocks, stop migration.")
		o.on, o.queue = false, nil
		return
	}
	e.queueOutputs(c)
}

// queueOutputs queues the map outputs that are not known yet, and gives the peers work.
func (e *Executor) queueOutputs(c *rpcenv.Context) {
	o := &e.state.migration.outputs
	if !o.on {
		return
	}
	added := 0
	for _, k := range e.state.own.sorted() {
		if !o.known[k] {
			o.known[k] = true
			o.queue = append(o.queue, outputMove{key: k})
			added++
		}
	}
	if added > 0 {
		c.Log().Infof("%d of %d local shuffles are added. In total, %d shuffles are remained.", added, len(o.known), len(o.queue)+o.moving)
	}
	e.moveOutputs(c)
}

// moveOutputs gives each peer that is free an output.
func (e *Executor) moveOutputs(c *rpcenv.Context) {
	m := e.state.migration
	o := &m.outputs
	for len(o.queue) > 0 {
		p := o.peer(m.peers)
		if p == nil {
			break
		}
		next := o.queue[0]
		o.queue = o.queue[1:]
		o.busy[p.GetExecutorId()] = true
		o.moving++
		c.Log().Infof("Trying to migrate %s to executor %s (%d / %d)", next.key, p.GetExecutorId(), next.failures, m.maxFailures)
		q := &storagepb.MoveBlock{BlockId: next.key.String(), To: p, Sizes: e.state.own.sizes[next.key]}
		e.move(c, q, func(taken bool, err error) {
			if err == nil && !taken {
				err = fmt.Errorf("executor %s has not taken it", p.GetExecutorId())
			}
			e.outputMoved(c, next, p.GetExecutorId(), err)
		})
	}
}

// outputMoved takes the end of a move.
func (e *Executor) outputMoved(c *rpcenv.Context, what outputMove, peer string, err error) {
	m := e.state.migration
	o := &m.outputs
	delete(o.busy, peer)
	o.moving--
	if err == nil {
		c.Log().Infof("Migrated %s to executor %s", what.key, peer)
		e.moveOutputs(c)
		return
	}
	o.failed[peer] = true
	c.Log().Warnf("Stop migrating shuffle blocks to executor %s: %s: %v", peer, what.key, err)
	if !leaves(err) {
		what.failures++
	}
	if what.failures > 0 && what.failures >= m.maxFailures {
		c.Log().Warnf("Give up migrating %s since it's been failed for %d times", what.key, what.failures)
	} else {
		o.queue = append(o.queue, what)
	}
	if o.on && len(o.queue) > 0 && !o.usable(m.peers) {
		e.migrateBlocks(c) // there may be new ones; without one all is given up
		return
	}
	e.moveOutputs(c)
}
