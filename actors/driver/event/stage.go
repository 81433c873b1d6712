package event

import (
	"github.com/coherer/coherer/actors/driver/exclude"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// StageInfo describes a stage of a job for people (org.apache.spark.scheduler.StageInfo).
type StageInfo struct {
	ID int32
	// Name is the operation that ends it and its job, as "ReduceByKey at words"; Details are the lines of the lineage that it computes.
	Name, Details string
	// Tasks are as many as it has partitions.
	Tasks int
	// Parents are the ids of the stages whose outputs it reads.
	Parents []int32
	// RDDs are the datasets that its tasks compute, the one that they write or bring first.
	RDDs []RDD
}

// RDD describes a dataset of a job. Jobs that compute the same share its number, which is also in the
// ids of its blocks.
type RDD struct {
	ID int32
	// Op is the operation that makes it, Func the user's function of that, "" without one.
	Op, Func      string
	Parents       []int32
	Partitions    int
	Indeterminate bool
	// Level is where its partitions are kept; the zero StorageLevel: nowhere.
	Level rdd.StorageLevel
	// Barrier: it is computed by tasks of a barrier stage.
	Barrier bool
}

// Exclusion reports that failures exclude an executor or a node, or no longer do (SparkListenerExecutorExcluded and the like).
type Exclusion struct {
	rpcenv.Local
	exclude.Event
}

// ExecutorMetricsUpdate reports what a heartbeat said of an executor (SparkListenerExecutorMetricsUpdate).
type ExecutorMetricsUpdate struct {
	rpcenv.Local
	ExecutorID string
	Peaks      []*app.StagePeaks
}

// BlockManagerAdded reports that the block manager of an executor registered (SparkListenerBlockManagerAdded).
type BlockManagerAdded struct {
	rpcenv.Local
	ID *storage.BlockManagerId
	// OnHeap and OffHeap are for kept blocks, in bytes.
	OnHeap, OffHeap int64
}

// BlockManagerRemoved reports that the block manager of an executor is gone with it (SparkListenerBlockManagerRemoved).
type BlockManagerRemoved struct {
	rpcenv.Local
	ID *storage.BlockManagerId
}

// BlockUpdated reports where a block is kept by now (SparkListenerBlockUpdated).
type BlockUpdated struct {
	rpcenv.Local
	ID    *storage.BlockManagerId
	Block string
	// Disk, Memory, OffHeap, Deserialized and Replication are its level; without the first two it is kept no more.
	Disk, Memory, OffHeap, Deserialized bool
	Replication                         int
	MemorySize, DiskSize                int64
}

// UnpersistRDD reports that the blocks of a dataset were given up (SparkListenerUnpersistRDD).
type UnpersistRDD struct {
	rpcenv.Local
	ID int32
}
