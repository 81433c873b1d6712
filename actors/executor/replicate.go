package executor

import (
	"fmt"

	"github.com/coherer/coherer/actors/storage/blocks"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// replicateBlock copies a block of another executor. One that cannot be fetched, or does not fit, is not copied.
func (e *Executor) replicateBlock(c *rpcenv.Context, m *storagepb.ReplicateBlock) {
	id := m.GetBlockId()
	w := &work{io: e.cfg.IO, cached: e.cached}
	rpcenv.Run(c, "replicate", func(b *rpcenv.Blocking) (bool, error) {
		return w.copyCached(b, id, levelOf(m.GetLevel()), m.GetFrom())
	}, func(copied bool, err error) {
		switch {
		case err != nil:
			c.Log().Warnf("Block %s was not copied: %v", id, err)
		case !copied:
			c.Log().Infof("Block %s was not copied: it does not fit", id)
		}
		e.reportChanges(c)
	})
}

// copyCached keeps a block of another executor here; false when it does not fit.
func (w *work) copyCached(b *rpcenv.Blocking, id string, level blocks.Level, from *storagepb.BlockManagerId) (bool, error) {
	to := w.cached.Writer(id, level)
	if to == nil { // it is here
		return true, nil
	}
	pieces, err := taskCache{w, b}.fetch(from, id)
	if err != nil {
		to.Abort()
		return false, fmt.Errorf("fetch it from executor %s: %w", from.GetExecutorId(), err)
	}
	for _, p := range pieces {
		if !to.Write(p) {
			to.Abort()
			return false, nil
		}
	}
	return true, to.Commit()
}
