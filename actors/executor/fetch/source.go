package fetch

import (
	"errors"
	"fmt"
	"hash"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// Block is one block that a reducer reads.
type Block struct {
	// ID is its name, Index the number of its map output.
	ID    string
	Index int
	// Size in bytes is that of its MapStatus.
	Size int64
	// At is the block manager that serves it.
	At *storagepb.BlockManagerId
}

// Limits bound what is fetched at once.
type Limits struct {
	// InFlight is spark.reducer.maxSizeInFlight in bytes, of one task; at least 1.
	InFlight int64
	// Requests is spark.reducer.maxReqsInFlight, Blocks spark.reducer.maxBlocksInFlightPerAddress; each at least 1.
	Requests, Blocks int
	// ToMemory is spark.network.maxRemoteBlockSizeFetchToMem in bytes: larger blocks are streamed by way of a file.
	ToMemory int64
	// Retries is spark.shuffle.io.maxRetries, of one request; RetryWait the pause before each.
	Retries   int
	RetryWait time.Duration
}

// Source is where blocks come from. An optional field may be nil.
type Source struct {
	Limits
	// Self is the block manager of the executor that reads.
	Self *storagepb.BlockManagerId
	// Own returns a block of this executor.
	Own func(id string) ([]byte, error)
	// OpenOwn opens one; optional. The reader closes it.
	OpenOwn func(id string) (rdd.File, error)
	// Near opens the file of a block of another executor on this host; optional. After an error the block comes over the network.
	Near func(b *rpcenv.Blocking, at *storagepb.BlockManagerId, id string) (rdd.File, error)
	// Transfer brings the others. With [storage.Streamer] large blocks are never in memory as a whole.
	Transfer storage.Transfer
	// Alive asks whether the driver knows an executor; optional. One that it has given up is not tried again.
	Alive func(b *rpcenv.Blocking, executor string) (bool, error)
	// Files are the temporary ones for large blocks.
	Files rdd.Spill
	// Sum makes the checksum with which each block ends; nil: they have none.
	Sum func() hash.Hash32
}

// Metrics are what a fetch has done (Spark's ShuffleReadMetrics). The reader counts them, as it gets the blocks.
type Metrics struct {
	RemoteBlocks, LocalBlocks int64
	// In bytes, with checksums. RemoteToDisk is a part of RemoteBytes.
	RemoteBytes, RemoteToDisk, LocalBytes int64
	// Wait is how long the reader waited for blocks.
	Wait time.Duration
}

// Error is a block that could not be fetched.
type Error struct {
	Block Block
	Cause error
}

func (e *Error) Error() string { return fmt.Sprintf("block %s: %v", e.Block.ID, e.Cause) }

func (e *Error) Unwrap() error { return e.Cause }

// ErrExecutorDead says that the driver has given up the executor that has the block (org.apache.spark.ExecutorDeadException).
var ErrExecutorDead = errors.New("the executor that has the block is dead")
