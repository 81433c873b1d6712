package event

import "github.com/coherer/coherer/rpcenv"

// PartitionKept reports that an executor keeps a partition of a persisted dataset, or keeps it no more. BlockManagerMaster sends it to
// DAGScheduler when something has changed; BlockUpdated says more, and goes out for each report.
type PartitionKept struct {
	rpcenv.Local
	RDD, Partition   int32
	ExecutorID, Host string
	Kept             bool
}
