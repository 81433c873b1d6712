package executor

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/executor/fetch"
	"github.com/coherer/coherer/actors/rdd"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
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

// BlockFiles is a Blocks whose blocks lie in files: a large one is read from there.
type BlockFiles interface {
	// OpenBlock opens a block that this executor keeps. Who opens it closes it.
	OpenBlock(id string) (rdd.File, error)
}

// fetch gives a reducer's blocks in order of the map index.
func (w *work) fetch(b *rpcenv.Blocking, index, reduce int) iter.Seq2[io.Reader, error] {
	return func(yield func(io.Reader, error) bool) {
		shuffle := w.desc.GetShuffles()[index]
		var list []fetch.Block
		for i, status := range w.outputs[index] {
			if status.GetLocation() == nil {
				yield(nil, &fetchError{
					shuffle: shuffle, mapIndex: -1, reduce: int32(reduce),
					cause: fmt.Errorf("missing an output location for map output %d", i),
				})
				return
			}
			// Empty blocks are not stored (Blocks.Put), so they are not asked for.
			if sizes := status.GetSizes(); reduce < len(sizes) && sizes[reduce] > 0 {
				list = append(list, fetch.Block{
					ID: blockID(shuffle, status.GetMapId(), reduce), Index: i, Size: sizes[reduce], At: status.GetLocation(),
				})
			}
		}
		for r, err := range fetch.Blocks(b, w.source(), list, &w.fetched) {
			if failed, ok := errors.AsType[*fetch.Error](err); ok {
				err = &fetchError{
					shuffle: shuffle, mapIndex: int32(failed.Block.Index), reduce: int32(reduce), from: failed.Block.At, cause: failed.Cause,
				}
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// source is where the task's blocks come from.
func (w *work) source() fetch.Source {
	s := fetch.Source{
		Limits: w.limits.fetch, Self: w.self, Own: w.io.Blocks.Get, Near: w.io.Near, Transfer: w.io.Transfer, Files: w.io.Blocks, Sum: w.sum,
	}
	// A shuffle service has the outputs of executors that are gone as well.
	if proto.Equal(w.server, w.self) {
		s.Alive = w.alive
	}
	if files, ok := w.io.Blocks.(BlockFiles); ok {
		s.OpenOwn = files.OpenBlock
	}
	return s
}

// alive asks the driver whether it knows an executor.
func (w *work) alive(b *rpcenv.Blocking, executor string) (bool, error) {
	r, err := rpcenv.AskWait(b, w.master, &storagepb.IsExecutorAlive{ExecutorId: executor})
	return r.GetValue(), err
}

// fetchLimits are what the settings say of fetches.
func fetchLimits(c *conf.Conf) fetch.Limits {
	return fetch.Limits{
		InFlight: reducerMaxSizeInFlight.Get(c) * conf.MiB, Requests: reducerMaxReqsInFlight.Get(c), Blocks: reducerMaxBlocksInFlight.Get(c),
		ToMemory: maxFetchToMemory.Get(c), Retries: shuffleMaxRetries.Get(c), RetryWait: shuffleRetryWait.Get(c),
	}
}
