package executor

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/actors/executor/fetch"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	storagepb "github.com/coherer/coherer/messages/storage"
)

// writeMap computes a map task and keeps its output. A task that fails or is killed leaves nothing.
func (w *work) writeMap(t rdd.Task, shuffle int) (*storagepb.MapStatus, error) {
	d := w.desc
	out, err := w.io.Blocks.MapOutput(d.GetShuffleId(), d.GetTaskId(), w.lineage.Shuffles()[shuffle].Reducers)
	if err != nil {
		return nil, fmt.Errorf("keep the map output of %s: %w", d.GetName(), err)
	}
	out = seal(out, w.sum)
	if err := w.lineage.RunMap(t, shuffle, out); err != nil {
		if left := out.Abort(); left != nil {
			err = errors.Join(err, fmt.Errorf("remove the map output of %s: %w", d.GetName(), left))
		}
		return nil, err
	}
	sizes, err := out.Commit()
	if err != nil {
		return nil, fmt.Errorf("keep the map output of %s: %w", d.GetName(), err)
	}
	return &storagepb.MapStatus{Location: w.server, MapId: d.GetTaskId(), Sizes: sizes}, nil
}

// report puts into a result what its attempt has cost.
func report(result *app.TaskResult, m *rdd.Metrics, f fetch.Metrics) {
	result.MemoryBytesSpilled, result.DiskBytesSpilled, result.PeakExecutionMemory = m.MemorySpilled, m.DiskSpilled, m.PeakMemory
	if m.ShuffleRecordsWritten > 0 {
		result.ShuffleWrite = &app.ShuffleMetrics{Bytes: m.ShuffleBytesWritten, Records: m.ShuffleRecordsWritten}
	}
	if m.ShuffleRecordsRead > 0 {
		result.ShuffleRead = &app.ShuffleMetrics{
			Bytes: m.ShuffleBytesRead, Records: m.ShuffleRecordsRead, RemoteBlocks: f.RemoteBlocks, LocalBlocks: f.LocalBlocks,
			RemoteBytes: f.RemoteBytes, RemoteBytesToDisk: f.RemoteToDisk, LocalBytes: f.LocalBytes, FetchWaitMs: f.Wait.Milliseconds(),
		}
	}
}

// blockID is the name of a shuffle block (org.apache.spark.storage.ShuffleBlockId).
func blockID(shuffle int32, mapID int64, reduce int) string {
	return fmt.Sprintf("shuffle_%d_%d_%d", shuffle, mapID, reduce)
}

// ParseShuffleBlock reads the name of a shuffle block.
func ParseShuffleBlock(id string) (shuffle int32, task int64, reduce int, ok bool) {
	_, _ = fmt.Sscanf(id, "shuffle_%d_%d_%d", &shuffle, &task, &reduce) // of another text these are not the numbers
	ok = shuffle >= 0 && task >= 0 && reduce >= 0 && blockID(shuffle, task, reduce) == id
	return shuffle, task, reduce, ok
}
