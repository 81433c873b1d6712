package executor

import (
	"fmt"

	"github.com/coherer/coherer/actors/executor/fetch"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/messages/app"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// limits say how the result of a task goes to the driver, in bytes.
type limits struct {
	// direct: up to this size it goes in StatusUpdate, above it lies here as a block until the driver fetches it.
	direct int64
	// most: above this size the driver refuses it in any case, so it is not kept at all; 0: it takes any size.
	most int64
	// spillAfter: a task spills when it holds so many records.
	spillAfter int
	fetch      fetch.Limits
}

func limitsOf(c *conf.Conf) limits {
	message := int64(rpcenv.RPCMessageMaxSize.Get(c)) << 20
	return limits{
		direct: min(taskMaxDirectResultSize.Get(c), message, maxDirect),
		most:   submit.DriverMaxResultSize.Get(c),

		spillAfter: spillAfter.Get(c),
		fetch:      fetchLimits(c),
	}
}

// bring puts records into a result, or keeps them and says where. It mirrors the end of Executor.TaskRunner.run.
func (w *work) bring(result *app.TaskResult, records []byte) error {
	size := int64(len(records))
	switch {
	case w.limits.most > 0 && size > w.limits.most:
		result.Size = size
	case size > w.limits.direct:
		id := storage.TaskResultID(w.desc.GetTaskId())
		if err := w.io.Blocks.Put([]string{id}, [][]byte{records}); err != nil {
			return fmt.Errorf("keep the result of %s: %w", w.desc.GetName(), err)
		}
		result.Size, result.BlockManager = size, w.self
	default:
		result.Records = records
	}
	return nil
}

// removeBlock frees what the driver has fetched.
func (e *Executor) removeBlock(c *rpcenv.Context, m *storagepb.RemoveBlock) {
	blocks := e.cfg.IO.Blocks
	rpcenv.Run(c, "", func(*rpcenv.Blocking) (struct{}, error) { return struct{}{}, blocks.Remove(m.GetBlockId()) }, func(_ struct{}, err error) {
		if err != nil {
			c.Log().Warnf("Failed to remove block %s: %v", m.GetBlockId(), err)
		}
	})
}
