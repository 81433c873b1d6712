package executor

import (
	"fmt"

	"github.com/coherer/coherer/actors/executor/fetch"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/messages/rpc"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// fetchedAtOnce bounds the blocks of one request.
const fetchedAtOnce = 512

// copyBlock takes over a block of an executor that leaves. It is answered when BlockManagerMaster knows the block's new place. It mirrors
// BlockManager.putBlockDataAsStream, to which the executor that leaves uploads.
func (e *Executor) copyBlock(c *rpcenv.Context, m *storagepb.CopyBlock) {
	if e.state.decommissioned || e.state.stopping {
		rpcenv.Fail(c, m, fmt.Errorf("%w: executor %s takes no block", storage.ErrDecommissioned, e.cfg.Args.ExecutorID))
		return
	}
	if shuffle, mapID, ok := storage.ParseMapOutputID(m.GetBlockId()); ok {
		e.copyOutput(c, m, outputKey{shuffle, mapID})
		return
	}
	if _, _, ok := blocks.ParseID(m.GetBlockId()); !ok {
		rpcenv.Fail(c, m, fmt.Errorf("copy block %q: neither a map output nor a partition of a dataset", m.GetBlockId()))
		return
	}
	call := rpcenv.Defer(c, m)
	w := &work{io: e.cfg.IO, cached: e.cached}
	rpcenv.Run(c, "copy", func(b *rpcenv.Blocking) (bool, error) {
		return w.copyCached(b, m.GetBlockId(), levelOf(m.GetLevel()), m.GetFrom())
	}, func(copied bool, err error) {
		switch {
		case err != nil:
			call.Fail(err)
			e.reportChanges(c)
		case !copied:
			c.Log().Infof("Block %s was not copied: it does not fit", m.GetBlockId())
			call.Reply(&rpc.Bool{})
			e.reportChanges(c)
		default:
			e.state.reports.waiting = append(e.state.reports.waiting, call)
			e.reportChanges(c)
		}
	})
}

// copyOutput takes over a map output.
func (e *Executor) copyOutput(c *rpcenv.Context, m *storagepb.CopyBlock, key outputKey) {
	sizes := m.GetSizes()
	for reduce, n := range sizes {
		if n < 0 {
			rpcenv.Fail(c, m, fmt.Errorf("copy %s: the block of reducer %d has %d bytes", key, reduce, n))
			return
		}
	}
	if len(sizes) == 0 {
		rpcenv.Fail(c, m, fmt.Errorf("copy %s: it has no block", key))
		return
	}
	call := rpcenv.Defer(c, m)
	if _, here := e.state.own.sizes[key]; here {
		e.outputCopied(c, call, key)
		return
	}
	if limit, ok := storage.DecommissionMaxDiskSize.Find(c.Conf()); ok && e.state.own.bytes >= limit {
		call.Fail(fmt.Errorf("not storing remote shuffles: %d bytes of map outputs are here, and %s is %d: raise it, or move them to other executors",
			e.state.own.bytes, storage.DecommissionMaxDiskSize.Key(), limit))
		return
	}
	w := &work{io: e.cfg.IO, sum: newSum(c.Conf())}
	// One after the other: each may be large, and tasks need the disk and the network, too.
	rpcenv.Run(c, "copy", func(b *rpcenv.Blocking) (struct{}, error) {
		return struct{}{}, w.copyOutput(b, key, sizes, m.GetFrom())
	}, func(_ struct{}, err error) {
		if err != nil {
			call.Fail(fmt.Errorf("copy %s from executor %s: %w", key, m.GetFrom().GetExecutorId(), err))
			return
		}
		e.state.own.add(key, sizes)
		e.outputCopied(c, call, key)
	})
}

// outputCopied reports a map output that has moved here. Only then is the move answered: the executor that leaves may end after that.
func (e *Executor) outputCopied(c *rpcenv.Context, call rpcenv.Call[*rpc.Bool], key outputKey) {
	u := &storagepb.UpdateBlockInfo{
		BlockManagerId: e.blockManagerID(), BlockId: key.String(), StorageLevel: &storagepb.StorageLevel{UseDisk: true, Replication: 1},
		DiskSize: sum(e.state.own.sizes[key]),
	}
	rpcenv.Ask(c, e.blocks, u, func(known *rpc.Bool, err error) {
		switch {
		case err != nil:
			call.Fail(fmt.Errorf("report %s: %w", key, err))
		case !known.GetValue():
			call.Fail(fmt.Errorf("report %s: the driver does not know the block manager of executor %s", key, e.cfg.Args.ExecutorID))
		default:
			call.Reply(&rpc.Bool{Value: true})
		}
	})
}

// copyOutput fetches all blocks of a map output, some at a time and each by itself in memory, and keeps them as they are, with their
// checksums, which must be right.
func (w *work) copyOutput(b *rpcenv.Blocking, key outputKey, sizes []int64, from *storagepb.BlockManagerId) error {
	out, err := w.io.Blocks.MapOutput(key.shuffle, key.mapID, len(sizes))
	if err != nil {
		return err
	}
	if err := w.fetchOutput(b, key, sizes, from, out); err != nil {
		_ = out.Abort() // what is left of it goes with the executor's directory
		return err
	}
	_, err = out.Commit()
	return err
}

func (w *work) fetchOutput(b *rpcenv.Blocking, key outputKey, sizes []int64, from *storagepb.BlockManagerId, out MapOutput) error {
	at := rpcenv.Address{Host: from.GetHost(), Port: int(from.GetPort())}
	var ids []string
	var reducers []int
	flush := func() error {
		err := w.io.Transfer.Fetch(b, at, ids, func(i int, data []byte) error {
			reduce := reducers[i]
			if int64(len(data)) != sizes[reduce] {
				return fmt.Errorf("block %s has %d bytes, not %d", ids[i], len(data), sizes[reduce])
			}
			if _, err := fetch.Unseal(data, w.sum); err != nil {
				return fmt.Errorf("block %s: %w", ids[i], err)
			}
			if err := out.Partition(reduce); err != nil {
				return err
			}
			_, err := out.Write(data)
			return err
		})
		ids, reducers = ids[:0], reducers[:0]
		return err
	}
	for reduce, n := range sizes {
		if n == 0 { // empty blocks are not stored
			continue
		}
		ids, reducers = append(ids, blockID(key.shuffle, key.mapID, reduce)), append(reducers, reduce)
		if len(ids) == fetchedAtOnce {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return flush()
}
