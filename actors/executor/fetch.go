package executor

import (
	"errors"
	"fmt"
	"iter"

	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// fetchError is a map output that could not be fetched (org.apache.spark.shuffle.FetchFailedException).
type fetchError struct {
	shuffle, mapIndex, reduce int32
	from                      *storagepb.BlockManagerId
	cause                     error
}

func (e *fetchError) Error() string {
	return fmt.Sprintf("fetch shuffle %d, map output %d, for reducer %d: %v", e.shuffle, e.mapIndex, e.reduce, e.cause)
}

func (e *fetchError) Unwrap() error { return e.cause }

// fetch gives a reducer's blocks in order of the map index: this executor's own from its store, others from their block
// managers, those of one executor in a row in one request.
func (w *work) fetch(b *rpcenv.Blocking, index, reduce int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		shuffle := w.desc.GetShuffles()[index]
		statuses := w.outputs[index]
		// In order of the map index, so that equal inputs give equal results. Neighbours in one place share a request.
		for from := 0; from < len(statuses); {
			to := from + 1
			for to < len(statuses) && samePlace(statuses[from], statuses[to]) {
				to++
			}
			if !w.fetchRun(b, shuffle, reduce, statuses, from, to, yield) {
				return
			}
			from = to
		}
	}
}

func samePlace(a, b *storagepb.MapStatus) bool {
	return a.GetLocation().GetExecutorId() == b.GetLocation().GetExecutorId() &&
		a.GetLocation().GetHost() == b.GetLocation().GetHost() && a.GetLocation().GetPort() == b.GetLocation().GetPort()
}

// fetchRun gives the blocks of the map outputs [from, to), which lie in one place. It returns false after a failure, or when
// yield wants no more.
func (w *work) fetchRun(b *rpcenv.Blocking, shuffle int32, reduce int, statuses []*storagepb.MapStatus, from, to int,
	yield func([]byte, error) bool,
) bool {
	at := statuses[from].GetLocation()
	failed := func(i int, err error) bool {
		yield(nil, &fetchError{shuffle: shuffle, mapIndex: int32(i), reduce: int32(reduce), from: at, cause: err})
		return false
	}
	if at == nil {
		return failed(-1, fmt.Errorf("missing an output location for map output %d", from))
	}
	var ids []string
	var index []int
	for i := from; i < to; i++ {
		// Empty blocks are not stored (Blocks.Put), so they are not asked for.
		if sizes := statuses[i].GetSizes(); reduce < len(sizes) && sizes[reduce] > 0 {
			ids = append(ids, blockID(shuffle, statuses[i].GetMapId(), reduce))
			index = append(index, i)
		}
	}
	if len(ids) == 0 {
		return true
	}
	more, next, again := true, 0, -1
	for next < len(ids) {
		first := next
		err := w.bringBlocks(b, at, ids[first:], func(_ int, data []byte) error {
			block, err := unseal(data, w.sum)
			if err != nil {
				return err
			}
			next++
			if more = yield(block, nil); !more {
				return errKilled
			}
			return nil
		})
		switch {
		case !more: // an error is yield's own wish to end
			return false
		case errors.Is(err, errDamaged) && again != next:
			again = next // once: it may have been damaged on its way
		case err == nil && next < len(ids):
			return failed(index[next], errors.New("it did not come"))
		case err != nil:
			// The block after the last one that came is to blame.
			return failed(index[min(next, len(index)-1)], err)
		}
	}
	return true
}

// bringBlocks calls each for blocks in order: this executor's own from its store, others from their block manager.
func (w *work) bringBlocks(b *rpcenv.Blocking, at *storagepb.BlockManagerId, ids []string, each func(i int, data []byte) error) error {
	if at.GetExecutorId() != w.self.GetExecutorId() {
		return w.io.Transfer.Fetch(b, rpcenv.Address{Host: at.GetHost(), Port: int(at.GetPort())}, ids, each)
	}
	for i, id := range ids {
		data, err := w.io.Blocks.Get(id)
		if err == nil {
			err = each(i, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
