package storage

import (
	"errors"
	"fmt"
	"io"

	"github.com/coherer/coherer/rpcenv"
)

// Transfer fetches blocks from the block manager at an address, and calls each for them in the order of ids. The first block that
// fails, or an error of each, ends it. A failure of the connection wraps ErrConnection.
type Transfer interface {
	Fetch(b *rpcenv.Blocking, from rpcenv.Address, ids []string, each func(i int, data []byte) error) error
}

// Streamer is a Transfer that can give a block as a stream, of a size that the other side says. What each leaves unread is skipped.
type Streamer interface {
	Transfer
	Stream(b *rpcenv.Blocking, from rpcenv.Address, ids []string, each func(i int, r io.Reader, size int64) error) error
}

// ErrConnection says that blocks did not come because their connection failed or could not be made: another try may do better. It is
// what an IOException is to Spark's RetryingBlockTransferor.
var ErrConnection = errors.New("the connection failed")

// TaskResultID is the name of the block that has a task's result (org.apache.spark.storage.TaskResultBlockId).
func TaskResultID(task int64) string { return fmt.Sprintf("taskresult_%d", task) }
