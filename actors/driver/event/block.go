package event

import (
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// PartitionKept reports that an executor keeps a partition of a persisted dataset, or keeps it no more. BlockManagerMaster sends it to
// DAGScheduler when something has changed; BlockUpdated says more, and goes out for each report.
type PartitionKept struct {
	rpcenv.Local
	RDD, Partition   int32
	ExecutorID, Host string
	Kept             bool
}

// MapOutputMoved reports that an executor has taken over a map output from one that leaves. BlockManagerMaster sends it to
// CoarseGrainedScheduler and DAGScheduler, before the one that leaves hears that the output is safe: so it comes before its loss.
type MapOutputMoved struct {
	rpcenv.Local
	Shuffle int32
	// MapID is the id of the attempt that wrote the output.
	MapID int64
	To    *storage.BlockManagerId
}
